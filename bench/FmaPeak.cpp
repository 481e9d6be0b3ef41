//===- FmaPeak.cpp - The peak FMA rate of this machine's cores ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Prints the peak of fused multiply-adds, for each level that the processor
// has, on one thread and on several. Graphs' rates say something as a share of
// it, where both are taken in the same seconds.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/MachineLimits.h"
#include "runtime/Device/ThreadPool.h"
#include "runtime/Session/Program.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
  int given = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc > 3 || seconds <= 0 || given < 0) {
    std::fprintf(stderr, "usage: %s [SECONDS [THREADS]]\n", argv[0]);
    return 2;
  }
  unsigned threads =
      given > 0 ? static_cast<unsigned>(given) : ingot::availableCores();
  for (const char *level : {"x86-64-v3", "x86-64-v4"})
    for (unsigned count = 1; ingot::hasCPULevel(level); count = threads) {
      auto rate = ingot::measurePeakFlops(level, count, seconds);
      if (!rate) {
        std::fprintf(stderr, "error: %s\n", rate.status().message().c_str());
        return 1;
      }
      std::printf("%s threads %u GFLOP/s %.1f\n", level, count, *rate / 1e9);
      if (count == threads)
        break;
    }
  return 0;
}
