//===- SpecialOps.cpp - Special functions ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SpecialOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSpecialOps.cpp.inc"

void mlir::ingot::addSpecialOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotSpecialOps.cpp.inc"
      >();
}

LogicalResult mlir::ingot::inferBetainc(std::optional<Location> loc, Value a,
                                        Value b, Value x,
                                        SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(a);
  // The common shape of the operands that are not scalars; [] if all operands
  // are scalars. std::nullopt if no operand has a known rank above 0 but some
  // operands have an unknown rank.
  Shape shape = SmallVector<int64_t>();
  bool isScalar = true;
  for (Value operand : {a, b, x}) {
    // Operands must have the same element type (betainc_c1).
    if (getElementTypeOrSelf(operand) != element)
      return emitOptionalError(
          loc, "all operands must have the same element type, but have ",
          element, " and ", getElementTypeOrSelf(operand));
    Shape other = getTensorShape(operand.getType());
    if (!other) {
      if (isScalar)
        shape = std::nullopt;
      continue;
    }
    if (other->empty())
      continue;
    // Operands that are not scalars must have the same shape (betainc_c2).
    if (!isScalar && !areCompatibleShapes(shape, other))
      return emitOptionalError(
          loc,
          "operands that are not scalars must have the same shape, but "
          "have the shapes ",
          toString(shape), " and ", toString(other));
    shape = isScalar ? other : refineShape(shape, other);
    isScalar = false;
  }
  types.push_back(getTensorType(shape, element));
  return success();
}
