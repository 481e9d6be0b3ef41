//===- RunArena.cpp - Memory of a running entry or function ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/RunArena.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/AsanPoison.h"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <sys/sysinfo.h>

namespace ingot {

/// The header before each block. A block is either free, or in use; if it is in
/// use, `used[place]` of the arena points to it.
struct RunArena::Header {
  uint32_t sizeClass;
  bool usedInThisRun;
  size_t place;
};

static constexpr size_t headerSize = INGOT_ALIGNMENT;
static constexpr size_t chunkSize = 64 << 10;

/// Returns the size class of `size`. There are four classes per power of two.
static uint32_t classOf(size_t size) {
  size_t units = (size + INGOT_ALIGNMENT - 1) / INGOT_ALIGNMENT;
  if (units <= 4)
    return units ? static_cast<uint32_t>(units - 1) : 0;
  auto log = static_cast<uint32_t>(std::bit_width(units - 1)) - 1;
  auto quarter = static_cast<uint32_t>((units - 1) >> (log - 2)) - 4;
  return 4 * (log - 1) + quarter;
}

static size_t sizeOfClass(uint32_t sizeClass) {
  if (sizeClass < 4)
    return (sizeClass + 1) * INGOT_ALIGNMENT;
  uint32_t log = sizeClass / 4 + 1, quarter = sizeClass % 4;
  return (size_t(5 + quarter) << (log - 2)) * INGOT_ALIGNMENT;
}

/// Returns the memory after a block's header. AddressSanitizer, if it is
/// linked, is told which of its bytes must not be accessed: those beyond the
/// requested size, and all bytes of a free block.
static void *payloadOf(void *block) {
  return static_cast<char *>(block) + headerSize;
}

static void closeBlock(void *block, [[maybe_unused]] uint32_t sizeClass) {
  poison(payloadOf(block), sizeOfClass(sizeClass));
}

static void *openBlock(void *block, [[maybe_unused]] uint32_t sizeClass,
                       [[maybe_unused]] int64_t size) {
  closeBlock(block, sizeClass);
  unpoison(payloadOf(block), size);
  return payloadOf(block);
}

/// Returns the machine's memory, including swap space. Allocations beyond it
/// are refused: malloc() would succeed, because the system overcommits memory,
/// but the system would kill the process when the memory is written.
static uint64_t memoryOfMachine() {
  static const uint64_t total = [] {
    struct sysinfo info;
    return ::sysinfo(&info) == 0
               ? (uint64_t(info.totalram) + info.totalswap) * info.mem_unit
               : uint64_t(PTRDIFF_MAX);
  }();
  return total;
}

static Status outOfMemory(int64_t size) {
  return Status(StatusCode::ResourceExhausted,
                "out of memory: a tensor needs " + std::to_string(size) +
                    " bytes");
}

RunArena *&RunArena::slot() {
  static thread_local RunArena *current = nullptr;
  return current;
}

RunArena::~RunArena() {
  for (Header *block : used)
    std::free(block);
  for (const std::vector<Header *> &blocks : free)
    for (Header *block : blocks)
      std::free(block);
}

void RunArena::reset() {
  static std::atomic<uint64_t> allRuns = 0;
  theRun = allRuns.fetch_add(1, std::memory_order_relaxed) + 1;
  objects.clear();
  chunk = nullptr;
  chunkLeft = 0;
  // Free the blocks that the last run did not use. Visit only the size classes
  // that may have free blocks: most functions use none or a few.
  size_t numKept = 0;
  for (uint32_t sizeClass : classesWithBlocks) {
    std::vector<Header *> &blocks = free[sizeClass];
    size_t kept = 0;
    for (Header *block : blocks) {
      if (std::exchange(block->usedInThisRun, false))
        blocks[kept++] = block;
      else
        std::free(block);
    }
    blocks.resize(kept);
    hasBlocks[sizeClass] = kept > 0;
    if (kept)
      classesWithBlocks[numKept++] = sizeClass;
  }
  classesWithBlocks.resize(numKept);
  for (Header *block : used) {
    block->usedInThisRun = false;
    addFree(block);
  }
  used.clear();
}

void RunArena::addFree(Header *block) {
  uint32_t sizeClass = block->sizeClass;
  closeBlock(block, sizeClass);
  free[sizeClass].push_back(block);
  if (!std::exchange(hasBlocks[sizeClass], true))
    classesWithBlocks.push_back(sizeClass);
}

RunArena::BlockCache::~BlockCache() {
  for (const std::vector<Header *> &blocks : free)
    for (Header *block : blocks)
      std::free(block);
}

void RunArena::BlockCache::release(void *block) {
  auto *header = static_cast<Header *>(block);
  {
    std::lock_guard lock(mutex);
    std::vector<Header *> &blocks = free[header->sizeClass];
    if (blocks.size() < limit) {
      closeBlock(block, header->sizeClass);
      blocks.push_back(header);
      return;
    }
  }
  std::free(block);
}

size_t RunArena::BlockCache::size() {
  std::lock_guard lock(mutex);
  size_t count = 0;
  for (const std::vector<Header *> &blocks : free)
    count += blocks.size();
  return count;
}

RunArena::Header *RunArena::BlockCache::take(uint32_t sizeClass) {
  std::lock_guard lock(mutex);
  std::vector<Header *> &blocks = free[sizeClass];
  if (blocks.empty())
    return nullptr;
  Header *block = blocks.back();
  blocks.pop_back();
  return block;
}

Expected<void *> RunArena::allocate(int64_t size) {
  if (size < 0 || static_cast<uint64_t>(size) > memoryOfMachine())
    return outOfMemory(size);
  uint32_t sizeClass = classOf(static_cast<size_t>(size));
  std::vector<Header *> &blocks = free[sizeClass];
  Header *block = nullptr;
  if (!blocks.empty()) {
    block = blocks.back();
    blocks.pop_back();
  } else if (cache) {
    block = cache->take(sizeClass);
  }
  if (!block) {
    block = static_cast<Header *>(std::aligned_alloc(
        INGOT_ALIGNMENT, headerSize + sizeOfClass(sizeClass)));
    if (!block)
      return outOfMemory(size);
    block->sizeClass = sizeClass;
  }
  block->usedInThisRun = true;
  block->place = used.size();
  used.push_back(block);
  return openBlock(block, sizeClass, size);
}

void RunArena::removeUsed(Header *block) {
  used[block->place] = used.back();
  used[block->place]->place = block->place;
  used.pop_back();
}

void RunArena::release(void *memory) {
  if (!memory)
    return;
  auto *block =
      reinterpret_cast<Header *>(static_cast<char *>(memory) - headerSize);
  removeUsed(block);
  addFree(block);
}

void *RunArena::take(const void *data) {
  for (Header *block : used) {
    if (payloadOf(block) != data)
      continue;
    removeUsed(block);
    return block;
  }
  return nullptr;
}

char *RunArena::text(size_t size) {
  if (size > chunkLeft) {
    bool isLarge = size > chunkSize / 4;
    Expected<void *> memory =
        allocate(static_cast<int64_t>(isLarge ? size : chunkSize));
    if (!memory)
      return nullptr;
    if (isLarge)
      return static_cast<char *>(*memory);
    chunk = static_cast<char *>(*memory);
    chunkLeft = chunkSize;
  }
  // Return a valid pointer for an empty string, because null means out of
  // memory.
  static char empty;
  if (size == 0)
    return &empty;
  chunkLeft -= size;
  return std::exchange(chunk, chunk + size);
}

const char *RunArena::copy(std::string_view text) {
  char *copied = this->text(text.size());
  if (copied && !text.empty())
    std::memcpy(copied, text.data(), text.size());
  return copied;
}

int64_t RunArena::hold(std::unique_ptr<VariantObject> object) {
  objects.push_back(std::move(object));
  return static_cast<int64_t>(objects.size());
}

} // namespace ingot
