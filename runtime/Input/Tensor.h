//===- Tensor.h - The values that flow through a pipeline -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor is one reference-counted block from a pool: header, then dense
// elements, then for strings their bytes. Handing one on copies a pointer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSOR_H
#define INGOT_RUNTIME_INPUT_TENSOR_H

#include "runtime/ABI/Tensor.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot::input {

using Shape = std::span<const int64_t>;

/// Bytes of one element, sizeof(ingot_string) for strings; 0 for a type that
/// has no dense form (variant) or isn't known.
size_t elementSize(int32_t dtype);
/// "[64,3]", "[?,3]", "[]".
std::string shapeText(Shape shape);
/// The number of elements. False where it is not known (-1), or too large to
/// be held in memory.
bool countElements(Shape shape, int64_t &count);
/// Whether `shape` is one that `expected` allows, whose dimensions may be -1.
bool fits(Shape shape, Shape expected);

/// Aligned blocks, kept for reuse in classes by size. Any thread may use it;
/// it outlives its blocks.
class BlockPool {
public:
  BlockPool() = default;
  BlockPool(const BlockPool &) = delete;
  BlockPool &operator=(const BlockPool &) = delete;
  ~BlockPool();

  /// A block of at least `size` bytes, aligned to INGOT_ALIGNMENT; its class
  /// goes to `sizeClass`.
  void *allocate(size_t size, uint32_t &sizeClass);
  void release(void *block, uint32_t sizeClass);

  /// How many blocks it has given away, and the bytes of those that are in use.
  struct Usage {
    uint64_t blocks = 0;
    size_t bytes = 0;
  };
  Usage usage();

private:
  std::mutex mutex;
  Usage used;
  std::array<std::vector<void *>, 128> free;
};

/// A shared handle on an immutable tensor; its maker may fill it before
/// handing it on. Null until assigned.
class Tensor {
public:
  Tensor() = default;
  Tensor(const Tensor &other) : block(other.block) {
    if (block)
      block->references.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor &&other) noexcept
      : block(std::exchange(other.block, nullptr)) {}
  Tensor &operator=(Tensor other) noexcept {
    std::swap(block, other.block);
    return *this;
  }
  ~Tensor() { reset(); }

  /// A tensor with room for its elements, and for `extra` bytes after them
  /// (the bytes of strings). Nothing is initialized. `shape` is static and its
  /// number of elements was counted.
  static Tensor allocate(BlockPool &pool, int32_t dtype, Shape shape,
                         size_t extra = 0);
  /// A scalar string that owns a copy of `bytes`.
  static Tensor string(BlockPool &pool, std::string_view bytes);
  /// A variant of shape [items.size()] that holds those tensors: a window.
  static Tensor list(BlockPool &pool, std::span<const Tensor> items);
  /// A tensor that owns a copy of `data`, and of the bytes of strings.
  static Tensor copy(BlockPool &pool, int32_t dtype, Shape shape,
                     const void *data);

  bool isNull() const { return !block; }
  int32_t dtype() const { return block->dtype; }
  Shape shape() const { return {dims(), block->rank}; }
  int64_t numElements() const { return block->elements; }
  /// The size of the dense elements, without the strings' bytes.
  size_t byteSize() const {
    return static_cast<size_t>(block->elements) * elementSize(block->dtype);
  }
  const void *data() const { return bytes() + block->dataOffset; }
  void *mutableData() { return bytes() + block->dataOffset; }
  /// Fetches the first of the elements into the processor's caches.
  void prefetch() const {
    for (size_t line = 0; line < 6; ++line)
      __builtin_prefetch(bytes() + line * INGOT_ALIGNMENT);
  }
  /// The `extra` bytes.
  char *extra() { return bytes() + block->dataOffset + byteSize(); }
  /// The tensors that a variant holds.
  std::span<const Tensor> items() const {
    return {static_cast<const Tensor *>(data()),
            static_cast<size_t>(block->elements)};
  }

  /// A tensor whose elements are at `data`, which outlives it.
  static Tensor view(BlockPool &pool, int32_t dtype, Shape shape,
                     const void *data);
  /// A tensor whose elements are at `data`, in `memory`, which std::free gives
  /// back when it goes.
  static Tensor adopt(BlockPool &pool, int32_t dtype, Shape shape, void *data,
                      void *memory);
  /// Makes a tensor of strings, which has no other owner yet, independent of
  /// its element. Their bytes are in `sources`, or in constants of the program.
  /// It holds the sources; only where these are far larger than its strings, or
  /// strings have fewer than `leastSize` bytes on average, is it copied.
  static Tensor lasting(BlockPool &pool, Tensor strings,
                        std::vector<Tensor> sources, size_t leastSize = 0);

  /// Makes the first dimension smaller, and keeps the elements in front, in a
  /// tensor that has no other owner yet.
  void shrinkFirstDimension(int64_t size);

private:
  /// With room for `dataSize` bytes.
  static Tensor make(BlockPool &pool, int32_t dtype, Shape shape,
                     size_t dataSize);

  /// Objects that live as long as the block.
  struct Held;
  struct alignas(16) Block {
    std::atomic<uint32_t> references;
    uint16_t sizeClass;
    uint16_t dtype;
    uint32_t rank;
    int64_t elements;
    ptrdiff_t dataOffset; // from here, even where it is elsewhere
    BlockPool *pool;
    Held *held; // null: nothing
  };

  char *bytes() const { return reinterpret_cast<char *>(block); }
  int64_t *dims() const {
    return reinterpret_cast<int64_t *>(bytes() + sizeof(Block));
  }
  /// Bytes of memory that go when it goes.
  size_t footprint() const;
  void reset() {
    if (block && block->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
    block = nullptr;
  }
  void destroy();

  Block *block = nullptr;
};

/// One element of a dataset: its components.
using Element = std::vector<Tensor>;

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSOR_H
