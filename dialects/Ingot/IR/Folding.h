//===- Folding.h - Evaluation of ops on constants ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of folders. Floats are computed in their own precision, as in
// TensorFlow; integers wrap around. A folder returns null, and so does not
// fold, if an operand's elements are not available (large constants are dialect
// resources), if the result's type is not static, or if the result is too
// large.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_FOLDING_H
#define INGOT_DIALECTS_INGOT_IR_FOLDING_H

#include "dialects/Ingot/IR/IngotDialect.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ingot {

/// The maximum number of elements of a folded result, unless all elements are
/// the same. Larger results are computed at run time.
constexpr int64_t kMaxFoldedElements = 64 * 1024;

/// Whether integers of this element type are never negative: unsigned types and
/// booleans.
bool isUnsigned(Type elementType);

/// Returns `type` as a RankedTensorType if folders may produce a constant of
/// it, that is, if it is ranked and static; otherwise null.
RankedTensorType getFoldableType(Type type);

/// Makes a constant of type `type` from its elements in row-major order, or
/// from one element that all elements equal. The values must be of the type's
/// element type.
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<APFloat> values);
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<APInt> values);
DenseElementsAttr makeConstant(RankedTensorType type,
                               ArrayRef<StringRef> values);
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<bool> values);

/// Makes a constant of type `type` with all elements zero; returns null for
/// strings.
DenseElementsAttr makeZeros(RankedTensorType type);

/// Returns the constant with the same elements and another shape; null if the
/// numbers of elements differ.
Attribute reshapeConstant(Attribute value, RankedTensorType type);

/// Describes how a tensor of shape `operand` is broadcast to shape `result`:
/// for each element of the result, in row-major order, returns the index of the
/// operand's element that is copied there.
SmallVector<int64_t> getBroadcastIndices(ArrayRef<int64_t> operand,
                                         ArrayRef<int64_t> result);

/// Calls `index` for each position of a tensor of shape `shape`, in row-major
/// order, and returns its results.
SmallVector<int64_t>
mapPositions(ArrayRef<int64_t> shape,
             llvm::function_ref<int64_t(ArrayRef<int64_t>)> index);

/// Makes a constant of type `type` whose element i is element `indices()[i]` of
/// `value`. Does not call `indices` if all elements of `value` are equal.
Attribute gather(DenseElementsAttr value, RankedTensorType type,
                 llvm::function_ref<SmallVector<int64_t>()> indices);

using UnaryFloat = llvm::function_ref<APFloat(const APFloat &)>;
using UnaryInt = llvm::function_ref<APInt(const APInt &)>;
using BinaryFloat =
    llvm::function_ref<APFloat(const APFloat &, const APFloat &)>;
using BinaryInt = llvm::function_ref<APInt(const APInt &, const APInt &)>;

/// Fold an elementwise op on constants to a constant of type `type`, to which
/// the operands are broadcast. For each element, they call `onFloat` or
/// `onInt`, depending on the operands' element type. They return null if that
/// function is null.
Attribute foldUnary(Attribute input, Type type, UnaryFloat onFloat,
                    UnaryInt onInt);
Attribute foldBinary(Attribute lhs, Attribute rhs, Type type,
                     BinaryFloat onFloat, BinaryInt onInt);

/// Functions that compute one element, a boolean, of a folded comparison.
using CompareFloat = llvm::function_ref<bool(const APFloat &, const APFloat &)>;
using CompareInt = llvm::function_ref<bool(const APInt &, const APInt &)>;
using CompareString =
    llvm::function_ref<bool(const StringRef &, const StringRef &)>;
Attribute foldCompare(Attribute lhs, Attribute rhs, Type type,
                      CompareFloat onFloat, CompareInt onInt,
                      CompareString onString);

/// Whether all elements of a constant equal `number`. A zero must also have the
/// same sign.
bool isSplatOf(Attribute value, double number);

/// Whether broadcasting `other` against `operand` leaves the operand's shape
/// unchanged, so that an op on both, with a result of type `result`, may fold
/// to the operand.
bool broadcastsInto(Type other, Type operand, Type result);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_FOLDING_H
