//===- MathReductionOps.cpp - Reductions over axes ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MathReductionOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMathReductionOps.cpp.inc"

void mlir::ingot::addMathReductionOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotMathReductionOps.cpp.inc"
      >();
}

// Infers the result of a reduction: the input's shape with `axes` reduced.
static LogicalResult inferReduction(std::optional<Location> loc, Value input,
                                    Value axes, bool keepDims,
                                    SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(input);
  Shape shape = getTensorShape(input.getType());
  // `axes` must be a scalar or a vector (reduce_c3).
  if (!mayHaveRank(axes.getType(), 0) && !mayHaveRank(axes.getType(), 1))
    return emitOptionalError(
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
    // Constant axes must lie within the input's rank (reduce_c1).
    FailureOr<int64_t> index = normalizeAxis(loc, axis, shape->size(), "axis");
    if (failed(index))
      return failure();
    // No axis may be listed twice (reduce_c2).
    if (reduced.test(*index))
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
  // `output_type` must be i32 or i64 (arg_max_c3).
  if (!output.isSignlessInteger(32) && !output.isSignlessInteger(64))
    return emitOptionalError(loc, "indices must be int32 or int64, not ",
                             output);
  // The axis must be a scalar (arg_max_c2).
  if (!mayHaveRank(adaptor.getAxis().getType(), 0))
    return emitOptionalError(
        loc, "the axis must be a scalar, but has shape ",
        toString(getTensorShape(adaptor.getAxis().getType())));
  Shape shape = getTensorShape(adaptor.getInput().getType());
  std::optional<int64_t> axis = getConstantInt(adaptor.getAxis());
  if (shape && axis) {
    // A constant axis must lie within the input's rank (arg_max_c1).
    FailureOr<int64_t> index = normalizeAxis(loc, *axis, shape->size(), "axis");
    if (failed(index))
      return failure();
    shape->erase(shape->begin() + *index);
  } else if (shape && !shape->empty()) {
    shape = SmallVector<int64_t>(shape->size() - 1, ShapedType::kDynamic);
  }
  types.push_back(getTensorType(shape, output));
  return success();
}
