//===- SharedMatrix.h - A factor in shared memory, by a descriptor --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the operands of wgmma and tcgen05 as described in "Shared Memory Matrix
// Layout" of the PTX ISA. The two instructions differ only in where their
// descriptors state the swizzle.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_SHAREDMATRIX_H
#define INGOT_TEST_EMULATOR_SHAREDMATRIX_H

#include "test/Emulator/Block.h"

namespace ingot::emulator {

enum class Type { tf32, bf16, f16 };

/// Element `i` of registers that hold elements of `type`; for tf32 the low 13
/// bits are ignored.
float element(Type type, const uint32_t *registers, unsigned i);

struct SharedMatrix {
  uint64_t descriptor;
  Type type;
  /// Whether neighbours in memory lie along M or N, rather than along K.
  bool isMNMajor;
  uint32_t rowBytes; // the bytes of a row of the swizzle pattern

  static SharedMatrix forWarpgroup(uint64_t descriptor, Type type,
                                   bool isMNMajor);
  static SharedMatrix forTensorMemory(uint64_t descriptor, Type type,
                                      bool isMNMajor);

  unsigned depth() const { return type == Type::tf32 ? 8 : 16; }

  /// Returns `rows` rows from `first` on, with element (row, k) at `depth() *
  /// row + k`; the reader is `actor`. Appends the bytes read to `ranges`.
  std::vector<float> read(unsigned first, unsigned rows, const Actor &actor,
                          std::vector<SharedRange> &ranges) const;

private:
  size_t offsetOf(unsigned row, unsigned k) const;
};

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_SHAREDMATRIX_H
