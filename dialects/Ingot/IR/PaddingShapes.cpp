//===- PaddingShapes.cpp - Shape functions of padding ops -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PaddingAmounts.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/RearrangeOps.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

static constexpr int64_t unknown = ShapedType::kDynamic;

FailureOr<PaddingPerDimension>
mlir::ingot::inferBorders(std::optional<Location> loc, Value paddings,
                          int64_t rank) {
  Shape shape = getTensorShape(paddings.getType());
  if (shape &&
      !areCompatibleShapes(shape, Shape(SmallVector<int64_t>{rank, 2})))
    return emitOptionalError(
        loc, "the paddings must have shape [", rank,
        ", 2], two numbers for each dimension, but have shape ",
        toString(shape));
  auto numbers = getPartialInts(paddings);
  PaddingPerDimension borders(rank, {unknown, unknown});
  if (!numbers || static_cast<int64_t>(numbers->size()) != 2 * rank)
    return borders;
  for (auto [i, border] : llvm::enumerate(borders)) {
    border = {(*numbers)[2 * i], (*numbers)[2 * i + 1]};
    for (int64_t number : {border.first, border.second})
      if (number < 0 && number != unknown)
        return emitOptionalError(loc, "dimension ", i,
                                 " has the negative padding ", number);
  }
  return borders;
}

int64_t mlir::ingot::addKnown(int64_t a, int64_t b, int64_t c) {
  int64_t sum;
  if (a == unknown || b == unknown || c == unknown ||
      llvm::AddOverflow(a, b, sum) || llvm::AddOverflow(sum, c, sum))
    return unknown;
  return sum;
}

/// Returns the rank of the input, or if that is unknown, the number of rows of
/// `paddings`; kDynamic if both are unknown.
static int64_t rankOf(const Shape &input, Value paddings) {
  if (input)
    return input->size();
  Shape shape = getTensorShape(paddings.getType());
  return shape && !shape->empty() && shape->front() <= kMaxRank ? shape->front()
                                                                : unknown;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The padding value must be a scalar (pad_c3).
  if (failed(verifyScalar(loc, adaptor.getValue(), "the padding value")))
    return failure();
  // The value must have the input's element type (pad_c3).
  if (getElementTypeOrSelf(adaptor.getValue()) != element)
    return emitOptionalError(loc, "a padding value of ",
                             getElementTypeOrSelf(adaptor.getValue()),
                             " cannot pad a tensor of ", element);
  int64_t rank = rankOf(input, adaptor.getPaddings());
  if (rank == unknown) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // `paddings` must have a row of two numbers for each dimension (pad_c1), none
  // of which is negative (pad_c2).
  auto borders = inferBorders(loc, adaptor.getPaddings(), rank);
  if (failed(borders))
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(addKnown(input ? (*input)[i] : unknown, (*borders)[i].first,
                            (*borders)[i].second));
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

/// Reports an error if a border mirrors more elements than the dimension has.
/// In mode REFLECT, the element at the edge is not mirrored.
static LogicalResult verifyMirror(std::optional<Location> loc, StringRef mode,
                                  int64_t size, int64_t border) {
  int64_t most = mode == "REFLECT" ? size - 1 : size;
  if (size == unknown || border == unknown ||
      border <= std::max<int64_t>(most, 0))
    return success();
  return emitOptionalError(
      loc, "in mode ", mode, ", the padding of a dimension of size ", size,
      " must be at most ", std::max<int64_t>(most, 0), ", but is ", border);
}

/// Infers the result of MirrorPad or of its gradient. `resize` computes the
/// size of a dimension of the result from that of the input and the borders
/// before and after it.
static LogicalResult inferMirrored(
    std::optional<Location> loc, Value input, Value paddings, StringRef mode,
    SmallVectorImpl<Type> &types,
    llvm::function_ref<FailureOr<int64_t>(int64_t size, int64_t before,
                                          int64_t after)>
        resize) {
  Type element = getElementTypeOrSelf(input);
  Shape shape = getTensorShape(input.getType());
  // The attribute `mode` must be REFLECT or SYMMETRIC (mirror_pad_c3),
  // (mirror_pad_grad_c3).
  if (mode != "REFLECT" && mode != "SYMMETRIC")
    return emitOptionalError(loc, "unknown mode '", mode,
                             "': expected REFLECT or SYMMETRIC");
  int64_t rank = rankOf(shape, paddings);
  if (rank == unknown) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // `paddings` must have a row of two numbers for each dimension
  // (mirror_pad_c1), (mirror_pad_grad_c1). None of the numbers may be negative
  // (mirror_pad_c2), (mirror_pad_grad_c2).
  auto borders = inferBorders(loc, paddings, rank);
  if (failed(borders))
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    auto [before, after] = (*borders)[i];
    FailureOr<int64_t> size =
        resize(shape ? (*shape)[i] : unknown, before, after);
    if (failed(size))
      return failure();
    dims.push_back(*size);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult MirrorPadOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef mode = adaptor.getMode();
  return inferMirrored(
      loc, adaptor.getInput(), adaptor.getPaddings(), mode, types,
      [&](int64_t size, int64_t before, int64_t after) -> FailureOr<int64_t> {
        // Neither border may mirror more elements than the dimension has
        // (mirror_pad_c2).
        if (failed(verifyMirror(loc, mode, size, before)) ||
            failed(verifyMirror(loc, mode, size, after)))
          return failure();
        return addKnown(size, before, after);
      });
}

LogicalResult MirrorPadGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  StringRef mode = adaptor.getMode();
  return inferMirrored(
      loc, adaptor.getInput(), adaptor.getPaddings(), mode, types,
      [&](int64_t size, int64_t before, int64_t after) -> FailureOr<int64_t> {
        int64_t rest = before == unknown || after == unknown
                           ? unknown
                           : addKnown(size, -before, -after);
        // The borders must not be larger than the padded dimension
        // (mirror_pad_grad_c2).
        if (rest != unknown && rest < 0)
          return emitOptionalError(loc, "the paddings ", before, " and ", after,
                                   " add up to more than ", size,
                                   ", the size of the padded dimension");
        if (failed(verifyMirror(loc, mode, rest, before)) ||
            failed(verifyMirror(loc, mode, rest, after)))
          return failure();
        return rest;
      });
}
