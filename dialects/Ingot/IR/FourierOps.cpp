//===- FourierOps.cpp - Shapes of discrete Fourier transforms -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/FourierOps.h"

#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotFourierOps.cpp.inc"

void mlir::ingot::addFourierOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotFourierOps.cpp.inc"
      >();
}

static LogicalResult checkRank(std::optional<Location> loc, const Shape &shape,
                               int64_t rank) {
  // The input must have all dimensions that are transformed (fourier_c1).
  if (shape && static_cast<int64_t>(shape->size()) < rank)
    return emitOptionalError(loc, "Input must have rank of at least ", rank,
                             " but has shape ", toString(shape));
  return success();
}

LogicalResult mlir::ingot::inferFourier(std::optional<Location> loc,
                                        Value input, int64_t rank,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(input.getType());
  return checkRank(loc, getTensorShape(input.getType()), rank);
}

LogicalResult mlir::ingot::inferRealFourier(std::optional<Location> loc,
                                            Value input, Value lengths,
                                            int64_t rank, bool toSpectrum,
                                            SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(input.getType());
  Shape lengthsShape = getTensorShape(lengths.getType());
  if (failed(checkRank(loc, shape, rank)))
    return failure();
  // `fft_length` must be a vector with a size for each transformed dimension
  // (fourier_c2).
  if (!areCompatibleShapes(lengthsShape, Shape(SmallVector<int64_t>{rank})))
    return emitOptionalError(loc, "fft_length must have shape [", rank,
                             "], but has shape ", toString(lengthsShape));
  std::optional<SmallVector<int64_t>> sizes = getPartialInts(lengths);
  for (int64_t i = 0; shape && i < rank; ++i) {
    size_t dim = shape->size() - rank + i;
    int64_t &size = (*shape)[dim];
    int64_t length = sizes && static_cast<int64_t>(sizes->size()) == rank
                         ? (*sizes)[i]
                         : ShapedType::kDynamic;
    if (ShapedType::isDynamic(length)) {
      size = ShapedType::kDynamic;
      continue;
    }
    bool isHalved = i == rank - 1;
    int64_t least = isHalved && !toSpectrum ? length / 2 + 1 : length;
    // Constant sizes must not be negative, and the input must be as large as
    // they require, unless it is empty (fourier_c3).
    if (length < 0)
      return emitOptionalError(loc, "fft_length[", i,
                               "] must be >= 0, but got: ", length);
    if (ShapedType::isStatic(size) && size != 0 && size < least)
      return emitOptionalError(loc, "Input dimension ", dim,
                               " must have length of at least ", least,
                               " but got: ", size);
    size = isHalved && toSpectrum && length != 0 ? length / 2 + 1 : length;
  }
  Type element = getElementTypeOrSelf(input);
  types.push_back(getTensorType(shape, toSpectrum
                                           ? Type(ComplexType::get(element))
                                           : Type(getPartType(element))));
  return success();
}
