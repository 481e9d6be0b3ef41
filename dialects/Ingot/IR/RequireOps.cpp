//===- RequireOps.cpp - Run-time checks of sizes --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RequireOps.h"

#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

#include "dialects/Ingot/IngotRequireInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRequireOps.cpp.inc"

void mlir::ingot::addRequireOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRequireOps.cpp.inc"
      >();
}

LogicalResult RequireOp::verify() {
  size_t places = getText().count("{}");
  // The text must have a placeholder for each number (require_c1).
  if (places != getNumbers().size())
    return emitOpError("the text must have one {} placeholder for each of the ")
           << getNumbers().size() << " numbers, but has " << places;
  return success();
}

LogicalResult RequireOp::canonicalize(RequireOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op,
                                       "expected a constant true condition");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult RequireSameShapeOp::inferReturnTypes(MLIRContext *,
                                                   std::optional<Location> loc,
                                                   Adaptor adaptor,
                                                   SmallVectorImpl<Type> &) {
  // The text must have two placeholders, one for each shape
  // (require_same_shape_c1).
  if (adaptor.getText().count("{}") != 2)
    return emitOptionalError(
        loc,
        "the text must have two {} placeholders, one for each shape, but has ",
        adaptor.getText().count("{}"));
  // Operands that are shapes must be vectors of integers
  // (require_same_shape_c2).
  for (Value shape : {adaptor.getLhs(), adaptor.getRhs()})
    if (adaptor.getAreShapes() &&
        (!mayHaveRank(shape.getType(), 1) ||
         !getElementTypeOrSelf(shape.getType()).isSignlessInteger()))
      return emitOptionalError(loc,
                               "a shape must be a vector of integers, but is ",
                               shape.getType());
  return success();
}
