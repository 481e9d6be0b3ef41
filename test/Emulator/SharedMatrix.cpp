//===- SharedMatrix.cpp - A factor in shared memory, by a descriptor ------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/SharedMatrix.h"

#include <algorithm>
#include <cstring>

namespace ingot::emulator {

/// Accesses are checked in groups of 16 bytes, which a swizzle moves as a
/// whole.
static constexpr size_t groupBytes = 16;

SharedMatrix SharedMatrix::forWarpgroup(uint64_t descriptor, Type type,
                                        bool isMNMajor) {
  unsigned mode = descriptor >> 62;
  if (mode == 0)
    fail("wgmma without a swizzle, which the emulator does not know");
  if (isMNMajor && type == Type::tf32)
    fail("wgmma of tf32 with an MN-major operand");
  return {descriptor, type, isMNMajor, 256u >> mode};
}

SharedMatrix SharedMatrix::forTensorMemory(uint64_t descriptor, Type type,
                                           bool isMNMajor) {
  if ((descriptor >> 46 & 7) != 1)
    fail("tcgen05.mma of a descriptor that is not of its version");
  unsigned mode = descriptor >> 61;
  if (mode != 2 && mode != 4 && mode != 6)
    fail("tcgen05.mma of a swizzle that the emulator does not know");
  if (isMNMajor && type == Type::tf32)
    fail("tcgen05.mma of tf32 with an MN-major operand, which the emulator "
         "does not know");
  return {descriptor, type, isMNMajor,
          mode == 2   ? 128u
          : mode == 4 ? 64u
                      : 32u};
}

size_t SharedMatrix::offsetOf(unsigned row, unsigned k) const {
  auto field = [&](unsigned shift) -> uint32_t {
    return (descriptor >> shift & 0x3fff) << 4;
  };
  uint32_t bytes = type == Type::tf32 ? 4 : 2, inRow = rowBytes / bytes;
  uint32_t place =
      field(0) + (isMNMajor
                      ? row / inRow * field(16) + row % inRow * bytes +
                            k % 8 * rowBytes + k / 8 * field(32)
                      : row / 8 * field(32) + row % 8 * rowBytes + k * bytes);
  place ^= (place >> 7 & (rowBytes / 16 - 1)) << 4;
  const Launch &launch = *block.launch;
  size_t offset =
      (place - reinterpret_cast<uintptr_t>(launch.shared)) & 0x3ffff;
  if (offset >= launch.sharedBytes / groupBytes * groupBytes)
    fail("the tensor core reads past the end of shared memory");
  return offset;
}

std::vector<float> SharedMatrix::read(unsigned first, unsigned rows,
                                      const Actor &actor,
                                      std::vector<SharedRange> &ranges) const {
  std::vector<float> numbers;
  std::vector<size_t> groups;
  unsigned bytes = type == Type::tf32 ? 4 : 2;
  for (unsigned row = first; row < first + rows; ++row)
    for (unsigned k = 0; k < depth(); ++k) {
      size_t offset = offsetOf(row, k);
      groups.push_back(offset / groupBytes);
      uint32_t bits = 0;
      std::memcpy(&bits, block.launch->shared + offset, bytes);
      numbers.push_back(element(type, &bits, 0));
    }
  if (!block.isChecked)
    return numbers;
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (size_t group : groups) {
    checkAsync(block.launch->shared + group * groupBytes, groupBytes, actor);
    ranges.push_back({group * groupBytes, groupBytes});
  }
  return numbers;
}

} // namespace ingot::emulator
