//===- SnapshotTest.cpp - Costs of iterator snapshots ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A prefetch takes the state of its input with every element, and a save takes
// the state of the whole iterator. Tests how long both take, and how large the
// state of a large shuffle is.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"
#include "Records.h"

#include "runtime/Input/Dataset.h"
#include "runtime/Input/ParseExample.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::input;
using namespace ingot::test;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int32_t neverCalled(ingot_context *, uint8_t *, void *const *,
                    const ingot_tensor *, ingot_tensor *) {
  return 1;
}

/// A pipeline from files to records to parsed examples with one label, as in
/// the reference runs.
uint32_t parsedRecords(ProgramBuilder &b, const std::string &path) {
  static const ingot_dense_feature label = {"y", INGOT_INT64, 0, nullptr,
                                            nullptr};
  static const ingot_parse_spec spec = {"ParseSingle", 1, &label};
  static const uint32_t parsed[] = {0};
  uint32_t names = b.dataset("TensorSliceDataset", {}, {b.strings({path})},
                             {b.spec(INGOT_STRING)});
  uint32_t records = b.flatMap(names, b.records(ProgramBuilder::argument(0)));
  uint32_t map = b.map(records, neverCalled, {b.spec(INGOT_INT64)});
  b.editFunction(map).parse = &spec;
  b.editFunction(map).parsed = parsed;
  return map;
}

void writeLabels(const std::string &path, int64_t count) {
  std::string file;
  for (int64_t i = 0; i < count; ++i)
    file += framed(example(feature("y", 3, packedInts({i}))));
  writeFile(path, file);
}

TEST(Snapshot, UpdatedStateEqualsSavedState) {
  for (const Order &order : orders()) {
    SCOPED_TRACE(order.name);
    ProgramBuilder b;
    uint32_t root = buildPipeline(b, order);
    IteratorContext environment{b.program(), InputPipelineOptions(), {}};
    auto made = makeIterator(environment, root, nullptr, nullptr);
    ASSERT_TRUE(made) << made.status().message();
    DatasetIterator &iterator = **made;
    ASSERT_TRUE(iterator.start().isOk());
    // States that are reused, as a prefetch does: each was written some
    // elements ago.
    NodeState states[3];
    Element element;
    bool end = false;
    for (size_t i = 0; i < 60 && !end; ++i) {
      NodeState saved;
      iterator.save(saved);
      iterator.update(states[i % 3]);
      ASSERT_EQ(states[i % 3].SerializeAsString(), saved.SerializeAsString())
          << "before element " << i;
      ASSERT_TRUE(iterator.next(element, end).isOk());
    }
  }
}

// A step takes at least as long as it takes to read its element. Of several
// times, the shortest is that of an undisturbed machine.
TEST(Snapshot, CostsAtMostHalfAPercentOfItsElement) {
  TestFolder folder;
  writeLabels(folder / "labels", 5000);
  ProgramBuilder b;
  uint32_t root = b.batch(
      b.repeat(b.shuffle(parsedRecords(b, folder / "labels"), 512, 1, 2)), 64);
  IteratorContext environment{b.program(), InputPipelineOptions(), {}};
  auto made = makeIterator(environment, root, nullptr, nullptr);
  ASSERT_TRUE(made) << made.status().message();
  ASSERT_TRUE((*made)->start().isOk());
  Element element;
  NodeState state;
  constexpr int count = 200;
  double elements = 1e9, states = 1e9;
  for (int window = 0; window < 20; ++window) {
    auto start = Clock::now();
    bool end = false;
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE((*made)->next(element, end).isOk());
    elements = std::min(elements, secondsSince(start));
    start = Clock::now();
    for (int i = 0; i < count; ++i)
      (*made)->update(state);
    states = std::min(states, secondsSince(start));
  }
  RecordProperty("nanoseconds", std::to_string(states / count * 1e9));
  EXPECT_LE(states, elements / 200)
      << states / count * 1e9 << " ns of " << elements / count * 1e9;
}

// The time limit is three times the intended one, for machines under load.
TEST(Snapshot, LargeShuffleHasSmallStateAndRestoresFast) {
  constexpr int64_t records = 1000000;
  TestFolder folder;
  writeLabels(folder / "labels", records + 100000);
  ProgramBuilder b;
  uint32_t root = b.prefetch(b.batch(
      b.repeat(b.shuffle(parsedRecords(b, folder / "labels"), records, 1, 2)),
      64));
  uint32_t index = b.iterator(root);
  auto iterator = Iterator::create(b.program(), index, {});
  auto resumed = Iterator::create(b.program(), index, {});
  ASSERT_TRUE(iterator && resumed);
  ASSERT_TRUE((*iterator)->make().isOk());
  take(**iterator, 1000);
  auto state = (*iterator)->save();
  ASSERT_TRUE(state) << state.status().message();
  EXPECT_LE(state->size(), 4096u);
  auto start = Clock::now();
  ASSERT_TRUE((*resumed)->restore(*state).isOk());
  double seconds = secondsSince(start);
  std::printf("%zu bytes, %.2f s\n", state->size(), seconds);
  EXPECT_LE(seconds, 9.0);
  EXPECT_EQ(take(**resumed, 100).values, take(**iterator, 100).values);
}

} // namespace
