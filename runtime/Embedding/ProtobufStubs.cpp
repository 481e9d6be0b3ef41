//===- ProtobufStubs.cpp - Names that protobuf needs ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Debian's libprotobuf-lite.a is compiled for executables: its thread-local
// arenas and its references to stderr cannot be linked into a shared object.
// Ingot uses no arenas. This file defines the arena symbols to which the rest
// of the archive refers, and is linked only into --emit=shared, where the
// linker redirects references to stderr to __wrap_stderr.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <google/protobuf/arena.h>

extern "C" FILE *__real_stderr;
extern "C" FILE *__wrap_stderr;
FILE *__wrap_stderr;

/// Sets __wrap_stderr. Runs before the library's other static constructors, as
/// those may already print to stderr.
__attribute__((constructor(101))) static void findStandardError() {
  __wrap_stderr = __real_stderr;
}

namespace google::protobuf {

[[noreturn]] static void *refuse() {
  std::abort(); // unreachable: nobody uses arenas
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
