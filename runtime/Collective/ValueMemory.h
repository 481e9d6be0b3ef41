//===- ValueMemory.h - Memory in which slices' values lie -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_VALUEMEMORY_H
#define INGOT_RUNTIME_COLLECTIVE_VALUEMEMORY_H

#include "runtime/Collective/Reduce.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>

namespace ingot {

/// How two elements are combined. `dtype` is an ingot_dtype.
struct ElementReduction {
  int32_t dtype;
  Reduction reduction;
};

/// A copy of bytes from a ValueMemory to the host.
struct FetchedBytes {
  std::byte *to;
  const std::byte *from;
  size_t size;
};

/// The memory that holds values which slices compute, and the operations on
/// them: the host's memory, or that of a device. A pointer to memory of a
/// device is an address there, with which the host may only calculate. The
/// results of all operations are as if each had ended before the next one
/// began. After a failure, which status() returns, operations do nothing.
class ValueMemory {
public:
  virtual ~ValueMemory();

  /// Whether the host may access the memory.
  virtual bool isOnHost() const { return true; }

  /// Allocates zeroed bytes, aligned to INGOT_ALIGNMENT. Returns null after a
  /// failure.
  virtual std::shared_ptr<std::byte> allocate(size_t bytes) = 0;
  /// Combines `count` elements of `left` and `right`, and stores the results in
  /// `to`, which may be `left`.
  virtual void reduce(ElementReduction how, std::byte *to,
                      const std::byte *left, const std::byte *right,
                      size_t count) = 0;
  virtual void copy(std::byte *to, const std::byte *from, size_t bytes) = 0;

  /// Copies bytes from this memory to the host, and waits for them.
  virtual void fetch(std::span<const FetchedBytes> copies) = 0;
  /// Copies bytes from the host to this memory. The caller may change `from` as
  /// soon as the call returns.
  virtual void put(std::byte *to, const std::byte *from, size_t bytes) = 0;

  virtual const Status &status() const = 0;
};

/// The memory of this process.
ValueMemory &hostValueMemory();

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_VALUEMEMORY_H
