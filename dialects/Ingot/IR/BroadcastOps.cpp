//===- BroadcastOps.cpp - Broadcasting decided at run time ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/BroadcastOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotBroadcastOps.cpp.inc"

void mlir::ingot::addBroadcastOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotBroadcastOps.cpp.inc"
      >();
}

LogicalResult
BroadcastAgainstOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  Shape shape = getTensorShape(input);
  for (Value other : adaptor.getOthers()) {
    // The shapes must be broadcastable against each other, as far as they are
    // known (broadcast_against_c1).
    FailureOr<Shape> common =
        broadcastShapes(loc, shape, getTensorShape(other.getType()));
    if (failed(common))
      return failure();
    shape = *common;
  }
  types.push_back(getTensorType(shape, getElementTypeOrSelf(input)));
  return success();
}
