//===- WarpShuffles.cpp - Warp shuffles -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/WarpShuffles.h"

#include "codegen/PTX/DeviceConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace ingot::ptx {

bool canShuffle(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

/// Shuffles a value of 32 bits, the most that one shuffle instruction moves.
static Value shuffleWord(ImplicitLocOpBuilder &b, Value word,
                         int32_t distance) {
  return gpu::ShuffleOp::create(b, word, distance,
                                static_cast<int32_t>(warpSize),
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

/// Shuffles an integer: as one word if it has up to 32 bits, as two words if it
/// has 64 bits.
static Value shuffleInteger(ImplicitLocOpBuilder &b, Value value,
                            int32_t distance) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return shuffleWord(b, value, distance);
  if (bits < 32)
    return arith::TruncIOp::create(
        b, type,
        shuffleWord(b, arith::ExtUIOp::create(b, i32, value), distance));
  Value half = arith::ConstantOp::create(b, b.getIntegerAttr(type, 32));
  Value low = arith::TruncIOp::create(b, i32, value);
  Value high =
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, value, half));
  low = arith::ExtUIOp::create(b, type, shuffleWord(b, low, distance));
  high = arith::ExtUIOp::create(b, type, shuffleWord(b, high, distance));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
}

Value shuffleXor(ImplicitLocOpBuilder &b, Value value, int32_t distance) {
  Type type = value.getType(), i64 = b.getI64Type();
  if (type.isF32())
    return shuffleWord(b, value, distance);
  if (type.isIndex()) {
    Value wide = arith::IndexCastOp::create(b, i64, value);
    return arith::IndexCastOp::create(b, type,
                                      shuffleInteger(b, wide, distance));
  }
  if (isa<IntegerType>(type))
    return shuffleInteger(b, value, distance);
  auto bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value asBits = arith::BitcastOp::create(b, bits, value);
  return arith::BitcastOp::create(b, type, shuffleInteger(b, asBits, distance));
}

} // namespace ingot::ptx
