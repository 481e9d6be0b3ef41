//===- Parallel.cpp - A kernel's grid, split among threads ----------------===//

#include "runtime/Device/Parallel.h"

#include <omp.h>
#include <sched.h>

namespace ingot {

void parallelFor(unsigned threads, ingot_kernel kernel, int64_t count,
                 void *const *arguments) {
  if (count <= 0)
    return;
  if (threads <= 1 || count == 1) {
    kernel(arguments, 0, count);
    return;
  }
  int wanted = static_cast<int>(count < threads ? count : threads);
#pragma omp parallel num_threads(wanted)
  {
    // OpenMP may give fewer threads than asked for.
    int64_t parts = omp_get_num_threads();
    int64_t part = omp_get_thread_num();
    // The first `count % parts` ranges are one longer.
    int64_t length = count / parts, longer = count % parts;
    int64_t begin = part * length + (part < longer ? part : longer);
    int64_t end = begin + length + (part < longer ? 1 : 0);
    if (begin < end)
      kernel(arguments, begin, end);
  }
}

unsigned availableCores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

} // namespace ingot
