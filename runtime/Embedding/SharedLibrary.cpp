//===- SharedLibrary.cpp - What protobuf's archive lacks in shared objects ===//
//
// Debian's libprotobuf-lite.a is made for executables: where it keeps the
// arenas of threads, and how it reads stderr, cannot be linked into a shared
// object. Nothing of ours makes an arena; what other members of the archive
// name of theirs stands here in their place. Linked into --emit=shared alone,
// which has references to stderr go to __wrap_stderr.
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
