//===- FoldFillsIntoReductions.cpp - Constants that reductions start from -===//
// SPDX-License-Identifier: Apache-2.0
//
// A reduction adds to the contents of its result's buffer, which an earlier
// linalg.fill has initialized. If the reduction starts from the constant of the
// fill instead, the fill, a barrier and the loads of the initial values are not
// needed. Then only one op writes the elements, so that several blocks can
// share a reduction's elements (SplitIterationsAcrossThreadBlocks.cpp).
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/BufferAccesses.h"
#include "codegen/PTX/Passes.h"

#include "mlir/IR/Matchers.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_FOLDFILLSINTOREDUCTIONSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;
using namespace ::ingot::ptx;

/// Returns the next op in the block of `fill` that accesses the filled buffer,
/// if it is a reduction; else null.
static linalg::GenericOp nextReduction(linalg::FillOp fill) {
  BufferAccesses filled;
  filled.add(fill);
  for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
    BufferAccesses own;
    own.add(op);
    if (!filled.conflictsWith(own))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return generic && generic.getNumReductionLoops() != 0 ? generic
                                                          : linalg::GenericOp();
  }
  return {};
}

/// Folds the fill into the next reduction that accesses the filled buffer. That
/// reduction must overwrite every element of the filled view, and use the old
/// elements only as the initial values of its sums. Returns whether the fill
/// was folded.
static bool fold(linalg::FillOp fill) {
  TypedAttr value;
  Value view = fill.getOutputs().front();
  if (!matchPattern(fill.getInputs().front(), m_Constant(&value)) ||
      !isa<MemRefType>(view.getType()) ||
      value.getType() != getElementTypeOrSelf(view.getType()))
    return false;
  linalg::GenericOp reduction = nextReduction(fill);
  if (!reduction)
    return false;
  Value root = ::ingot::kernels::rootOf(view);
  OpOperand *found = nullptr;
  for (OpOperand &operand : reduction->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) ||
        ::ingot::kernels::rootOf(operand.get()) != root)
      continue;
    if (found || !reduction.isDpsInit(&operand))
      return false;
    found = &operand;
  }
  WalkResult loads = reduction.getBlock()->walk([&](memref::LoadOp load) {
    return ::ingot::kernels::rootOf(load.getMemRef()) == root
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!found || loads.wasInterrupted() ||
      !::ingot::kernels::areSameView(found->get(), view) ||
      !reduction.getMatchingIndexingMap(found).isProjectedPermutation())
    return false;
  Builder builder(fill.getContext());
  SmallVector<Attribute> starts(reduction.getNumDpsInits(),
                                builder.getUnitAttr());
  if (auto known = reduction->getAttrOfType<ArrayAttr>(startsAttrName))
    starts.assign(known.begin(), known.end());
  starts[found->getOperandNumber() - reduction.getNumDpsInputs()] = value;
  reduction->setAttr(startsAttrName, builder.getArrayAttr(starts));
  fill.erase();
  return true;
}

namespace {
struct FoldFillsIntoReductions
    : ::ingot::ptx::impl::FoldFillsIntoReductionsPassBase<
          FoldFillsIntoReductions> {
  void runOnOperation() override {
    SmallVector<linalg::FillOp> fills;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isDeviceKernel(kernel))
        kernel.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills)
      numFolded += fold(fill);
  }
};
} // namespace
