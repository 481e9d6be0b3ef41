//===- RunArena.h - Memory of a running entry or function -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Memory that compiled code and runtime ops allocate while an entry (a compiled
// function of the program) or a function of a dataset runs. It is valid until
// the same function runs again. Datasets run functions on their own threads, so
// the current RunArena is thread-local.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_RUNARENA_H
#define INGOT_RUNTIME_SUPPORT_RUNARENA_H

#include "runtime/Support/Expected.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// The object that an element of a variant tensor refers to, such as a
/// TensorList. Once the op that creates the object has ended, the object does
/// not change. The RunArena of the current run owns it.
class VariantObject {
public:
  explicit VariantObject(const void *kind) : theKind(kind) {}
  virtual ~VariantObject() = default;
  /// Returns an address that identifies the object's class: that of the class's
  /// static member `kind`.
  const void *kind() const { return theKind; }

private:
  const void *theKind;
};

/// The memory of successive runs of an entry or a function. Blocks are reused
/// from run to run; blocks that a run did not use are freed when the next run
/// starts. Only one thread at a time may use it.
class RunArena {
  struct Header;
  static constexpr uint32_t numClasses = 4 * 58;

public:
  /// Blocks that take() gave away and that nobody reads any more, for the next
  /// allocations of any arena: malloc() would return large ones to the system,
  /// which would clear each of their pages before the next use. Thread-safe.
  class BlockCache {
  public:
    BlockCache() = default;
    BlockCache(const BlockCache &) = delete;
    ~BlockCache();
    /// The most blocks of a size class that are kept. More are in use at once
    /// only where elements are stored, as a shuffle does.
    static constexpr size_t limit = 16;

    /// Keeps or frees `block`, which take() returned.
    void release(void *block);
    /// Returns the number of blocks that are kept.
    size_t size();

  private:
    friend class RunArena;
    /// Removes a free block of `sizeClass` and returns it; null if the class
    /// has no free block.
    Header *take(uint32_t sizeClass);

    std::mutex mutex;
    std::array<std::vector<Header *>, numClasses> free;
  };

  /// New blocks come from `cache`, if there is one, before malloc(). It must
  /// outlive this arena.
  explicit RunArena(BlockCache *cache = nullptr) : cache(cache) {}
  RunArena(RunArena &&) = default;
  ~RunArena();

  /// Makes `memory` the current one of this thread, and starts a run in it:
  /// everything that was allocated there in the last run becomes invalid.
  /// Scopes nest, because a step may run functions of its datasets.
  class ArenaRunScope {
  public:
    explicit ArenaRunScope(RunArena &memory)
        : outer(std::exchange(slot(), &memory)) {
      memory.reset();
    }
    ~ArenaRunScope() { slot() = outer; }
    ArenaRunScope(const ArenaRunScope &) = delete;
    ArenaRunScope &operator=(const ArenaRunScope &) = delete;

  private:
    RunArena *outer;
  };

  /// Returns this thread's current RunArena, or null if nothing runs.
  static RunArena *current() { return slot(); }

  /// Allocates at least `size` uninitialized bytes, aligned to INGOT_ALIGNMENT.
  /// Returns ResourceExhausted if the machine has too little memory.
  Expected<void *> allocate(int64_t size);
  /// Frees `memory`, which allocate() returned; may be null.
  void release(void *memory);

  /// Gives the caller the block that contains `data`. Returns the address to
  /// pass to BlockCache::release() or std::free() after the last read of
  /// `data`; it differs from `data`, because a header precedes the data.
  /// Returns null if allocate() did not return `data` in this run.
  void *take(const void *data);

  /// Copies string `text` to memory that is valid during this run. Returns null
  /// if out of memory. Short strings share a block, since a block for each
  /// would mostly be empty.
  const char *copy(std::string_view text);
  /// Allocates `size` bytes for a string, valid during this run. Returns null
  /// if out of memory.
  char *text(size_t size);

  /// Returns the number of the current run, which is unique in the process.
  uint64_t run() const { return theRun; }

  /// Takes ownership of `object` and returns its handle for a variant tensor.
  int64_t hold(std::unique_ptr<VariantObject> object);
  /// Returns the object with `handle`, or null if there is none or it is not of
  /// class T.
  template <typename T> const T *find(int64_t handle) const {
    if (handle <= 0 || static_cast<uint64_t>(handle) > objects.size())
      return nullptr;
    const VariantObject *object =
        objects[static_cast<size_t>(handle - 1)].get();
    return object->kind() == &T::kind ? static_cast<const T *>(object)
                                      : nullptr;
  }

private:
  static RunArena *&slot();
  void reset();
  void addFree(Header *block);
  void removeUsed(Header *block);

  BlockCache *cache;
  uint64_t theRun = 0;
  std::vector<Header *> used;
  std::array<std::vector<Header *>, numClasses> free;
  /// The size classes that may have free blocks (`free[c]`); hasBlocks[c] is
  /// true if class c is one of them.
  std::vector<uint32_t> classesWithBlocks;
  std::array<bool, numClasses> hasBlocks{};
  char *chunk = nullptr;
  size_t chunkLeft = 0;
  std::vector<std::unique_ptr<VariantObject>> objects;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_RUNARENA_H
