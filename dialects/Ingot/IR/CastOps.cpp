//===- CastOps.cpp - Shape function of cast -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/CastOps.h"

#include "dialects/Ingot/IR/Elementwise.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotCastOps.cpp.inc"

void mlir::ingot::addCastOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotCastOps.cpp.inc"
      >();
}

LogicalResult CastOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  // `dst` must be a type of numbers or i1 (cast_c1).
  if (!adaptor.getDst().isIntOrFloat() && !isa<ComplexType>(adaptor.getDst()))
    return emitOptionalError(
        loc, "the result's element type must be a number or i1, but is ",
        adaptor.getDst());
  types.push_back(getTensorType(getTensorShape(adaptor.getInput().getType()),
                                adaptor.getDst()));
  return success();
}
