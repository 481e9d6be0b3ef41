//===- FmaPeak.cpp - The peak FMA rate of this machine's cores ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Fused multiply-adds in independent chains, for each level
// that the processor has, on one thread and on several: GFLOP/s of the best of
// many short windows. Graphs' rates say something as a share of it, where both
// are taken in the same seconds.
//
//===----------------------------------------------------------------------===//

#include "bench/ParallelRounds.h"

#include <cstdio>
#include <cstdlib>
#include <immintrin.h>

/// Twelve chains cover the latency of two units of four cycles, and leave
/// registers. A compiler would merge chains with the same initial values, so
/// these are hidden from it.
static constexpr int numChains = 12, stepsOfWindow = 200'000;

#define INGOT_CHAINS(NAME, TARGET, VECTOR, ZERO, FMA)                          \
  __attribute__((target(TARGET), noinline)) static void NAME() {               \
    VECTOR sums[numChains], factor = ZERO(), summand = ZERO();                 \
    asm volatile("" : "+v"(factor), "+v"(summand));                            \
    _Pragma("GCC unroll 12") for (VECTOR &sum : sums) {                        \
      sum = ZERO();                                                            \
      asm volatile("" : "+v"(sum));                                            \
    }                                                                          \
    for (int i = 0; i < stepsOfWindow; ++i)                                    \
      _Pragma("GCC unroll 12") for (VECTOR &sum : sums) sum =                  \
          FMA(sum, factor, summand);                                           \
    _Pragma("GCC unroll 12") for (VECTOR &sum : sums) asm volatile("" : :      \
                                                                   "v"(sum));  \
  }

INGOT_CHAINS(chainsOf8, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_fmadd_ps)
INGOT_CHAINS(chainsOf16, "avx512f", __m512, _mm512_setzero_ps, _mm512_fmadd_ps)

/// GFLOP/s of `threads` threads at once.
static double measure(void (*chains)(), int lanes, unsigned threads,
                      double seconds) {
  double operations = 2.0 * numChains * lanes * stepsOfWindow * threads;
  return operations /
         ingot::bench::shortestRound(threads, seconds, [&] { return chains; }) /
         1e9;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0.2;
  unsigned threads = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc > 3 || seconds <= 0) {
    std::fprintf(stderr, "usage: %s [SECONDS [THREADS]]\n", argv[0]);
    return 2;
  }
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  auto print = [&](const char *level, void (*chains)(), int lanes) {
    for (unsigned count : {1u, threads}) {
      std::printf("%s threads %u GFLOP/s %.1f\n", level, count,
                  measure(chains, lanes, count, seconds));
      if (threads == 1)
        break;
    }
  };
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    print("x86-64-v3", chainsOf8, 8);
  if (__builtin_cpu_supports("avx512f"))
    print("x86-64-v4", chainsOf16, 16);
  return 0;
}
