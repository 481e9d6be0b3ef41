//===- GroupByWindowExport.cpp - Exports GroupByWindowDataset -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports the ops that a GroupByWindowDataset is imported as: a map that
// computes keys, a group_dataset over it, and a flat_map over the
// group_dataset. The ops of the map's function that compute the key become the
// key function. Ops that compute the window size from the key become the size
// function, and are also cloned into the reduce function.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

// Adds to `ops` the ops that compute `value`, in topological order. Stops at
// `given`, for which a node exists already.
static void addNeeded(Value value, Value given,
                      llvm::SetVector<Operation *> &ops) {
  Operation *op = value == given ? nullptr : value.getDefiningOp();
  if (!op || ops.contains(op))
    return;
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  used.insert(op->operand_begin(), op->operand_end());
  for (Value operand : used)
    addNeeded(operand, given, ops);
  ops.insert(op);
}

// Adds nodes to `block` for the ops that compute `values`, and returns the node
// outputs that correspond to `values`. A node for `given` exists already, so no
// nodes are added for the ops that compute it.
static SmallVector<NodeOutput> compute(BlockExport &block, ValueRange values,
                                       Value given = {}) {
  llvm::SetVector<Operation *> ops;
  for (Value value : values)
    addNeeded(value, given, ops);
  for (Operation *op : ops)
    block.run(op);
  SmallVector<NodeOutput> tensors;
  for (Value value : values)
    tensors.push_back(block.value(value));
  return tensors;
}

void exportGroupByWindow(OpExport &op) {
  auto group = op.op->getOperand(0).getDefiningOp<GroupDatasetOp>();
  auto map = group.getInput().getDefiningOp<MapDatasetOp>();
  auto keys =
      map ? op.block.program.symbols.lookup<func::FuncOp>(map.getFunction())
          : func::FuncOp();
  if (!keys)
    return op.refuse(
        "the keys must be computed by a map_dataset that is the input of "
        "the group_dataset");
  Block &keyed = keys.getBody().front();
  ValueRange results = keyed.getTerminator()->getOperands();
  Value key = results[0];
  ValueRange operands = results.take_back(group.getNumTensors());

  SmallVector<proto::DataType> element;
  for (Type type : keyed.getArgumentTypes())
    element.push_back(toTensorType(type));
  std::string name = op.nodeName().empty() ? "group" : op.nodeName();
  std::string keyName = op.block.program.addFunction(
      name + "_key", element,
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        for (auto [value, tensor] : llvm::zip(keyed.getArguments(), inputs))
          block.bind(value, tensor);
        return compute(block, key);
      });
  std::string sizeName = op.block.program.addFunction(
      name + "_size", proto::DT_INT64,
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        block.bind(key, inputs.front());
        return compute(block, results[1], key);
      });

  // The arguments of the flat_map's block are, first, one dataset for each
  // component of a window, which the block zips, and then values that are
  // computed from the key of the window.
  Block &body = op.op->getRegion(0).front();
  unsigned numWindows = body.getNumArguments() - operands.size();
  ValueRange windows = ValueRange(body.getArguments()).take_front(numWindows);
  Operation *zip = nullptr;
  if (numWindows > 1)
    zip = windows.front().hasOneUse() ? *windows.front().user_begin() : nullptr;
  if (numWindows > 1 && (!zip || !isa<ZipDatasetOp>(zip) ||
                         !llvm::equal(zip->getOperands(), windows)))
    return op.refuse("the op's region must zip all components of a window, "
                     "because TensorFlow passes a window as one dataset");
  std::string reduceName = op.block.program.addFunction(
      name + "_reduce", {proto::DT_INT64, proto::DT_VARIANT},
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        block.bind(key, inputs[0]);
        block.bind(zip ? zip->getResult(0) : windows.front(), inputs[1]);
        if (zip)
          block.absorb(zip);
        SmallVector<NodeOutput> computed = compute(block, operands, key);
        for (auto [argument, tensor] :
             llvm::zip(body.getArguments().drop_front(numWindows), computed))
          block.bind(argument, tensor);
        block.run(body);
        return SmallVector<NodeOutput>{
            block.value(body.getTerminator()->getOperand(0))};
      });

  AttributeMap attributes;
  addComponents(
      attributes,
      cast<DatasetType>(op.op->getResult(0).getType()).getComponents());
  attributes["key_func"] = function(keyName);
  attributes["reduce_func"] = function(reduceName);
  attributes["window_size_func"] = function(sizeName);
  for (StringRef captured :
       {"Tkey_func_other_arguments", "Treduce_func_other_arguments",
        "Twindow_size_func_other_arguments"})
    attributes[captured.str()] = types({});
  op.emit("GroupByWindowDataset", op.block.value(map.getInput()), attributes);
}

} // namespace ingot::exporter
