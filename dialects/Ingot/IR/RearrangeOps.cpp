//===- RearrangeOps.cpp - Shapes of reversed and rolled tensors -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RearrangeOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRearrangeOps.cpp.inc"

void mlir::ingot::addRearrangeOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRearrangeOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  // `axes` must be a vector (reverse_c1).
  if (failed(verifyDimsOperand(loc, adaptor.getAxes(), "'axis'")))
    return failure();
  Shape input = getTensorShape(adaptor.getInput().getType());
  if (auto axes = getConstantInts(adaptor.getAxes()); axes && input) {
    llvm::SmallBitVector seen(input->size(), false);
    for (int64_t axis : *axes) {
      // Each constant axis must be within the input's rank (reverse_c2).
      FailureOr<int64_t> index =
          normalizeAxis(loc, axis, input->size(), "axis");
      if (failed(index))
        return failure();
      // No axis may be listed twice (reverse_c2).
      if (seen.test(*index))
        return emitOptionalError(loc, "axis ", *index, " is listed twice");
      seen.set(*index);
    }
  }
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult
ReverseSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  int64_t sequence = adaptor.getSeqDim(), batch = adaptor.getBatchDim();
  auto isDim = [&](int64_t dim) {
    return dim >= 0 && (!input || dim < static_cast<int64_t>(input->size()));
  };
  // `seq_dim` and `batch_dim` must be two different dimensions of the input
  // (reverse_sequence_c1).
  if (!isDim(sequence) || !isDim(batch) || sequence == batch)
    return emitOptionalError(loc,
                             "seq_dim and batch_dim must be two different "
                             "dimensions of the input of shape ",
                             toString(input), ", but are ", sequence, " and ",
                             batch);
  Type lengths = adaptor.getLengths().getType();
  // `lengths` must be a vector with an element for each sequence of the batch
  // (reverse_sequence_c2).
  if (!mayHaveRank(lengths, 1) ||
      (input && !areCompatibleDims(getDim(lengths, 0), (*input)[batch])))
    return emitOptionalError(
        loc, "the lengths must have shape [",
        input ? dimToString((*input)[batch]) : "?",
        "], one length for each element of the batch, but have shape ",
        toString(getTensorShape(lengths)));
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Shape shift = getTensorShape(adaptor.getShift().getType());
  Shape axes = getTensorShape(adaptor.getAxes().getType());
  // `shift` and `axes` must be scalars, or vectors of the same length
  // (roll_c1).
  if ((shift && shift->size() > 1) || (axes && axes->size() > 1) ||
      !areCompatibleShapes(shift, axes))
    return emitOptionalError(loc,
                             "shifts and axes must be scalars, or vectors of "
                             "the same length, but have shapes ",
                             toString(shift), " and ", toString(axes));
  Shape input = getTensorShape(adaptor.getInput().getType());
  // Constant axes must lie within the input's rank (roll_c2).
  if (auto numbers = getConstantInts(adaptor.getAxes()); numbers && input)
    for (int64_t axis : *numbers)
      if (failed(normalizeAxis(loc, axis, input->size(), "axis")))
        return failure();
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult LinSpaceOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  // Operands must be scalars; `start` and `stop` must have the same element
  // type (lin_space_c1).
  for (Value operand : adaptor.getOperands())
    if (failed(verifyScalar(loc, operand, "each of the inputs")))
      return failure();
  Type element = getElementTypeOrSelf(adaptor.getStart());
  // `start` and `stop` must have the same element type (lin_space_c1).
  if (getElementTypeOrSelf(adaptor.getStop()) != element)
    return emitOptionalError(
        loc, "start and stop have different element types: ", element, " and ",
        getElementTypeOrSelf(adaptor.getStop()));
  auto numbers = getPartialInts(adaptor.getCount());
  int64_t count = numbers && numbers->size() == 1 ? numbers->front() : unknown;
  // A constant count must be positive (lin_space_c2).
  if (count != unknown && count <= 0)
    return emitOptionalError(loc, "num must be positive, but is ", count);
  types.push_back(RankedTensorType::get({count}, element));
  return success();
}

LogicalResult ProjectImagesOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type images = adaptor.getImages().getType();
  // Images must have four dimensions (project_images_c1).
  if (!mayHaveRank(images, 4))
    return emitOptionalError(
        loc, "the images must have 4 dimensions, but have shape ",
        toString(getTensorShape(images)));
  Type transforms = adaptor.getTransforms().getType();
  int64_t count = getTensorShape(transforms) ? getDim(transforms, 0) : unknown;
  // Transforms must be rows of eight numbers: one row for all images, or one
  // for each image (project_images_c2).
  if (!mayHaveRank(transforms, 2) ||
      (getTensorShape(transforms) &&
       !areCompatibleDims(getDim(transforms, 1), 8)) ||
      (count != 1 && getTensorShape(images) &&
       !areCompatibleDims(count, getDim(images, 0))))
    return emitOptionalError(
        loc, "transforms must have shape [1, 8] or [batch, 8], but have shape ",
        toString(getTensorShape(transforms)), " for images of shape ",
        toString(getTensorShape(images)));
  if (!mayHaveRank(adaptor.getSize().getType(), 1) ||
      !areCompatibleDims(getDim(adaptor.getSize().getType(), 0), 2) ||
      !mayHaveRank(adaptor.getFillValue().getType(), 0))
    // `size`, the result's height and width, must be a vector of two numbers,
    // and the fill value must be a scalar (project_images_c3).
    return emitOptionalError(
        loc,
        "the size must be a vector of two elements and the fill value a "
        "scalar, but their shapes are ",
        toString(getTensorShape(adaptor.getSize().getType())), " and ",
        toString(getTensorShape(adaptor.getFillValue().getType())));
  // `interpolation` must be NEAREST or BILINEAR, and `fill_mode` must be
  // CONSTANT, NEAREST, REFLECT or WRAP (project_images_c4).
  if (!llvm::is_contained({"NEAREST", "BILINEAR"}, adaptor.getInterpolation()))
    return emitOptionalError(
        loc, "interpolation must be NEAREST or BILINEAR, but is '",
        adaptor.getInterpolation(), "'");
  if (!llvm::is_contained({"CONSTANT", "NEAREST", "REFLECT", "WRAP"},
                          adaptor.getFillMode()))
    return emitOptionalError(
        loc, "fill_mode must be CONSTANT, NEAREST, REFLECT or WRAP, but is '",
        adaptor.getFillMode(), "'");
  SmallVector<int64_t> dims(4, unknown);
  if (Shape shape = getTensorShape(images)) {
    dims[0] = (*shape)[0];
    dims[3] = (*shape)[3];
  }
  if (std::optional<SmallVector<int64_t>> size =
          getPartialInts(adaptor.getSize());
      size && size->size() == 2)
    for (size_t i : {0, 1})
      dims[1 + i] = (*size)[i] < 0 ? unknown : (*size)[i];
  types.push_back(RankedTensorType::get(dims, getElementTypeOrSelf(images)));
  return success();
}
