//===- LowerReductions.cpp - Sums, means, extrema, argmax -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Returns, for each dimension of a tensor of rank `rank`, whether `axes` lists
/// it. Fails if `axes` is not constant.
FailureOr<SmallVector<bool>> reducedDimensions(Value axes, int64_t rank) {
  SmallVector<int64_t> list;
  if (!constantIntegers(axes, list))
    return failure();
  SmallVector<bool> reduced(rank, false);
  for (int64_t axis : list)
    reduced[axis < 0 ? axis + rank : axis] = true;
  return reduced;
}

/// Returns the indexing map from the loops of a reduction to its result, which
/// lacks the dimensions marked in `reduced`.
AffineMap resultMap(MLIRContext *context, ArrayRef<bool> reduced) {
  SmallVector<AffineExpr> kept;
  for (auto [index, isReduced] : llvm::enumerate(reduced))
    if (!isReduced)
      kept.push_back(getAffineDimExpr(index, context));
  return AffineMap::get(reduced.size(), 0, kept, context);
}

/// Creates the arith ops that combine two elements of a reduction. Which ops
/// these are depends on whether the element type of the reduction, as in the
/// imported graph, is a float, signed, unsigned or bool type.
struct ReductionCombiner {
  bool isFloat, isUnsigned, isBool;

  explicit ReductionCombiner(Type type)
      : isFloat(isa<FloatType>(type)), isUnsigned(type.isUnsignedInteger()),
        isBool(type.isInteger(1)) {}

  Value add(Builder &b, Value x, Value y) const {
    return isFloat ? Value(arith::AddFOp::create(b, x, y))
                   : Value(arith::AddIOp::create(b, x, y));
  }
  Value multiply(Builder &b, Value x, Value y) const {
    return isFloat ? Value(arith::MulFOp::create(b, x, y))
                   : Value(arith::MulIOp::create(b, x, y));
  }
  Value extreme(Builder &b, Value x, Value y, bool larger) const {
    if (isFloat)
      return larger ? Value(arith::MaximumFOp::create(b, x, y))
                    : Value(arith::MinimumFOp::create(b, x, y));
    // Booleans are compared as unsigned integers: false is less than true.
    if (isUnsigned || isBool)
      return larger ? Value(arith::MaxUIOp::create(b, x, y))
                    : Value(arith::MinUIOp::create(b, x, y));
    return larger ? Value(arith::MaxSIOp::create(b, x, y))
                  : Value(arith::MinSIOp::create(b, x, y));
  }
  /// Returns the initial value of a maximum (if `larger` is true) or of a
  /// minimum. For a maximum, this is the lowest value of the type, or -infinity
  /// for floats; for a minimum, it is the largest value, or infinity. It is
  /// also the result of a reduction of zero elements.
  TypedAttr bound(OpBuilder &b, Type stored, bool larger) const {
    if (auto type = dyn_cast<FloatType>(stored))
      return b.getFloatAttr(
          type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/larger));
    unsigned width = stored.getIntOrFloatBitWidth();
    APInt value = isUnsigned || isBool ? (larger ? APInt::getMinValue(width)
                                                 : APInt::getMaxValue(width))
                  : larger             ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width);
    return b.getIntegerAttr(stored, value);
  }
};

/// Returns the product of sizes.
OpFoldResult product(Builder &b, ArrayRef<OpFoldResult> sizes) {
  int64_t known = 1;
  Value dynamic;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      known *= *constant;
      continue;
    }
    Value value = cast<Value>(size);
    dynamic = dynamic ? Value(arith::MulIOp::create(b, dynamic, value)) : value;
  }
  if (!dynamic)
    return b.getIndexAttr(known);
  return arith::MulIOp::create(b, dynamic,
                               arith::ConstantIndexOp::create(b, known))
      .getResult();
}

/// Converts `count` to a constant or value of type `element`, so that a mean
/// can divide by it. An integer becomes at least 1, because a division by 0
/// would trap.
Value countAs(Builder &b, OpFoldResult count, Type element) {
  bool isFloat = isa<FloatType>(element);
  if (std::optional<int64_t> known = getConstantIntValue(count))
    return scalar(
        b, element,
        static_cast<double>(isFloat ? *known : std::max<int64_t>(*known, 1)));
  Value value =
      arith::IndexCastOp::create(b, b.getI64Type(), cast<Value>(count));
  if (isFloat)
    return arith::SIToFPOp::create(b, element, value);
  value = arith::MaxSIOp::create(b, value, scalar(b, b.getI64Type(), 1));
  return element.getIntOrFloatBitWidth() == 64
             ? value
             : Value(arith::TruncIOp::create(b, element, value));
}

/// Whether `type` is a float of fewer than 32 bits, which is accumulated in
/// f32.
bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

template <typename OpTy> struct LowerReduction : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  static constexpr bool isMean = std::is_same_v<OpTy, MeanOp>;
  static constexpr bool isProduct = std::is_same_v<OpTy, ProdOp>;
  static constexpr bool isMax = std::is_same_v<OpTy, MaxOp>;
  static constexpr bool isExtreme = isMax || std::is_same_v<OpTy, MinOp>;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto result = cast<RankedTensorType>(op.getType());
    Type element = input.getElementType();
    FailureOr<SmallVector<bool>> reduced =
        reducedDimensions(op.getAxes(), input.getRank());
    if (failed(reduced))
      return rewriter.notifyMatchFailure(op, "axes are not constant");
    ReductionCombiner combination(operandElementType(op, 0));
    bool widens = isNarrowFloat(element) && !isExtreme;
    Type sum = widens ? b.getF32Type() : element;

    Sizes kept, gone, shape;
    for (auto [size, isReduced] :
         llvm::zip(sizesOf(b, op.getLoc(), op.getInput()), *reduced)) {
      (isReduced ? gone : kept).push_back(size);
      if (!isReduced || op.getKeepDims())
        shape.push_back(isReduced ? OpFoldResult(b.getIndexAttr(1)) : size);
    }
    TypedAttr start =
        isExtreme ? combination.bound(b, element, isMax)
                  : TypedAttr(isa<FloatType>(sum)
                                  ? TypedAttr(b.getFloatAttr(sum, isProduct))
                                  : b.getIntegerAttr(sum, isProduct));
    Value destination =
        linalg::FillOp::create(b, Value(arith::ConstantOp::create(b, start)),
                               emptyTensor(b, op.getLoc(), kept, sum))
            .getResult(0);
    Value value =
        generic(b, op.getLoc(), op.getInput(), destination,
                {b.getMultiDimIdentityMap(input.getRank()),
                 resultMap(op.getContext(), *reduced)},
                *reduced,
                [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
                  Value next =
                      widens ? Value(arith::ExtFOp::create(inner, sum, x[0]))
                             : x[0];
                  if (isProduct)
                    return {combination.multiply(inner, x[1], next)};
                  if (isExtreme)
                    return {combination.extreme(inner, x[1], next, isMax)};
                  return {combination.add(inner, x[1], next)};
                })
            .getResult(0);
    if (isMean || widens) {
      Value count = isMean ? countAs(b, product(b, gone), sum) : Value();
      value =
          elementwise(
              b, op.getLoc(),
              cast<RankedTensorType>(value.getType()).getShape(), value,
              emptyTensor(b, op.getLoc(), kept, element),
              [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
                Value mean = x[0];
                if (isMean)
                  mean =
                      combination.isFloat
                          ? Value(arith::DivFOp::create(inner, mean, count))
                      : combination.isUnsigned
                          ? Value(arith::DivUIOp::create(inner, mean, count))
                          : Value(arith::DivSIOp::create(inner, mean, count));
                return {widens ? Value(arith::TruncFOp::create(inner, element,
                                                               mean))
                               : mean};
              })
              .getResult(0);
    }
    rewriter.replaceOp(op, inShape(b, value, result, shape));
    return success();
  }

  /// Reshapes `value` to the type `result`, which keeps reduced dimensions with
  /// size 1 if the op sets keep_dims.
  static Value inShape(Builder &b, Value value, RankedTensorType result,
                       ArrayRef<OpFoldResult> sizes) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != result.getRank())
      return reshaped(b, b.getLoc(), value, result, sizes);
    return type == result ? value
                          : Value(tensor::CastOp::create(b, result, value));
  }
};

struct LowerArgMax : OpRewritePattern<ArgMaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ArgMaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto input = cast<RankedTensorType>(op.getInput().getType());
    Type element = input.getElementType();
    FailureOr<SmallVector<bool>> reduced =
        reducedDimensions(op.getAxis(), input.getRank());
    if (failed(reduced))
      return rewriter.notifyMatchFailure(op, "the axis is not constant");
    int64_t axis = llvm::find(*reduced, true) - reduced->begin();
    Type indexType = getElementTypeOrSelf(op.getType());
    ReductionCombiner combination(operandElementType(op, 0));
    Builder b(loc, rewriter);
    Sizes sizes = sizesOf(b, loc, op.getInput());
    sizes.erase(sizes.begin() + axis);
    // Start the running maximum with the lowest finite number instead of
    // -infinity, as TensorFlow's argmax does.
    TypedAttr lowest = combination.bound(b, element, true);
    if (auto type = dyn_cast<FloatType>(element))
      lowest = b.getFloatAttr(
          type, APFloat::getLargest(type.getFloatSemantics(), true));
    Value best =
        linalg::FillOp::create(b, Value(arith::ConstantOp::create(b, lowest)),
                               emptyTensor(b, loc, sizes, element))
            .getResult(0);
    Value index = filledTensor(b, loc, sizes, indexType, 0);
    AffineMap map = resultMap(op.getContext(), *reduced);
    auto search =
        generic(rewriter, loc, op.getInput(), {best, index},
                {rewriter.getMultiDimIdentityMap(input.getRank()), map, map},
                *reduced, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  Value position = arith::IndexCastOp::create(
                      b, indexType, linalg::IndexOp::create(b, axis));
                  // Selects the new element only if it is strictly larger, so
                  // that the first of several equal elements wins.
                  Value larger =
                      isa<FloatType>(element)
                          ? Value(arith::CmpFOp::create(
                                b, arith::CmpFPredicate::OGT, x[0], x[1]))
                          : Value(arith::CmpIOp::create(
                                b,
                                combination.isUnsigned || combination.isBool
                                    ? arith::CmpIPredicate::ugt
                                    : arith::CmpIPredicate::sgt,
                                x[0], x[1]));
                  return {arith::SelectOp::create(b, larger, x[0], x[1]),
                          arith::SelectOp::create(b, larger, position, x[2])};
                });
    rewriter.replaceOp(op, LowerReduction<MaxOp>::inShape(
                               b, search.getResult(1),
                               cast<RankedTensorType>(op.getType()), sizes));
    return success();
  }
};

} // namespace

void ::ingot::lower::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduction<SumOp>, LowerReduction<MeanOp>,
               LowerReduction<ProdOp>, LowerReduction<MaxOp>,
               LowerReduction<MinOp>, LowerArgMax>(patterns.getContext());
}
