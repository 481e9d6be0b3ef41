//===- Folding.h - Evaluation of ops on constants ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of folders. Floats are computed in their own precision, as
// TensorFlow computes them; integers wrap around. A folder gives up (returns
// null) where an operand's elements are not at hand (large constants live in
// resources), where the result's type is not static, or where the result is
// too large.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_FOLDING_H
#define INGOT_DIALECTS_INGOT_FOLDING_H

#include "dialects/Ingot/IngotDialect.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::ingot {

/// Results with more elements are left to the compiled program, unless all
/// elements are the same.
constexpr int64_t kMaxFoldedElements = 64 * 1024;

/// Integers of this element type count from 0: unsigned ones and booleans.
bool isUnsigned(Type elementType);

/// `type` where folders may produce a constant of it: ranked and static.
RankedTensorType getFoldableType(Type type);

/// A constant of `type` from its elements in row-major order, or from one that
/// all are. The elements must be of the type's element type.
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<APFloat> values);
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<APInt> values);
DenseElementsAttr makeConstant(RankedTensorType type,
                               ArrayRef<StringRef> values);
DenseElementsAttr makeConstant(RankedTensorType type, ArrayRef<bool> values);

/// A constant of `type` all of whose elements are zero; null for strings.
DenseElementsAttr makeZeros(RankedTensorType type);

/// The constant's elements under another shape; null where that holds another
/// number of them.
Attribute reshapeConstant(Attribute value, RankedTensorType type);

/// For each element of `result` in row-major order, the index of the element
/// of `operand` that broadcasting puts there.
SmallVector<int64_t> getBroadcastIndices(ArrayRef<int64_t> operand,
                                         ArrayRef<int64_t> result);

/// The results of `index` for each position of a tensor of `shape`, in
/// row-major order.
SmallVector<int64_t>
mapPositions(ArrayRef<int64_t> shape,
             llvm::function_ref<int64_t(ArrayRef<int64_t>)> index);

/// The constant of `type` whose element i is `value`'s element `indices(i)`.
/// `indices` is only asked where the elements differ.
Attribute gather(DenseElementsAttr value, RankedTensorType type,
                 llvm::function_ref<SmallVector<int64_t>()> indices);

using UnaryFloat = llvm::function_ref<APFloat(const APFloat &)>;
using UnaryInt = llvm::function_ref<APInt(const APInt &)>;
using BinaryFloat =
    llvm::function_ref<APFloat(const APFloat &, const APFloat &)>;
using BinaryInt = llvm::function_ref<APInt(const APInt &, const APInt &)>;

/// Elementwise functions of constants, broadcast to `type`. The function for
/// the operands' element type is called; where it is null, nothing is folded.
Attribute foldUnary(Attribute input, Type type, UnaryFloat onFloat,
                    UnaryInt onInt);
Attribute foldBinary(Attribute lhs, Attribute rhs, Type type,
                     BinaryFloat onFloat, BinaryInt onInt);

/// Comparisons: the result's elements are booleans.
using CompareFloat = llvm::function_ref<bool(const APFloat &, const APFloat &)>;
using CompareInt = llvm::function_ref<bool(const APInt &, const APInt &)>;
using CompareString =
    llvm::function_ref<bool(const StringRef &, const StringRef &)>;
Attribute foldCompare(Attribute lhs, Attribute rhs, Type type,
                      CompareFloat onFloat, CompareInt onInt,
                      CompareString onString);

/// Whether all elements of the constant equal `number` (and have its sign,
/// where `number` is a zero).
bool isSplatOf(Attribute value, double number);

/// Whether broadcasting `other` against `operand` leaves the operand's shape:
/// an op of both may then fold to the operand.
bool broadcastsInto(Type other, Type operand, Type result);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_FOLDING_H
