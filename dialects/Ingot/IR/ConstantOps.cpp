//===- ConstantOps.cpp - The constant op ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ConstantOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotConstantOps.cpp.inc"

void mlir::ingot::addConstantOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotConstantOps.cpp.inc"
      >();
}

Value mlir::ingot::createConstant(OpBuilder &builder, Location loc,
                                  ElementsAttr value) {
  return ConstantOp::create(builder, loc, value);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *IngotDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
