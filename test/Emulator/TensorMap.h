//===- TensorMap.h - Tensor maps of bulk copies -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is stored in the 128 bytes of a CUtensorMap, whose contents
// NVIDIA does not document. The limits are those of cuTensorMapEncodeTiled in
// the "CUDA Driver API".
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_TENSORMAP_H
#define INGOT_TEST_EMULATOR_TENSORMAP_H

#include <cstdint>

namespace ingot::emulator {

struct alignas(64) TensorMap {
  static constexpr uint64_t magic = 0x70616d726f736e74;
  static constexpr unsigned maxRank = 5;
  uint64_t mark = 0, address = 0;
  uint64_t sizes[maxRank] = {};       // the first dimension varies fastest
  uint64_t strides[maxRank - 1] = {}; // in bytes, from the second dimension on
  uint32_t boxes[maxRank] = {};
  uint32_t rank = 0, elementBytes = 0;
  uint32_t swizzleBytes = 0; // bytes of a swizzled row; 0: no swizzle

  bool isValid() const {
    if (rank < 1 || rank > maxRank || address % 16 != 0 || elementBytes == 0)
      return false;
    for (uint32_t i = 0; i < rank; ++i)
      if (sizes[i] == 0 || sizes[i] > uint64_t(1) << 32 || boxes[i] == 0 ||
          boxes[i] > 256)
        return false;
    for (uint32_t i = 0; i + 1 < rank; ++i)
      if (strides[i] % 16 != 0 || strides[i] >= uint64_t(1) << 40)
        return false;
    uint64_t row = uint64_t(boxes[0]) * elementBytes;
    return row % 16 == 0 && (swizzleBytes == 0 || row <= swizzleBytes);
  }
};
static_assert(sizeof(TensorMap) == 128);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_TENSORMAP_H
