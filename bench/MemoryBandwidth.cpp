//===- MemoryBandwidth.cpp - Bytes a second by working set ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Prints the bandwidth of each level of the memory hierarchy, by the working
// set of a thread.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/MachineLimits.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0.05;
  int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (argc > 3 || seconds <= 0 || threads <= 0) {
    std::fprintf(stderr, "usage: %s [SECONDS [THREADS]]\n", argv[0]);
    return 2;
  }
  auto limits = ingot::measureMachineLimits(
      "x86-64", static_cast<unsigned>(threads), seconds);
  if (!limits) {
    std::fprintf(stderr, "error: %s\n", limits.status().message().c_str());
    return 1;
  }
  for (const ingot::Bandwidth &level : limits->bandwidths)
    std::printf("bytes %zu threads %d GB/s %.1f\n", level.workingSet, threads,
                level.bytesPerSecond / 1e9);
  std::printf("fork-join threads %d ns %.0f\n", threads,
              limits->forkJoinSeconds * 1e9);
  return 0;
}
