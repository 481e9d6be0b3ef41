//===- IteratorStateTest.cpp - States, small, checked, and refused --------===//
// SPDX-License-Identifier: Apache-2.0
//
// States must be small, a damaged or foreign state must change nothing, and
// prefetching must not change the saved position.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"
#include "Records.h"

#include "proto/IteratorState.pb.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/Status.h"

#include <gtest/gtest.h>
#include <random>

using namespace ingot;
using namespace ingot::test;

namespace {

std::unique_ptr<Iterator> create(ProgramBuilder &builder, uint32_t root) {
  uint32_t index = builder.iterator(root);
  auto created = Iterator::create(builder.program(), index, {});
  EXPECT_TRUE(created) << created.status().message();
  return std::move(*created);
}

std::unique_ptr<Iterator> made(ProgramBuilder &builder, uint32_t root) {
  auto iterator = create(builder, root);
  EXPECT_TRUE(iterator->make().isOk());
  return iterator;
}

uint32_t smallPipeline(ProgramBuilder &b) {
  return b.prefetch(b.batch(b.repeat(b.shuffle(b.range(20), 6, 42, 7)), 3));
}

std::string sealed(const proto::IteratorState &state) {
  std::string bytes = state.SerializeAsString();
  uint32_t crc = maskCrc32c(crc32c(0, bytes.data(), bytes.size()));
  bytes += '\x7d';
  return bytes.append(reinterpret_cast<const char *>(&crc), sizeof(crc));
}

void expectRefused(Iterator &iterator, const std::string &state,
                   const std::string &word) {
  Status status = iterator.restore(state);
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find(word), std::string::npos)
      << "no '" << word << "' in: " << status.message();
}

TEST(IteratorState, IsAnIteratorStateMessage) {
  ProgramBuilder builder;
  auto iterator = made(builder, smallPipeline(builder));
  take(*iterator, 4);
  auto bytes = iterator->save();
  ASSERT_TRUE(bytes);
  proto::IteratorState state;
  ASSERT_TRUE(state.ParseFromString(*bytes));
  EXPECT_EQ(state.version(), 1u);
  EXPECT_EQ(state.iterator(), "IteratorV2_0");
  EXPECT_EQ(state.elements(), 4u);
  ASSERT_EQ(state.pipeline_size(), 5);
  EXPECT_EQ(state.pipeline(0), "PrefetchDataset()");
  EXPECT_EQ(state.pipeline(3), "      ShuffleDataset(buffer_size=6, seed=42, "
                               "seed2=7) reshuffle_each_iteration=1");
}

// The example in docs/iterator-state.md.
TEST(IteratorState, KeepsCountersOfAShuffleAndNoElements) {
  ProgramBuilder builder;
  auto iterator = made(builder, builder.shuffle(builder.range(20), 6, 42, 7));
  take(*iterator, 4);
  proto::IteratorState state;
  ASSERT_TRUE(state.ParseFromString(*iterator->save()));
  const proto::IteratorNodeState &root = state.root();
  EXPECT_EQ(root.seeds_drawn(), 2u);
  EXPECT_EQ(root.drawn(), 4u);
  EXPECT_EQ(root.read(), 9u); // 3 before draw 4, and a buffer of 6
  EXPECT_FALSE(root.ended());
  EXPECT_EQ(root.origin().position(), 0u);
  EXPECT_EQ(root.inputs_size(), 0);
}

TEST(IteratorState, FailsBeforeTheIteratorIsMade) {
  ProgramBuilder builder;
  auto iterator = create(builder, smallPipeline(builder));
  const void *component = nullptr;
  EXPECT_FALSE(iterator->isMade());
  EXPECT_EQ(iterator->save().status().code(), StatusCode::FailedPrecondition);
  Status status = iterator->next(&component);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("IteratorV2_0"), std::string::npos);
}

TEST(IteratorState, EveryDamageIsRefusedAndChangesNothing) {
  ProgramBuilder builder;
  auto iterator = made(builder, smallPipeline(builder));
  Taken all = take(*iterator, 12);
  ASSERT_TRUE(iterator->make().isOk());
  take(*iterator, 5);
  std::string state = *iterator->save();
  for (size_t size = 0; size < state.size(); ++size)
    expectRefused(*iterator, state.substr(0, size), "damaged");
  for (size_t bit = 0; bit < 8 * state.size(); ++bit) {
    std::string flipped = state;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    expectRefused(*iterator, flipped, "damaged");
  }
  Taken rest = take(*iterator, 7);
  EXPECT_EQ(rest.values,
            std::vector<int64_t>(all.values.end() - 21, all.values.end()));
}

// A state with a valid checksum may still contain any numbers.
TEST(IteratorState, SurvivesAnyFields) {
  ProgramBuilder builder;
  uint32_t files = builder.dataset(
      "TensorSliceDataset", {}, {builder.strings({"no-such-file", "nor-this"})},
      {builder.spec(INGOT_STRING)});
  uint32_t records =
      builder.flatMap(files, builder.records(ProgramBuilder::argument(0)));
  uint32_t taken = builder.unary("TakeDataset", records, 5);
  uint32_t root = builder.prefetch(
      builder.repeat(builder.shuffle(builder.batch(taken, 2), 6, 42, 7)));
  std::unique_ptr<Iterator> iterators[] = {
      made(builder, smallPipeline(builder)), made(builder, root)};
  std::mt19937_64 random(1);
  size_t refused = 0;
  for (auto &iterator : iterators) {
    proto::IteratorState original;
    ASSERT_TRUE(original.ParseFromString(*iterator->save()));
    for (int round = 0; round < 3000; ++round) {
      proto::IteratorState state = original;
      proto::IteratorNodeState *node = state.mutable_root();
      for (int depth = random() % 7; depth > 0; --depth) {
        if (random() % 3 == 0)
          node = node->mutable_origin();
        else
          node = node->inputs_size() ? node->mutable_inputs(0)
                                     : node->add_inputs();
      }
      // Mostly small counts: a large number of draws is valid, but takes long
      // to replay.
      auto count = [&] { return random() % 2 ? random() % 30 : 0; };
      node->set_position(random() % 4 ? count() : random());
      node->set_epoch(random());
      node->set_ended(random() % 2);
      node->set_file(count());
      node->set_offset(random() % 4 ? count() : random());
      node->set_drawn(count());
      node->set_read(count());
      node->set_seeds_drawn(random());
      if (random() % 8 == 0)
        node->add_inputs();
      if (random() % 8 == 0)
        node->clear_inputs();
      refused += !iterator->restore(sealed(state)).isOk();
      take(*iterator, 3);
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST(IteratorState, CountsAreBoundedBeforeAnythingIsReadAgain) {
  ProgramBuilder builder;
  uint32_t endless = builder.repeat(builder.range(20));
  auto shuffle = made(builder, builder.shuffle(endless, 6, 42, 7));
  uint32_t elements =
      builder.dataset("WindowElements", {}, {ProgramBuilder::argument(0)},
                      {builder.spec(INGOT_INT64)});
  auto window = made(
      builder, builder.flatMap(builder.window(endless, 3, 1, 2), elements));
  auto stateOf = [](Iterator &iterator) {
    take(iterator, 4);
    proto::IteratorState state;
    EXPECT_TRUE(state.ParseFromString(*iterator.save()));
    state.clear_checksum();
    return state;
  };
  proto::IteratorState state = stateOf(*shuffle);
  ASSERT_TRUE(shuffle->restore(sealed(state)).isOk());
  ASSERT_TRUE(state.root().has_origin());
  // The state is consistent, but replaying that many draws would take for ever.
  state.mutable_root()->set_drawn(uint64_t(1) << 50);
  state.mutable_root()->set_read((uint64_t(1) << 50) + 5);
  expectRefused(*shuffle, sealed(state), "more than the limit of 2^40");
  state.mutable_root()->add_kept(0);
  state.mutable_root()->set_drawn(0);
  state.mutable_root()->set_read(0);
  expectRefused(*shuffle, sealed(state),
                "a dataset has buffered 1 elements, but has read only 0");

  // Replaying this state would fill all memory with a window's elements.
  state = stateOf(*window);
  ASSERT_TRUE(window->restore(sealed(state)).isOk());
  // The state of the input from which the elements of the current window come.
  proto::IteratorNodeState *node = state.mutable_root()->mutable_origin();
  ASSERT_TRUE(node->has_origin());
  ASSERT_EQ(node->read(), 4u);
  node->set_read(uint64_t(1) << 39);
  expectRefused(*window, sealed(state),
                "a window has buffered 549755813888 elements, but spans only "
                "5");
}

TEST(IteratorState, AnotherPipelinesStateIsRefusedWithTheDifference) {
  ProgramBuilder builder;
  auto pipeline = [&](int64_t buffer, int64_t seed, bool reshuffle) {
    return builder.repeat(
        builder.shuffle(builder.range(20), buffer, 42, seed, reshuffle));
  };
  auto iterator = made(builder, pipeline(6, 7, true));
  auto stateOf = [&](uint32_t root) { return *made(builder, root)->save(); };
  expectRefused(*iterator, stateOf(pipeline(5, 7, true)), "buffer_size=5");
  expectRefused(*iterator, stateOf(pipeline(6, 8, true)), "seed2=8");
  expectRefused(*iterator, stateOf(pipeline(6, 7, false)),
                "reshuffle_each_iteration=0");
  expectRefused(*iterator, stateOf(builder.batch(pipeline(6, 7, true), 2)),
                "BatchDataset");
  expectRefused(*iterator, stateOf(builder.repeat(builder.range(20))),
                "RangeDataset");
  TestFolder folder;
  writeFile(folder / "a", framed("a"));
  auto records =
      made(builder, builder.records(builder.strings({folder / "a"})));
  expectRefused(*records,
                stateOf(builder.records(builder.strings({folder / "b"}))),
                folder / "b");
}

TEST(IteratorState, PrefetchDepthDoesNotChangePipeline) {
  ProgramBuilder builder;
  auto batches = [&] {
    return builder.batch(builder.shuffle(builder.range(50), 6, 42, 7), 3);
  };
  auto deep = made(builder, builder.prefetch(batches(), 8));
  auto shallow = made(builder, builder.prefetch(batches(), 1));
  Taken all = take(*shallow, 100);
  Taken first = take(*deep, 4);
  ASSERT_TRUE(shallow->restore(*deep->save()).isOk());
  Taken rest = take(*shallow, 100);
  first.values.insert(first.values.end(), rest.values.begin(),
                      rest.values.end());
  EXPECT_EQ(first.values, all.values);
}

TEST(IteratorState, OtherStateVersionsAreRefused) {
  ProgramBuilder builder;
  auto iterator = made(builder, smallPipeline(builder));
  proto::IteratorState state;
  ASSERT_TRUE(state.ParseFromString(*iterator->save()));
  state.clear_checksum();
  state.set_version(9);
  expectRefused(*iterator, sealed(state),
                "version 9, but this program reads versions up to 2");
}

TEST(IteratorState, LargeShuffleHasSmallState) {
  ProgramBuilder builder;
  uint32_t root = builder.prefetch(builder.batch(
      builder.repeat(builder.shuffle(builder.range(1100000), 1000000, 42, 7)),
      64));
  auto iterator = made(builder, root);
  take(*iterator, 3000);
  auto state = iterator->save();
  ASSERT_TRUE(state);
  EXPECT_LE(state->size(), 4096u);
  auto resumed = create(builder, root);
  ASSERT_TRUE(resumed->restore(*state).isOk());
  EXPECT_EQ(take(*resumed, 200).values, take(*iterator, 200).values);
}

TEST(IteratorState, UnseededShuffleKeepsItsOrder) {
  ProgramBuilder builder;
  uint32_t root =
      builder.repeat(builder.shuffle(builder.range(1000), 1000, 0, 0));
  auto iterator = made(builder, root);
  auto other = made(builder, root);
  Taken first = take(*iterator, 1500);
  EXPECT_NE(first.values, take(*other, 1500).values);
  ASSERT_TRUE(other->restore(*iterator->save()).isOk());
  EXPECT_EQ(take(*other, 3000).values, take(*iterator, 3000).values);
}

TEST(IteratorState, ShortenedFileIsNamed) {
  TestFolder folder;
  writeFile(folder / "data", framed("first") + framed("second"));
  ProgramBuilder builder;
  auto iterator =
      made(builder, builder.records(builder.strings({folder / "data"})));
  const void *component = nullptr;
  ASSERT_TRUE(iterator->next(&component).isOk());
  ASSERT_TRUE(iterator->next(&component).isOk());
  std::string state = *iterator->save();
  writeFile(folder / "data", framed("first"));
  Status status = iterator->restore(state);
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_NE(status.message().find(folder / "data"), std::string::npos);
  EXPECT_NE(status.message().find("ends at byte 21"), std::string::npos)
      << status.message();
}

} // namespace
