//===- CollapseLoops.cpp - Collapse loops over contiguous short rows ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Collapses inner loops over short rows that are contiguous in memory into one
// loop, so that vectors span several rows. Iterations keep their order.
//
// In a sum, either all loops that form a row (SumOrder.h) are collapsed, or
// none of them. VectorizeLoops adds up the row's elements in the same order in
// both cases. So the order of additions depends neither on the operands' layout
// nor on ops that are fused into the sum, although both may prevent collapsing.
//
// Loops are collapsed also if the body loads from a buffer along them, such as
// the row of an image that an interpolation reads.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/LoopIndices.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/SumOrder.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_COLLAPSELOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// If the innermost loop has at least this number of iterations, it fills
/// vectors by itself, and no loops are collapsed. Sums along the innermost loop
/// do not use this constant: firstLoopOfRow() decides which of their loops are
/// collapsed.
constexpr int64_t minParallelRow = 64;

/// Whether the elements of each operand that is indexed by `loops`, a sequence
/// that all operands' maps preserve, follow each other in memory.
bool isContiguousAlong(linalg::LinalgOp op, ArrayRef<int64_t> loops) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      return true;
    SmallVector<ReassociationIndices> groups;
    for (auto [dim, expression] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      bool continues = !groups.empty() && loop &&
                       loop.getPosition() != loops.front() &&
                       llvm::is_contained(loops, loop.getPosition());
      if (!continues)
        groups.emplace_back();
      groups.back().push_back(static_cast<int64_t>(dim));
    }
    return memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
  });
}

/// Returns the innermost loops of `op` that can be collapsed into one. They are
/// all parallel or all reductions, and each operand is indexed either by all of
/// them, in order, or by none. Returns fewer than two loops if there is nothing
/// to collapse.
ReassociationIndices collapsible(linalg::LinalgOp op) {
  ReassociationIndices loops;
  int64_t inner = static_cast<int64_t>(op.getNumLoops()) - 1;
  if (inner >= 1 && ::ingot::cpu::sumsRows(op) &&
      !::ingot::kernels::isContraction(op)) {
    llvm::append_range(loops,
                       llvm::seq(::ingot::cpu::firstLoopOfRow(op), inner + 1));
    if (op.hasIndexSemantics() ||
        !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), {loops}))
      loops.clear();
    return loops;
  }
  if (inner < 1 || ShapedType::isDynamic(op.getStaticLoopRanges()[inner]) ||
      op.getStaticLoopRanges()[inner] >= minParallelRow)
    return loops;
  for (int64_t outer = inner; outer >= 0; --outer) {
    ReassociationIndices more = {outer};
    llvm::append_range(more, loops);
    if (op.getIteratorTypesArray()[outer] !=
            op.getIteratorTypesArray()[inner] ||
        !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), {more}) ||
        !isContiguousAlong(op, more) ||
        (op.hasIndexSemantics() && !::ingot::cpu::loadsAlong(op, more)))
      break;
    loops = more;
  }
  return loops;
}

/// Replaces each operand that has a single element, and is indexed only by
/// loops of one iteration, by a scalar (a memref of rank 0). Such an operand
/// would otherwise prevent collapsing, because some of the collapsed loops
/// index it and others do not.
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
          // Each loop gets its trip count from an operand's dimension that the
          // loop indexes. As this operand loses its dimensions, the result must
          // have a dimension that the same loop indexes.
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

/// Collapses the innermost loops of `op` into one. Fails, without changing the
/// loops, if the layout of an operand does not allow that.
LogicalResult collapse(IRRewriter &rewriter, linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    dropSingleIterations(rewriter, generic);
  ReassociationIndices loops = collapsible(op);
  if (loops.size() < 2)
    return rewriter.notifyMatchFailure(
        op, "fewer than two inner loops can be collapsed");
  rewriter.setInsertionPoint(op);
  if (isa<linalg::FillOp>(op)) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return rewriter.notifyMatchFailure(
          op, "cannot convert the fill to a linalg.generic");
    op = *generic;
    rewriter.setInsertionPoint(op);
  }
  auto loads = ::ingot::cpu::loadsAlong(op, loops);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, {loops}, rewriter);
  if (failed(collapsed))
    return rewriter.notifyMatchFailure(
        op, "an operand is not contiguous along the loops");
  rewriter.eraseOp(op);
  if (!loads)
    return success();
  for (memref::LoadOp load : *loads)
    ::ingot::cpu::readAlongCollapsedLoop(rewriter, load, loops.size());
  ::ingot::cpu::eraseUnused(rewriter, *collapsed->collapsedOp.getBlock());
  return success();
}

/// Turns a copy between buffers of which one is not contiguous into loops,
/// which become vector loads and stores. LLVM's lowering of memref.copy would
/// call a library function. A copy of a contiguous buffer stays, as it becomes
/// memcpy().
void convertToLoops(IRRewriter &rewriter, memref::CopyOp copy) {
  auto isContiguous = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
  };
  if (isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
    return;
  rewriter.setInsertionPoint(copy);
  auto loops = linalg::CopyOp::create(rewriter, copy.getLoc(), copy.getSource(),
                                      copy.getTarget());
  rewriter.eraseOp(copy);
  // It always can: a linalg.copy is elementwise.
  (void)linalg::generalizeNamedOp(rewriter, loops);
}

struct CollapseLoops
    : ::ingot::cpu::impl::CollapseLoopsPassBase<CollapseLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](memref::CopyOp copy) { convertToLoops(rewriter, copy); });
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isa<linalg::GenericOp, linalg::FillOp>(op) &&
          op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (succeeded(collapse(rewriter, op)))
        ++numCollapsed;
  }
};

} // namespace
