//===- SharedMatrix.h - A factor in shared memory, by a descriptor --------===//
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Shared Memory Matrix Layout" of wgmma and of tcgen05: the same but
// for where a descriptor says which swizzle.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_SHAREDMATRIX_H
#define INGOT_TEST_EMULATOR_SHAREDMATRIX_H

#include "test/Emulator/Block.h"

namespace ingot::emulator {

enum class Type { tf32, bf16, f16 };

/// Element `i` of registers of `type`: tf32 ignores the last 13 bits.
float element(Type type, const uint32_t *registers, unsigned i);

struct SharedMatrix {
  uint64_t descriptor;
  Type type;
  bool isAcross;     // rows lie side by side, not steps of the sum
  uint32_t rowBytes; // the swizzle's

  static SharedMatrix forWarpgroup(uint64_t descriptor, Type type,
                                   bool isAcross);
  static SharedMatrix forTensorMemory(uint64_t descriptor, Type type,
                                      bool isAcross);

  unsigned depth() const { return type == Type::tf32 ? 8 : 16; }

  /// Numbers `depth() * row + k` of rows from `first` on, which `actor` reads;
  /// `ranges` gets where they lie.
  std::vector<float> read(unsigned first, unsigned rows, const Actor &actor,
                          std::vector<SharedRange> &ranges) const;

private:
  size_t offsetOf(unsigned row, unsigned k) const;
};

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_SHAREDMATRIX_H
