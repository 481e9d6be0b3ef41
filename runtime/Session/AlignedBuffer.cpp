//===- AlignedBuffer.cpp - Zeroed memory for tensors and arenas -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/AlignedBuffer.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace ingot;

AlignedBuffer::~AlignedBuffer() {
  if (bytes)
    ::munmap(bytes, byteSize);
}

Expected<AlignedBuffer> AlignedBuffer::allocate(uint64_t size,
                                                std::string_view what) {
  AlignedBuffer buffer;
  if (size == 0)
    size = 1;
  void *memory = size > PTRDIFF_MAX
                     ? MAP_FAILED
                     : ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Status(StatusCode::ResourceExhausted,
                  "out of memory: " + std::to_string(size) + " bytes for " +
                      std::string(what));
  // Asks the kernel for huge pages: large tensors are traversed from end to
  // end, so huge pages save page faults and TLB misses. A kernel without huge
  // pages ignores this.
  constexpr uint64_t hugePage = 2 << 20;
  if (size >= 2 * hugePage)
    (void)::madvise(memory, size, MADV_HUGEPAGE);
  buffer.bytes = static_cast<uint8_t *>(memory);
  buffer.byteSize = size;
  return buffer;
}

void AlignedBuffer::forget(uint8_t *begin, uint8_t *end) const {
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t first = static_cast<uint64_t>(begin - bytes) + page - 1;
  uint64_t last = static_cast<uint64_t>(end - bytes);
  first -= first % page;
  last -= last % page;
  if (first < last)
    (void)::madvise(bytes + first, last - first, MADV_DONTNEED);
}
