//===- FarMemory.h - Memory that the host cannot access ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_COLLECTIVE_FARMEMORY_H
#define INGOT_TEST_RUNTIME_COLLECTIVE_FARMEMORY_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/ValueMemory.h"

#include <vector>

namespace ingot {

/// Stands for the memory of a device. Its addresses are those of memory of the
/// host, moved to where no process has memory, so that an access by the host
/// ends the test.
class FarMemory final : public ValueMemory {
public:
  /// Returns where the bytes at `address` really are.
  template <typename T> static T *near(T *address) {
    return reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(address) -
                                 distance);
  }

  bool isOnHost() const override { return false; }
  std::shared_ptr<std::byte> allocate(size_t bytes) override {
    std::shared_ptr<std::byte> memory = hostValueMemory().allocate(bytes);
    return {memory, reinterpret_cast<std::byte *>(
                        reinterpret_cast<uintptr_t>(memory.get()) + distance)};
  }
  void reduce(ElementReduction how, std::byte *to, const std::byte *left,
              const std::byte *right, size_t count) override {
    hostValueMemory().reduce(how, near(to), near(left), near(right), count);
  }
  void copy(std::byte *to, const std::byte *from, size_t bytes) override {
    hostValueMemory().copy(near(to), near(from), bytes);
  }
  void fetch(std::span<const FetchedBytes> copies) override {
    for (const FetchedBytes &copy : copies) {
      hostValueMemory().copy(copy.to, near(copy.from), copy.size);
      bytesFetched += copy.size;
    }
  }
  void put(std::byte *to, const std::byte *from, size_t bytes) override {
    hostValueMemory().copy(near(to), from, bytes);
    bytesPut += bytes;
  }
  const Status &status() const override { return success; }

  size_t bytesFetched = 0, bytesPut = 0;

private:
  /// Adding it to an address of a process gives one that x86-64 does not have.
  static constexpr uintptr_t distance = uintptr_t(1) << 60;
  Status success;
};

/// A collective that moves bytes of far memory.
class FarCollective final : public Collective {
public:
  explicit FarCollective(Collective &near) : near(near) {}

  unsigned rank() const override { return near.rank(); }
  unsigned size() const override { return near.size(); }
  /// Long messages of devices begin at multiples of 16, as NCCL is fast only
  /// then.
  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override {
    for (ConstBytes bytes : send)
      isAligned &= reinterpret_cast<uintptr_t>(bytes.data()) % 16 == 0;
    for (Bytes bytes : receive)
      isAligned &= reinterpret_cast<uintptr_t>(bytes.data()) % 16 == 0;
    std::vector<ConstBytes> sent;
    std::vector<Bytes> received;
    for (ConstBytes bytes : send)
      sent.push_back(moved(bytes));
    for (Bytes bytes : receive)
      received.push_back(moved(bytes));
    return near.exchange(sent, received);
  }
  Status gather(Bytes all, std::span<const size_t> sizes) override {
    return near.gather(moved(all), sizes);
  }
  Status broadcast(Bytes bytes, unsigned root) override {
    return near.broadcast(moved(bytes), root);
  }
  [[noreturn]] void abort(const Status &why) override { near.abort(why); }

  bool isAligned = true;

private:
  template <typename T> static std::span<T> moved(std::span<T> bytes) {
    return bytes.empty()
               ? bytes
               : std::span<T>(FarMemory::near(bytes.data()), bytes.size());
  }

  Collective &near;
};

} // namespace ingot

#endif // INGOT_TEST_RUNTIME_COLLECTIVE_FARMEMORY_H
