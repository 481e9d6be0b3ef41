//===- ExpandRandomBitsToPhilox.cpp - Philox random bits as arithmetic ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Philox-4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011. The bits of a random number depend on the key and
// the number's counter only, so loops over numbers can be vectorized, tiled and
// run in any order. A vector holds its numbers in the order of memory: a block
// of four 32-bit words is two 64-bit lanes. A round multiplies the lower halves
// of the lanes (a mul instruction takes 32 x 32 -> 64 bits), reverses the words
// of the products within each block, and XORs them with the upper halves and
// the key.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_EXPANDRANDOMBITSTOPHILOXPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

using namespace mlir;

namespace {

// The number of rounds, the multipliers, and the Weyl constants of the key
// schedule, as in the paper by Salmon et al.
constexpr int numRounds = 10;
constexpr uint32_t factors[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t keySteps[] = {0x9E3779B9, 0xBB67AE85};

using Builder = ImplicitLocOpBuilder;

/// Makes a constant of type `type`; a vector has `value` in each lane.
Value constantOf(Builder &b, Type type, uint64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute =
      b.getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(), value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, attribute);
}

/// Splits a 64-bit number into its 32-bit halves, low first.
std::pair<Value, Value> halvesOf(Builder &b, Value x) {
  Type i32 = b.getI32Type();
  Value upper = arith::ShRUIOp::create(b, x, constantOf(b, b.getI64Type(), 32));
  return {arith::TruncIOp::create(b, i32, x),
          arith::TruncIOp::create(b, i32, upper)};
}

/// A 128-bit counter as two 64-bit halves.
struct PhiloxCounter {
  Value low, high;
};

/// Returns the counter of block `block` of the op's random numbers: the counter
/// at which they begin, plus `block`.
PhiloxCounter counterOf(Builder &b, host::RandomBitsOp op, Value block) {
  Value low = arith::AddIOp::create(b, op.getLow(), block);
  Value carried =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, op.getLow());
  carried = arith::ExtUIOp::create(b, b.getI64Type(), carried);
  return {low, arith::AddIOp::create(b, op.getHigh(), carried)};
}

/// Returns the index of the block in which the op's random number is, and its
/// position in the block.
std::pair<Value, Value> placeOf(Builder &b, host::RandomBitsOp op) {
  int64_t each = op.numbersOfBlock();
  Type i64 = b.getI64Type();
  return {
      arith::ShRUIOp::create(b, op.getIndex(),
                             constantOf(b, i64, llvm::Log2_64(each))),
      arith::AndIOp::create(b, op.getIndex(), constantOf(b, i64, each - 1))};
}

/// Selects the value with index `number` from `values`.
Value pick(Builder &b, ArrayRef<Value> values, Value number) {
  Value picked = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    Value isThis = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                         constantOf(b, number.getType(), i));
    picked = arith::SelectOp::create(b, isThis, values[i], picked);
  }
  return picked;
}

/// Joins two 32-bit words into a 64-bit integer.
Value join(Builder &b, Value low, Value high) {
  Type i64 = b.getI64Type();
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, high),
                                      constantOf(b, i64, 32));
  return arith::OrIOp::create(b, arith::ExtUIOp::create(b, i64, low), upper);
}

/// Expands an op with a scalar result: computes all words of the block that has
/// the number, and picks the one or two words that are the number.
Value expandNumber(Builder &b, host::RandomBitsOp op) {
  auto [block, place] = placeOf(b, op);
  PhiloxCounter counter = counterOf(b, op, block);
  auto [c0, c1] = halvesOf(b, counter.low);
  auto [c2, c3] = halvesOf(b, counter.high);
  auto [key0, key1] = halvesOf(b, op.getKey());
  Type i32 = b.getI32Type();
  auto exclusiveOr = [&](Value x, Value y, Value z) -> Value {
    return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y), z);
  };
  for (int round = 0; round < numRounds; ++round) {
    auto first =
        arith::MulUIExtendedOp::create(b, c0, constantOf(b, i32, factors[0]));
    auto second =
        arith::MulUIExtendedOp::create(b, c2, constantOf(b, i32, factors[1]));
    c0 = exclusiveOr(second.getHigh(), c1, key0);
    c2 = exclusiveOr(first.getHigh(), c3, key1);
    c1 = second.getLow();
    c3 = first.getLow();
    key0 = arith::AddIOp::create(b, key0, constantOf(b, i32, keySteps[0]));
    key1 = arith::AddIOp::create(b, key1, constantOf(b, i32, keySteps[1]));
  }
  if (op.getType().isInteger(64))
    return pick(b, {join(b, c0, c1), join(b, c2, c3)}, place);
  return pick(b, {c0, c1, c2, c3}, place);
}

/// Computes the random numbers of several blocks at once, in vectors of `lanes`
/// 64-bit lanes. Two lanes are one block.
class VectorizedPhilox {
public:
  VectorizedPhilox(Builder &b, int64_t lanes)
      : b(b), lanes(lanes), type(VectorType::get({lanes}, b.getI64Type())) {}

  /// Returns the random numbers of lanes / 2 consecutive blocks, of which the
  /// first has the index `first`.
  Value draw(host::RandomBitsOp op, Value first) {
    Value words = counters(counterOf(b, op, first));
    auto [key0, key1] = halvesOf(b, op.getKey());
    Value multipliers = alternating(constantOf(b, b.getI64Type(), factors[0]),
                                    constantOf(b, b.getI64Type(), factors[1]));
    Value lowerHalf = constantOf(b, type, 0xFFFFFFFF);
    Value half = constantOf(b, type, 32);
    for (uint32_t round = 0; round < numRounds; ++round) {
      Value key = alternating(keyOf(key0, round * keySteps[0]),
                              keyOf(key1, round * keySteps[1]));
      Value products = arith::MulIOp::create(
          b, arith::AndIOp::create(b, words, lowerHalf), multipliers);
      Value upper = arith::ShRUIOp::create(b, words, half);
      words = arith::XOrIOp::create(
          b, arith::XOrIOp::create(b, reversed(products), upper), key);
    }
    return words;
  }

private:
  Value splat(Value x) { return vector::BroadcastOp::create(b, type, x); }

  /// Makes a vector with `even` in even lanes and `odd` in odd lanes.
  Value alternating(Value even, Value odd) {
    SmallVector<bool> isEven;
    for (int64_t lane = 0; lane < lanes; ++lane)
      isEven.push_back(lane % 2 == 0);
    auto bits = VectorType::get({lanes}, b.getI1Type());
    Value mask =
        arith::ConstantOp::create(b, DenseElementsAttr::get(bits, isEven));
    return arith::SelectOp::create(b, mask, splat(even), splat(odd));
  }

  /// Returns one half of a round's key: `key + more`, zero-extended to the 64
  /// bits of a lane. `more` is a multiple of the half's Weyl constant.
  Value keyOf(Value key, uint32_t more) {
    Value sum =
        arith::AddIOp::create(b, key, constantOf(b, b.getI32Type(), more));
    return arith::ExtUIOp::create(b, b.getI64Type(), sum);
  }

  /// Returns the vector with the counters of consecutive blocks, of which the
  /// first one is `first`.
  Value counters(PhiloxCounter first) {
    SmallVector<int64_t> numbers;
    for (int64_t lane = 0; lane < lanes; ++lane)
      numbers.push_back(lane / 2);
    Value start = splat(first.low);
    Value low = arith::AddIOp::create(
        b, start,
        arith::ConstantOp::create(
            b, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers))));
    Value carried = arith::ExtUIOp::create(
        b, type,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, start));
    Value high = arith::AddIOp::create(b, splat(first.high), carried);
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane < lanes; ++lane)
      chosen.push_back(lane % 2 == 0 ? lane : lanes + lane);
    return vector::ShuffleOp::create(b, low, high, chosen);
  }

  /// Reverses the four words of each block.
  Value reversed(Value x) {
    auto words = VectorType::get({2 * lanes}, b.getI32Type());
    SmallVector<int64_t> order;
    for (int64_t word = 0; word < 2 * lanes; ++word)
      order.push_back(word / 4 * 4 + 3 - word % 4);
    Value split = vector::BitCastOp::create(b, words, x);
    split = vector::ShuffleOp::create(b, split, split, order);
    return vector::BitCastOp::create(b, type, split);
  }

  Builder &b;
  int64_t lanes;
  VectorType type;
};

/// Replaces the op by code that computes a vector of consecutive random
/// numbers. If the first number need not be the first one of its block,
/// computes one more block, and shifts the vector by the number's position in
/// the block.
Value expandVector(Builder &b, host::RandomBitsOp op) {
  auto type = cast<VectorType>(op.getType());
  int64_t each = op.numbersOfBlock(), count = type.getNumElements();
  auto [block, place] = placeOf(b, op);
  auto draw = [&](int64_t blocks, Value first) -> Value {
    Value words = VectorizedPhilox(b, 2 * blocks).draw(op, first);
    auto numbers = VectorType::get({blocks * each}, type.getElementType());
    return vector::BitCastOp::create(b, numbers, words);
  };
  Value numbers = draw(count / each, block);
  if (op.getAligned())
    return numbers;
  Value next = arith::AddIOp::create(
      b, block, constantOf(b, b.getI64Type(), count / each));
  Value more = draw(1, next);
  SmallVector<Value> shifted = {numbers};
  for (int64_t distance = 1; distance < each; ++distance) {
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane < count; ++lane)
      chosen.push_back(lane + distance);
    shifted.push_back(vector::ShuffleOp::create(b, numbers, more, chosen));
  }
  return pick(b, shifted, place);
}

struct ExpandRandomBitsToPhilox
    : ::ingot::kernels::impl::ExpandRandomBitsToPhiloxPassBase<
          ExpandRandomBitsToPhilox> {
  void runOnOperation() override {
    getOperation().walk([&](host::RandomBitsOp op) {
      Builder b(op.getLoc(), op);
      op.replaceAllUsesWith(isa<VectorType>(op.getType())
                                ? expandVector(b, op)
                                : expandNumber(b, op));
      op.erase();
      ++numExpanded;
    });
  }
};

} // namespace
