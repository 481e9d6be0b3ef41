//===- ExpandThreefry.cpp - Threefry-2x32 as arithmetic -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Threefry-2x32-20: Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011. A round adds, rotates and combines the two words;
// after each fourth round, words of the key are added. All ops compute each
// lane by itself, so a vector of counters becomes a vector of random numbers.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_EXPANDTHREEFRYPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

using namespace mlir;

namespace {

// The rotations of four rounds, of which two sets take turns, and the parity of
// the key schedule, as in the paper by Salmon et al.
constexpr uint32_t rotations[][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
constexpr uint32_t parity = 0x1BD11BDA;
constexpr unsigned numInjections = 5;

using Builder = ImplicitLocOpBuilder;

/// Makes a constant of type `type`; a vector has `value` in each lane.
Value constantOf(Builder &b, Type type, uint32_t value) {
  TypedAttr attribute =
      b.getIntegerAttr(getElementTypeOrSelf(type), APInt(32, value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, attribute);
}

/// Rotates each word of `x` by `count` bits to the left.
Value rotate(Builder &b, Value x, uint32_t count) {
  Value left = arith::ShLIOp::create(b, x, constantOf(b, x.getType(), count));
  Value right =
      arith::ShRUIOp::create(b, x, constantOf(b, x.getType(), 32 - count));
  return arith::OrIOp::create(b, left, right);
}

/// Returns the two words that the generator makes of the counter.
std::pair<Value, Value> expand(Builder &b, host::ThreefryOp op) {
  Type type = op.getFirst().getType();
  Value mixed = arith::XOrIOp::create(
      b, arith::XOrIOp::create(b, op.getKey0(), op.getKey1()),
      constantOf(b, type, parity));
  Value keys[] = {op.getKey0(), op.getKey1(), mixed};
  Value first = arith::AddIOp::create(b, op.getHigh(), keys[0]);
  Value second = arith::AddIOp::create(b, op.getLow(), keys[1]);
  for (unsigned injection = 1; injection <= numInjections; ++injection) {
    for (uint32_t rotation : rotations[(injection + 1) % 2]) {
      first = arith::AddIOp::create(b, first, second);
      second = arith::XOrIOp::create(b, rotate(b, second, rotation), first);
    }
    first = arith::AddIOp::create(b, first, keys[injection % 3]);
    Value key = arith::AddIOp::create(b, keys[(injection + 1) % 3],
                                      constantOf(b, type, injection));
    second = arith::AddIOp::create(b, second, key);
  }
  return {first, second};
}

struct ExpandThreefry
    : ::ingot::kernels::impl::ExpandThreefryPassBase<ExpandThreefry> {
  void runOnOperation() override {
    getOperation().walk([&](host::ThreefryOp op) {
      Builder b(op.getLoc(), op);
      auto [first, second] = expand(b, op);
      op.getFirst().replaceAllUsesWith(first);
      op.getSecond().replaceAllUsesWith(second);
      op.erase();
      ++numExpanded;
    });
  }
};

} // namespace
