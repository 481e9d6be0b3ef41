//===- ListChecks.h - Constraints of ops on lists and arrays ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Constraints that ops on TensorLists share with ops on TF1's TensorArrays.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_LISTCHECKS_H
#define INGOT_DIALECTS_INGOT_IR_LISTCHECKS_H

#include "dialects/Ingot/IR/ShapeInference.h"

namespace mlir::ingot {

inline LogicalResult checkScalar(std::optional<Location> loc, Value value,
                                 StringRef what) {
  if (mayHaveRank(value.getType(), 0))
    return success();
  return emitOptionalError(loc, what, " must be a scalar, but has shape ",
                           toString(getTensorShape(value.getType())));
}

inline LogicalResult checkList(std::optional<Location> loc, Value list) {
  return checkScalar(loc, list, "the list");
}

inline LogicalResult checkVector(std::optional<Location> loc, Value value,
                                 StringRef what) {
  if (mayHaveRank(value.getType(), 1))
    return success();
  return emitOptionalError(loc, what, " must be a vector, but have shape ",
                           toString(getTensorShape(value.getType())));
}

inline LogicalResult checkElementShape(std::optional<Location> loc,
                                       Value shape) {
  if (mayHaveRank(shape.getType(), 0) || mayHaveRank(shape.getType(), 1))
    return success();
  return emitOptionalError(
      loc,
      "element_shape must be a scalar or a vector of sizes, but is a tensor "
      "of shape ",
      toString(getTensorShape(shape.getType())));
}

inline LogicalResult checkRows(std::optional<Location> loc, Value tensor) {
  auto ranked = dyn_cast<RankedTensorType>(tensor.getType());
  if (!ranked || ranked.getRank() > 0)
    return success();
  return emitOptionalError(
      loc, "the tensor must have at least one dimension: a scalar has no rows");
}

/// Returns the type of a part of a tensor that is split along its first
/// dimension. The part's first dimension has an unknown size.
inline Type getPieceType(Type tensor) {
  Shape shape = getTensorShape(tensor);
  if (shape && !shape->empty())
    shape->front() = ShapedType::kDynamic;
  return getTensorType(shape, getElementTypeOrSelf(tensor));
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_LISTCHECKS_H
