//===- ShapeInference.h - Helpers of shape functions ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for shapes whose rank or dimensions may be unknown, for broadcasting,
// and for constant operands. A function that fails reports an error at `loc`,
// if `loc` is given. The error names the found and the expected value in terms
// of the user's graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_SHAPEINFERENCE_H
#define INGOT_DIALECTS_INGOT_IR_SHAPEINFERENCE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace mlir::ingot {

/// A tensor's dimensions, each ShapedType::kDynamic if unknown; std::nullopt if
/// even the rank is unknown.
using Shape = std::optional<SmallVector<int64_t>>;

/// Returns the shape of a tensor type, or std::nullopt if its rank is unknown.
Shape getTensorShape(Type type);

/// Returns a tensor type of shape `shape`, unranked if the shape is
/// std::nullopt.
TensorType getTensorType(const Shape &shape, Type elementType);

/// Returns a shape as text for messages: "[4, ?]", or "[unknown rank]".
std::string toString(const Shape &shape);

/// Returns a dimension as text for messages: "4" or "?".
std::string dimToString(int64_t dim);

/// TensorFlow's limit on ranks. Shape functions refuse longer vectors of
/// dimensions, so that a few bytes of input cannot request gigabytes of memory.
constexpr int64_t kMaxRank = 254;

/// Returns the integers of a constant operand in row-major order, sign- or
/// zero-extended to 64 bits, depending on whether their type is signed. Returns
/// std::nullopt if the operand is not constant, or has too many elements for a
/// list of dimensions or axes.
std::optional<SmallVector<int64_t>> getConstantInts(Value value);

/// Returns the integer of a constant operand with one element, otherwise
/// std::nullopt.
std::optional<int64_t> getConstantInt(Value value);

/// Returns the number of elements; std::nullopt if it is unknown or does not
/// fit in 63 bits.
std::optional<int64_t> getNumElements(const Shape &shape);

/// Whether the type may be that of a tensor of rank `rank` at run time.
bool mayHaveRank(Type type, int64_t rank);

/// Returns dimension `index` of a type, kDynamic if it is unknown. If the rank
/// is known, `index` must be less than the rank.
int64_t getDim(Type type, int64_t index);

/// Whether two dimensions, or two shapes, may be equal at run time.
bool areCompatibleDims(int64_t a, int64_t b);
bool areCompatibleShapes(const Shape &a, const Shape &b);

/// Whether two types may be equal at run time: tensors have the same element
/// type, and shapes that do not contradict each other; other types are equal.
bool areCompatibleTypes(Type a, Type b);
bool areCompatibleTypeLists(TypeRange a, TypeRange b);

/// Returns the meet of two compatible shapes of the same value: a dimension of
/// the result is static if it is static in at least one of them.
Shape refineShape(const Shape &a, const Shape &b);

/// Returns the shape to which TensorFlow (like NumPy) broadcasts two shapes.
/// Emits an error and fails if they cannot be broadcast.
FailureOr<Shape> broadcastShapes(std::optional<Location> loc, const Shape &a,
                                 const Shape &b);

/// Converts an axis in [-rank, rank) to one in [0, rank). Fails, after an error
/// that names the operand as `what`, if the axis is out of range.
FailureOr<int64_t> normalizeAxis(std::optional<Location> loc, int64_t axis,
                                 int64_t rank, StringRef what);

/// Reports an error if an operand cannot be a scalar. The message names it as
/// `what`.
LogicalResult verifyScalar(std::optional<Location> loc, Value value,
                           StringRef what);

/// Reports an error if an operand cannot be a vector of at most kMaxRank
/// numbers. The message names it as `what`.
LogicalResult verifyDimsOperand(std::optional<Location> loc, Value dims,
                                StringRef what);

/// Returns the shape that the operand `dims` lists, such as the dimensions of
/// `fill`. Elements of `dims` that are not known become unknown dimensions.
/// Emits an error and fails if `dims` lists no valid shape.
FailureOr<Shape> shapeFromOperand(std::optional<Location> loc, Value dims,
                                  StringRef what);

/// Verifies an op by its shape function: runs the function, which reports the
/// first constraint that does not hold, and compares the inferred types with
/// those of the results.
LogicalResult verifyConstraints(Operation *op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_SHAPEINFERENCE_H
