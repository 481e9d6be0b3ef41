//===- MathOps.cpp - Shape functions of elementwise ops -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MathOps.h"

#include "dialects/Ingot/IR/Elementwise.h"
#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMathOps.cpp.inc"

void mlir::ingot::addMathOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotMathOps.cpp.inc"
      >();
}

LogicalResult mlir::ingot::inferUnary(Value input,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(input.getType());
  return success();
}

LogicalResult mlir::ingot::inferTest(Value input,
                                     SmallVectorImpl<Type> &types) {
  types.push_back(getTensorType(getTensorShape(input.getType()),
                                IntegerType::get(input.getContext(), 1)));
  return success();
}

LogicalResult mlir::ingot::inferBinary(std::optional<Location> loc, Value lhs,
                                       Value rhs, Type resultElement,
                                       SmallVectorImpl<Type> &types) {
  Type lhsElement = getElementTypeOrSelf(lhs);
  Type rhsElement = getElementTypeOrSelf(rhs);
  // The operands must have the same element type (binary_c1).
  if (lhsElement != rhsElement)
    return emitOptionalError(loc, "element types differ: ", lhsElement,
                             " of the first operand and ", rhsElement,
                             " of the second");
  // The shapes of both operands must be broadcastable against each other
  // (binary_c2).
  FailureOr<Shape> shape = broadcastShapes(loc, getTensorShape(lhs.getType()),
                                           getTensorShape(rhs.getType()));
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, resultElement ? resultElement : lhsElement));
  return success();
}

LogicalResult mlir::ingot::inferGradient(std::optional<Location> loc, Value lhs,
                                         Value rhs,
                                         SmallVectorImpl<Type> &types) {
  if (failed(inferBinary(loc, lhs, rhs, Type(), types)))
    return failure();
  Shape a = getTensorShape(lhs.getType()), b = getTensorShape(rhs.getType());
  if (!a || !b || areCompatibleShapes(a, b))
    types.back() = getTensorType(refineShape(a, b), getElementTypeOrSelf(lhs));
  return success();
}

#define INGOT_UNARY(Op)                                                        \
  LogicalResult Op::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     Adaptor adaptor,                          \
                                     SmallVectorImpl<Type> &types) {           \
    return inferUnary(adaptor.getInput(), types);                              \
  }
INGOT_UNARY(AbsOp)
INGOT_UNARY(NegOp)
INGOT_UNARY(SignOp)
INGOT_UNARY(SqrtOp)
INGOT_UNARY(SquareOp)
INGOT_UNARY(ExpOp)
INGOT_UNARY(LogOp)
INGOT_UNARY(TanhOp)
INGOT_UNARY(ReluOp)
INGOT_UNARY(LogicalNotOp)
#undef INGOT_UNARY

#define INGOT_BINARY(Op, resultElement)                                        \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,      \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBinary(loc, adaptor.getLhs(), adaptor.getRhs(), resultElement, \
                       types);                                                 \
  }
INGOT_BINARY(AddOp, Type())
INGOT_BINARY(SubOp, Type())
INGOT_BINARY(MulOp, Type())
INGOT_BINARY(RealDivOp, Type())
INGOT_BINARY(DivNoNanOp, Type())
INGOT_BINARY(MaximumOp, Type())
INGOT_BINARY(MinimumOp, Type())
INGOT_BINARY(SquaredDifferenceOp, Type())
INGOT_BINARY(LogicalAndOp, Type())
INGOT_BINARY(LogicalOrOp, Type())
INGOT_BINARY(EqualOp, IntegerType::get(context, 1))
INGOT_BINARY(NotEqualOp, IntegerType::get(context, 1))
INGOT_BINARY(LessOp, IntegerType::get(context, 1))
INGOT_BINARY(LessEqualOp, IntegerType::get(context, 1))
INGOT_BINARY(GreaterOp, IntegerType::get(context, 1))
INGOT_BINARY(GreaterEqualOp, IntegerType::get(context, 1))
#undef INGOT_BINARY

LogicalResult ReluGradOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferGradient(loc, adaptor.getLhs(), adaptor.getRhs(), types);
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type thenType = adaptor.getThenValue().getType();
  Type elseType = adaptor.getElseValue().getType();
  Type element = getElementTypeOrSelf(thenType);
  // Both values must have the same element type (select_c1).
  if (element != getElementTypeOrSelf(elseType))
    return emitOptionalError(loc, "element types differ: ", element,
                             " where the condition is true and ",
                             getElementTypeOrSelf(elseType),
                             " where it is false");
  // The shapes of the condition and of both values must be broadcastable
  // against each other (select_c2).
  FailureOr<Shape> values =
      broadcastShapes(loc, getTensorShape(thenType), getTensorShape(elseType));
  if (failed(values))
    return failure();
  FailureOr<Shape> shape = broadcastShapes(
      loc, getTensorShape(adaptor.getCondition().getType()), *values);
  if (failed(shape))
    return failure();
  types.push_back(getTensorType(*shape, element));
  return success();
}

LogicalResult AddNOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  // There must be at least one operand (add_n_c1).
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one operand");
  Type element = getElementTypeOrSelf(adaptor.getInputs().front());
  Shape shape;
  for (auto [index, input] : llvm::enumerate(adaptor.getInputs())) {
    Type inputElement = getElementTypeOrSelf(input);
    // All operands must have compatible shapes and the same element type
    // (add_n_c2).
    if (inputElement != element)
      return emitOptionalError(loc, "element types differ: ", element,
                               " of operand 0 and ", inputElement,
                               " of operand ", index);
    Shape inputShape = getTensorShape(input.getType());
    // All operands must have compatible shapes (add_n_c2).
    if (!areCompatibleShapes(shape, inputShape))
      return emitOptionalError(loc, "shapes differ: ", toString(shape),
                               " of the previous operands and ",
                               toString(inputShape), " of operand ", index);
    shape = refineShape(shape, inputShape);
  }
  types.push_back(getTensorType(shape, element));
  return success();
}
