//===- ValueMemory.cpp - Memory in which slices' values lie ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/ValueMemory.h"

#include "runtime/ABI/Tensor.h"

#include <cstring>
#include <new>

using namespace ingot;

ValueMemory::~ValueMemory() = default;

namespace {

class HostValueMemory final : public ValueMemory {
public:
  std::shared_ptr<std::byte> allocate(size_t bytes) override {
    constexpr std::align_val_t alignment{INGOT_ALIGNMENT};
    auto *data = static_cast<std::byte *>(::operator new(bytes, alignment));
    std::memset(data, 0, bytes);
    return {data,
            [](std::byte *memory) { ::operator delete(memory, alignment); }};
  }
  void reduce(ElementReduction how, std::byte *to, const std::byte *left,
              const std::byte *right, size_t count) override {
    reduceFunction(how.dtype, how.reduction)(to, left, right, count);
  }
  void copy(std::byte *to, const std::byte *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void fetch(std::span<const FetchedBytes> copies) override {
    for (const FetchedBytes &copy : copies)
      std::memcpy(copy.to, copy.from, copy.size);
  }
  void put(std::byte *to, const std::byte *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  const Status &status() const override { return success; }

private:
  Status success;
};

} // namespace

ValueMemory &ingot::hostValueMemory() {
  static HostValueMemory memory;
  return memory;
}
