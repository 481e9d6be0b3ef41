//===- Parallel.cpp - A kernel's grid, split among threads ----------------===//

#include "runtime/Device/Parallel.h"

#include <cstdlib>
#include <sched.h>

// The ABI of GCC's OpenMP runtime ("Implementing PARALLEL construct" in its
// manual), which LLVM's has as well: any compiler builds this file, and a
// trainer carries GCC's, a tenth of the size of LLVM's.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
}

/// OpenMP's threads spin between two loops before they sleep, by default for
/// milliseconds: on a machine that has other work, or beside a save, that
/// takes the cores from other work. A step's loops are
/// microseconds apart. OpenMP reads its environment in a constructor of its
/// own, which in a trainer, linked statically, runs after this one; what the
/// user has set stays.
__attribute__((constructor(101))) static void shortenSpinning() {
  ::setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
}

namespace ingot {

namespace {
struct Loop {
  ingot_kernel kernel;
  int64_t count;
  void *const *arguments;
};
} // namespace

/// This thread's share of a loop.
static void runPart(void *data) {
  const Loop &loop = *static_cast<const Loop *>(data);
  // OpenMP may give fewer threads than asked for.
  int64_t parts = omp_get_num_threads();
  int64_t part = omp_get_thread_num();
  // The first `count % parts` ranges are one longer.
  int64_t length = loop.count / parts, longer = loop.count % parts;
  int64_t begin = part * length + (part < longer ? part : longer);
  int64_t end = begin + length + (part < longer ? 1 : 0);
  if (begin < end)
    loop.kernel(loop.arguments, begin, end);
}

void parallelFor(unsigned threads, ingot_kernel kernel, int64_t count,
                 void *const *arguments) {
  if (count <= 0)
    return;
  if (threads <= 1 || count == 1) {
    kernel(arguments, 0, count);
    return;
  }
  Loop loop = {kernel, count, arguments};
  GOMP_parallel(runPart, &loop,
                static_cast<unsigned>(count < threads ? count : threads), 0);
}

// Some twenty microseconds on one thread: a loop on several costs a few.
static int64_t minFlops = 1'000'000, minBytes = 512 * 1024;

bool isWorthThreads(int64_t count, int64_t flops, int64_t bytes) {
  return count > 1 && (flops > minFlops / count || bytes > minBytes / count);
}

void takeThreadsForLittle() { minFlops = minBytes = 0; }

unsigned availableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

} // namespace ingot
