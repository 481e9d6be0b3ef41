//===- CounterProgram.h - A small program, compiled by hand -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the session train: a descriptor as codegen would
// write it, whose entries are C++ functions. One step draws the next integer x
// of a shuffled, repeated range and mixes it into variables, so that every
// value depends on all elements so far and their order.
//
//   w <- 0.9 w + 0.1 x      v[i] <- v[i] + (i + 1) w      global_step += 1
//
// Variables: w float32; v as two slices of a float32[4]; label, a string; seen,
// a local counter; global_step.
//
// Environment: COUNTER_NAN_AT=N makes w NaN in step N; COUNTER_STEP_USEC=N
// makes a step last N microseconds, COUNTER_INIT_USEC, COUNTER_LOCAL_INIT_USEC
// and COUNTER_INPUT_USEC what runs before the first step and before an element;
// COUNTER_FAIL_AT=N fails step N; COUNTER_ABORT_AT=N fails step N once with
// Aborted, with COUNTER_ABORT_ALWAYS again and again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_SESSION_COUNTERPROGRAM_H
#define INGOT_TEST_RUNTIME_SESSION_COUNTERPROGRAM_H

#include "runtime/Session/Session.h"

#include <cstdint>
#include <span>
#include <string>

namespace ingot::test {

/// The indices of the program's variables.
enum CounterVariable : uint32_t {
  CounterW,
  CounterV0,
  CounterV1,
  CounterLabel,
  CounterSeen,
  CounterStep,
};

/// The number of elements in one pass of the input.
inline constexpr int64_t counterRange = 40;

/// Returns the program, whose tables are never freed. The input has `passes`
/// passes; -1: it repeats without end.
ingot_program counterProgram(int64_t passes = -1);

/// Returns the program with lines of a file as input: x is the sum of the next
/// three lines. If `prefetches` is true, a thread reads them ahead.
ingot_program lineProgram(const std::string &path, bool prefetches);

/// Returns the options of a session on `files` whose steps run on the calling
/// thread.
SessionOptions oneThread(FileSystem &files = FileSystem::posix());

/// Returns an entry whose code launches no kernels.
constexpr ingot_entry entryOf(const char *name, ingot_role role, ingot_code run,
                              std::span<const ingot_tensor_spec> feeds,
                              std::span<const ingot_tensor_spec> fetches,
                              std::span<const uint32_t> assigned) {
  return {.name = name,
          .role = role,
          .of = -1,
          .member = "",
          .place = 0,
          .num_places = 0,
          .run = run,
          .arena_size = 0,
          .num_arguments = 0,
          .arguments = nullptr,
          .constants = nullptr,
          .num_feeds = static_cast<uint32_t>(feeds.size()),
          .feeds = feeds.data(),
          .num_fetches = static_cast<uint32_t>(fetches.size()),
          .fetches = fetches.data(),
          .num_assigned = static_cast<uint32_t>(assigned.size()),
          .assigned = assigned.data(),
          .num_changed_tables = 0,
          .changed_tables = nullptr,
          .num_iterators = 0,
          .iterators = nullptr,
          .num_host_memory = 0,
          .host_memory = nullptr,
          .num_exchanges = 0,
          .exchanges = nullptr};
}

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_SESSION_COUNTERPROGRAM_H
