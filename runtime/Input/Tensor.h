//===- Tensor.h - Tensors in pipelines --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A tensor is one reference-counted block of a pool: a header, the dense
// elements, and, for strings, their bytes. Copies of a Tensor share the block.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSOR_H
#define INGOT_RUNTIME_INPUT_TENSOR_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/RunArena.h"

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

/// Returns the size in bytes of one element: sizeof(ingot_string) for strings,
/// and 0 for types that have no dense elements (variant) or are unknown.
size_t elementSize(int32_t dtype);
/// Returns the shape as text: "[64,3]", "[?,3]", "[]".
std::string shapeText(Shape shape);
/// Sets `count` to the number of elements. Returns false if the shape is
/// dynamic (-1), or the tensor is too large for memory.
bool countElements(Shape shape, int64_t &count);
/// Returns true if `shape` matches `expected`, whose dimensions may be -1.
bool fits(Shape shape, Shape expected);

/// A thread-safe pool of aligned blocks, which are kept for reuse in size
/// classes. It must outlive its blocks.
class TensorMemoryPool {
public:
  TensorMemoryPool() = default;
  TensorMemoryPool(const TensorMemoryPool &) = delete;
  TensorMemoryPool &operator=(const TensorMemoryPool &) = delete;
  ~TensorMemoryPool();

  /// Allocates a block of at least `size` bytes, aligned to INGOT_ALIGNMENT,
  /// and sets `sizeClass`.
  void *allocate(size_t size, uint32_t &sizeClass);
  void release(void *block, uint32_t sizeClass);

  /// The number of allocated blocks so far, and the bytes of those in use.
  struct TensorMemoryPoolUsage {
    uint64_t blocks = 0;
    size_t bytes = 0;
  };
  TensorMemoryPoolUsage usage();

  /// Blocks of arenas that tensors adopted, for the arenas' next allocations.
  RunArena::BlockCache &adopted() { return adoptedBlocks; }

private:
  std::mutex mutex;
  TensorMemoryPoolUsage used;
  RunArena::BlockCache adoptedBlocks;
  std::array<std::vector<void *>, 128> free;
};

/// A shared reference to an immutable tensor. The code that allocates a tensor
/// may write its elements before sharing it. A default-constructed reference is
/// null.
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

  /// Allocates a tensor with uninitialized elements, followed by `extra` bytes
  /// (for the bytes of strings). `shape` must be static, and have passed
  /// countElements().
  static Tensor allocate(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                         size_t extra = 0);
  /// Returns a scalar string with a copy of `bytes`.
  static Tensor string(TensorMemoryPool &pool, std::string_view bytes);
  /// Returns a variant of shape [items.size()] that contains the tensors
  /// `items`. WindowDataset yields such a tensor for each component of a
  /// window.
  static Tensor list(TensorMemoryPool &pool, std::span<const Tensor> items);
  /// Returns a tensor with a copy of `data`, and of the bytes of strings.
  static Tensor copy(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                     const void *data);

  bool isNull() const { return !block; }
  int32_t dtype() const { return block->dtype; }
  Shape shape() const { return {dims(), block->rank}; }
  int64_t numElements() const { return block->elements; }
  /// Returns the size of the elements in bytes. A string counts as an
  /// ingot_string (address and size), without its text.
  size_t byteSize() const {
    return static_cast<size_t>(block->elements) * elementSize(block->dtype);
  }
  const void *data() const { return bytes() + block->dataOffset; }
  void *mutableData() { return bytes() + block->dataOffset; }
  /// Prefetches the first elements into the processor's caches.
  void prefetch() const {
    for (size_t line = 0; line < 6; ++line)
      __builtin_prefetch(bytes() + line * INGOT_ALIGNMENT);
  }
  /// Returns the address of the additional bytes that the tensor's block has
  /// after the elements.
  char *extra() { return bytes() + block->dataOffset + byteSize(); }
  /// Returns the tensors that a variant contains.
  std::span<const Tensor> items() const {
    return {static_cast<const Tensor *>(data()),
            static_cast<size_t>(block->elements)};
  }

  /// Returns a tensor that refers to the elements at `data` without owning
  /// them; `data` must outlive it.
  static Tensor view(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                     const void *data);
  /// Returns a tensor with elements at `data`, an address inside `memory`,
  /// which RunArena::take() returned. The tensor owns `memory`, and releases it
  /// to pool.adopted().
  static Tensor adopt(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                      void *data, void *memory);
  /// Makes `strings` independent of the element from which it was computed. The
  /// bytes of the strings are in `sources`, tensors of that element, or in
  /// constants of the program. The result keeps the sources alive. But if the
  /// sources are far larger than the strings, or if the strings have fewer than
  /// `leastSize` bytes on average, copies the bytes instead. `strings` must
  /// have no other owner.
  static Tensor lasting(TensorMemoryPool &pool, Tensor strings,
                        std::vector<Tensor> sources, size_t leastSize = 0);

  /// Returns the number of bytes that are freed when the last reference to this
  /// tensor is dropped.
  size_t footprint() const;

  /// Reduces the first dimension to `size`, keeping the first elements. The
  /// tensor must have no other owner.
  void shrinkFirstDimension(int64_t size);

private:
  /// Allocates a tensor whose block has room for `dataSize` bytes after the
  /// header.
  static Tensor make(TensorMemoryPool &pool, int32_t dtype, Shape shape,
                     size_t dataSize);

  /// The tensors or memory that a block keeps alive, because the block's
  /// elements are there or refer to bytes there.
  struct Held;
  struct alignas(16) Block {
    std::atomic<uint32_t> references;
    uint16_t sizeClass;
    uint16_t dtype;
    uint32_t rank;
    int64_t elements;
    // The distance in bytes from the block to the elements, which may be
    // outside the block (view(), adopt()).
    ptrdiff_t dataOffset;
    TensorMemoryPool *pool;
    Held *held; // null: the block keeps nothing else alive
  };

  char *bytes() const { return reinterpret_cast<char *>(block); }
  int64_t *dims() const {
    return reinterpret_cast<int64_t *>(bytes() + sizeof(Block));
  }
  void reset() {
    if (block && block->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
    block = nullptr;
  }
  void destroy();

  Block *block = nullptr;
};

/// An element of a dataset: its components.
using Element = std::vector<Tensor>;

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSOR_H
