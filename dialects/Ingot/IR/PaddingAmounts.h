//===- PaddingAmounts.h - Known padding and crops of tensors ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers that the shape functions of padding, of space_to_batch and
// batch_to_space, and of their gradients share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_PADDINGAMOUNTS_H
#define INGOT_DIALECTS_INGOT_IR_PADDINGAMOUNTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ingot {

/// The numbers of elements that are added before and after each dimension;
/// kDynamic if unknown.
using PaddingPerDimension = SmallVector<std::pair<int64_t, int64_t>>;

/// Reads the operand `paddings` of an op on a tensor of rank `rank`. Fails,
/// after an error at `loc`, if the operand has the wrong shape or a negative
/// element.
FailureOr<PaddingPerDimension> inferBorders(std::optional<Location> loc,
                                            Value paddings, int64_t rank);

/// Returns a + b + c, or kDynamic if an addend is unknown or the sum is not a
/// valid size.
int64_t addKnown(int64_t a, int64_t b, int64_t c);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PADDINGAMOUNTS_H
