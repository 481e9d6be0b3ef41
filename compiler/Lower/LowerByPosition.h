//===- LowerByPosition.h - Results read from other places -------*- C++ -*-===//
//
// What patterns share whose op's every element is read from the place in an
// operand that its position gives.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_LOWERBYPOSITION_H
#define INGOT_COMPILER_LOWER_LOWERBYPOSITION_H

#include "compiler/Lower/IndexMath.h"

namespace ingot::lower {

/// Replaces the op by what `lower` makes of it, at the op's place; where that
/// fails, it has said why.
template <typename OpT> struct LowerByPosition : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    mlir::FailureOr<mlir::Value> result = lower(b, op);
    if (mlir::failed(result))
      return mlir::failure();
    rewriter.replaceOp(op, *result);
    return mlir::success();
  }

  virtual mlir::FailureOr<mlir::Value> lower(mlir::ImplicitLocOpBuilder &b,
                                             OpT op) const = 0;
};

/// How much goes before and behind dimension `dim`: its row of a matrix of
/// borders, each at least 0.
std::pair<Index, Index> borderOf(mlir::ImplicitLocOpBuilder &b,
                                 mlir::Value paddings, int64_t dim);

/// Whether the index is that number, known now.
inline bool isKnown(Index index, int64_t value) {
  return IndexMath::known(index) == value;
}

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_LOWERBYPOSITION_H
