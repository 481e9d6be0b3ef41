//===- CheckpointOps.cpp - Saves and restores tensors by name -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports nodes that save and restore tensors by name, which the functions of
// some models contain. The graph's own saver is not imported node by node:
// Saver.cpp recognizes it as a whole.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/CheckpointOps.h"
#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "runtime/Checkpoint/TensorSlice.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether a save or restore node has an input that lists the slices of
// its tensors. The oldest such ops, Save and Restore, have no such input.
static bool hasSlices(NodeImport &node) {
  return node.node.op() != "Restore" && node.node.op() != "Save";
}

// Reads the tensor names and slices, which must be constant, of a save or
// restore node. If the node has no input for slices, sets all slices to "",
// which means whole tensors. Returns false after a problem.
static bool readKeys(NodeImport &node, std::vector<std::string> &names,
                     std::vector<std::string> &slices) {
  if (!node.expectAtLeastInputs(hasSlices(node) ? 3 : 2))
    return false;
  auto constantNames = node.constantStrings(1);
  auto constantSlices =
      hasSlices(node) ? node.constantStrings(2)
      : constantNames
          ? std::optional(std::vector<std::string>(constantNames->size()))
          : std::nullopt;
  if (!constantNames || !constantSlices) {
    node.unsupported("the names and slices of the tensors must be constants");
    return false;
  }
  names = std::move(*constantNames);
  slices = std::move(*constantSlices);
  return true;
}

static ArrayAttr textsOf(NodeImport &node, ArrayRef<std::string> texts) {
  return node.body.builder.getStrArrayAttr(llvm::map_to_vector(
      texts, [](const std::string &text) { return StringRef(text); }));
}

// Imports SaveV2, which writes checkpoints of format V2, and SaveSlices and
// Save, which write V1. Each keeps its format, because the model may read the
// checkpoint by op Restore, which reads only V1 in TensorFlow. The graph's own
// saver, in contrast, always writes V2.
static void importSave(NodeImport &node) {
  std::vector<std::string> names, slices;
  if (!readKeys(node, names, slices))
    return;
  SmallVector<Value> operands = {node.tensor(0)};
  llvm::append_range(operands,
                     node.tensors(hasSlices(node) ? 3 : 2, node.numInputs()));
  if (node.hasFailed())
    return;
  node.verified(SaveTensorsOp::create(
      node.body.builder, node.loc, operands.front(),
      ValueRange(operands).drop_front(), textsOf(node, names),
      textsOf(node, slices), /*writes_v1=*/node.node.op() != "SaveV2"));
}

// Returns the type of `restored`, an output of a restore op that declares no
// shape. The shape comes from `slice`, from a tf.ensure_shape of the output, or
// from the variable that the output is assigned to; without any of these the
// type is unranked. On failure returns null and sets `error`.
static TensorType restoredType(NodeImport &node, Output restored,
                               proto::DataType dtype, StringRef slice,
                               std::string &error) {
  if (!slice.empty()) {
    auto part = parseShapeAndSlice(slice.str());
    Expected<TensorSlice> box =
        part ? part->slice.within(part->fullShape) : part.takeStatus();
    if (!box) {
      error = box.status().message();
      return {};
    }
    proto::TensorShapeProto shape;
    for (int64_t size : box->shape())
      shape.add_dim()->set_size(size);
    return convertTensorType(dtype, &shape, node.context(), error);
  }
  const Graph &graph = node.body.graph;
  for (int user = 0; user < graph.size(); ++user) {
    const Graph::Node &def = graph[user];
    bool ensures = def.op() == "EnsureShape";
    bool assigns = def.op() == "AssignVariableOp" || def.op() == "Assign";
    size_t input = assigns ? 1 : 0;
    if ((!ensures && !assigns) || def.inputs.size() != input + 1 ||
        graph.skipIdentities(def.inputs[input]) != restored)
      continue;
    if (ensures) {
      NodeAttributes attributes(*def.def);
      if (const proto::TensorShapeProto *shape = attributes.getShape("shape"))
        return convertTensorType(dtype, shape, node.context(), error);
    } else {
      ResourceHandle handle = node.body.handle(def.inputs[0]);
      if (isVariable(handle.op()))
        if (VariableOp variable =
                node.body.program.variable(handle, node.body.problems))
          return cast<TensorType>(variable.getType());
    }
  }
  return convertTensorType(dtype, nullptr, node.context(), error);
}

// Imports RestoreV2, which restores several tensors, and the older Restore and
// RestoreSlice, which restore one tensor each.
static void importRestore(NodeImport &node) {
  std::vector<std::string> names, slices;
  bool isOld = node.node.op() != "RestoreV2";
  if (!node.expectInputs(hasSlices(node) ? 3 : 2) ||
      !readKeys(node, names, slices))
    return;
  std::vector<proto::DataType> dtypes = node.attributes.getTypes("dtypes");
  if (isOld)
    dtypes = {node.attributes.getType("dt", proto::DT_INVALID)};
  if (names.size() != dtypes.size() || slices.size() != dtypes.size())
    return node.malformed("has " + llvm::Twine(names.size()) + " names and " +
                          llvm::Twine(slices.size()) + " slices for " +
                          llvm::Twine(dtypes.size()) + " tensors");
  Value prefix = node.tensor(0);
  if (!prefix)
    return;
  SmallVector<Type> types;
  for (auto [port, dtype] : llvm::enumerate(dtypes)) {
    std::string error;
    TensorType type =
        restoredType(node, Output(node.index, static_cast<int>(port)), dtype,
                     slices[port], error);
    if (!type)
      return node.unsupported(error);
    if (!type.hasRank())
      return node.unsupported(
          "the restored shape is unknown; assign it to a variable of static "
          "shape, or use tf.ensure_shape");
    types.push_back(type);
  }
  Operation *op = node.verified(
      RestoreTensorsOp::create(node.body.builder, node.loc, types, prefix,
                               textsOf(node, names), textsOf(node, slices)));
  if (!op)
    return;
  for (auto [port, value] : llvm::enumerate(op->getResults()))
    node.setOutput(port, value);
}

void addCheckpointOps(OpTable &table) {
  for (const char *op : {"SaveV2", "SaveSlices", "Save"})
    table[op] = {Effect::Consumes, importSave};
  for (const char *op : {"RestoreV2", "RestoreSlice", "Restore"})
    table[op] = {Effect::Consumes, importRestore};
}

} // namespace ingot::importer
