//===- PointwiseOps.cpp - Shapes of elementwise functions -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PointwiseOps.h"

#include "dialects/Ingot/IR/Elementwise.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotPointwiseOps.cpp.inc"

void mlir::ingot::addPointwiseOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotPointwiseOps.cpp.inc"
      >();
}

LogicalResult BitcastOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type from = getElementTypeOrSelf(adaptor.getInput());
  Type to = adaptor.getDst();
  unsigned fromBits = from.isIntOrFloat() ? from.getIntOrFloatBitWidth() : 0;
  unsigned toBits = to.isIntOrFloat() ? to.getIntOrFloatBitWidth() : 0;
  // `dst` must be a type of numbers. The bit width of `dst` must divide that of
  // the input's element type, or be a multiple of it (bitcast_c1).
  if (toBits < 8 || fromBits < 8 ||
      (fromBits % toBits != 0 && toBits % fromBits != 0))
    return emitOptionalError(loc, "cannot bitcast ", from, " to ", to,
                             ": both types must have at least 8 bits, and the "
                             "larger width must be a multiple of the smaller");
  Shape shape = getTensorShape(adaptor.getInput().getType());
  if (shape && fromBits > toBits)
    shape->push_back(fromBits / toBits);
  if (shape && fromBits < toBits) {
    // If several elements become one larger element, they must be the whole
    // last dimension (bitcast_c2).
    int64_t pieces = toBits / fromBits;
    if (shape->empty() || !areCompatibleDims(shape->back(), pieces))
      return emitOptionalError(loc, "a bitcast from ", from, " to ", to,
                               " needs a last dimension of size ", pieces,
                               ", but the input has shape ", toString(shape));
    shape->pop_back();
  }
  types.push_back(getTensorType(shape, to));
  return success();
}

LogicalResult FakeQuantOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  StringRef kind = adaptor.getKind();
  // `kind` must be args, vars or channels (fake_quant_c3).
  if (!llvm::is_contained({"args", "vars", "channels"}, kind))
    return emitOptionalError(
        loc, "'kind' must be args, vars or channels, but is '", kind, "'");
  int64_t bits = adaptor.getNumBits();
  // `num_bits` must be between 2 and 16 (fake_quant_c2).
  if (bits < 2 || bits > 16)
    return emitOptionalError(
        loc, "num_bits must be between 2 and 16, inclusive, but is ", bits);
  int64_t rank = kind == "channels" ? 1 : 0;
  Shape shape = getTensorShape(input);
  for (auto [bound, name] : {std::pair(adaptor.getMin(), "min"),
                             std::pair(adaptor.getMax(), "max")}) {
    // Instead of a vector with a bound per channel, a tensor of the input's
    // rank is allowed, such as [1, 1, 1, channels]. It is broadcast.
    Shape bounds = getTensorShape(bound.getType());
    bool isBroadcast = rank == 1 && shape && bounds &&
                       bounds->size() == shape->size() && !bounds->empty();
    // The bounds must be scalars or, for kind channels, vectors as long as the
    // input's last dimension (fake_quant_c1).
    if (!isBroadcast && !mayHaveRank(bound.getType(), rank))
      return emitOptionalError(loc, "`", name, "` must be rank ", rank,
                               " but is rank ", bounds->size());
    if (rank == 0 || !shape || !bounds)
      continue;
    int64_t size = bounds->back();
    if (shape->empty() || !areCompatibleDims(shape->back(), size))
      return emitOptionalError(
          loc, "'", name, "' must have one element for each channel, but has ",
          dimToString(size), " for an input of shape ", toString(shape));
  }
  types.push_back(input);
  return success();
}
