//===- SharedLibrary.cpp - Names that protobuf needs ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Debian's libprotobuf-lite.a is made for executables: its thread-local arenas,
// and its references to stderr, cannot be linked into a shared object. Ingot
// makes no arena; this file defines the names of those parts that the rest of
// the archive refers to. Linked into --emit=shared only, where references to
// stderr go to __wrap_stderr.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <google/protobuf/arena.h>

extern "C" FILE *__real_stderr;
extern "C" FILE *__wrap_stderr;
FILE *__wrap_stderr;

/// Before any other code of the library runs.
__attribute__((constructor(101))) static void findStandardError() {
  __wrap_stderr = __real_stderr;
}

namespace google::protobuf {

[[noreturn]] static void *refuse() {
  std::abort(); // an arena was made: by whom?
}

void *Arena::AllocateAlignedWithHook(size_t, const std::type_info *) {
  return refuse();
}
void *Arena::AllocateAlignedWithHookForArray(size_t, const std::type_info *) {
  return refuse();
}
std::pair<void *, internal::SerialArena::CleanupNode *>
Arena::AllocateAlignedWithCleanup(size_t, const std::type_info *) {
  refuse();
}

namespace internal {

__thread ThreadSafeArena::ThreadCache ThreadSafeArena::thread_cache_;
ThreadSafeArena::~ThreadSafeArena() { refuse(); }
uint64_t ThreadSafeArena::SpaceAllocated() const { refuse(); }
void ThreadSafeArena::AddCleanup(void *, void (*)(void *)) { refuse(); }

} // namespace internal
} // namespace google::protobuf
