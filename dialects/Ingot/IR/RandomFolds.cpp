//===- RandomFolds.cpp - Folders of random seeds --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/NNOps.h"

#include <array>

using namespace mlir;
using namespace mlir::ingot;

// Computes a block of Philox 4x32-10 (Salmon et al., "Parallel random numbers:
// as easy as 1, 2, 3", 2011): ten rounds of two 32x32-bit multiplications;
// between rounds, the Weyl constants are added to the key.
static std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

LogicalResult
StatelessRandomGetKeyCounterOp::fold(FoldAdaptor,
                                     SmallVectorImpl<OpFoldResult> &results) {
  std::optional<SmallVector<int64_t>> seed = getConstantInts(getSeed());
  RankedTensorType keyType = getFoldableType(getKey().getType());
  RankedTensorType counterType = getFoldableType(getCounter().getType());
  if (!seed || seed->size() != 2 || !keyType || !counterType)
    return failure();
  // Computes a block with the seed's two numbers as the counter and a fixed
  // key. The first half of the block is the resulting key, the second half is
  // the upper 64 bits of the resulting counter.
  auto low = [](int64_t value) { return static_cast<uint32_t>(value); };
  auto high = [](int64_t value) {
    return static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32);
  };
  std::array<uint32_t, 4> mix = philox(
      {low((*seed)[0]), high((*seed)[0]), low((*seed)[1]), high((*seed)[1])},
      {0x3EC8F720, 0x02461E29});
  auto join = [](uint32_t lower, uint32_t upper) {
    return APInt(64, lower | uint64_t{upper} << 32);
  };
  results.push_back(makeConstant(keyType, join(mix[0], mix[1])));
  results.push_back(
      makeConstant(counterType, {APInt(64, 0), join(mix[2], mix[3])}));
  return success();
}
