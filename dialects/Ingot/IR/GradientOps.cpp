//===- GradientOps.cpp - Verifier of the gradients op ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/GradientOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#include "dialects/Ingot/IngotGradientInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotGradientOps.cpp.inc"

void mlir::ingot::addGradientOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotGradientOps.cpp.inc"
      >();
}

LogicalResult GradientsOp::verify() {
  // There must be at least one output and one input (gradients_c1).
  if (getOutputs().empty() || getInputs().empty())
    return emitOpError("needs at least one output and one input");
  // There must be no weights, or one for each output, with the output's type
  // (gradients_c2).
  if (!getWeights().empty() &&
      !areCompatibleTypeLists(getWeights().getTypes(), getOutputs().getTypes()))
    return emitOpError(
               "must have either no weights, or one weight for each output, "
               "with the output's type, but the weights are (")
           << getWeights().getTypes() << ") and the outputs ("
           << getOutputs().getTypes() << ")";
  // There must be one result for each input, with the input's type
  // (gradients_c3).
  if (!areCompatibleTypeLists(getResultTypes(), getInputs().getTypes()))
    return emitOpError("needs one result for each input, with the input's "
                       "type, but the results are (")
           << getResultTypes() << ") and the inputs (" << getInputs().getTypes()
           << ")";
  return success();
}

LogicalResult StopGradientOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult StraightThroughOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type value = adaptor.getValue().getType();
  Type surrogate = adaptor.getSurrogate().getType();
  // `value` and `surrogate` must have the same type (straight_through_c1).
  if (!areCompatibleTypeLists(value, surrogate))
    return emitOptionalError(
        loc,
        "the value and the surrogate must have the same type, but have types ",
        value, " and ", surrogate);
  types.push_back(value);
  return success();
}
