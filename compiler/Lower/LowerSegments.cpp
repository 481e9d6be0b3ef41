//===- LowerSegments.cpp - Segment reductions, scans, in-top-k ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ReductionOps.h"

#include "compiler/Lower/RowUpdateLoops.h"
#include "compiler/Lower/WindowAccess.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Combines two elements as a segment reduction or a scan does.
struct SegmentOrScanCombiner {
  StringRef kind; // sum, prod, min, max or logsumexp
  bool isUnsigned;
  // Whether the initial value of min and max is an infinity, not a finite
  // number.
  bool startsAtInfinity = false;

  Value operator()(Builder &b, Value x, Value y) const {
    bool isFloat = isa<FloatType>(x.getType());
    if (kind == "prod")
      return isFloat ? Value(arith::MulFOp::create(b, x, y))
                     : Value(arith::MulIOp::create(b, x, y));
    if (kind == "logsumexp")
      return logSumExp(b, x, y);
    if (kind == "min" || kind == "max") {
      // Selects `y` only if it is strictly better than `x`. A comparison with a
      // NaN is false, so a NaN `y` is ignored, as in TensorFlow's segment ops.
      Value isBetter;
      if (isFloat)
        isBetter =
            arith::CmpFOp::create(b,
                                  kind == "max" ? arith::CmpFPredicate::OLT
                                                : arith::CmpFPredicate::OGT,
                                  x, y);
      else if (isUnsigned)
        isBetter =
            arith::CmpIOp::create(b,
                                  kind == "max" ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::ugt,
                                  x, y);
      else
        isBetter =
            arith::CmpIOp::create(b,
                                  kind == "max" ? arith::CmpIPredicate::slt
                                                : arith::CmpIPredicate::sgt,
                                  x, y);
      return arith::SelectOp::create(b, isBetter, y, x);
    }
    return isFloat ? Value(arith::AddFOp::create(b, x, y))
                   : Value(arith::AddIOp::create(b, x, y));
  }

  /// Returns log(e^x + e^y), computed as max + log(1 + e^(min - max)) of x and
  /// y. The exponential does not overflow, because min - max is never positive.
  static Value logSumExp(Builder &b, Value x, Value y) {
    // If the next element `y` is NaN, the running value `x` replaces it, as in
    // TensorFlow.
    Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, y, y);
    y = arith::SelectOp::create(b, isNumber, y, x);
    Value larger = arith::MaximumFOp::create(b, x, y);
    Value smaller = arith::MinimumFOp::create(b, x, y);
    Value distance = arith::SubFOp::create(b, smaller, larger);
    Value sum = arith::AddFOp::create(
        b, larger, math::Log1pOp::create(b, math::ExpOp::create(b, distance)));
    // For two equal infinities, the distance is infinity - infinity, a NaN. The
    // result must be this infinity instead.
    Value isEqual =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, smaller, larger);
    Value isInfinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, larger),
        scalar(b, larger.getType(), std::numeric_limits<double>::infinity()));
    Value stays = arith::AndIOp::create(b, isEqual, isInfinite);
    return arith::SelectOp::create(b, stays, larger, sum);
  }

  /// Returns the identity of this combination, such as 0 for a sum: the initial
  /// value of every result.
  TypedAttr neutral(OpBuilder &b, Type type) const {
    if (auto floating = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = floating.getFloatSemantics();
      bool isMax = kind == "max";
      if (isMax || kind == "min")
        return b.getFloatAttr(
            type, startsAtInfinity ? APFloat::getInf(semantics, isMax)
                                   : APFloat::getLargest(semantics, isMax));
      if (kind == "logsumexp")
        return b.getFloatAttr(type, APFloat::getInf(semantics, true));
      return b.getFloatAttr(type, kind == "prod" ? 1 : 0);
    }
    unsigned width = type.getIntOrFloatBitWidth();
    if (kind == "min")
      return b.getIntegerAttr(type, isUnsigned
                                        ? APInt::getMaxValue(width)
                                        : APInt::getSignedMaxValue(width));
    if (kind == "max")
      return b.getIntegerAttr(type, isUnsigned
                                        ? APInt::getMinValue(width)
                                        : APInt::getSignedMinValue(width));
    return b.getIntegerAttr(type, kind == "prod" ? 1 : 0);
  }
};

Value filled(Builder &b, ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  return linalg::FillOp::create(
             b, Value(arith::ConstantOp::create(b, value)),
             emptyTensor(b, b.getLoc(), sizes, value.getType()))
      .getResult(0);
}

/// Combines each element of `into` in place with the element of `value` at the
/// same indices. `value` may have a narrower element type.
Value combine(Builder &b, Value into, Value value,
              const SegmentOrScanCombiner &combiner) {
  auto type = cast<RankedTensorType>(into.getType());
  return elementwise(b, b.getLoc(), type.getShape(), value, into,
                     [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
                       Value next = convertTo(inner, x[0], x[1].getType());
                       return {combiner(inner, x[1], next)};
                     })
      .getResult(0);
}

struct LowerSegmentReduce : OpRewritePattern<SegmentReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SegmentReduceOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    StringRef kind = op.getReduction();
    bool divides = kind == "mean" || kind == "sqrtn";
    SegmentOrScanCombiner combiner{
        divides ? "sum" : kind, operandElementType(op, 0).isUnsignedInteger(),
        op.getZeroEmpty()};
    auto data = cast<RankedTensorType>(op.getData().getType());
    auto ids = cast<RankedTensorType>(op.getSegmentIds().getType());
    Type element = data.getElementType(), sum = element;
    if (combiner.kind == "sum" || combiner.kind == "prod")
      sum = getSumType(element);

    Sizes sizes = segmentSizes(b, op, ids.getRank());
    Value table = filled(b, sizes, combiner.neutral(b, sum));
    auto row = [&](Builder &inner, ValueRange rows, ValueRange position) {
      Value value =
          extractRow(inner, op.getData(), dataPosition(inner, op, position));
      return SmallVector<Value>{combine(inner, rows[0], value, combiner)};
    };
    auto inData = [&](Builder &inner, ValueRange position) {
      return isWithin(inner, extractIndex(inner, op.getIndices(), position),
                      op.getData(), 0);
    };
    table = updateRows(b, table, op.getSegmentIds(), 1, false, row,
                       op.getIndices() ? ConditionFunction(inData)
                                       : ConditionFunction())
                .front();
    if (divides || op.getZeroEmpty())
      table = finish(b, op, table, countRows(b, op, sizes.front()));
    rewriter.replaceOp(op, convertTensor(b, op.getLoc(), table, element));
    return success();
  }

  static Sizes segmentSizes(Builder &b, SegmentReduceOp op, int64_t idRank) {
    Sizes sizes = sizesOf(b, b.getLoc(), op.getData());
    sizes.erase(sizes.begin(), sizes.begin() + (op.getIndices() ? 1 : idRank));
    int64_t known = cast<RankedTensorType>(op.getType()).getDimSize(0);
    if (ShapedType::isStatic(known)) {
      sizes.insert(sizes.begin(), b.getIndexAttr(known));
      return sizes;
    }
    // A negative number of segments counts as zero.
    Value count = extractIndex(b, op.getNumSegments(), {});
    Value zero = arith::ConstantIndexOp::create(b, 0);
    sizes.insert(sizes.begin(),
                 OpFoldResult(Value(arith::MaxSIOp::create(b, count, zero))));
    return sizes;
  }

  static SmallVector<OpFoldResult> dataPosition(Builder &b, SegmentReduceOp op,
                                                ValueRange position) {
    if (op.getIndices())
      return {extractIndex(b, op.getIndices(), position)};
    return SmallVector<OpFoldResult>(position.begin(), position.end());
  }

  /// Returns the number of rows in each segment.
  static Value countRows(Builder &b, SegmentReduceOp op, OpFoldResult size) {
    Type i32 = b.getI32Type();
    Value counts = filled(b, {size}, b.getI32IntegerAttr(0));
    auto row = [&](Builder &inner, ValueRange rows, ValueRange) {
      return SmallVector<Value>{
          elementwise(inner, inner.getLoc(), {}, {}, rows[0],
                      [&](Builder &body, ValueRange x) -> SmallVector<Value> {
                        return {arith::AddIOp::create(body, x[0],
                                                      scalar(body, i32, 1))};
                      })
              .getResult(0)};
    };
    return updateRows(b, counts, op.getSegmentIds(), 1, false, row).front();
  }

  /// Divides each sum in `table` by the number of rows in its segment (mean),
  /// or by the square root of this number (sqrtn). Segments without rows become
  /// 0.
  static Value finish(Builder &b, SegmentReduceOp op, Value table,
                      Value counts) {
    auto type = cast<RankedTensorType>(table.getType());
    Type element = type.getElementType();
    int64_t rank = type.getRank();
    AffineMap all = b.getMultiDimIdentityMap(rank);
    AffineMap perSegment = AffineMap::get(rank, 0, b.getAffineDimExpr(0));
    auto body = [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
      Value none = scalar(inner, x[0].getType(), 0);
      Value hasRows =
          arith::CmpIOp::create(inner, arith::CmpIPredicate::ne, x[0], none);
      if (op.getZeroEmpty())
        return {arith::SelectOp::create(inner, hasRows, x[1],
                                        scalar(inner, element, 0))};
      Value count =
          arith::MaxSIOp::create(inner, x[0], scalar(inner, x[0].getType(), 1));
      if (!isa<FloatType>(element)) {
        Value divisor = count;
        unsigned width = element.getIntOrFloatBitWidth();
        if (width > 32)
          divisor = arith::ExtSIOp::create(inner, element, count);
        else if (width < 32)
          divisor = arith::TruncIOp::create(inner, element, count);
        if (operandElementType(op, 0).isUnsignedInteger())
          return {arith::DivUIOp::create(inner, x[1], divisor)};
        return {arith::DivSIOp::create(inner, x[1], divisor)};
      }
      Value divisor = arith::SIToFPOp::create(inner, element, count);
      if (op.getReduction() == "sqrtn")
        divisor = math::SqrtOp::create(inner, divisor);
      return {arith::DivFOp::create(inner, x[1], divisor)};
    };
    return generic(b, b.getLoc(), counts, table, {perSegment, all},
                   SmallVector<bool>(rank, false), body)
        .getResult(0);
  }
};

/// Extracts or inserts the slice of a tensor at one position of an axis; the
/// slice lacks the axis.
///
/// A rank-reducing extract_slice or insert_slice tells only by its types which
/// dimension it drops. If the position turns out to be constant, MLIR's
/// canonicalizer infers the dropped dimension again, and picks the first one of
/// size 1. For axis 2 of a slice of shape 1x5x1 this is the wrong dimension,
/// and wrong elements would be selected. If that may happen, the slice keeps
/// the axis, and a reshape drops it.
class RankReducingAxisSlice {
public:
  RankReducingAxisSlice(Builder &b, Sizes shape, int64_t axis, Value position)
      : b(b), axis(axis), offsets(shape.size(), b.getIndexAttr(0)),
        sizes(std::move(shape)), strides(sizes.size(), b.getIndexAttr(1)) {
    offsets[axis] = position;
    sizes[axis] = b.getIndexAttr(1);
  }

  Value extract(Value tensor) const {
    RankedTensorType whole = typeIn(tensor);
    SmallVector<int64_t> shape(whole.getShape());
    shape.erase(shape.begin() + axis);
    auto type = RankedTensorType::get(shape, whole.getElementType());
    if (!isAmbiguous())
      return tensor::ExtractSliceOp::create(b, type, tensor, offsets, sizes,
                                            strides);
    Value slice = tensor::ExtractSliceOp::create(b, whole, tensor, offsets,
                                                 sizes, strides);
    return tensor::CollapseShapeOp::create(b, type, slice, groups());
  }

  /// Returns `tensor` with its slice at this position of the axis replaced by
  /// `part`.
  Value insert(Value part, Value tensor) const {
    if (isAmbiguous())
      part = tensor::ExpandShapeOp::create(b, typeIn(tensor), part, groups(),
                                           sizes);
    return tensor::InsertSliceOp::create(b, part, tensor, offsets, sizes,
                                         strides);
  }

private:
  RankedTensorType typeIn(Value tensor) const {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    return type.clone(shape);
  }

  /// Whether MLIR could infer the wrong dropped dimension. This is possible if
  /// a dimension before the axis may have size 1, and a dimension between that
  /// dimension and the axis may have another size.
  bool isAmbiguous() const {
    bool mayBeOne = false;
    for (OpFoldResult size : ArrayRef(sizes).take_front(axis)) {
      std::optional<int64_t> known = getConstantIntValue(size);
      if (mayBeOne && known != 1)
        return true;
      mayBeOne |= !known || known == 1;
    }
    return false;
  }

  /// Returns reassociation groups that collapse the axis with the dimension
  /// before it. May only be called if isAmbiguous(), which implies that there
  /// is a dimension before the axis.
  SmallVector<ReassociationIndices> groups() const {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim)
      if (dim == axis)
        groups.back().push_back(dim);
      else
        groups.push_back({dim});
    return groups;
  }

  Builder &b;
  int64_t axis;
  Sizes offsets, sizes, strides;
};

struct LowerCumulative : OpRewritePattern<CumulativeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CumulativeOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<int64_t> axes;
    if (!constantIntegers(op.getAxis(), axes))
      return rewriter.notifyMatchFailure(op, "the axis is not constant");
    auto type = cast<RankedTensorType>(op.getInput().getType());
    Type element = type.getElementType();
    int64_t axis = axes[0] < 0 ? axes[0] + type.getRank() : axes[0];
    SegmentOrScanCombiner combiner{op.getKind(), false};
    Sizes sizes = sizesOf(b, op.getLoc(), op.getInput());
    Sizes rest = sizes;
    rest.erase(rest.begin() + axis);
    Value size = sizeValue(b, op.getLoc(), sizes[axis]);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value total = filled(b, rest, combiner.neutral(b, getSumType(element)));
    Value result = emptyTensor(b, op.getLoc(), sizes, element);
    auto loop =
        scf::ForOp::create(b, zero, size, one, ValueRange{result, total});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Value position = loop.getInductionVar();
      if (op.getReverse())
        position = arith::SubIOp::create(b, arith::SubIOp::create(b, size, one),
                                         position);
      RankReducingAxisSlice layer(b, sizes, axis, position);
      Value here = layer.extract(op.getInput());
      Value place = layer.extract(loop.getRegionIterArg(0));
      // One elementwise op writes both the slice of the result and the running
      // value, so that the input is read once.
      bool exclusive = op.getExclusive();
      auto step = elementwise(
          b, op.getLoc(), cast<RankedTensorType>(total.getType()).getShape(),
          here, {place, loop.getRegionIterArg(1)},
          [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
            Value seen = convertTo(inner, x[0], x[2].getType());
            Value next = combiner(inner, x[2], seen);
            Value shown = exclusive ? x[2] : next;
            return {convertTo(inner, shown, element), next};
          });
      Value updated = layer.insert(step.getResult(0), loop.getRegionIterArg(0));
      scf::YieldOp::create(b, ValueRange{updated, step.getResult(1)});
    }
    rewriter.replaceOp(op, loop.getResult(0));
    return success();
  }
};

struct LowerInTopK : OpRewritePattern<InTopKOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InTopKOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Value predictions = op.getPredictions(), targets = op.getTargets();
    Sizes sizes = sizesOf(b, op.getLoc(), predictions);
    Value classes = sizeValue(b, op.getLoc(), sizes[1]);
    Type element = getElementTypeOrSelf(predictions);
    Type i64 = b.getI64Type();
    // For each row, counts the predictions larger than that of the target
    // class: the target is in the top k if the count is less than k. If the
    // target is out of range, the count is made larger than any k.
    Value larger = filled(b, {sizes[0]}, b.getI64IntegerAttr(0));
    AffineMap full = b.getMultiDimIdentityMap(2);
    AffineMap perRow = AffineMap::get(2, 0, b.getAffineDimExpr(0));
    larger =
        generic(
            b, op.getLoc(), {predictions, targets}, larger,
            {full, perRow, perRow}, {false, true},
            [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
              Value target =
                  arith::IndexCastOp::create(inner, inner.getIndexType(), x[1]);
              Value isClass = arith::CmpIOp::create(
                  inner, arith::CmpIPredicate::ult, target, classes);
              Value zero = arith::ConstantIndexOp::create(inner, 0);
              Value safe =
                  arith::SelectOp::create(inner, isClass, target, zero);
              Value chosen = tensor::ExtractOp::create(
                  inner, predictions,
                  ValueRange{linalg::IndexOp::create(inner, 0), safe});
              Value isLarger = arith::CmpFOp::create(
                  inner, arith::CmpFPredicate::OGT, x[0], chosen);
              Value isFinite = arith::CmpFOp::create(
                  inner, arith::CmpFPredicate::OLT,
                  math::AbsFOp::create(inner, x[0]),
                  scalar(inner, element,
                         std::numeric_limits<double>::infinity()));
              Value isValid = arith::AndIOp::create(inner, isFinite, isClass);
              Value next = arith::SelectOp::create(inner, isLarger,
                                                   scalar(inner, i64, 1),
                                                   scalar(inner, i64, 0));
              // 2^32 is larger than any k, and small enough that the sum over
              // all classes does not overflow 64 bits.
              next = arith::SelectOp::create(
                  inner, isValid, next, scalar(inner, i64, int64_t(1) << 32));
              return {arith::AddIOp::create(inner, x[2], next)};
            })
            .getResult(0);
    auto batch = cast<RankedTensorType>(larger.getType());
    auto result =
        elementwise(b, op.getLoc(), batch.getShape(), {larger, op.getK()},
                    emptyTensor(b, op.getLoc(), {sizes[0]}, b.getI1Type()),
                    [&](Builder &inner, ValueRange x) -> SmallVector<Value> {
                      Value k = x[1];
                      if (!k.getType().isInteger(64))
                        k = arith::ExtSIOp::create(inner, i64, k);
                      return {arith::CmpIOp::create(
                          inner, arith::CmpIPredicate::slt, x[0], k)};
                    });
    rewriter.replaceOp(op, result.getResults());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateSegmentPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSegmentReduce, LowerCumulative, LowerInTopK>(
      patterns.getContext());
}
