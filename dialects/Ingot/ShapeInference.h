//===- ShapeInference.h - Helpers of shape functions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Shapes whose rank or dimensions may be unknown, broadcasting, and constant
// operands. Functions that can fail report to `loc` (where there is one) what
// they found and what they expected, in the words of the user's graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_SHAPEINFERENCE_H
#define INGOT_DIALECTS_INGOT_SHAPEINFERENCE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace mlir::ingot {

/// Dimensions, each ShapedType::kDynamic where unknown; nothing where even the
/// rank is unknown.
using Shape = std::optional<SmallVector<int64_t>>;

/// The shape of a tensor type; nothing where its rank is unknown.
Shape getTensorShape(Type type);

/// A tensor of `shape`, unranked where that is unknown.
TensorType getTensorType(const Shape &shape, Type elementType);

/// "[4, ?]", or "[unknown rank]".
std::string toString(const Shape &shape);

/// One dimension as messages write it: "4" or "?".
std::string dimToString(int64_t dim);

/// TensorFlow's limit on ranks. Shape functions refuse longer vectors of
/// dimensions, so that a few bytes of input cannot ask for gigabytes.
constexpr int64_t kMaxRank = 254;

/// The integers of a constant operand in row-major order, sign-extended to 64
/// bits; nothing where the operand is not a constant or is too long for a list
/// of dimensions or axes.
std::optional<SmallVector<int64_t>> getConstantInts(Value value);

/// The same for an operand of one element.
std::optional<int64_t> getConstantInt(Value value);

/// Number of elements; nothing where it is unknown or does not fit in 63 bits.
std::optional<int64_t> getNumElements(const Shape &shape);

/// Whether the type may be a tensor of this rank.
bool mayHaveRank(Type type, int64_t rank);

/// The type's dimension `index`; kDynamic where unknown. The index must lie
/// within the rank where that is known.
int64_t getDim(Type type, int64_t index);

/// Whether dimensions, or shapes, may be the same at run time.
bool areCompatibleDims(int64_t a, int64_t b);
bool areCompatibleShapes(const Shape &a, const Shape &b);

/// Whether types may be the same at run time: one element type, and shapes
/// that do not contradict each other. Types other than tensors must be equal.
bool areCompatibleTypes(Type a, Type b);
bool areCompatibleTypeLists(TypeRange a, TypeRange b);

/// The meet of two shapes of the same value: the static one of each pair of
/// dimensions. Precondition: they are compatible.
Shape refineShape(const Shape &a, const Shape &b);

/// TensorFlow's (NumPy's) broadcasting of two shapes.
FailureOr<Shape> broadcastShapes(std::optional<Location> loc, const Shape &a,
                                 const Shape &b);

/// An axis in [-rank, rank), counted from the front. `what` names the operand
/// in the message.
FailureOr<int64_t> normalizeAxis(std::optional<Location> loc, int64_t axis,
                                 int64_t rank, StringRef what);

/// Refuses an operand that cannot be one number.
LogicalResult verifyScalar(std::optional<Location> loc, Value value,
                           StringRef what);

/// Refuses an operand that cannot be a vector of at most kMaxRank numbers.
LogicalResult verifyDimsOperand(std::optional<Location> loc, Value dims,
                                StringRef what);

/// The shape that a vector of dimensions (`fill`'s, a random op's) describes:
/// its constant value, else as many unknown dimensions as it has elements.
FailureOr<Shape> shapeFromOperand(std::optional<Location> loc, Value dims,
                                  StringRef what);

/// Runs the shape function of an inferred op, which reports the first
/// constraint that does not hold, and compares the results' types with it.
LogicalResult verifyConstraints(Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_SHAPEINFERENCE_H
