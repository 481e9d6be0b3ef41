//===- LowerReductions.cpp - Sums, means, extremes, arg max ---------------===//

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Which dimensions of a tensor of rank `rank` the constant `axes` name.
FailureOr<SmallVector<bool>> reducedDimensions(Value axes, int64_t rank) {
  SmallVector<int64_t> list;
  if (!constantIntegers(axes, list))
    return failure();
  SmallVector<bool> reduced(rank, false);
  for (int64_t axis : list)
    reduced[axis < 0 ? axis + rank : axis] = true;
  return reduced;
}

/// The map from a reduction's dimensions to its result's.
AffineMap resultMap(MLIRContext *context, ArrayRef<bool> reduced) {
  SmallVector<AffineExpr> kept;
  for (auto [index, isReduced] : llvm::enumerate(reduced))
    if (!isReduced)
      kept.push_back(getAffineDimExpr(index, context));
  return AffineMap::get(reduced.size(), 0, kept, context);
}

Value extremeOf(Builder &b, Value x, Value y, bool larger) {
  if (!isa<FloatType>(x.getType()))
    return larger ? Value(arith::MaxSIOp::create(b, x, y))
                  : Value(arith::MinSIOp::create(b, x, y));
  return larger ? Value(arith::MaximumFOp::create(b, x, y))
                : Value(arith::MinimumFOp::create(b, x, y));
}

/// The value that a reduction starts from.
Value neutral(Operation *op, OpBuilder &builder, Location loc,
              RankedTensorType type) {
  double value = isa<ProdOp>(op) ? 1 : 0;
  Type element = type.getElementType();
  if (isa<MaxOp, MinOp>(op)) {
    if (isa<FloatType>(element)) {
      value = std::numeric_limits<double>::infinity();
      if (isa<MaxOp>(op))
        value = -value;
    } else {
      unsigned width = element.getIntOrFloatBitWidth();
      APInt limit = isa<MaxOp>(op) ? APInt::getSignedMinValue(width)
                                   : APInt::getSignedMaxValue(width);
      Value start = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(element, limit));
      return linalg::FillOp::create(builder, loc, start,
                                    emptyTensor(builder, loc, type))
          .getResult(0);
    }
  }
  return filledTensor(builder, loc, type, value);
}

template <typename OpTy> struct LowerReduction : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto result = cast<RankedTensorType>(op.getType());
    Type element = input.getElementType();
    FailureOr<SmallVector<bool>> reduced =
        reducedDimensions(op.getAxes(), input.getRank());
    if (failed(reduced))
      return rewriter.notifyMatchFailure(op, "axes are not constant");
    SmallVector<int64_t> shape;
    int64_t count = 1;
    for (auto [size, isReduced] : llvm::zip(input.getShape(), *reduced)) {
      if (isReduced)
        count *= size;
      else
        shape.push_back(size);
    }
    Value start =
        neutral(op, rewriter, loc, RankedTensorType::get(shape, element));
    auto reduction = generic(
        rewriter, loc, op.getInput(), start,
        {rewriter.getMultiDimIdentityMap(input.getRank()),
         resultMap(op.getContext(), *reduced)},
        *reduced, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          if constexpr (std::is_same_v<OpTy, ProdOp>)
            return {isa<FloatType>(element)
                        ? Value(arith::MulFOp::create(b, x[1], x[0]))
                        : Value(arith::MulIOp::create(b, x[1], x[0]))};
          else if constexpr (std::is_same_v<OpTy, MaxOp> ||
                             std::is_same_v<OpTy, MinOp>)
            return {extremeOf(b, x[1], x[0], std::is_same_v<OpTy, MaxOp>)};
          else
            return {isa<FloatType>(element)
                        ? Value(arith::AddFOp::create(b, x[1], x[0]))
                        : Value(arith::AddIOp::create(b, x[1], x[0]))};
        });
    Value value = reduction.getResult(0);
    if constexpr (std::is_same_v<OpTy, MeanOp>)
      value =
          elementwise(
              rewriter, loc, shape, value,
              emptyTensor(rewriter, loc, RankedTensorType::get(shape, element)),
              [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                Value n = scalar(b, element, count);
                return {isa<FloatType>(element)
                            ? Value(arith::DivFOp::create(b, x[0], n))
                            : Value(arith::DivSIOp::create(b, x[0], n))};
              })
              .getResult(0);
    rewriter.replaceOp(op, reshaped(rewriter, loc, value, result.getShape()));
    return success();
  }
};

struct LowerArgMax : OpRewritePattern<ArgMaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ArgMaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto result = cast<RankedTensorType>(op.getType());
    Type element = input.getElementType();
    FailureOr<SmallVector<bool>> reduced =
        reducedDimensions(op.getAxis(), input.getRank());
    if (failed(reduced))
      return rewriter.notifyMatchFailure(op, "the axis is not constant");
    int64_t axis = llvm::find(*reduced, true) - reduced->begin();
    Type indexType = result.getElementType();
    Value best = emptyTensor(rewriter, loc,
                             RankedTensorType::get(result.getShape(), element));
    Value index = filledTensor(rewriter, loc, result, 0);
    best = linalg::FillOp::create(rewriter, loc, lowest(rewriter, loc, element),
                                  best)
               .getResult(0);
    AffineMap map = resultMap(op.getContext(), *reduced);
    auto search =
        generic(rewriter, loc, op.getInput(), {best, index},
                {rewriter.getMultiDimIdentityMap(input.getRank()), map, map},
                *reduced, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  Value position = arith::IndexCastOp::create(
                      b, indexType, linalg::IndexOp::create(b, axis));
                  // Strictly larger: the first of equal ones stays.
                  Value larger =
                      isa<FloatType>(element)
                          ? Value(arith::CmpFOp::create(
                                b, arith::CmpFPredicate::OGT, x[0], x[1]))
                          : Value(arith::CmpIOp::create(
                                b, arith::CmpIPredicate::sgt, x[0], x[1]));
                  return {arith::SelectOp::create(b, larger, x[0], x[1]),
                          arith::SelectOp::create(b, larger, position, x[2])};
                });
    rewriter.replaceOp(op, search.getResult(1));
    return success();
  }

  static Value lowest(OpBuilder &builder, Location loc, Type element) {
    TypedAttr value;
    if (auto type = dyn_cast<FloatType>(element))
      value = builder.getFloatAttr(
          type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
    else
      value = builder.getIntegerAttr(
          element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
    return arith::ConstantOp::create(builder, loc, value);
  }
};

} // namespace

void ::ingot::lower::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduction<SumOp>, LowerReduction<MeanOp>,
               LowerReduction<ProdOp>, LowerReduction<MaxOp>,
               LowerReduction<MinOp>, LowerArgMax>(patterns.getContext());
}
