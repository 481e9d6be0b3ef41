//===- Order.cpp - The tests' CUDA driver: races between streams ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// The work of streams is ordered only by events and by waits of the program.
// Each stream has a vector clock, which says what work of other streams is done
// before its next work begins. If two streams use the same memory and one of
// them writes it, their clocks must order the two uses. This is checked when
// work is submitted, so that a race is found no matter in which order the work
// then runs.
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Driver.h"

#include <algorithm>
#include <cstdio>

void Driver::merge(Clock &clock, const Clock &other) {
  for (const auto &[stream, number] : other) {
    uint64_t &known = clock[stream];
    known = std::max(known, number);
  }
}

void Driver::waited(const Clock &clock) { merge(host, clock); }

/// Whether all of `uses` is done when work that knows of `known` begins.
static bool isKnown(const Clock &uses, const Clock &known, uint64_t own) {
  return std::all_of(uses.begin(), uses.end(), [&](const auto &use) {
    auto found = known.find(use.first);
    return use.first == own ||
           (found != known.end() && found->second >= use.second);
  });
}

bool Driver::isOrdered(CUstream stream, const void *memory, bool isWritten,
                       const char *what) {
  const auto &objects = live["memory"];
  auto next = objects.upper_bound(memory);
  if (next == objects.begin())
    return true;
  auto [begin, bytes] = *std::prev(next);
  if (static_cast<const char *>(memory) >=
      static_cast<const char *>(begin) + bytes)
    return true; // no address
  merge(stream->before, host);
  uint64_t own = stream->number, work = ++stream->before[own];
  Uses &used = uses[begin];
  bool isRace = !isKnown(used.writes, stream->before, own) ||
                (isWritten && !isKnown(used.reads, stream->before, own));
  (isWritten ? used.writes : used.reads)[own] = work;
  if (!isRace)
    return true;
  std::fprintf(stderr,
               "emulated GPU: a race between streams: %s uses memory that "
               "another stream's work %s, and no event orders them\n",
               what, isWritten ? "uses" : "writes");
  count("race", 1);
  return false;
}
