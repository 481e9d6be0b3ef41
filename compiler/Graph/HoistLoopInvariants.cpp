//===- HoistLoopInvariants.cpp - Loop-invariant code motion ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_HOISTLOOPINVARIANTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-hoist-loop-invariants"

using namespace mlir;
using namespace mlir::ingot;

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static bool isStaticFloat(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<FloatType>(tensor.getElementType());
}

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Whether hoisting the op out of a loop is safe and profitable. The loop may
/// have no iteration, so hoisting is safe only if the op cannot fail. An op
/// with dynamic shapes relies on a check before it, and may fail without that
/// check. An op on integers may fail because of a division by zero or an
/// invalid index. Hoisting is profitable if the result needs no more memory
/// than the operands.
static bool mayHoist(Operation *op) {
  if (isa<ConstantOp>(op))
    return true;
  if (!llvm::all_of(op->getResultTypes(), isStaticFloat))
    return false;
  if (isa<MatMulOp, TransposeOp, SliceOp, StridedSliceOp, SplitOp, ReshapeOp,
          ConcatOp>(op))
    return llvm::all_of(op->getOperandTypes(), isStatic);
  return ::ingot::graph::isElementwise(op) && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), isStaticFloat) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return elementsOf(operand) == elementsOf(op->getResult(0));
         });
}

namespace {

struct HoistLoopInvariants
    : ::ingot::graph::impl::HoistLoopInvariantsPassBase<HoistLoopInvariants> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](WhileOp loop) {
      // The walk visits inner loops first, so the body of this loop already
      // contains the ops that were hoisted out of its inner loops.
      for (Region &region : loop->getRegions())
        for (Operation &op : region.front())
          ops.push_back(&op);
      for (Operation *op : ops)
        if (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
            mayHoist(op) && outermostLoopWithout(op, op->getOperands())) {
          LLVM_DEBUG(llvm::dbgs() << "hoist " << op->getName() << " at "
                                  << op->getLoc() << '\n');
          op->moveBefore(loop);
          ++numHoisted;
        }
      ops.clear();
    });
  }
};

} // namespace
