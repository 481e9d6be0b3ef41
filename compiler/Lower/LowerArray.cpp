//===- LowerArray.cpp - Concatenation, splits, broadcasts -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/ArrayOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Lowers concat: copies each input to its slice of the result.
struct LowerConcat : GatherLowering<ConcatOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, ConcatOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    FailureOr<int64_t> axis = constantAxis(op, op.getAxis(), type.getRank());
    if (failed(axis))
      return failure();
    SmallVector<Sizes> parts;
    for (Value input : op.getInputs())
      parts.push_back(math.sizes(input));
    Sizes sizes = parts.front();
    for (const Sizes &part : ArrayRef(parts).drop_front())
      sizes[*axis] = math.add(sizes[*axis], part[*axis]);
    sizes = matchingSizes(b, type, sizes);
    Value joined = emptyTensor(b, b.getLoc(), sizes, type.getElementType());
    // extract_slice would reject an offset into a dimension of size 0.
    if (llvm::is_contained(type.getShape(), 0))
      return joined;
    Index offset = math.constant(0);
    SmallVector<Index> ones(type.getRank(), math.constant(1));
    for (auto [input, part] : llvm::zip_equal(op.getInputs(), parts)) {
      if (IndexMath::known(part[*axis]) == 0)
        continue;
      SmallVector<Index> begins(type.getRank(), math.constant(0));
      begins[*axis] = offset;
      // In dimensions other than the axis, an input must have the result's
      // size. If a dynamic size is larger at run time nevertheless, clamp it,
      // so that the copy does not write out of bounds.
      Sizes box = part;
      for (auto [d, size] : llvm::enumerate(box))
        if (static_cast<int64_t>(d) != *axis && size != sizes[d] &&
            !IndexMath::known(size))
          size = math.min(size, sizes[d]);
      Value source = input;
      if (box != part)
        source = tensor::ExtractSliceOp::create(
            b, input, SmallVector<Index>(type.getRank(), math.constant(0)), box,
            ones);
      Value place =
          tensor::ExtractSliceOp::create(b, joined, begins, box, ones);
      Value copy = linalg::CopyOp::create(b, source, place).getResult(0);
      joined =
          tensor::InsertSliceOp::create(b, copy, joined, begins, box, ones);
      offset = math.add(offset, part[*axis]);
    }
    return joined;
  }
};

struct LowerSplit : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto input = cast<RankedTensorType>(op.getInput().getType());
    FailureOr<int64_t> axis = constantAxis(op, op.getAxis(), input.getRank());
    if (failed(axis))
      return rewriter.notifyMatchFailure(op, "the axis is not constant");
    Sizes sizes = math.sizes(op.getInput());
    SmallVector<Index> pieces = piecesOf(math, op, sizes[*axis], *axis);
    SmallVector<Value> results;
    Index offset = math.constant(0);
    for (auto [output, piece] : llvm::zip_equal(op.getOutputs(), pieces)) {
      auto type = cast<RankedTensorType>(output.getType());
      auto first = IndexMath::known(offset);
      if (first && type.hasStaticShape() && input.hasStaticShape()) {
        SmallVector<int64_t> begins(type.getRank(), 0), ones(type.getRank(), 1);
        begins[*axis] = *first;
        results.push_back(copyOfBox(b, op.getInput(), begins, type.getShape(),
                                    ones, type.getShape()));
      } else if (first && !type.isDynamicDim(*axis) &&
                 !input.isDynamicDim(*axis)) {
        results.push_back(boxOf(b, op, type, sizes, *axis, *first));
      } else {
        results.push_back(read(b, op, type, sizes, *axis, offset, piece));
      }
      offset = math.add(offset, piece);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  static SmallVector<Index> piecesOf(IndexMath &math, SplitOp op, Index whole,
                                     int64_t axis) {
    SmallVector<Index> pieces;
    for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
      int64_t dim = cast<RankedTensorType>(output.getType()).getDimSize(axis);
      if (!ShapedType::isDynamic(dim))
        pieces.push_back(math.constant(dim));
      else if (op.getSizes().empty())
        pieces.push_back(math.floorDiv(whole, math.constant(op.getCount())));
      else
        pieces.push_back(math.element(op.getSizes().front(), i));
    }
    if (op.getSizes().empty())
      return pieces;
    // The size -1 of a slice means the rest of the axis.
    Index sum = math.constant(0), zero = math.constant(0);
    for (Index piece : pieces)
      sum = math.add(sum, math.max(piece, zero));
    Index rest = math.max(math.sub(whole, sum), zero);
    for (Index &piece : pieces) {
      if (auto known = IndexMath::known(piece)) {
        if (*known < 0)
          piece = rest;
        continue;
      }
      piece = math.clampedOr(piece, whole, rest);
    }
    return pieces;
  }

  /// Returns one slice of the input of `op` as a new tensor: along `axis`, the
  /// elements from index `first` on, as many as `type` states; along other
  /// dimensions, all elements.
  static Value boxOf(Builder &b, SplitOp op, RankedTensorType type,
                     Sizes counts, int64_t axis, int64_t first) {
    SmallVector<Index> begins(type.getRank(), b.getIndexAttr(0)),
        ones(type.getRank(), b.getIndexAttr(1));
    begins[axis] = b.getIndexAttr(first);
    counts[axis] = b.getIndexAttr(type.getDimSize(axis));
    counts = matchingSizes(b, type, counts);
    // extract_slice would reject an offset that is the end of its dimension.
    if (llvm::is_contained(type.getShape(), 0))
      return emptyTensor(b, b.getLoc(), counts, type.getElementType());
    Value box = tensor::ExtractSliceOp::create(b, type, op.getInput(), begins,
                                               counts, ones);
    return elementwise(
               b, b.getLoc(), type.getShape(), box,
               emptyTensor(b, b.getLoc(), counts, type.getElementType()),
               [](Builder &, ValueRange x) { return SmallVector<Value>{x[0]}; })
        .getResult(0);
  }

  static Value read(Builder &b, SplitOp op, RankedTensorType type,
                    const Sizes &sizes, int64_t axis, Index offset,
                    Index piece) {
    Sizes resultSizes = sizes;
    resultSizes[axis] = piece;
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, resultSizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          SmallVector<MaybeOutOfBoundsIndex> coordinates;
          IndexMath math(inner);
          for (auto [d, position] : llvm::enumerate(at)) {
            bool cut = static_cast<int64_t>(d) == axis;
            coordinates.push_back(
                {cut ? math.value(math.add(position, offset)) : position, cut});
          }
          return readElement(inner, op.getInput(), sizes, coordinates, zero);
        });
  }
};

struct LowerOneHot : GatherLowering<OneHotOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, OneHotOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    int64_t axis = op.getAxis();
    if (axis < 0)
      axis += rank;
    Sizes sizes = math.sizes(op.getIndices());
    sizes.insert(sizes.begin() + axis,
                 math.max(math.element(op.getDepth()), math.constant(0)));
    SmallVector<AffineExpr> places;
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis)
        places.push_back(b.getAffineDimExpr(d));
    auto scalarMap = AffineMap::get(rank, 0, {}, b.getContext());
    Value empty = emptyTensor(b, b.getLoc(), matchingSizes(b, type, sizes),
                              type.getElementType());
    auto rows = generic(
        b, b.getLoc(), {op.getIndices(), op.getOn(), op.getOff()}, empty,
        {AffineMap::get(rank, 0, places, b.getContext()), scalarMap, scalarMap,
         b.getMultiDimIdentityMap(rank)},
        SmallVector<bool>(rank, false), [&](Builder &inner, ValueRange x) {
          // Zero-extends an index of an unsigned type, whose highest bit is not
          // a sign.
          Value index = operandElementType(op, 0).isUnsignedInteger()
                            ? Value(arith::IndexCastUIOp::create(
                                  inner, inner.getIndexType(), x[0]))
                            : Value(arith::IndexCastOp::create(
                                  inner, inner.getIndexType(), x[0]));
          Value isHot =
              arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, index,
                                    linalg::IndexOp::create(inner, axis));
          return SmallVector<Value>{
              arith::SelectOp::create(inner, isHot, x[1], x[2])};
        });
    return rows.getResult(0);
  }
};

/// Whether the static sizes tell along which dimensions `from` broadcasts to
/// `to`. A dynamic size does not tell: it may or may not be 1 at run time.
bool isDecided(RankedTensorType from, RankedTensorType to) {
  int64_t missing = to.getRank() - from.getRank();
  for (auto [i, dim] : llvm::enumerate(from.getShape()))
    if (dim != 1 && (ShapedType::isDynamic(dim) ||
                     ShapedType::isDynamic(to.getDimSize(i + missing))))
      return false;
  return true;
}

struct LowerBroadcastTo : GatherLowering<BroadcastToOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, BroadcastToOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    auto input = cast<RankedTensorType>(op.getInput().getType());
    Sizes resultSizes = sizesFromTensor(b, b.getLoc(), type, op.getShape());
    if (isDecided(input, type)) {
      return fromPositions(
          b, type, resultSizes, op.getInput(),
          [](Builder &, ArrayRef<Value>, ValueRange x) { return x[0]; });
    }
    Sizes sizes = math.sizes(op.getInput());
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, resultSizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          SmallVector<MaybeOutOfBoundsIndex> coordinates;
          IndexMath innerMath(inner);
          for (auto [position, size] :
               llvm::zip_equal(at.take_back(sizes.size()), sizes)) {
            Value one = arith::ConstantIndexOp::create(inner, 1);
            Value isOne = arith::CmpIOp::create(inner, arith::CmpIPredicate::eq,
                                                innerMath.value(size), one);
            Value first = arith::ConstantIndexOp::create(inner, 0);
            coordinates.push_back(
                {arith::SelectOp::create(inner, isOne, first, position), true});
          }
          return readElement(inner, op.getInput(), sizes, coordinates, zero);
        });
  }
};

/// Lowers a sum_to_shape with dynamic sizes, where it is known only at run time
/// which dimensions are reduced. Each element of the result sums its own box of
/// the input; along a dimension that is not reduced, the box has one element.
struct LowerSumToShape : GatherLowering<SumToShapeOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, SumToShapeOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput());
    Sizes resultSizes = sizesFromTensor(b, b.getLoc(), type, op.getShape());
    size_t missing = sizes.size() - resultSizes.size();
    SmallVector<Value> counts;
    for (auto [d, size] : llvm::enumerate(sizes)) {
      Value count = math.value(size);
      if (d >= missing) {
        Value one = math.value(math.constant(1));
        Value isOne =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                  math.value(resultSizes[d - missing]), one);
        // An element of the result is the sum of a box of the input. A
        // dimension is reduced if its size in the result is 1. Along such a
        // dimension, the box has all elements, and along other dimensions only
        // one.
        count = arith::SelectOp::create(b, isOne, count, one);
      }
      counts.push_back(count);
    }
    Value sums = fromPositions(
        b, type, resultSizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          return sumBox(inner, op.getInput(), sizes, counts, at, missing, {},
                        zeroOf(inner, sumType(type.getElementType())));
        });
    return sums;
  }

  /// Returns the type of sums: small floats are accumulated in f32.
  static Type sumType(Type element) {
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      return Float32Type::get(element.getContext());
    return element;
  }

  static Value sumBox(Builder &b, Value input, const Sizes &sizes,
                      ArrayRef<Value> counts, ArrayRef<Value> at,
                      size_t missing, SmallVector<Value> inBox, Value sum) {
    Type element = getElementTypeOrSelf(input.getType());
    size_t depth = inBox.size();
    if (depth == counts.size()) {
      SmallVector<MaybeOutOfBoundsIndex> coordinates;
      for (auto [d, offset] : llvm::enumerate(inBox))
        coordinates.push_back({d < missing ? offset
                                           : Value(arith::AddIOp::create(
                                                 b, offset, at[d - missing])),
                               d >= missing});
      Value value =
          readElement(b, input, sizes, coordinates, zeroOf(b, element));
      if (value.getType() != sum.getType())
        value = arith::ExtFOp::create(b, sum.getType(), value);
      return isa<FloatType>(element)
                 ? Value(arith::AddFOp::create(b, sum, value))
                 : Value(arith::AddIOp::create(b, sum, value));
    }
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    auto loop = scf::ForOp::create(b, zero, counts[depth], one, sum);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      inBox.push_back(loop.getInductionVar());
      scf::YieldOp::create(b, sumBox(b, input, sizes, counts, at, missing,
                                     inBox, loop.getRegionIterArg(0)));
    }
    Value total = loop.getResult(0);
    if (depth == 0 && total.getType() != element)
      total = arith::TruncFOp::create(b, element, total);
    return total;
  }
};

struct LowerBroadcastArgs : GatherLowering<BroadcastArgsOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, BroadcastArgsOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes lengths{math.sizes(op.getS0())[0], math.sizes(op.getS1())[0]};
    Index length = math.max(lengths[0], lengths[1]);
    return fromPositions(
        b, type, {length}, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath innerMath(inner);
          Value one = scalar(inner, type.getElementType(), 1);
          SmallVector<Value> dims;
          // Broadcasting aligns shapes at their last dimension, so missing
          // leading dimensions count as 1.
          for (auto [shape, own] : llvm::zip_equal(op.getOperands(), lengths)) {
            Value place = innerMath.value(
                innerMath.sub(at[0], innerMath.sub(length, own)));
            dims.push_back(
                readElement(inner, shape, {own}, {{place, true}}, one));
          }
          Value isOne = arith::CmpIOp::create(inner, arith::CmpIPredicate::eq,
                                              dims[0], one);
          return arith::SelectOp::create(inner, isOne, dims[1], dims[0])
              .getResult();
        });
  }
};

} // namespace

void ::ingot::lower::populateArrayPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConcat, LowerSplit, LowerOneHot, LowerBroadcastTo,
               LowerSumToShape, LowerBroadcastArgs>(patterns.getContext());
}
