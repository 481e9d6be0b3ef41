//===- RunMemory.h - Memory of a running entry or function ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Memory that compiled code and runtime ops allocate while an entry or a
// function of a dataset runs. It belongs to the running call: datasets run
// functions on threads of their own, so the current one is a thread-local slot.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_RUNMEMORY_H
#define INGOT_RUNTIME_SUPPORT_RUNMEMORY_H

#include "runtime/Support/Expected.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// The object that an element of a variant tensor refers to: a list of tensors,
/// say. Immutable once ops have seen it. Its memory is the run's.
class RunObject {
public:
  explicit RunObject(const void *kind) : theKind(kind) {}
  virtual ~RunObject() = default;
  /// The address of the class's `kind`, which identifies the class.
  const void *kind() const { return theKind; }

private:
  const void *theKind;
};

/// For one thread at a time. Blocks are kept from run to run, those that a run
/// had no use for are given back when the next one starts.
class RunMemory {
public:
  RunMemory() = default;
  RunMemory(RunMemory &&) = default;
  ~RunMemory();

  /// Puts a memory in charge of this thread, with all that it holds from its
  /// last run void. Scopes nest: a step may run functions of its datasets.
  class Scope {
  public:
    explicit Scope(RunMemory &memory) : outer(std::exchange(slot(), &memory)) {
      memory.reset();
    }
    ~Scope() { slot() = outer; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    RunMemory *outer;
  };

  /// The one in charge of this thread, or null where nothing runs.
  static RunMemory *current() { return slot(); }

  /// At least `size` bytes, aligned to INGOT_ALIGNMENT, not initialized.
  /// ResourceExhausted where the machine has no more.
  Expected<void *> allocate(int64_t size);
  /// Frees memory from allocate(); may be null.
  void release(void *memory);

  /// Takes the block that begins at `data` out of this memory; the caller frees
  /// the result by std::free after the last read of `data`. Null for an address
  /// that allocate() did not return in this run.
  void *take(const void *data);

  /// A copy of `text` that lives as long as the run's memory; null if out of
  /// memory. Short texts share blocks.
  const char *copy(std::string_view text);
  /// Memory for a text of `size` bytes, as long as the run's; null if out of
  /// memory.
  char *text(size_t size);

  /// The number of the run that is under way, which no other has.
  uint64_t run() const { return theRun; }

  /// Owns `object` from now on; returns its handle in a variant tensor.
  int64_t hold(std::unique_ptr<RunObject> object);
  /// The object of `handle`; null where it is not of class T.
  template <typename T> const T *find(int64_t handle) const {
    if (handle <= 0 || static_cast<uint64_t>(handle) > objects.size())
      return nullptr;
    const RunObject *object = objects[static_cast<size_t>(handle - 1)].get();
    return object->kind() == &T::kind ? static_cast<const T *>(object)
                                      : nullptr;
  }

private:
  struct Header;
  static constexpr uint32_t numClasses = 4 * 58;

  static RunMemory *&slot();
  void reset();
  void addFree(Header *block);
  void removeUsed(Header *block);

  uint64_t theRun = 0;
  std::vector<Header *> used;
  std::array<std::vector<Header *>, numClasses> free;
  /// Size classes whose `free` list may hold blocks, and a flag for each class.
  std::vector<uint32_t> classesWithBlocks;
  std::array<bool, numClasses> hasBlocks{};
  char *chunk = nullptr;
  size_t chunkLeft = 0;
  std::vector<std::unique_ptr<RunObject>> objects;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_RUNMEMORY_H
