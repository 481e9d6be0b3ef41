//===- CollapseDrawLoops.cpp - Draw random numbers in one loop ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a row whose length is not a multiple of a generator's block begin
// within a block, so that each vector takes one more block, and shuffles. In
// one loop over all rows, each vector begins with a block.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/LoopIndices.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_COLLAPSEDRAWLOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// The lengths of rows that are multiples of this need no collapsing: blocks of
/// numbers, vectors and unrolled vectors begin with the row.
constexpr int64_t elementsOfUnrolled = 64;

/// Whether `value` is the row-major position of the loops up to `loop`, whose
/// trip counts are `ranges`.
bool isPosition(Value value, ArrayRef<int64_t> ranges, int64_t loop) {
  if (loop == 0 && ::ingot::cpu::isLoopIndex(value, 0))
    return true;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  auto rows = sum ? sum.getLhs().getDefiningOp<arith::MulIOp>() : nullptr;
  if (!rows || !::ingot::cpu::isLoopIndex(sum.getRhs(), loop))
    return false;
  if (loop == 0)
    return matchPattern(rows.getLhs(), m_Zero());
  APInt length;
  return matchPattern(rows.getRhs(), m_ConstantInt(&length)) &&
         length.getSExtValue() == ranges[loop] &&
         isPosition(rows.getLhs(), ranges, loop - 1);
}

/// Returns the random number of each element of `op`. Returns null if there is
/// none, if there are several, or if its counter is not the element's position.
host::RandomBitsOp drawOf(linalg::GenericOp op) {
  auto draws = op.getBlock()->getOps<host::RandomBitsOp>();
  if (!llvm::hasSingleElement(draws))
    return {};
  host::RandomBitsOp draw = *draws.begin();
  auto cast = draw.getIndex().getDefiningOp<arith::IndexCastOp>();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return cast && isPosition(cast.getIn(), ranges, op.getNumLoops() - 1)
             ? draw
             : host::RandomBitsOp();
}

/// Whether the loops of `op` can be collapsed, and should be.
bool isCollapsible(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isElementwise = [&](AffineMap map) {
    return map.getNumResults() == 0 || map.isIdentity();
  };
  // A kernel that updates its operands is divided into rows only.
  auto isUpdated = [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init) ||
           llvm::is_contained(op.getDpsInputs(), init.get());
  };
  if (llvm::any_of(op.getDpsInitsMutable(), isUpdated) || ranges.size() < 2 ||
      op.getNumReductionLoops() != 0 || ShapedType::isDynamicShape(ranges) ||
      llvm::is_contained(ranges, 0) ||
      ranges.back() % elementsOfUnrolled == 0 || !op.hasPureTensorSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(), isElementwise) || !drawOf(op))
    return false;
  // No index but that of the number is read.
  host::RandomBitsOp draw = drawOf(op);
  SetVector<Operation *> ofNumber;
  SmallVector<Value> values = {draw.getIndex()};
  while (!values.empty()) {
    Operation *def = values.pop_back_val().getDefiningOp();
    if (def && def->getBlock() == op.getBlock() && ofNumber.insert(def))
      llvm::append_range(values, def->getOperands());
  }
  return llvm::all_of(*op.getBlock(), [&](Operation &member) {
    return !isa<linalg::IndexOp>(member) ||
           llvm::all_of(member.getUsers(), [&](Operation *user) {
             return ofNumber.contains(user);
           });
  });
}

LogicalResult collapse(IRRewriter &rewriter, linalg::GenericOp op) {
  ReassociationIndices loops =
      llvm::to_vector(llvm::seq<int64_t>(0, op.getNumLoops()));
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, {loops}, rewriter);
  if (failed(collapsed))
    return rewriter.notifyMatchFailure(op, "the loops cannot be collapsed");
  rewriter.replaceOp(op, collapsed->results);
  Block &body = *collapsed->collapsedOp.getBlock();
  auto draw = *body.getOps<host::RandomBitsOp>().begin();
  rewriter.setInsertionPointToStart(&body);
  Value position = linalg::IndexOp::create(rewriter, draw.getLoc(), 0);
  Value number = arith::IndexCastOp::create(
      rewriter, draw.getLoc(), draw.getIndex().getType(), position);
  rewriter.modifyOpInPlace(draw,
                           [&] { draw.getIndexMutable().assign(number); });
  ::ingot::cpu::eraseUnused(rewriter, body);
  return success();
}

struct CollapseDrawLoops
    : ::ingot::cpu::impl::CollapseDrawLoopsPassBase<CollapseDrawLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (linalg::GenericOp op = onlyLoopsOf(kernel);
          op && isCollapsible(op) && succeeded(collapse(rewriter, op)))
        ++numCollapsed;
  }

private:
  /// Returns the only op with loops of a kernel. Loops that all ops of a kernel
  /// share are divided into a grid.
  static linalg::GenericOp onlyLoopsOf(func::FuncOp kernel) {
    SmallVector<Operation *> found;
    kernel.walk([&](Operation *op) {
      auto loops = dyn_cast<linalg::LinalgOp>(op);
      if (isa<LoopLikeOpInterface>(op) || (loops && loops.getNumLoops() != 0))
        found.push_back(op);
    });
    return found.size() == 1 ? dyn_cast<linalg::GenericOp>(found.front())
                             : linalg::GenericOp();
  }
};

} // namespace
