//===- MemoryBandwidth.cpp - Bytes a second by working set ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The bandwidth of each level of the memory hierarchy: y = a x + y over two
// arrays whose bytes together are the working set of a thread, from the first
// cache to memory. Counts two reads and a write an element; GB/s of the best of
// many passes. What a write allocates in a cache is not counted.
//
//===----------------------------------------------------------------------===//

#include "bench/ParallelRounds.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <immintrin.h>
#include <memory>

static constexpr size_t smallest = size_t(16) << 10, largest = size_t(64) << 20;

#define INGOT_PASSES(NAME, TARGET, VECTOR, SET, LOAD, STORE, FMA, LANES)       \
  __attribute__((target(TARGET), noinline)) static void NAME(                  \
      float *y, const float *x, size_t count, int repeats) {                   \
    VECTOR factor = SET(0.5f);                                                 \
    for (int repeat = 0; repeat < repeats; ++repeat) {                         \
      for (size_t i = 0; i < count; i += 64)                                   \
        _Pragma("GCC unroll 8") for (size_t part = 0; part < 64;               \
                                     part += LANES)                            \
            STORE(y + i + part,                                                \
                  FMA(factor, LOAD(x + i + part), LOAD(y + i + part)));        \
      asm volatile("" ::: "memory");                                           \
    }                                                                          \
  }

INGOT_PASSES(passesOf8, "avx2,fma", __m256, _mm256_set1_ps, _mm256_load_ps,
             _mm256_store_ps, _mm256_fmadd_ps, 8)
INGOT_PASSES(passesOf16, "avx512f", __m512, _mm512_set1_ps, _mm512_load_ps,
             _mm512_store_ps, _mm512_fmadd_ps, 16)

/// A thread's part: both arrays, and passes over them.
class Arrays {
public:
  explicit Arrays(size_t bytes) : count(bytes / 8 / 64 * 64) {
    x = static_cast<float *>(std::aligned_alloc(64, 4 * count));
    y = static_cast<float *>(std::aligned_alloc(64, 4 * count));
    std::fill_n(x, count, 1.0f);
    std::fill_n(y, count, 2.0f);
  }
  Arrays(const Arrays &) = delete;
  ~Arrays() {
    std::free(x);
    std::free(y);
  }

  void pass(int repeats) {
    (__builtin_cpu_supports("avx512f") ? passesOf16 : passesOf8)(y, x, count,
                                                                 repeats);
  }

private:
  size_t count;
  float *x, *y;
};

/// GB/s of `threads` threads at once, each with a working set of `bytes`.
static double measure(size_t bytes, unsigned threads, double seconds) {
  int repeats =
      static_cast<int>(std::max<size_t>(1, (size_t(1) << 22) / bytes));
  double moved = 1.5 * static_cast<double>(bytes) * repeats * threads;
  auto make = [&] {
    return [arrays = std::make_unique<Arrays>(bytes), repeats] {
      arrays->pass(repeats);
    };
  };
  return moved / ingot::bench::shortestRound(threads, seconds, make) / 1e9;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 0.05;
  unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  __builtin_cpu_init();
  if (argc > 3 || seconds <= 0 || threads == 0 ||
      !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fprintf(stderr, "usage: %s [SECONDS [THREADS]], with AVX2\n", argv[0]);
    return 2;
  }
  for (size_t bytes = smallest; bytes <= largest; bytes *= 2)
    std::printf("bytes %zu threads %u GB/s %.1f\n", bytes, threads,
                measure(bytes, threads, seconds));
  return 0;
}
