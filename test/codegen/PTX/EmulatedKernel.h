//===- EmulatedKernel.h - A kernel from its text to its values --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_CODEGEN_PTX_EMULATEDKERNEL_H
#define INGOT_TEST_CODEGEN_PTX_EMULATEDKERNEL_H

#include "codegen/PTX/PTXBackend.h"
#include "test/Emulator/Emulator.h"

#include <string>
#include <vector>

namespace ingot::ptx {

/// A kernel given as MLIR text (linalg on tensors), compiled for a GPU and then
/// for the emulator, which checks each memory access.
class EmulatedKernel {
public:
  EmulatedKernel(const std::string &text, llvm::StringRef arch,
                 Precision precision);
  /// Makes the kernel from an image of LLVM IR, in which a test may have
  /// planted a fault, and its facts.
  explicit EmulatedKernel(codegen::CompiledKernelImage code);
  EmulatedKernel(const EmulatedKernel &) = delete;
  ~EmulatedKernel();

  /// Whether the kernel was compiled; if not, the test has failed already.
  explicit operator bool() const { return library != nullptr; }

  /// Runs all blocks on the kernel's table, in which each address is followed
  /// by its dynamic sizes. Returns the emulator's fault message, or "".
  std::string run(std::vector<uint64_t> table, bool reversed = false);

  codegen::CompiledKernelImage code;

private:
  void load();
  uint64_t numBlocks(const std::vector<uint64_t> &table) const;

  void *library = nullptr;
};

/// An array in device memory, which the emulator lets kernels access while this
/// object lives.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(std::vector<T> numbers)
      : memory(numbers.size() + alignment / sizeof(T)), size(numbers.size()) {
    std::copy(numbers.begin(), numbers.end(), data());
    emulator::addMemory(data(), size * sizeof(T));
  }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { emulator::removeMemory(data()); }

  T *data() {
    auto place = reinterpret_cast<uintptr_t>(memory.data());
    return reinterpret_cast<T *>((place + alignment - 1) & ~(alignment - 1));
  }
  uint64_t address() { return reinterpret_cast<uint64_t>(data()); }
  std::vector<T> values() { return {data(), data() + size}; }

private:
  /// The alignment of the buffers that the runtime allocates.
  static constexpr size_t alignment = 64;
  std::vector<T> memory;
  size_t size;
};

} // namespace ingot::ptx

#endif // INGOT_TEST_CODEGEN_PTX_EMULATEDKERNEL_H
