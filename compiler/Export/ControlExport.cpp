//===- ControlExport.cpp - Exports branches and loops ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports ingot.if and ingot.while. Each region becomes a library function of
// the graph. Values that a region captures from outside become additional
// arguments after those of the region's block. Handles of resources are not
// passed as arguments: each function creates them itself.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static SmallVector<proto::DataType> typesOf(ArrayRef<NodeOutput> tensors) {
  SmallVector<proto::DataType> types;
  for (const NodeOutput &tensor : tensors)
    types.push_back(tensor.dtype);
  return types;
}

// Adds a library function that computes the results of a region, and returns
// its name. The function's inputs are the tensors `arguments`: those for the
// region's block arguments first, then those for `captured`, the values that
// the region uses from outside. With `handOn`, the function also returns the
// captured tensors, as the body of a While must.
static std::string
functionOf(OpExport &op, StringRef suffix, Region &region,
           ArrayRef<Value> captured, ArrayRef<NodeOutput> arguments,
           bool handOn, SmallVectorImpl<proto::DataType> *outputs = nullptr) {
  std::string name = op.nodeName();
  if (name.empty())
    name = op.op->getName().stripDialect().str();
  return op.block.program.addFunction(
      name + suffix.str(), typesOf(arguments),
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        Block &body = region.front();
        for (auto [value, tensor] :
             llvm::zip(body.getArguments(),
                       inputs.take_front(body.getNumArguments())))
          block.bind(value, tensor);
        ArrayRef<NodeOutput> outside =
            inputs.drop_front(body.getNumArguments());
        for (auto [value, tensor] : llvm::zip(captured, outside))
          block.bind(value, tensor);
        block.run(body);
        SmallVector<NodeOutput> results;
        for (Value value : body.getTerminator()->getOperands())
          results.push_back(block.value(value));
        if (handOn)
          llvm::append_range(results, outside);
        return results;
      },
      outputs);
}

static void bindResults(OpExport &op, ArrayRef<NodeOutput> outputs) {
  for (auto [result, tensor] : llvm::zip(op.op->getResults(), outputs))
    op.block.bind(result, tensor);
}

// Exports a branch as If. A branch without side effects becomes a StatelessIf,
// which needs no control edges.
static void exportIf(OpExport &op) {
  auto ifOp = cast<IfOp>(op.op);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.op->getRegions(), captured);
  SmallVector<NodeOutput> arguments = op.tensors(captured.getArrayRef());
  SmallVector<proto::DataType> outputs;
  std::string thenName =
      functionOf(op, "_true", ifOp.getThenBranch(), captured.getArrayRef(),
                 arguments, /*handOn=*/false, &outputs);
  std::string elseName =
      functionOf(op, "_false", ifOp.getElseBranch(), captured.getArrayRef(),
                 arguments, /*handOn=*/false);
  bool isPure = isMemoryEffectFree(op.op);
  if (!isPure)
    op.touchAll();
  SmallVector<NodeOutput> inputs = {op.operand(0)};
  llvm::append_range(inputs, arguments);
  bindResults(op, op.emit(isPure ? "StatelessIf" : "If", inputs, outputs,
                          {{"then_branch", function(thenName)},
                           {"else_branch", function(elseName)},
                           {"Tin", types(typesOf(arguments))},
                           {"Tout", types(outputs)}},
                          op.op->getResults()));
}

// Exports a loop. Captured values become loop-carried values that the body
// returns unchanged, as While has no other inputs.
static void exportWhile(OpExport &op) {
  auto loop = cast<WhileOp>(op.op);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.op->getRegions(), captured);
  SmallVector<NodeOutput> inputs = op.operands();
  llvm::append_range(inputs, op.tensors(captured.getArrayRef()));
  std::string test = functionOf(op, "_cond", loop.getTest(),
                                captured.getArrayRef(), inputs, false);
  std::string body = functionOf(op, "_body", loop.getBody(),
                                captured.getArrayRef(), inputs, true);
  bool isPure = isMemoryEffectFree(op.op);
  if (!isPure)
    op.touchAll();
  bindResults(op, op.emit(isPure ? "StatelessWhile" : "While", inputs,
                          typesOf(inputs),
                          {{"cond", function(test)},
                           {"body", function(body)},
                           {"T", types(typesOf(inputs))}},
                          op.op->getResults()));
}

void addControlExports(ExportTable &table) {
  table[IfOp::getOperationName()] = exportIf;
  table[WhileOp::getOperationName()] = exportWhile;
}

} // namespace ingot::exporter
