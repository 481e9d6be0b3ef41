//===- LowerRearrange.cpp - Padding, reversing, rolling, blocks -----------===//
//
// Every element of a result is read from the place in the operand that its
// position gives.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/IndexMath.h"
#include "dialects/Ingot/RearrangeOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;
using Predicate = arith::CmpIPredicate;

/// Row `dim` of a matrix of borders.
std::pair<Index, Index> borderOf(Builder &b, Value paddings, int64_t dim) {
  IndexMath math(b);
  SmallVector<int64_t> numbers;
  if (constantIntegers(paddings, numbers))
    return {math.constant(numbers[2 * dim]),
            math.constant(numbers[2 * dim + 1])};
  auto read = [&](int64_t column) {
    Value row = arith::ConstantIndexOp::create(b, dim);
    Value place = arith::ConstantIndexOp::create(b, column);
    Value number =
        tensor::ExtractOp::create(b, paddings, ValueRange{row, place});
    return math.max(math.cast(number), math.constant(0));
  };
  return {read(0), read(1)};
}

bool isKnown(Index index, int64_t value) {
  return IndexMath::known(index) == value;
}

struct LowerPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes;
    SmallVector<std::pair<Index, Index>> borders;
    for (auto [i, size] : llvm::enumerate(from)) {
      borders.push_back(borderOf(b, op.getPaddings(), i));
      sizes.push_back(
          math.add(math.add(size, borders[i].first), borders[i].second));
    }
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, op.getValue(),
            [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
              IndexMath innerMath(inner);
              SmallVector<Coordinate> coordinates;
              for (auto [position, border] : llvm::zip_equal(at, borders))
                coordinates.push_back(
                    {innerMath.value(innerMath.sub(position, border.first)),
                     !isKnown(border.first, 0) || !isKnown(border.second, 0)});
              return readElement(inner, op.getInput(), from, coordinates, x[0]);
            }));
    return success();
  }
};

struct LowerMirrorPad : OpRewritePattern<MirrorPadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MirrorPadOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes;
    SmallVector<std::pair<Index, Index>> borders;
    for (auto [i, size] : llvm::enumerate(from)) {
      borders.push_back(borderOf(b, op.getPaddings(), i));
      sizes.push_back(
          math.add(math.add(size, borders[i].first), borders[i].second));
    }
    int64_t edge = op.getMode() == "REFLECT" ? 1 : 0;
    Value zero = zeroOf(b, type.getElementType());
    rewriter.replaceOp(
        op, fromPositions(b, type, sizes, {},
                          [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
                            SmallVector<Coordinate> coordinates;
                            for (auto [position, border, size] :
                                 llvm::zip_equal(at, borders, from)) {
                              bool isPlain = isKnown(border.first, 0) &&
                                             isKnown(border.second, 0);
                              coordinates.push_back(
                                  isPlain ? Coordinate{position, false}
                                          : mirrored(inner, position,
                                                     border.first, size, edge));
                            }
                            return readElement(inner, op.getInput(), from,
                                               coordinates, zero);
                          }));
    return success();
  }

  /// The place in the input; `edge` is 1 where the edge is not repeated.
  static Coordinate mirrored(Builder &b, Value position, Index before,
                             Index size, int64_t edge) {
    IndexMath math(b);
    Value place = math.value(math.sub(position, before));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isBefore = arith::CmpIOp::create(b, Predicate::slt, place, zero);
    Value front = math.value(math.sub(math.constant(edge - 1), Index(place)));
    Value isBehind =
        arith::CmpIOp::create(b, Predicate::sge, place, math.value(size));
    Value back = math.value(math.sub(
        math.sub(math.mul(size, math.constant(2)), math.constant(edge + 1)),
        Index(place)));
    place = arith::SelectOp::create(b, isBehind, back, place);
    return {arith::SelectOp::create(b, isBefore, front, place), true};
  }
};

/// One dimension after the other is folded.
struct LowerMirrorPadGrad : OpRewritePattern<MirrorPadGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MirrorPadGradOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    int64_t edge = op.getMode() == "REFLECT" ? 1 : 0;
    Value value = op.getInput();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto [before, behind] = borderOf(b, op.getPaddings(), dim);
      if (!isKnown(before, 0) || !isKnown(behind, 0))
        value = fold(b, value, dim, type.getDimSize(dim), before, behind, edge);
    }
    rewriter.replaceOp(op, value);
    return success();
  }

  static Value fold(Builder &b, Value value, int64_t dim, int64_t result,
                    Index before, Index behind, int64_t edge) {
    IndexMath math(b);
    auto from = cast<RankedTensorType>(value.getType());
    Sizes fromSizes = math.sizes(value), sizes = fromSizes;
    Index rest = math.max(math.sub(math.sub(sizes[dim], before), behind),
                          math.constant(0));
    sizes[dim] = rest;
    SmallVector<int64_t> shape(from.getShape());
    shape[dim] = result;
    auto type = RankedTensorType::get(shape, from.getElementType());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath m(inner);
          Value zero = zeroOf(inner, type.getElementType());
          Index i = at[dim];
          auto read = [&](Index place, Value condition) {
            SmallVector<Coordinate> coordinates;
            for (Value position : at)
              coordinates.push_back({position, false});
            coordinates[dim] = {m.value(place), true};
            return readElement(inner, value, fromSizes, coordinates, zero,
                               condition);
          };
          auto add = [&](Value x, Value y) -> Value {
            return isa<FloatType>(x.getType())
                       ? Value(arith::AddFOp::create(inner, x, y))
                       : Value(arith::AddIOp::create(inner, x, y));
          };
          Value sum = read(m.add(i, before), {});
          Index front = m.sub(m.add(before, m.constant(edge - 1)), i);
          Value isFront = arith::CmpIOp::create(
              inner, Predicate::slt, m.value(front), m.value(before));
          sum = add(sum, read(front, isFront));
          Index back = m.sub(m.add(m.add(before, m.mul(rest, m.constant(2))),
                                   m.constant(-1 - edge)),
                             i);
          Value isBack =
              arith::CmpIOp::create(inner, Predicate::sge, m.value(back),
                                    m.value(m.add(before, rest)));
          return add(sum, read(back, isBack));
        });
  }
};

struct LowerReverse : OpRewritePattern<ReverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReverseOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> axes;
    if (!constantIntegers(op.getAxes(), axes))
      return op.emitError("its axes are known only at run time; only constant "
                          "axes compile");
    SmallVector<bool> turned(type.getRank(), false);
    for (int64_t axis : axes)
      turned[axis < 0 ? axis + type.getRank() : axis] = true;
    Sizes sizes = math.sizes(op.getInput());
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, {},
            [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
              IndexMath m(inner);
              SmallVector<Value> place;
              for (auto [position, turn, size] :
                   llvm::zip_equal(at, turned, sizes))
                place.push_back(
                    turn ? m.value(m.sub(m.sub(size, m.constant(1)), position))
                         : position);
              return tensor::ExtractOp::create(inner, op.getInput(), place);
            }));
    return success();
  }
};

struct LowerReverseSequence : OpRewritePattern<ReverseSequenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReverseSequenceOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput());
    Sizes lengthSizes = math.sizes(op.getLengths());
    int64_t along = op.getSeqDim();
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, {},
            [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
              IndexMath m(inner);
              Value batch = at[op.getBatchDim()];
              Type element = getElementTypeOrSelf(op.getLengths().getType());
              Value length = m.value(
                  m.cast(readElement(inner, op.getLengths(), lengthSizes,
                                     {{batch, true}}, zeroOf(inner, element))));
              Value isTurned = arith::CmpIOp::create(inner, Predicate::slt,
                                                     at[along], length);
              Value turned = m.value(
                  m.sub(m.sub(Index(length), m.constant(1)), at[along]));
              SmallVector<Coordinate> place;
              for (Value position : at)
                place.push_back({position, false});
              place[along] = {
                  arith::SelectOp::create(inner, isTurned, turned, at[along]),
                  true};
              return readElement(inner, op.getInput(), sizes, place,
                                 zeroOf(inner, type.getElementType()));
            }));
    return success();
  }
};

struct LowerRoll : OpRewritePattern<RollOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RollOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> axes;
    if (!constantIntegers(op.getAxes(), axes))
      return op.emitError("its axes are known only at run time; only constant "
                          "axes compile");
    Sizes sizes = math.sizes(op.getInput());
    SmallVector<Index> shifts(type.getRank(), math.constant(0));
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Index &shift = shifts[axis < 0 ? axis + type.getRank() : axis];
      shift = math.add(shift, math.element(op.getShift(), i));
    }
    // An empty dimension has no positions, but would still be divided by.
    for (auto [shift, size] : llvm::zip_equal(shifts, sizes))
      if (!isKnown(shift, 0))
        shift = math.mod(shift, math.max(size, math.constant(1)));
    rewriter.replaceOp(
        op, fromPositions(
                b, type, sizes, {},
                [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
                  IndexMath m(inner);
                  SmallVector<Value> place;
                  for (auto [position, shift, size] :
                       llvm::zip_equal(at, shifts, sizes))
                    place.push_back(
                        isKnown(shift, 0)
                            ? position
                            : m.value(m.fromEnd(m.sub(position, shift), size)));
                  return tensor::ExtractOp::create(inner, op.getInput(), place);
                }));
    return success();
  }
};

struct LowerLinSpace : OpRewritePattern<LinSpaceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinSpaceOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Index count = math.max(math.element(op.getCount()), math.constant(0));
    Index last = math.sub(count, math.constant(1));
    rewriter.replaceOp(
        op, fromPositions(
                b, type, {count}, {op.getStart(), op.getStop()},
                [&](Builder &inner, ArrayRef<Value> at, ValueRange x) -> Value {
                  IndexMath m(inner);
                  auto number = [&](Index index) -> Value {
                    return arith::SIToFPOp::create(
                        inner, element,
                        arith::IndexCastOp::create(inner, inner.getI64Type(),
                                                   m.value(index)));
                  };
                  auto isAt = [&](Index index) -> Value {
                    return arith::CmpIOp::create(inner, Predicate::eq, at[0],
                                                 m.value(index));
                  };
                  Value step = arith::DivFOp::create(
                      inner, arith::SubFOp::create(inner, x[1], x[0]),
                      number(last));
                  Value between = arith::AddFOp::create(
                      inner, x[0],
                      arith::MulFOp::create(inner, step, number(at[0])));
                  // The ends are met exactly, whatever the step was rounded to.
                  Value value =
                      arith::SelectOp::create(inner, isAt(last), x[1], between);
                  return arith::SelectOp::create(inner, isAt(m.constant(0)),
                                                 x[0], value);
                }));
    return success();
  }
};

/// The block's sizes; none below 1.
SmallVector<Index> blockOf(IndexMath &math, Value block) {
  SmallVector<Index> sizes;
  auto type = cast<RankedTensorType>(block.getType());
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    sizes.push_back(math.max(math.element(block, i), math.constant(1)));
  return sizes;
}

/// Positions within a block from their number in row-major order.
SmallVector<Index> withinBlock(IndexMath &math, Index number,
                               ArrayRef<Index> block) {
  SmallVector<Index> places(block.size(), number);
  for (size_t i = block.size(); i-- > 0;) {
    places[i] = math.mod(number, block[i]);
    number = math.floorDiv(number, block[i]);
  }
  return places;
}

struct LowerSpaceToBatch : OpRewritePattern<SpaceToBatchOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpaceToBatchOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    if (cast<ShapedType>(op.getBlock().getType()).isDynamicDim(0))
      return op.emitError("the number of its block's dimensions is known only "
                          "at run time");
    SmallVector<Index> block = blockOf(math, op.getBlock()), before;
    for (auto [i, size] : llvm::enumerate(block)) {
      auto [front, back] = borderOf(b, op.getPaddings(), i);
      before.push_back(front);
      sizes[0] = math.mul(sizes[0], size);
      sizes[i + 1] =
          math.floorDiv(math.add(math.add(from[i + 1], front), back), size);
    }
    Value zero = zeroOf(b, type.getElementType());
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, {},
            [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
              IndexMath m(inner);
              Index batch = m.max(from[0], m.constant(1));
              SmallVector<Index> offsets =
                  withinBlock(m, m.floorDiv(at[0], batch), block);
              SmallVector<Coordinate> place{
                  {m.value(m.mod(at[0], batch)), false}};
              for (auto [i, size] : llvm::enumerate(block))
                place.push_back(
                    {m.value(m.sub(m.add(m.mul(at[i + 1], size), offsets[i]),
                                   before[i])),
                     true});
              for (Value position : at.drop_front(place.size()))
                place.push_back({position, false});
              return readElement(inner, op.getInput(), from, place, zero);
            }));
    return success();
  }
};

struct LowerBatchToSpace : OpRewritePattern<BatchToSpaceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchToSpaceOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    if (cast<ShapedType>(op.getBlock().getType()).isDynamicDim(0))
      return op.emitError("the number of its block's dimensions is known only "
                          "at run time");
    SmallVector<Index> block = blockOf(math, op.getBlock()), before;
    for (auto [i, size] : llvm::enumerate(block)) {
      auto [front, back] = borderOf(b, op.getCrops(), i);
      before.push_back(front);
      sizes[0] = math.floorDiv(sizes[0], size);
      sizes[i + 1] =
          math.max(math.sub(math.sub(math.mul(from[i + 1], size), front), back),
                   math.constant(0));
    }
    Value zero = zeroOf(b, type.getElementType());
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, {},
            [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
              IndexMath m(inner);
              Index number = m.constant(0);
              SmallVector<Coordinate> place{{at[0], true}};
              for (auto [i, size] : llvm::enumerate(block)) {
                Index position = m.add(at[i + 1], before[i]);
                number = m.add(m.mul(number, size), m.mod(position, size));
                place.push_back({m.value(m.floorDiv(position, size)), true});
              }
              place[0].index = m.value(m.add(m.mul(number, sizes[0]), at[0]));
              for (Value position : at.drop_front(place.size()))
                place.push_back({position, false});
              return readElement(inner, op.getInput(), from, place, zero);
            }));
    return success();
  }
};

struct ImageDims {
  int64_t height, width, depth;
  explicit ImageDims(StringRef format) {
    bool last = format == "NHWC";
    height = last ? 1 : 2;
    width = height + 1;
    depth = last ? 3 : 1;
  }
};

struct LowerSpaceToDepth : OpRewritePattern<SpaceToDepthOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpaceToDepthOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    ImageDims dims(op.getDataFormat());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    Index block = math.constant(op.getBlock());
    sizes[dims.height] = math.floorDiv(sizes[dims.height], block);
    sizes[dims.width] = math.floorDiv(sizes[dims.width], block);
    sizes[dims.depth] = math.mul(math.mul(sizes[dims.depth], block), block);
    rewriter.replaceOp(
        op,
        fromPositions(
            b, type, sizes, {},
            [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
              IndexMath m(inner);
              Index depth = from[dims.depth];
              Index number = m.floorDiv(at[dims.depth], depth);
              SmallVector<Value> place(at);
              place[dims.depth] = m.value(m.mod(at[dims.depth], depth));
              place[dims.height] = m.value(m.add(m.mul(at[dims.height], block),
                                                 m.floorDiv(number, block)));
              place[dims.width] = m.value(
                  m.add(m.mul(at[dims.width], block), m.mod(number, block)));
              return tensor::ExtractOp::create(inner, op.getInput(), place);
            }));
    return success();
  }
};

struct LowerDepthToSpace : OpRewritePattern<DepthToSpaceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DepthToSpaceOp op,
                                PatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    ImageDims dims(op.getDataFormat());
    Sizes sizes = math.sizes(op.getInput());
    Index block = math.constant(op.getBlock());
    sizes[dims.height] = math.mul(sizes[dims.height], block);
    sizes[dims.width] = math.mul(sizes[dims.width], block);
    sizes[dims.depth] =
        math.floorDiv(sizes[dims.depth], math.mul(block, block));
    rewriter.replaceOp(
        op, fromPositions(
                b, type, sizes, {},
                [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
                  IndexMath m(inner);
                  Index y = at[dims.height], x = at[dims.width];
                  Index number =
                      m.add(m.mul(m.mod(y, block), block), m.mod(x, block));
                  SmallVector<Value> place(at);
                  place[dims.height] = m.value(m.floorDiv(y, block));
                  place[dims.width] = m.value(m.floorDiv(x, block));
                  place[dims.depth] = m.value(
                      m.add(m.mul(number, sizes[dims.depth]), at[dims.depth]));
                  return tensor::ExtractOp::create(inner, op.getInput(), place);
                }));
    return success();
  }
};

} // namespace

void ::ingot::lower::populateRearrangePatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerPad, LowerMirrorPad, LowerMirrorPadGrad, LowerReverse,
           LowerReverseSequence, LowerRoll, LowerLinSpace, LowerSpaceToBatch,
           LowerBatchToSpace, LowerSpaceToDepth, LowerDepthToSpace>(
          patterns.getContext());
}
