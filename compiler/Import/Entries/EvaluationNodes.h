//===- EvaluationNodes.h - Writes the nodes of an evaluation ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONNODES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONNODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// Adds nodes to a GraphDef. Each node has all attributes that its op requires,
/// and its name begins with "adanet_evaluation/".
class EvaluationNodeDefBuilder {
public:
  explicit EvaluationNodeDefBuilder(proto::GraphDef &nodes) : nodes(nodes) {}

  using Type = proto::DataType;

  /// Adds a node and returns its name.
  std::string add(llvm::StringRef op, const llvm::Twine &name,
                  llvm::ArrayRef<std::string> inputs,
                  std::initializer_list<std::pair<const char *, Type>> types) {
    node = nodes.add_node();
    node->set_name(("adanet_evaluation/" + name).str());
    node->set_op(op.str());
    for (const std::string &input : inputs)
      node->add_input(input);
    for (auto [key, type] : types)
      (*node->mutable_attr())[key].set_type(type);
    return node->name();
  }
  /// Sets an integer attribute of the node that was added last.
  void setInt(const char *key, int64_t value) {
    (*node->mutable_attr())[key].set_i(value);
  }

  /// Adds a Const node with the number `value`, as a scalar or, if `isList`, as
  /// a vector of size 1. Returns the node's name.
  std::string constant(const llvm::Twine &name, int32_t value,
                       bool isList = false) {
    std::string added = add("Const", name, {}, {{"dtype", proto::DT_INT32}});
    auto &tensor = *(*node->mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(proto::DT_INT32);
    tensor.add_int_val(value);
    tensor.mutable_tensor_shape();
    if (isList)
      tensor.mutable_tensor_shape()->add_dim()->set_size(1);
    return added;
  }
  std::string constant(const llvm::Twine &name, float value) {
    std::string added = add("Const", name, {}, {{"dtype", proto::DT_FLOAT}});
    auto &tensor = *(*node->mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(proto::DT_FLOAT);
    tensor.add_float_val(value);
    tensor.mutable_tensor_shape();
    return added;
  }
  std::string cast(const llvm::Twine &name, const std::string &input, Type from,
                   Type to) {
    return from == to
               ? input
               : add("Cast", name, {input}, {{"SrcT", from}, {"DstT", to}});
  }
  std::string pack(const llvm::Twine &name, llvm::ArrayRef<std::string> inputs,
                   Type type = proto::DT_FLOAT) {
    std::string added = add("Pack", name, inputs, {{"T", type}});
    setInt("N", static_cast<int64_t>(inputs.size()));
    setInt("axis", 0);
    return added;
  }
  std::string flatten(const llvm::Twine &name, const std::string &input) {
    std::string shape = constant(name + "/shape", int32_t(-1), /*isList=*/true);
    return add("Reshape", name, {input, shape},
               {{"T", proto::DT_FLOAT}, {"Tshape", proto::DT_INT32}});
  }

private:
  proto::GraphDef &nodes;
  proto::NodeDef *node = nullptr;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_EVALUATIONNODES_H
