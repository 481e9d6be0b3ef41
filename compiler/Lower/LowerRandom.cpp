//===- LowerRandom.cpp - Counter-based random numbers ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers random ops. Each element of the result is a function of its position
// in a stream that key and counter define (Salmon et al. 2011, Parallel Random
// Numbers: As Easy as 1, 2, 3), so elements are computed independently and in
// any order.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/Patterns.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/RandomOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

Value constant32(Builder &b, uint32_t value) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getI32Type(), APInt(32, value)));
}

/// Returns the two 32-bit halves of a 64-bit number, the low one first.
std::pair<Value, Value> halves(Builder &b, Value x) {
  Value shift = scalar(b, b.getI64Type(), 32);
  return {arith::TruncIOp::create(b, b.getI32Type(), x),
          arith::TruncIOp::create(b, b.getI32Type(),
                                  arith::ShRUIOp::create(b, x, shift))};
}

Value elementOf(Builder &b, Value tensor, int64_t index) {
  return tensor::ExtractOp::create(
      b, tensor, ValueRange{arith::ConstantIndexOp::create(b, index)});
}

/// Returns the lower and the upper half of the sum of a 128-bit number (`low`,
/// `high`) and a 64-bit number.
std::pair<Value, Value> add128(Builder &b, Value low, Value high, Value more) {
  Value sum = arith::AddIOp::create(b, low, more);
  Value carried = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, sum, low);
  return {sum,
          arith::AddIOp::create(
              b, high, arith::ExtUIOp::create(b, b.getI64Type(), carried))};
}

/// Returns the row-major index of the current element in the dimensions from
/// `first` on, which have the sizes `sizes`.
Value linearIndex(Builder &b, ArrayRef<Value> sizes, size_t first = 0) {
  Value position = arith::ConstantIndexOp::create(b, 0);
  for (auto [dimension, size] : llvm::enumerate(sizes))
    position =
        arith::AddIOp::create(b, arith::MulIOp::create(b, position, size),
                              linalg::IndexOp::create(b, first + dimension));
  return arith::IndexCastOp::create(b, b.getI64Type(), position);
}

/// Returns a float in [0, 1): a float in [1, 2) with the low 23 bits of `bits`
/// as mantissa, minus one.
Value toFloat(Builder &b, Value bits) {
  Value mantissa = arith::AndIOp::create(b, bits, constant32(b, 0x7FFFFF));
  Value one = arith::OrIOp::create(b, mantissa, constant32(b, 127u << 23));
  Value number = arith::BitcastOp::create(b, b.getF32Type(), one);
  return arith::SubFOp::create(b, number, scalar(b, b.getF32Type(), 1));
}

/// Returns a double in [0, 1) from 52 bits of two 32-bit words. The first word,
/// in the low half of `words`, supplies the high bits.
Value toDouble(Builder &b, Value words) {
  Type i64 = b.getI64Type();
  Value half = scalar(b, i64, 32);
  Value upper = arith::ShLIOp::create(b, words, half);
  Value swapped =
      arith::OrIOp::create(b, upper, arith::ShRUIOp::create(b, words, half));
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value mantissa =
      arith::AndIOp::create(b, swapped, constant((uint64_t(1) << 52) - 1));
  Value number = arith::BitcastOp::create(
      b, b.getF64Type(),
      arith::OrIOp::create(b, mantissa, constant(uint64_t(1023) << 52)));
  return arith::SubFOp::create(b, number, scalar(b, b.getF64Type(), 1));
}

/// Returns `values[number]`, where `number` is known only at run time.
Value pick(Builder &b, ArrayRef<Value> values, Value number) {
  Value picked = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    picked = arith::SelectOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                              scalar(b, number.getType(), i)),
        values[i], picked);
  return picked;
}

/// Returns a float of a 16-bit type in [0, 1), with the low bits of `number` as
/// mantissa.
Value toSmallFloat(Builder &b, Value number, FloatType type) {
  Type i16 = b.getI16Type();
  unsigned bits = type.getFPMantissaWidth() - 1;
  int64_t bias = (int64_t(1) << (14 - bits)) - 1;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI16IntegerAttr(value));
  };
  Value mantissa =
      arith::AndIOp::create(b, arith::TruncIOp::create(b, i16, number),
                            constant((int64_t(1) << bits) - 1));
  Value one = arith::OrIOp::create(b, mantissa, constant(bias << bits));
  return arith::SubFOp::create(b, arith::BitcastOp::create(b, type, one),
                               scalar(b, type, 1));
}

/// Returns the integer type that holds the random bits for an element. A 64-bit
/// element takes two 32-bit words of a random block, any other element one.
Type bitsOf(Builder &b, Type element) {
  return element.getIntOrFloatBitWidth() == 64 ? b.getI64Type()
                                               : b.getI32Type();
}

/// Makes a number of type `element` from random bits: a uniform float in [0,
/// 1), or an integer of these bits.
Value numberOf(Builder &b, Type element, Value bits) {
  if (element.isF64())
    return toDouble(b, bits);
  if (element.isF32())
    return toFloat(b, bits);
  if (auto small = dyn_cast<FloatType>(element))
    return toSmallFloat(b, bits, small);
  return bits;
}

/// Replaces `op` by a tensor of random numbers, after applying `finish` to each
/// number.
template <typename OpT>
LogicalResult draw(OpT op, PatternRewriter &rewriter,
                   llvm::function_ref<Value(Builder &, Value)> finish) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  Location loc = op.getLoc();
  Sizes mixed = sizesFromTensor(rewriter, loc, type, op.getShape());
  SmallVector<Value> sizes = llvm::map_to_vector(
      mixed, [&](OpFoldResult size) { return sizeValue(rewriter, loc, size); });
  auto numbers = elementwise(
      rewriter, loc, type.getShape(), {},
      emptyTensor(rewriter, loc, mixed, element),
      [&](Builder &b, ValueRange) -> SmallVector<Value> {
        Value bits = host::RandomBitsOp::create(
            b, bitsOf(b, element), elementOf(b, op.getKey(), 0),
            elementOf(b, op.getCounter(), 0), elementOf(b, op.getCounter(), 1),
            linearIndex(b, sizes));
        return {finish(b, numberOf(b, element, bits))};
      });
  rewriter.replaceOp(op, numbers.getResults());
  return success();
}

struct LowerUniform : OpRewritePattern<StatelessRandomUniformOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StatelessRandomUniformOp op,
                                PatternRewriter &rewriter) const override {
    return draw(op, rewriter, [](Builder &, Value number) { return number; });
  }
};

struct LowerUniformFullInt : OpRewritePattern<StatelessRandomUniformFullIntOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StatelessRandomUniformFullIntOp op,
                                PatternRewriter &rewriter) const override {
    return draw(op, rewriter, [](Builder &, Value number) { return number; });
  }
};

struct LowerUniformInt : OpRewritePattern<StatelessRandomUniformIntOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StatelessRandomUniformIntOp op,
                                PatternRewriter &rewriter) const override {
    return draw(op, rewriter, [&](Builder &b, Value bits) -> Value {
      Value low = tensor::ExtractOp::create(b, op.getMinval(), ValueRange());
      Value high = tensor::ExtractOp::create(b, op.getMaxval(), ValueRange());
      Value range = arith::SubIOp::create(b, high, low);
      // A run-time check reports an empty range as an error
      // (RandomRequirements.cpp). The divisor is at least 1, so that the
      // division does not trap if the range is empty.
      Value one = scalar(b, range.getType(), 1);
      range = arith::MaxUIOp::create(b, range, one);
      return arith::AddIOp::create(b, low,
                                   arith::RemUIOp::create(b, bits, range));
    });
  }
};

struct LowerThreefryBits : OpRewritePattern<ThreefryBitsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ThreefryBitsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Location loc = op.getLoc();
    Sizes mixed = sizesOf(rewriter, loc, op.getFirst());
    size_t batch = mixed.size();
    auto drawn = RankedTensorType::get(type.getShape().drop_front(batch),
                                       type.getElementType());
    Sizes each = sizesFromTensor(rewriter, loc, drawn, op.getShape());
    SmallVector<Value> sizes =
        llvm::map_to_vector(each, [&](OpFoldResult size) {
          return sizeValue(rewriter, loc, size);
        });
    llvm::append_range(mixed, each);
    auto numbers =
        elementwise(rewriter, loc, type.getShape(), {},
                    emptyTensor(rewriter, loc, mixed, type.getElementType()),
                    [&](Builder &b, ValueRange) -> SmallVector<Value> {
                      return {number(b, op, batch, sizes)};
                    });
    rewriter.replaceOp(op, numbers.getResults());
    return success();
  }

private:
  /// Returns the number at the current place of the dimensions `sizes`, which
  /// follow `batch` dimensions of keys.
  static Value number(Builder &b, ThreefryBitsOp op, size_t batch,
                      ArrayRef<Value> sizes) {
    SmallVector<Value> at;
    for (size_t dim = 0; dim < batch; ++dim)
      at.push_back(linalg::IndexOp::create(b, dim));
    Value first = tensor::ExtractOp::create(b, op.getFirst(), at);
    auto [low, high] = halves(
        b, arith::AddIOp::create(b, first, linearIndex(b, sizes, batch)));
    Value key[2];
    for (int64_t word : {0, 1}) {
      SmallVector<Value> place = at;
      place.push_back(arith::ConstantIndexOp::create(b, word));
      key[word] = tensor::ExtractOp::create(b, op.getKey(), place);
    }
    auto made = host::ThreefryOp::create(
        b, TypeRange{low.getType(), low.getType()}, key[0], key[1], high, low);
    if (!getElementTypeOrSelf(op.getType()).isInteger(64))
      return arith::XOrIOp::create(b, made.getFirst(), made.getSecond());
    Type i64 = b.getI64Type();
    Value upper = arith::ExtUIOp::create(b, i64, made.getFirst());
    upper = arith::ShLIOp::create(b, upper, scalar(b, i64, 32));
    Value lower = arith::ExtUIOp::create(b, i64, made.getSecond());
    return arith::OrIOp::create(b, upper, lower);
  }
};

/// Returns a vector of type `type`. Element `i` is the `i`-th of the values
/// that `body` returns.
Value vectorOf(PatternRewriter &rewriter, Location loc, Type type,
               llvm::function_ref<SmallVector<Value>(Builder &)> body) {
  auto vector = cast<RankedTensorType>(type);
  return elementwise(rewriter, loc, vector.getShape(), {},
                     emptyTensor(rewriter, loc, vector),
                     [&](Builder &b, ValueRange) -> SmallVector<Value> {
                       Value index = arith::IndexCastOp::create(
                           b, b.getI64Type(), linalg::IndexOp::create(b, 0));
                       return {pick(b, body(b), index)};
                     })
      .getResult(0);
}

struct LowerGetKeyCounter : OpRewritePattern<StatelessRandomGetKeyCounterOp> {
  using OpRewritePattern::OpRewritePattern;

  // Computes key and counter from a seed as TensorFlow does: a random block is
  // computed with a fixed key and the seed as its counter. One half of this
  // block becomes the new key, the other one the upper half of the new counter.
  LogicalResult matchAndRewrite(StatelessRandomGetKeyCounterOp op,
                                PatternRewriter &rewriter) const override {
    auto half = [&](Builder &b, int64_t number) -> Value {
      Type i64 = b.getI64Type();
      auto seed = [&](int64_t index) {
        Value element = elementOf(b, op.getSeed(), index);
        return element.getType() == i64
                   ? element
                   : Value(arith::ExtSIOp::create(b, i64, element));
      };
      Value fixed =
          arith::ConstantOp::create(b, b.getI64IntegerAttr(0x02461E293EC8F720));
      Value low = seed(0);
      return host::RandomBitsOp::create(b, i64, fixed, low, seed(1),
                                        scalar(b, i64, number));
    };
    Value key = vectorOf(
        rewriter, op.getLoc(), op.getKey().getType(),
        [&](Builder &b) -> SmallVector<Value> { return {half(b, 0)}; });
    Value counter =
        vectorOf(rewriter, op.getLoc(), op.getCounter().getType(),
                 [&](Builder &b) -> SmallVector<Value> {
                   return {scalar(b, b.getI64Type(), 0), half(b, 1)};
                 });
    rewriter.replaceOp(op, {key, counter});
    return success();
  }
};

struct LowerRandomSkip : OpRewritePattern<RandomSkipOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RandomSkipOp op,
                                PatternRewriter &rewriter) const override {
    auto state = cast<RankedTensorType>(op.getState().getType());
    auto counts = cast<RankedTensorType>(op.getCounts().getType());
    if (!state.hasStaticShape() || !counts.hasStaticShape())
      return rewriter.notifyMatchFailure(
          op, "the state or the counts have a dynamic shape");
    Value moved =
        vectorOf(rewriter, op.getLoc(), op.getType(),
                 [&](Builder &b) -> SmallVector<Value> {
                   Value blocks = blocksOf(b, op, counts);
                   Value before = elementOf(b, op.getState(), 1);
                   auto [low, high] = add128(b, elementOf(b, op.getState(), 0),
                                             before, blocks);
                   high = arith::SelectOp::create(b, losesCarry(b, low, blocks),
                                                  before, high);
                   SmallVector<Value> elements = {low, high};
                   for (int64_t i = 2; i < state.getDimSize(0); ++i)
                     elements.push_back(elementOf(b, op.getState(), i));
                   return elements;
                 });
    rewriter.replaceOp(op, moved);
    return success();
  }

private:
  /// Whether TensorFlow loses a carry when it adds `blocks` to the 128-bit
  /// counter: the lowering must then lose it, too. TensorFlow adds `blocks` in
  /// two 32-bit words. If the upper word is 0xFFFFFFFF, the carry of the lower
  /// word makes it 0, and TensorFlow does not carry this overflow on to the
  /// upper half of the counter.
  static Value losesCarry(Builder &b, Value low, Value blocks) {
    using Predicate = arith::CmpIPredicate;
    auto [sum, ignored] = halves(b, low);
    auto [lower, upper] = halves(b, blocks);
    Value ones = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
    return arith::AndIOp::create(
        b, arith::CmpIOp::create(b, Predicate::ult, sum, lower),
        arith::CmpIOp::create(b, Predicate::eq, upper, ones));
  }

  /// Returns the number of random blocks to skip: factor * (product of all
  /// counts) / divisor, rounded up.
  static Value blocksOf(Builder &b, RandomSkipOp op, RankedTensorType counts) {
    Type i64 = b.getI64Type();
    auto constant = [&](uint64_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
    };
    Value blocks = constant(op.getFactor());
    for (int64_t i = 0; i < counts.getNumElements(); ++i) {
      Value count = counts.getRank() == 0
                        ? Value(tensor::ExtractOp::create(b, op.getCounts(),
                                                          ValueRange()))
                        : elementOf(b, op.getCounts(), i);
      if (count.getType() != i64)
        count = arith::ExtSIOp::create(b, i64, count);
      blocks = arith::MulIOp::create(b, blocks, count);
    }
    if (op.getDivisor() == 1)
      return blocks;
    return arith::DivSIOp::create(
        b, arith::AddIOp::create(b, blocks, constant(op.getDivisor() - 1)),
        constant(op.getDivisor()));
  }
};

} // namespace

void ::ingot::lower::populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUniformFullInt, LowerGetKeyCounter, LowerRandomSkip,
               LowerThreefryBits, LowerUniform, LowerUniformInt>(
      patterns.getContext());
}
