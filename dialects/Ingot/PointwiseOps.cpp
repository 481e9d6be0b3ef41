//===- PointwiseOps.cpp - Functions of elements ---------------------------===//

#include "dialects/Ingot/PointwiseOps.h"

#include "dialects/Ingot/Elementwise.h"
#include "dialects/Ingot/Families.h"

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
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = to.isIntOrFloat() ? to.getIntOrFloatBitWidth() : 0;
  if (toBits < 8 || fromBits < 8 ||
      (fromBits % toBits != 0 && toBits % fromBits != 0)) // (bitcast_c1)
    return emitOptionalError(loc, "elements of type ", from,
                             " cannot be read as ", to);
  Shape shape = getTensorShape(adaptor.getInput().getType());
  if (shape && fromBits > toBits)
    shape->push_back(fromBits / toBits);
  if (shape && fromBits < toBits) {
    // (bitcast_c2)
    int64_t pieces = toBits / fromBits;
    if (shape->empty() || !areCompatibleDims(shape->back(), pieces))
      return emitOptionalError(
          loc, "an element of type ", to, " is made of ", pieces,
          " in the last dimension, but the shape is ", toString(shape));
    shape->pop_back();
  }
  types.push_back(getTensorType(shape, to));
  return success();
}
