//===- Attributes.h - NodeDef attributes from MLIR's ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Values, types and shapes in the form of a GraphDef.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_ATTRIBUTES_H
#define INGOT_COMPILER_EXPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"

#include <map>
#include <string>

namespace ingot::exporter {

using AttributeMap = std::map<std::string, proto::AttrValue>;

/// TensorFlow's element type; variant for objects of the runtime and for
/// datasets, DT_INVALID for types that no tensor has.
proto::DataType toDataType(mlir::Type element);

/// The type of an operand or result of ours.
proto::DataType toTensorType(mlir::Type type);

/// A tensor's shape, with -1 for dynamic dimensions.
proto::TensorShapeProto toShape(mlir::Type tensor);
proto::TensorShapeProto toShape(llvm::ArrayRef<int64_t> dims);

proto::AttrValue boolean(bool value);
proto::AttrValue integer(int64_t value);
proto::AttrValue number(float value);
proto::AttrValue text(llvm::StringRef value);
proto::AttrValue type(proto::DataType value);
proto::AttrValue shape(proto::TensorShapeProto value);
proto::AttrValue integers(llvm::ArrayRef<int64_t> values);
proto::AttrValue types(llvm::ArrayRef<proto::DataType> values);
proto::AttrValue function(llvm::StringRef name);

/// `output_types` and `output_shapes` of elements of these types.
void addComponents(AttributeMap &attributes, llvm::ArrayRef<mlir::Type> types,
                   llvm::StringRef typesName = "output_types");

/// A constant's value.
proto::AttrValue tensor(mlir::ElementsAttr value);
/// A vector of strings, or a scalar.
proto::AttrValue strings(llvm::ArrayRef<llvm::StringRef> values);
proto::AttrValue string(llvm::StringRef value);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_ATTRIBUTES_H
