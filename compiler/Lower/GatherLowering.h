//===- GatherLowering.h - Lowerings that gather by position -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Base of patterns whose result reads each element from a position in an
// operand that is computed from its own.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_GATHERLOWERING_H
#define INGOT_COMPILER_LOWER_GATHERLOWERING_H

#include "compiler/Lower/IndexMath.h"

namespace ingot::lower {

/// Replaces the op by the result of `lower`, built at the op; if that fails, it
/// has emitted an error.
template <typename OpT> struct GatherLowering : mlir::OpRewritePattern<OpT> {
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

/// The padding before and after dimension `dim`: its row of the paddings
/// matrix, each at least 0.
std::pair<Index, Index> paddingOf(mlir::ImplicitLocOpBuilder &b,
                                  mlir::Value paddings, int64_t dim);

/// Whether the index is a constant of that value.
inline bool isKnown(Index index, int64_t value) {
  return IndexMath::known(index) == value;
}

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_GATHERLOWERING_H
