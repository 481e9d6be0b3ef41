//===- PartialInts.h - Partly known integer tensors -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Graphs take shapes apart and put them together again: Shape, StridedSlice,
// Pack, arithmetic. Of `[batch, 10]` the 10 is known though the batch is not.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_PARTIALINTS_H
#define INGOT_DIALECTS_INGOT_PARTIALINTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::ingot {

/// The elements of a tensor of integers in row-major order,
/// ShapedType::kDynamic where they are not known; nothing where not even their
/// number is, or it is too large for a list of dimensions. Looks through the
/// ops that graphs compute shapes with.
std::optional<SmallVector<int64_t>> getPartialInts(Value value);

/// A constant in place of a result all of whose elements are known; null where
/// that is not so.
Attribute foldKnownInts(Value result);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_PARTIALINTS_H
