//===- NodeAttributes.h - Type-checked attributes of nodes ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads a node's attributes by name and type. If an attribute is absent or has
// an unexpected type, its getter returns the default value that the caller
// passes. If the type is unexpected, `error` then returns a message about this.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_NODEATTRIBUTES_H
#define INGOT_COMPILER_IMPORT_GRAPH_NODEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <vector>

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// The attributes of one node of a GraphDef.
class NodeAttributes {
public:
  explicit NodeAttributes(const proto::NodeDef &node) : node(node) {}

  bool has(llvm::StringRef name) const;
  bool getBool(llvm::StringRef name, bool byDefault);
  int64_t getInt(llvm::StringRef name, int64_t byDefault);
  float getFloat(llvm::StringRef name, float byDefault);
  std::string getString(llvm::StringRef name, llvm::StringRef byDefault);
  proto::DataType getType(llvm::StringRef name, proto::DataType byDefault);
  std::vector<int64_t> getInts(llvm::StringRef name);
  std::vector<proto::DataType> getTypes(llvm::StringRef name);
  /// Returns the shape in attribute `name`, or null if the attribute is absent.
  const proto::TensorShapeProto *getShape(llvm::StringRef name);
  /// The following getters return null if the attribute is absent. The result
  /// lives as long as the node.
  const proto::AttrValue::ListValue *getList(llvm::StringRef name);
  const proto::TensorProto *getTensor(llvm::StringRef name);
  const proto::NameAttrList *getFunction(llvm::StringRef name);

  /// The message for the first attribute that has another type than its getter
  /// expects: "attribute 'T' is a string, expected a type". Empty if there is
  /// no such attribute.
  const std::string &error() const { return message; }

private:
  const proto::AttrValue *find(llvm::StringRef name,
                               proto::AttrValue::ValueCase kind);

  const proto::NodeDef &node;
  std::string message;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_NODEATTRIBUTES_H
