//===- MathOps.cpp - Shape functions of elementwise ops and reductions ----===//

#include "dialects/Ingot/MathOps.h"

#include "dialects/Ingot/Elementwise.h"
#include "dialects/Ingot/Families.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallBitVector.h"

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
  if (lhsElement != rhsElement) // (binary_c1)
    return emitOptionalError(loc, "element types differ: ", lhsElement,
                             " of the first operand and ", rhsElement,
                             " of the second");
  // (binary_c2)
  FailureOr<Shape> shape = broadcastShapes(loc, getTensorShape(lhs.getType()),
                                           getTensorShape(rhs.getType()));
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, resultElement ? resultElement : lhsElement));
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
INGOT_BINARY(ReluGradOp, Type())
INGOT_BINARY(LogicalAndOp, Type())
INGOT_BINARY(LogicalOrOp, Type())
INGOT_BINARY(EqualOp, IntegerType::get(context, 1))
INGOT_BINARY(NotEqualOp, IntegerType::get(context, 1))
INGOT_BINARY(LessOp, IntegerType::get(context, 1))
INGOT_BINARY(LessEqualOp, IntegerType::get(context, 1))
INGOT_BINARY(GreaterOp, IntegerType::get(context, 1))
INGOT_BINARY(GreaterEqualOp, IntegerType::get(context, 1))
#undef INGOT_BINARY

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type thenType = adaptor.getThenValue().getType();
  Type elseType = adaptor.getElseValue().getType();
  Type element = getElementTypeOrSelf(thenType);
  if (element != getElementTypeOrSelf(elseType)) // (select_c1)
    return emitOptionalError(loc, "element types differ: ", element,
                             " where the condition is true and ",
                             getElementTypeOrSelf(elseType),
                             " where it is false");
  // (select_c2)
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
  if (adaptor.getInputs().empty()) // (add_n_c1)
    return emitOptionalError(loc, "there is nothing to add: no operands");
  Type element = getElementTypeOrSelf(adaptor.getInputs().front());
  Shape shape;
  for (auto [index, input] : llvm::enumerate(adaptor.getInputs())) {
    Type inputElement = getElementTypeOrSelf(input);
    if (inputElement != element) // (add_n_c2)
      return emitOptionalError(loc, "element types differ: ", element,
                               " of operand 0 and ", inputElement,
                               " of operand ", index);
    Shape inputShape = getTensorShape(input.getType());
    if (!areCompatibleShapes(shape, inputShape)) // (add_n_c2)
      return emitOptionalError(loc, "shapes differ: ", toString(shape),
                               " of the operands before and ",
                               toString(inputShape), " of operand ", index);
    shape = refineShape(shape, inputShape);
  }
  types.push_back(getTensorType(shape, element));
  return success();
}

LogicalResult CastOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (!adaptor.getDst().isIntOrFloat()) // (cast_c1)
    return emitOptionalError(loc, "numbers cannot be converted to ",
                             adaptor.getDst());
  types.push_back(getTensorType(getTensorShape(adaptor.getInput().getType()),
                                adaptor.getDst()));
  return success();
}

// What remains of the input's shape when `axes` are reduced.
static LogicalResult inferReduction(std::optional<Location> loc, Value input,
                                    Value axes, bool keepDims,
                                    SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(input);
  Shape shape = getTensorShape(input.getType());
  if (!mayHaveRank(axes.getType(), 0) && !mayHaveRank(axes.getType(), 1))
    return emitOptionalError( // (reduce_c3)
        loc, "axes must be a scalar or a vector, but have shape ",
        toString(getTensorShape(axes.getType())));
  std::optional<SmallVector<int64_t>> constantAxes = getConstantInts(axes);
  if (!shape || !constantAxes) {
    Shape result;
    if (shape && keepDims)
      result = SmallVector<int64_t>(shape->size(), ShapedType::kDynamic);
    types.push_back(getTensorType(result, element));
    return success();
  }
  llvm::SmallBitVector reduced(shape->size(), false);
  for (int64_t axis : *constantAxes) {
    FailureOr<int64_t> index =
        normalizeAxis(loc, axis, shape->size(), "axis"); // (reduce_c1)
    if (failed(index))
      return failure();
    if (reduced.test(*index)) // (reduce_c2)
      return emitOptionalError(loc, "axis ", *index, " is listed twice");
    reduced.set(*index);
  }
  SmallVector<int64_t> dims;
  for (auto [index, dim] : llvm::enumerate(*shape))
    if (!reduced.test(index))
      dims.push_back(dim);
    else if (keepDims)
      dims.push_back(1);
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

#define INGOT_REDUCTION(Op)                                                    \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &types) {                                          \
    return inferReduction(loc, adaptor.getInput(), adaptor.getAxes(),          \
                          adaptor.getKeepDims(), types);                       \
  }
INGOT_REDUCTION(SumOp)
INGOT_REDUCTION(MeanOp)
INGOT_REDUCTION(ProdOp)
INGOT_REDUCTION(MaxOp)
INGOT_REDUCTION(MinOp)
#undef INGOT_REDUCTION

LogicalResult ArgMaxOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type output = adaptor.getOutputType();
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return emitOptionalError(loc,
                             "an index is i32 or i64, not ", // (arg_max_c3)
                             output);
  if (!mayHaveRank(adaptor.getAxis().getType(), 0)) // (arg_max_c2)
    return emitOptionalError(
        loc, "the axis must be a scalar, but has shape ",
        toString(getTensorShape(adaptor.getAxis().getType())));
  Shape shape = getTensorShape(adaptor.getInput().getType());
  std::optional<int64_t> axis = getConstantInt(adaptor.getAxis());
  if (shape && axis) {
    FailureOr<int64_t> index =
        normalizeAxis(loc, *axis, shape->size(), "axis"); // (arg_max_c1)
    if (failed(index))
      return failure();
    shape->erase(shape->begin() + *index);
  } else if (shape && !shape->empty()) {
    shape = SmallVector<int64_t>(shape->size() - 1, ShapedType::kDynamic);
  }
  types.push_back(getTensorType(shape, output));
  return success();
}
