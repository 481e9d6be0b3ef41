//===- Borders.h - Padding and crops of tensors, if known -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the shape functions of padding, of blocks and of their gradients.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_BORDERS_H
#define INGOT_DIALECTS_INGOT_BORDERS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ingot {

/// Elements added before and after each dimension, kDynamic where not known.
using Borders = SmallVector<std::pair<int64_t, int64_t>>;

/// Elements added before and after each of `rank` dimensions; an error where
/// an operand cannot say so, or a number is negative.
FailureOr<Borders> inferBorders(std::optional<Location> loc, Value paddings,
                                int64_t rank);

/// The sum, where all three are known and it is a size; else kDynamic.
int64_t addKnown(int64_t a, int64_t b, int64_t c);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_BORDERS_H
