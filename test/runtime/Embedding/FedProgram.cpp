//===- FedProgram.cpp - The counter program, with a fed step --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FedProgram.h"

#include "runtime/Support/ErrorSlot.h"

using namespace ingot;
using namespace ingot::test;

static int32_t runFedStep(ingot_context *, uint8_t *, void *const *variables,
                          const ingot_tensor *feeds, ingot_tensor *fetches) {
  float sum = 0;
  for (int64_t i = 0; i < feeds[1].dims[0] * 2; ++i)
    sum += static_cast<const float *>(feeds[1].data)[i];
  sum *= *static_cast<const float *>(feeds[0].data);
  for (int i = 0; i < 3; ++i)
    sum += static_cast<const uint8_t *>(feeds[2].data)[i];
  for (int i = 0; i < 2; ++i)
    sum += static_cast<float>(
        static_cast<const ingot_string *>(feeds[3].data)[i].size);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(feeds[i].data) % INGOT_ALIGNMENT, 0u);
  float &w = *static_cast<float *>(variables[CounterW]);
  w += sum;
  if (sum > 1000)
    return recordError(Status(StatusCode::Internal, "the sum is too large"));
  ++*static_cast<int64_t *>(variables[CounterStep]);
  *static_cast<float *>(fetches[0].data) = w;
  return 0;
}

ingot_program ingot::test::fedProgram() {
  static const int64_t open2[] = {-1, 2}, three[] = {3}, two[] = {2};
  static const ingot_tensor_spec feeds[] = {
      {"rate:0", INGOT_FLOAT, 0, nullptr},
      {"x:0", INGOT_FLOAT, 2, open2},
      {"flags:0", INGOT_BOOL, 1, three},
      {"texts:0", INGOT_STRING, 1, two},
  };
  static const std::vector<ingot_entry> entries = [] {
    ingot_program program = counterProgram();
    std::vector<ingot_entry> all(program.entries,
                                 program.entries + program.num_entries);
    for (ingot_entry &entry : all)
      if (entry.role == INGOT_ROLE_STEP) {
        entry.num_feeds = std::size(feeds);
        entry.feeds = feeds;
        entry.num_fetches = 1;
        entry.run = runFedStep;
      }
    return all;
  }();
  ingot_program program = counterProgram();
  program.entries = entries.data();
  return program;
}
