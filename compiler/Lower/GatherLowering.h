//===- GatherLowering.h - Lowerings that gather by position -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The base of patterns that compute each element of the result by reading an
// operand, at a position that follows from the element's own position.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_GATHERLOWERING_H
#define INGOT_COMPILER_LOWER_GATHERLOWERING_H

#include "compiler/Lower/IndexMath.h"

namespace ingot::lower {

/// A pattern that replaces an op by the value that the member function `lower`
/// returns. This function inserts the ops that compute the value before the op,
/// or reports an error and fails.
template <typename OpT> struct GatherLowering : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    mlir::FailureOr<mlir::Value> result = lower(b, op);
    if (mlir::failed(result))
      return rewriter.notifyMatchFailure(op,
                                         "the lowering failed with an error");
    rewriter.replaceOp(op, *result);
    return mlir::success();
  }

  virtual mlir::FailureOr<mlir::Value> lower(mlir::ImplicitLocOpBuilder &b,
                                             OpT op) const = 0;
};

/// Returns how many elements the padding adds before and after dimension `dim`:
/// the two elements in row `dim` of the matrix `paddings`. A number that is not
/// constant is clamped to at least 0.
std::pair<Index, Index> paddingOf(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Value paddings, int64_t dim);

/// Whether `index` is a constant equal to `value`.
inline bool isKnown(Index index, int64_t value) {
  return IndexMath::known(index) == value;
}

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_GATHERLOWERING_H
