//===- CheckCompilable.cpp - Rejects ops without a lowering ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Matchers.h"

namespace ingot::graph {
#define GEN_PASS_DEF_CHECKCOMPILABLEPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

/// Whether code can be generated for tensors of this element type.
static bool isSupported(Type element) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, StringType,
             VariantType, ComplexType>(element) ||
         element.isInteger(1) || element.isInteger(8) ||
         element.isInteger(16) || element.isInteger(32) ||
         element.isInteger(64);
}

static LogicalResult checkValue(Operation *op, Value value,
                                StringRef subject = "result") {
  auto type = dyn_cast<TensorType>(value.getType());
  if (!type)
    return success();
  if (!type.hasRank())
    return op->emitError() << subject
                           << " has unknown rank, but code is generated for "
                              "tensors of known rank only: give it a shape in "
                              "the graph, as with tf.ensure_shape";
  if (!isSupported(type.getElementType()))
    return op->emitError() << subject << " has unsupported element type "
                           << type.getElementType()
                           << ": supported are bool, integers of 8 to 64 bits, "
                              "floats of 16 to 64 bits, complex numbers and "
                              "strings";
  return success();
}

static bool isObject(Value value) {
  return isa<VariantType>(getElementTypeOrSelf(value.getType()));
}

/// Rejects TensorLists and other runtime objects as feeds and fetches of an
/// entry: such an object does not outlive the run that makes it, so the caller
/// can neither pass nor receive one.
static LogicalResult checkObjects(Region &region) {
  Operation *op = region.getParentOp();
  Operation *end = region.back().getTerminator();
  if (llvm::any_of(region.getArguments(), isObject))
    return op->emitError()
           << "cannot feed a variant, such as a TensorList: feed a tensor of "
              "the list's stacked elements";
  auto given = llvm::find_if(end->getOperands(), isObject);
  if (given == end->getOperands().end())
    return success();
  Operation *made = (*given).getDefiningOp();
  return (made ? made : op)->emitError()
         << "cannot fetch a variant, such as a TensorList: stack the list's "
            "elements first";
}

/// Checks that code can be generated for the types of feeds, of the results of
/// all ops except constants, and of loop-carried values.
static LogicalResult checkBody(Region &region) {
  LogicalResult result = success();
  // Feeds of strings may have an unknown rank, because no kernel reads them,
  // only the runtime does.
  for (BlockArgument argument : region.getArguments())
    if (!isa<StringType>(getElementTypeOrSelf(argument.getType())) &&
        failed(checkValue(region.getParentOp(), argument, "feed")))
      result = failure();
  region.walk([&](Operation *op) {
    if (isa<ConstantOp>(op))
      return;
    for (Value value : op->getResults())
      if (failed(checkValue(op, value)))
        result = failure();
    if (::ingot::graph::isElementwise(op) &&
        llvm::any_of(op->getOperands(), isObject)) {
      op->emitError(
          "op does not accept variants, such as TensorLists: stack the list's "
          "elements first");
      result = failure();
    }
    // It is enough to check the body's arguments: the condition's block has
    // arguments of the same types.
    if (auto loop = dyn_cast<WhileOp>(op))
      for (BlockArgument argument : loop.getBody().getArguments())
        if (failed(checkValue(op, argument, "loop-carried value")))
          result = failure();
  });
  if (failed(checkObjects(region)))
    result = failure();
  return result;
}

/// Checks that each operand of the iterator's datasets is a constant or an
/// argument of the function around the datasets: the runtime builds pipelines
/// before any entry runs, so no entry can compute such an operand.
static LogicalResult checkPipeline(IteratorOp iterator) {
  LogicalResult result = success();
  iterator.walk([&](Operation *op) {
    if (op->getNumResults() != 1 ||
        !isa<DatasetType>(op->getResult(0).getType()))
      return;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (isa<DatasetType>(operand.getType()) ||
          (argument && argument.getOwner() == op->getBlock()) ||
          matchPattern(operand, m_Constant()))
        continue;
      op->emitError() << "dataset operand " << index
                      << " is not constant, but input pipelines are built "
                         "before any step runs: make it a constant";
      result = failure();
    }
  });
  return result;
}

namespace {
struct CheckCompilable
    : ::ingot::graph::impl::CheckCompilablePassBase<CheckCompilable> {
  void runOnOperation() override {
    bool failed = false;
    for (Operation &op : *getOperation().getBody()) {
      if (auto iterator = dyn_cast<IteratorOp>(op))
        failed |= mlir::failed(checkPipeline(iterator));
      else if (isa<EntryOp, func::FuncOp>(op))
        failed |= mlir::failed(checkBody(op.getRegion(0)));
    }
    if (failed)
      signalPassFailure();
  }
};
} // namespace
