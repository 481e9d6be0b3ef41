//===- IndexingOps.cpp - Shapes of slices, gathers and scatters -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/IndexingOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/StridedSlices.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotIndexingOps.cpp.inc"

void mlir::ingot::addIndexingOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotIndexingOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

/// Returns the size of a slice in one dimension. A `size` of -1 means up to the
/// end of the dimension.
static FailureOr<int64_t> inferBoxSize(std::optional<Location> loc,
                                       size_t index, int64_t dim, int64_t begin,
                                       int64_t size) {
  // Where `begin` and `size` are known, the slice must lie within the input
  // (slice_c2).
  if ((begin < 0 && begin != unknown) || (size < -1 && size != unknown))
    return emitOptionalError(
        loc, "dimension ", index,
        ": expected a begin of at least 0 and a size of at least -1, which "
        "means the rest of the dimension, but got begin ",
        dimToString(begin), " and size ", dimToString(size));
  int64_t rest = dim == unknown || begin == unknown ? unknown : dim - begin;
  // The slice must not begin after the end of the dimension (slice_c2).
  if (rest < 0 && rest != unknown)
    return emitOptionalError(loc, "the slice begins at ", begin,
                             ", past the end of dimension ", index,
                             ", whose size is ", dim);
  if (size == -1)
    return rest;
  if (size != unknown &&
      (rest != unknown ? size > rest : dim != unknown && size > dim))
    return emitOptionalError(loc, "a slice of size ", size,
                             " does not fit into dimension ", index,
                             ", whose size is ", dim);
  return size;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  // `begin` and `size` must be vectors with an element for each dimension of
  // the input (slice_c1).
  if (failed(verifyDimsOperand(loc, adaptor.getBegin(), "'begin'")) ||
      failed(verifyDimsOperand(loc, adaptor.getSize(), "'size'")))
    return failure();
  Shape input = getTensorShape(adaptor.getInput().getType());
  int64_t rank = input ? static_cast<int64_t>(input->size()) : unknown;
  for (Value operand : {adaptor.getBegin(), adaptor.getSize()}) {
    int64_t count = getDim(operand.getType(), 0);
    // `begin` and `size` must have as many elements as the input has dimensions
    // (slice_c1).
    if (!areCompatibleDims(rank, count))
      return emitOptionalError(
          loc, "expected 'begin' and 'size' to have ", rank,
          " elements, one for each dimension of the input, but got ", count);
    if (rank == unknown)
      rank = count;
  }
  Type element = getElementTypeOrSelf(adaptor.getInput());
  if (rank == unknown) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<int64_t> unknowns(rank, unknown);
  auto begin = getPartialInts(adaptor.getBegin()).value_or(unknowns);
  auto size = getPartialInts(adaptor.getSize()).value_or(unknowns);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    FailureOr<int64_t> dim =
        inferBoxSize(loc, i, input ? (*input)[i] : unknown, begin[i], size[i]);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult StridedSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  FailureOr<Shape> shape = inferStridedSlice(
      loc, getTensorShape(adaptor.getInput().getType()), adaptor.getBegin(),
      adaptor.getEnd(), adaptor.getStrides(), SliceMasks(adaptor));
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult StridedSliceUpdateOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // Begin, end, strides and masks must describe a slice of the input
  // (strided_slice_update_c1).
  FailureOr<Shape> shape = inferStridedSlice(
      loc, getTensorShape(adaptor.getInput().getType()), adaptor.getBegin(),
      adaptor.getEnd(), adaptor.getStrides(), SliceMasks(adaptor));
  if (failed(shape))
    return failure();
  Shape value = getTensorShape(adaptor.getValue().getType());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  // `value` must have the shape of the slice that it replaces
  // (strided_slice_update_c2).
  if (!areCompatibleShapes(*shape, value))
    return emitOptionalError(loc, "a value of shape ", toString(value),
                             " cannot be assigned to a slice of shape ",
                             toString(*shape));
  if (element != getElementTypeOrSelf(adaptor.getValue()))
    return emitOptionalError(loc, "a value of ",
                             getElementTypeOrSelf(adaptor.getValue()),
                             " cannot be assigned to a slice of ", element);
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape input = getTensorShape(adaptor.getInput().getType());
  Shape indices = getTensorShape(adaptor.getIndices().getType());
  std::optional<int64_t> count =
      getNumElements(getTensorShape(adaptor.getAxis().getType()));
  // The axis must be one number. If it is constant, it must be within the
  // operand's rank. `batch_dims` must be within the rank of the indices and at
  // most the axis (gather_c1).
  if (count && *count != 1)
    return emitOptionalError(
        loc, "the axis must be one number, but has shape ",
        toString(getTensorShape(adaptor.getAxis().getType())));
  if (!input || !indices) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t batch = adaptor.getBatchDims();
  int64_t indexRank = indices->size();
  // `batch_dims` must lie within the rank of the indices (gather_c1).
  if (batch < -indexRank || batch > indexRank)
    return emitOptionalError(loc, "batch_dims ", batch,
                             " is out of range for indices of rank ", indexRank,
                             ": expected ", -indexRank, " to ", indexRank);
  if (batch < 0)
    batch += indexRank;
  std::optional<int64_t> constant = getConstantInt(adaptor.getAxis());
  FailureOr<int64_t> axis = 0;
  if (constant) {
    axis = normalizeAxis(loc, *constant, input->size(), "axis");
    if (failed(axis))
      return failure();
    // `batch_dims` must be at most the axis (gather_c1).
    if (batch > *axis)
      return emitOptionalError(loc, "batch_dims ", batch,
                               " is larger than the axis ", *axis);
  }
  int64_t rank = static_cast<int64_t>(input->size()) - 1 + indexRank - batch;
  if (!constant) {
    // The input must have at least one dimension (gather_c1).
    if (rank < 0 || input->empty())
      return emitOptionalError(
          loc, "the input must have at least one dimension, but is a scalar");
    types.push_back(
        RankedTensorType::get(SmallVector<int64_t>(rank, unknown), element));
    return success();
  }
  SmallVector<int64_t> dims(input->begin(), input->begin() + *axis);
  for (int64_t i = 0; i < batch; ++i) {
    // The first `batch_dims` sizes of operand and indices must be equal
    // (gather_c2).
    if (!areCompatibleDims((*input)[i], (*indices)[i]))
      return emitOptionalError(
          loc, "the input and the indices must have the same first ", batch,
          " dimensions (batch_dims), but have shapes ", toString(input),
          " and ", toString(indices));
    if (dims[i] == unknown)
      dims[i] = (*indices)[i];
  }
  dims.append(indices->begin() + batch, indices->end());
  dims.append(input->begin() + *axis + 1, input->end());
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

/// Returns how many coordinates a row of indices has, kDynamic if unknown.
/// Emits an error and fails if there are more than `input` has dimensions.
static FailureOr<int64_t> inferCoordinates(std::optional<Location> loc,
                                           const Shape &input,
                                           const Shape &indices) {
  if (!indices)
    return unknown;
  if (indices->empty())
    return emitOptionalError(
        loc, "the indices must have at least one dimension, but are a scalar");
  int64_t count = indices->back();
  if (input && count != unknown && count > static_cast<int64_t>(input->size()))
    return emitOptionalError(
        loc, "the last dimension of the indices must be at most ",
        input->size(), ", the rank of the indexed tensor, but is ", count);
  return count;
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  Shape indices = getTensorShape(adaptor.getIndices().getType());
  // Indices must be at least a vector, and a row must have at most as many
  // coordinates as the operand has dimensions (gather_nd_c1).
  FailureOr<int64_t> count = inferCoordinates(loc, input, indices);
  if (failed(count))
    return failure();
  Shape result;
  if (input && indices && *count != unknown) {
    result = SmallVector<int64_t>(ArrayRef<int64_t>(*indices).drop_back());
    result->append(input->begin() + *count, input->end());
  }
  types.push_back(
      getTensorType(result, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult TensorScatterOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The attribute `combine` must be "update", "add", "sub", "min" or "max"
  // (tensor_scatter_c3).
  if (!llvm::is_contained({"update", "add", "sub", "min", "max"},
                          adaptor.getCombine()))
    return emitOptionalError(
        loc, "'combine' must be update, add, sub, min or max, but is '",
        adaptor.getCombine(), "'");
  Shape input = getTensorShape(adaptor.getInput().getType());
  Shape indices = getTensorShape(adaptor.getIndices().getType());
  Shape updates = getTensorShape(adaptor.getUpdates().getType());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  // `updates` must have the input's element type, and must hold one slice of
  // the input for each row of the indices (tensor_scatter_c2).
  if (getElementTypeOrSelf(adaptor.getUpdates()) != element)
    return emitOptionalError(loc, "updates of ",
                             getElementTypeOrSelf(adaptor.getUpdates()),
                             " cannot be written to a tensor of ", element);
  // Indices must be at least a vector, and a row must have at most as many
  // coordinates as the input has dimensions (tensor_scatter_c1).
  FailureOr<int64_t> count = inferCoordinates(loc, input, indices);
  if (failed(count))
    return failure();
  if (input && indices && *count != unknown) {
    Shape wanted =
        SmallVector<int64_t>(ArrayRef<int64_t>(*indices).drop_back());
    wanted->append(input->begin() + *count, input->end());
    // `updates` must hold one slice of the input for each row of the indices
    // (tensor_scatter_c2).
    if (!areCompatibleShapes(updates, wanted))
      return emitOptionalError(
          loc, "the updates must have shape ", toString(wanted),
          ", that of the slices that the indices select, but have shape ",
          toString(updates));
  }
  types.push_back(adaptor.getInput().getType());
  return success();
}
