//===- CollapseLoops.cpp - Collapse loops over contiguous short rows ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// Rows with fewer elements are short. Which dimensions a sum takes as one, and
/// so its order, depends on this number: it is the same for all levels.
constexpr int64_t minRow = 64;

/// The innermost loops of one kind whose dimensions are contiguous in every
/// operand, or absent from it; fewer than two where there is nothing to gain.
ReassociationIndices collapsible(linalg::LinalgOp op) {
  ReassociationIndices loops;
  int64_t inner = static_cast<int64_t>(op.getNumLoops()) - 1;
  if (inner < 1 || ShapedType::isDynamic(op.getStaticLoopRanges()[inner]) ||
      op.getStaticLoopRanges()[inner] >= minRow || op.hasIndexSemantics())
    return loops;
  for (int64_t outer = inner; outer >= 0; --outer) {
    ReassociationIndices more = {outer};
    llvm::append_range(more, loops);
    if (op.getIteratorTypesArray()[outer] !=
            op.getIteratorTypesArray()[inner] ||
        !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), {more}))
      break;
    loops = more;
  }
  return loops;
}

/// Collapses operands of one element, all of whose dimensions are loops with
/// one iteration, to rank 0, so that they do not prevent collapsing loops.
void dropSingleIterations(IRRewriter &rewriter, linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  rewriter.setInsertionPoint(op);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap &map = maps[operand->getOperandNumber()];
    auto type = dyn_cast<MemRefType>(operand->get().getType());
    if (!type || type.getRank() == 0 || !type.hasStaticShape() ||
        type.getNumElements() != 1 ||
        !llvm::all_of(map.getResults(), [&](AffineExpr expression) {
          auto dim = dyn_cast<AffineDimExpr>(expression);
          // The result's map still has the loop.
          return dim && ranges[dim.getPosition()] == 1 &&
                 llvm::is_contained(result.getResults(), expression);
        }))
      continue;
    operand->set(
        memref::CollapseShapeOp::create(rewriter, op.getLoc(), operand->get(),
                                        ArrayRef<ReassociationIndices>{}));
    map = AffineMap::get(map.getNumDims(), 0, op.getContext());
  }
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

/// Fails where the operands' layouts do not allow it.
LogicalResult collapse(IRRewriter &rewriter, linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    dropSingleIterations(rewriter, generic);
  ReassociationIndices loops = collapsible(op);
  if (loops.size() < 2)
    return rewriter.notifyMatchFailure(op, "no contiguous inner loops");
  rewriter.setInsertionPoint(op);
  if (isa<linalg::FillOp>(op)) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return rewriter.notifyMatchFailure(op, "not generalizable");
    op = *generic;
    rewriter.setInsertionPoint(op);
  }
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, {loops}, rewriter);
  if (failed(collapsed))
    return rewriter.notifyMatchFailure(op, "strided operands");
  rewriter.eraseOp(op);
  return success();
}

struct CollapseLoops
    : ::ingot::cpu::impl::CollapseLoopsPassBase<CollapseLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isa<linalg::GenericOp, linalg::FillOp>(op) &&
          op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      (void)collapse(rewriter, op);
  }
};

} // namespace
