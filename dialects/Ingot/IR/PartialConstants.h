//===- PartialConstants.h - Evaluate partly known shapes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Graphs take shapes apart and put them together again with Shape,
// StridedSlice, Pack and arithmetic. These functions find the elements that are
// known, such as the 10 in the shape `[batch, 10]`, even if the batch size is
// unknown.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_PARTIALCONSTANTS_H
#define INGOT_DIALECTS_INGOT_IR_PARTIALCONSTANTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::ingot {

/// An i64 attribute of maximum, minimum and floor division ops. Callers set it
/// before they evaluate shapes in which a distinct placeholder number replaces
/// each unknown size. All numbers above the attribute's value are placeholders.
/// Comparing or dividing them would not give the result for the sizes that they
/// replace. So if an operand is a placeholder, the op's result is known only if
/// both operands are equal, or if the division leaves no remainder.
inline constexpr llvm::StringLiteral largestComparedAttrName =
    "ingot.largest_compared";

/// Returns the elements of a tensor of integers in row-major order, each
/// ShapedType::kDynamic if unknown. Looks through the ops with which graphs
/// compute shapes. Returns std::nullopt if not even the number of elements is
/// known, or if there are too many for a shape.
std::optional<SmallVector<int64_t>> getPartialInts(Value value);

/// Returns a constant that equals `result` if all of its elements are known;
/// otherwise null.
Attribute foldKnownInts(Value result);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_PARTIALCONSTANTS_H
