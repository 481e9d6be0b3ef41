//===- LowerRandom.cpp - Counter-based random numbers ---------------------===//
//
// Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3,
// SC'11): each block of four results comes from its own counter, so elements
// are computed independently and in any order.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;
using Block4 = std::array<Value, 4>;

Value constant32(Builder &b, uint32_t value) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getI32Type(), APInt(32, value)));
}

/// Low and high half of the product of two 32-bit numbers.
std::pair<Value, Value> multiply(Builder &b, Value x, uint32_t factor) {
  auto product = arith::MulUIExtendedOp::create(b, x, constant32(b, factor));
  return {product.getLow(), product.getHigh()};
}

Block4 philox(Builder &b, Block4 counter, Value key0, Value key1) {
  for (int round = 0; round < 10; ++round) {
    if (round != 0) {
      key0 = arith::AddIOp::create(b, key0, constant32(b, 0x9E3779B9));
      key1 = arith::AddIOp::create(b, key1, constant32(b, 0xBB67AE85));
    }
    auto [low0, high0] = multiply(b, counter[0], 0xD2511F53);
    auto [low1, high1] = multiply(b, counter[2], 0xCD9E8D57);
    Value first = arith::XOrIOp::create(
        b, arith::XOrIOp::create(b, high1, counter[1]), key0);
    Value third = arith::XOrIOp::create(
        b, arith::XOrIOp::create(b, high0, counter[3]), key1);
    counter = {first, low1, third, low0};
  }
  return counter;
}

/// The two 32-bit halves of a 64-bit number, low first.
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

/// The counter of block `block`: the 128-bit counter plus the block's number.
Block4 counterOf(Builder &b, Value counter, Value block) {
  Value low = elementOf(b, counter, 0);
  Value high = elementOf(b, counter, 1);
  Value sum = arith::AddIOp::create(b, low, block);
  Value carried = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, sum, low);
  high = arith::AddIOp::create(
      b, high, arith::ExtUIOp::create(b, b.getI64Type(), carried));
  auto [c0, c1] = halves(b, sum);
  auto [c2, c3] = halves(b, high);
  return {c0, c1, c2, c3};
}

/// The position of the element at hand in row-major order.
Value linearIndex(Builder &b, ArrayRef<int64_t> shape) {
  Value position = arith::ConstantIndexOp::create(b, 0);
  for (auto [dimension, size] : llvm::enumerate(shape))
    position = arith::AddIOp::create(
        b,
        arith::MulIOp::create(b, position,
                              arith::ConstantIndexOp::create(b, size)),
        linalg::IndexOp::create(b, dimension));
  return arith::IndexCastOp::create(b, b.getI64Type(), position);
}

/// A float in [1, 2) from the low 23 bits, less one.
Value toFloat(Builder &b, Value bits) {
  Value mantissa = arith::AndIOp::create(b, bits, constant32(b, 0x7FFFFF));
  Value one = arith::OrIOp::create(b, mantissa, constant32(b, 127u << 23));
  Value number = arith::BitcastOp::create(b, b.getF32Type(), one);
  return arith::SubFOp::create(b, number, scalar(b, b.getF32Type(), 1));
}

/// Likewise a double, from 52 bits of two results, the upper ones first.
Value toDouble(Builder &b, Value high, Value low) {
  Type i64 = b.getI64Type();
  Value upper = arith::ExtUIOp::create(
      b, i64, arith::AndIOp::create(b, high, constant32(b, 0xFFFFF)));
  Value mantissa = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, upper, scalar(b, i64, 32)),
      arith::ExtUIOp::create(b, i64, low));
  Value exponent =
      arith::ConstantOp::create(b, b.getI64IntegerAttr(int64_t(1023) << 52));
  Value number = arith::BitcastOp::create(
      b, b.getF64Type(), arith::OrIOp::create(b, mantissa, exponent));
  return arith::SubFOp::create(b, number, scalar(b, b.getF64Type(), 1));
}

/// One of `values` by its number.
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

struct LowerUniform : OpRewritePattern<StatelessRandomUniformOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StatelessRandomUniformOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    bool isDouble = type.getElementType().isF64();
    if (!isDouble && !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "element type");
    auto numbers = elementwise(
        rewriter, op.getLoc(), type.getShape(), {},
        emptyTensor(rewriter, op.getLoc(), type),
        [&](Builder &b, ValueRange) -> SmallVector<Value> {
          Type i64 = b.getI64Type();
          Value perBlock = scalar(b, i64, isDouble ? 2 : 4);
          Value index = linearIndex(b, type.getShape());
          Value block = arith::DivUIOp::create(b, index, perBlock);
          Value lane = arith::RemUIOp::create(b, index, perBlock);
          auto [key0, key1] = halves(b, elementOf(b, op.getKey(), 0));
          Block4 bits =
              philox(b, counterOf(b, op.getCounter(), block), key0, key1);
          if (isDouble)
            return {pick(
                b,
                {toDouble(b, bits[0], bits[1]), toDouble(b, bits[2], bits[3])},
                lane)};
          return {toFloat(b, pick(b, bits, lane))};
        });
    rewriter.replaceOp(op, numbers.getResults());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateRandomPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerUniform>(patterns.getContext());
}
