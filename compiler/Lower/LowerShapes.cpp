//===- LowerShapes.cpp - Reshapes, fills, tiles, transposes ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"

#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Returns the size that -1 in a reshape's requested shape denotes: the number
/// of elements, `whole`, divided by the product of the other dynamic sizes,
/// `others`. If one of `others` is 0, returns the same size as TensorFlow:
/// `full`, the product of the nonzero input sizes, divided by the product of
/// the nonzero `others`.
Index inferredSize(IndexMath &math, Index whole, Index full,
                   ArrayRef<Index> others) {
  Index zero = math.constant(0), one = math.constant(1);
  Index parts = one, isFilled = one;
  for (Index other : others) {
    parts = math.mul(parts, math.max(other, one));
    isFilled = math.mul(isFilled, math.clamp(other, zero, one));
  }
  Index isEmpty = math.sub(one, isFilled);
  return math.floorDiv(
      math.add(whole, math.mul(isEmpty, math.sub(full, whole))), parts);
}

/// Returns the sizes of a reshape's result, whose requested shape may contain
/// -1. The result has as many elements as the input: ingot-insert-shape-checks
/// has checked this.
Sizes reshapedSizes(IndexMath &math, ReshapeOp op, RankedTensorType type) {
  Index zero = math.constant(0), one = math.constant(1);
  Index whole = one, full = one;
  for (Index size : math.sizes(op.getInput())) {
    whole = math.mul(whole, size);
    full = math.mul(full, math.max(size, one));
  }
  SmallVector<Index> wanted; // requested dynamic sizes
  // If exactly one size of the result is dynamic, it follows from the number of
  // elements, unless another size is 0.
  bool isEmpty = llvm::is_contained(type.getShape(), 0);
  bool isOne = type.getNumDynamicDims() == 1 && !isEmpty;
  for (auto [i, dim] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(dim)) {
      wanted.push_back(isOne ? math.constant(-1)
                             : math.element(op.getShape(), i));
    } else if (dim != 0) {
      whole = math.floorDiv(whole, math.constant(dim));
      full = math.floorDiv(full, math.constant(dim));
    }
  }
  if (isEmpty)
    whole = full;
  Sizes sizes;
  size_t next = 0;
  for (int64_t dim : type.getShape()) {
    if (!ShapedType::isDynamic(dim)) {
      sizes.push_back(math.constant(dim));
      continue;
    }
    SmallVector<Index> others(wanted);
    others.erase(others.begin() + next);
    Index inferred = inferredSize(math, whole, full, others);
    sizes.push_back(math.max(
        math.clampedOr(wanted[next++],
                       math.constant(std::numeric_limits<int64_t>::max()),
                       inferred),
        zero));
  }
  return sizes;
}

struct LowerReshape : GatherLowering<ReshapeOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, ReshapeOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    return reshaped(b, op.getLoc(), op.getInput(), type,
                    reshapedSizes(math, op, type));
  }
};

/// Lowers a shape op whose operand has dynamic dimensions: builds a vector of
/// the operand's sizes at run time.
struct LowerShape : GatherLowering<ShapeOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, ShapeOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Value> sizes;
    for (Index size : math.sizes(op.getInput()))
      sizes.push_back(arith::IndexCastOp::create(b, type.getElementType(),
                                                 math.value(size)));
    return sizes.empty()
               ? emptyTensor(b, op.getLoc(), type)
               : Value(tensor::FromElementsOp::create(b, type, sizes));
  }
};

struct LowerExpandDims : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandDimsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    FailureOr<int64_t> axis = constantAxis(op, op.getAxis(), type.getRank());
    if (failed(axis))
      return rewriter.notifyMatchFailure(op, "the axis is not constant");
    Sizes sizes = sizesOf(rewriter, op.getLoc(), op.getInput());
    sizes.insert(sizes.begin() + *axis, rewriter.getIndexAttr(1));
    rewriter.replaceOp(
        op, reshaped(rewriter, op.getLoc(), op.getInput(), type, sizes));
    return success();
  }
};

struct LowerSqueeze : OpRewritePattern<SqueezeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SqueezeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = cast<RankedTensorType>(op.getInput().getType());
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes;
    for (auto [i, size] :
         llvm::enumerate(sizesOf(rewriter, op.getLoc(), op.getInput()))) {
      bool isListed = llvm::any_of(op.getDims(), [&](int64_t dim) {
        return (dim < 0 ? dim + from.getRank() : dim) ==
               static_cast<int64_t>(i);
      });
      if (op.getDims().empty() ? from.getDimSize(i) != 1 : !isListed)
        sizes.push_back(size);
    }
    rewriter.replaceOp(
        op, reshaped(rewriter, op.getLoc(), op.getInput(), type, sizes));
    return success();
  }
};

struct LowerFill : OpRewritePattern<FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FillOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Value value = tensor::ExtractOp::create(b, op.getValue(), ValueRange());
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = sizesFromTensor(b, op.getLoc(), type, op.getDims());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(
        op, value, emptyTensor(b, op.getLoc(), sizes, type.getElementType()));
    return success();
  }
};

struct LowerZerosLike : OpRewritePattern<ZerosLikeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ZerosLikeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, filledTensor(rewriter, op.getLoc(),
                         sizesOf(rewriter, op.getLoc(), op.getInput()),
                         type.getElementType(), 0));
    return success();
  }
};

struct LowerTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation;
    if (!constantIntegers(op.getPermutation(), permutation))
      return op.emitError(
          "the permutation must be a constant, not computed at run time");
    Builder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = sizesOf(b, op.getLoc(), op.getInput()), sizes;
    for (int64_t dim : permutation)
      sizes.push_back(from[dim]);
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(
        op, op.getInput(),
        emptyTensor(b, op.getLoc(), matchingSizes(b, type, sizes),
                    type.getElementType()),
        permutation);
    return success();
  }
};

struct LowerTile : GatherLowering<TileOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, TileOp op) const override {
    IndexMath math(b);
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes;
    for (auto [i, size] : llvm::enumerate(from))
      sizes.push_back(
          ShapedType::isDynamic(type.getDimSize(i))
              ? math.mul(size, math.max(math.element(op.getMultiples(), i),
                                        math.constant(0)))
              : math.constant(type.getDimSize(i)));
    // If the tile op repeats only dimensions of size 1, it is a broadcast,
    // which linalg expresses by indexing maps. Otherwise, the loop body
    // computes the index of the element to read.
    bool broadcasts = llvm::all_of(
        llvm::zip(input.getShape(), type.getShape()), [](auto dims) {
          auto [own, result] = dims;
          return own == 1 || (own == result && !ShapedType::isDynamic(own));
        });
    if (broadcasts) {
      return fromPositions(
          b, type, sizes, op.getInput(),
          [](Builder &, ArrayRef<Value>, ValueRange x) { return x[0]; });
    }
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
          SmallVector<Value> indices;
          for (auto [position, size] : llvm::zip_equal(at, from))
            indices.push_back(arith::RemUIOp::create(
                inner, position, IndexMath(inner).value(size)));
          return tensor::ExtractOp::create(inner, op.getInput(), indices);
        });
  }
};

struct LowerRange : GatherLowering<RangeOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, RangeOp op) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Index size = type.hasStaticShape()
                     ? Index(b.getIndexAttr(type.getDimSize(0)))
                     : countOf(b, op);
    return fromPositions(
        b, type, {size}, {op.getStart(), op.getDelta()},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange x) -> Value {
          if (isa<FloatType>(element)) {
            Value i = arith::SIToFPOp::create(
                inner, element,
                arith::IndexCastOp::create(inner, inner.getI64Type(), at[0]));
            return arith::AddFOp::create(inner, x[0],
                                         arith::MulFOp::create(inner, i, x[1]));
          }
          Value i = arith::IndexCastOp::create(inner, element, at[0]);
          return arith::AddIOp::create(inner, x[0],
                                       arith::MulIOp::create(inner, i, x[1]));
        });
  }

  /// Returns the number of elements of a range: (limit - start) / delta,
  /// rounded up. Returns zero if delta is zero or has the wrong sign.
  static Index countOf(Builder &b, RangeOp op) {
    auto number = [&](Value scalar) -> Value {
      return tensor::ExtractOp::create(b, scalar, ValueRange());
    };
    Value start = number(op.getStart()), limit = number(op.getLimit()),
          delta = number(op.getDelta());
    Value zero = scalar(b, delta.getType(), 0);
    if (isa<FloatType>(delta.getType())) {
      Value steps = math::CeilOp::create(
          b, arith::DivFOp::create(b, arith::SubFOp::create(b, limit, start),
                                   delta));
      // For a NaN, the comparison is false, so the count is zero. `most` limits
      // the count so that the conversion to an integer is defined.
      Value isSome =
          arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, steps, zero);
      Value most =
          scalar(b, delta.getType(),
                 delta.getType().getIntOrFloatBitWidth() < 32 ? 65504 : 1e15);
      Value bounded = arith::MinNumFOp::create(b, steps, most);
      Value count = arith::SelectOp::create(b, isSome, bounded, zero);
      return IndexMath(b).cast(
          arith::FPToSIOp::create(b, b.getI64Type(), count));
    }
    auto wide = [&](Value value) {
      Type wideType = b.getI64Type();
      if (value.getType() == wideType)
        return value;
      return operandElementType(op, 0).isUnsignedInteger()
                 ? Value(arith::ExtUIOp::create(b, wideType, value))
                 : Value(arith::ExtSIOp::create(b, wideType, value));
    };
    IndexMath math(b);
    Value step = wide(delta);
    Value none = scalar(b, step.getType(), 0);
    Value isZero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, step, none);
    Value divisor =
        arith::SelectOp::create(b, isZero, scalar(b, step.getType(), 1), step);
    Value distance = arith::SubIOp::create(b, wide(limit), wide(start));
    // Rounds the quotient up. The truncating division already does so if the
    // signs of dividend and divisor differ; otherwise, a nonzero remainder adds
    // 1.
    Value whole = arith::DivSIOp::create(b, distance, divisor);
    Value rest = arith::RemSIOp::create(b, distance, divisor);
    Value hasRest =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, none);
    Value isForward = arith::CmpIOp::create(
        b, arith::CmpIPredicate::sge,
        arith::XOrIOp::create(b, distance, divisor), none);
    Value more = arith::ExtUIOp::create(
        b, step.getType(), arith::AndIOp::create(b, hasRest, isForward));
    Value count = arith::SelectOp::create(
        b, isZero, none, arith::AddIOp::create(b, whole, more));
    return math.max(math.cast(count), math.constant(0));
  }
};

} // namespace

void ::ingot::lower::populateShapePatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerReshape, LowerShape, LowerExpandDims, LowerSqueeze, LowerFill,
           LowerZerosLike, LowerTranspose, LowerTile, LowerRange>(
          patterns.getContext());
}
