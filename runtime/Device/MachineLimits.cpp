//===- MachineLimits.cpp - Peak arithmetic and bandwidth ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/MachineLimits.h"

#include "runtime/Device/ShortestRound.h"

#include <algorithm>
#include <cstdlib>
#include <immintrin.h>
#include <memory>

using namespace ingot;

/// Twelve chains cover the latency of two units of four cycles, and leave
/// registers free. A compiler would merge chains with the same initial values,
/// so empty assembly hides these values from it.
static constexpr int numChains = 12, numChainSteps = 200'000;

#define INGOT_CHAINS(NAME, TARGET, VECTOR, ZERO, FMA)                          \
  __attribute__((target(TARGET), noinline)) static void NAME() {               \
    VECTOR sums[numChains], factor = ZERO(), summand = ZERO();                 \
    asm volatile("" : "+v"(factor), "+v"(summand));                            \
    _Pragma("GCC unroll 12") for (VECTOR &sum : sums) {                        \
      sum = ZERO();                                                            \
      asm volatile("" : "+v"(sum));                                            \
    }                                                                          \
    for (int i = 0; i < numChainSteps; ++i)                                    \
      _Pragma("GCC unroll 12") for (VECTOR &sum : sums) sum =                  \
          FMA(sum, factor, summand);                                           \
    _Pragma("GCC unroll 12") for (VECTOR &sum : sums) asm volatile("" : :      \
                                                                   "v"(sum));  \
  }

/// Updates y = a * x + y over `count` elements, `repeats` times.
#define INGOT_PASSES(NAME, TARGET, VECTOR, SET, LOAD, STORE, FMA, LANES)       \
  __attribute__((target(TARGET), noinline)) static void NAME(                  \
      float *y, const float *x, size_t count, int repeats) {                   \
    VECTOR factor = SET(0.5f);                                                 \
    for (int repeat = 0; repeat < repeats; ++repeat) {                         \
      for (size_t i = 0; i < count; i += 64)                                   \
        _Pragma("GCC unroll 4") for (size_t part = 0; part < 64;               \
                                     part += LANES)                            \
            STORE(y + i + part,                                                \
                  FMA(factor, LOAD(x + i + part), LOAD(y + i + part)));        \
      asm volatile("" ::: "memory");                                           \
    }                                                                          \
  }

#define INGOT_MULTIPLY_ADD(A, B, C) _mm_add_ps(_mm_mul_ps(A, B), C)
INGOT_CHAINS(chainsOf4, "sse2", __m128, _mm_setzero_ps, INGOT_MULTIPLY_ADD)
INGOT_CHAINS(chainsOf8, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_fmadd_ps)
INGOT_CHAINS(chainsOf16, "avx512f", __m512, _mm512_setzero_ps, _mm512_fmadd_ps)
INGOT_PASSES(passesOf4, "sse2", __m128, _mm_set1_ps, _mm_load_ps, _mm_store_ps,
             INGOT_MULTIPLY_ADD, 4)
INGOT_PASSES(passesOf8, "avx2,fma", __m256, _mm256_set1_ps, _mm256_load_ps,
             _mm256_store_ps, _mm256_fmadd_ps, 8)
INGOT_PASSES(passesOf16, "avx512f", __m512, _mm512_set1_ps, _mm512_load_ps,
             _mm512_store_ps, _mm512_fmadd_ps, 16)

Expected<double> ingot::measurePeakFlops(std::string_view level,
                                         unsigned threads, double seconds) {
  bool isV4 = level.starts_with("x86-64-v4"), isV3 = level == "x86-64-v3";
  void (*chains)() = isV4 ? chainsOf16 : isV3 ? chainsOf8 : chainsOf4;
  double lanes = isV4 ? 16 : isV3 ? 8 : 4;
  INGOT_ASSIGN_OR_RETURN(
      double shortest,
      shortestRound(threads, seconds, [&](unsigned) { return chains; }));
  return 2.0 * numChains * lanes * numChainSteps * threads / shortest;
}

namespace {
struct Free {
  void operator()(float *memory) const { std::free(memory); }
};
using FloatArray = std::unique_ptr<float[], Free>;
} // namespace

Expected<double> ingot::measureBandwidth(size_t workingSet, unsigned threads,
                                         double seconds) {
  size_t count = workingSet / (2 * sizeof(float)) / 64 * 64;
  // The two arrays of a thread adjoin.
  std::vector<FloatArray> arrays;
  for (unsigned thread = 0; thread < threads; ++thread) {
    arrays.emplace_back(static_cast<float *>(
        std::aligned_alloc(64, 2 * count * sizeof(float))));
    if (!arrays.back())
      return Status(StatusCode::ResourceExhausted,
                    "out of memory: cannot allocate " +
                        std::to_string(workingSet) +
                        " bytes to measure the bandwidth of memory");
  }
  __builtin_cpu_init();
  auto *passes =
      __builtin_cpu_supports("avx512f") ? passesOf16
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
          ? passesOf8
          : passesOf4;
  int repeats =
      static_cast<int>(std::max<size_t>(1, (size_t(1) << 22) / workingSet));
  auto shortest = shortestRound(threads, seconds, [&](unsigned thread) {
    float *y = arrays[thread].get(), *x = y + count;
    // The thread that writes a page first determines its NUMA node.
    std::fill_n(y, 2 * count, 1.0f);
    return [=] { passes(y, x, count, repeats); };
  });
  if (!shortest)
    return shortest.status();
  return 3.0 * sizeof(float) * static_cast<double>(count) * repeats * threads /
         *shortest;
}

Expected<double> ingot::measureForkJoin(unsigned threads, double seconds) {
  if (threads == 1)
    return 0.0;
  return shortestRound(threads, seconds, [](unsigned) { return [] {}; });
}

Expected<MachineLimits> ingot::measureMachineLimits(std::string_view level,
                                                    unsigned threads,
                                                    double seconds) {
  MachineLimits limits = {threads, 0, {}, 0};
  INGOT_ASSIGN_OR_RETURN(limits.flopsPerSecond,
                         measurePeakFlops(level, threads, seconds));
  for (size_t bytes = size_t(16) << 10; bytes <= size_t(64) << 20; bytes *= 2) {
    INGOT_ASSIGN_OR_RETURN(double rate,
                           measureBandwidth(bytes, threads, seconds));
    limits.bandwidths.push_back({bytes, rate});
  }
  INGOT_ASSIGN_OR_RETURN(limits.forkJoinSeconds,
                         measureForkJoin(threads, seconds));
  return limits;
}

RooflineBound MachineLimits::boundOf(double flops, double bytes) const {
  auto fits = [&](const Bandwidth &level) {
    return static_cast<double>(level.workingSet) * threads >= bytes;
  };
  auto found = std::ranges::find_if(bandwidths, fits);
  double rate =
      (found == bandwidths.end() ? bandwidths.back() : *found).bytesPerSecond;
  double computing = flops / flopsPerSecond, moving = bytes / rate;
  return {std::max(computing, moving), computing >= moving};
}
