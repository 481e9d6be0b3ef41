//===- QueueTest.cpp - Pipelines of queues --------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Queues give elements in TensorFlow's order (the expected numbers are those of
// TensorFlow 2.15's kernels, where a queue was full before each dequeue), go on
// from any saved state, and refuse damaged ones.
//
//===----------------------------------------------------------------------===//
#include "ProgramBuilder.h"

#include "test/runtime/Support/FaultFileSystem.h"

#include "proto/IteratorState.pb.h"
#include "runtime/Input/Iterator.h"
#include "runtime/Input/QueuePipeline.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/RunArena.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;
using input::Element;
using input::QueuePipeline;

namespace {

using Numbers = std::vector<int64_t>;

int64_t valueOf(const input::Tensor &tensor) {
  return *static_cast<const int64_t *>(tensor.data());
}

/// Returns its argument.
int32_t same(ingot_context *, uint8_t *, void *const *,
             const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<int64_t *>(fetches[0].data) =
      *static_cast<const int64_t *>(feeds[0].data);
  return 0;
}

/// Returns a third of its argument, the priority, and the argument.
int32_t withPriority(ingot_context *, uint8_t *, void *const *,
                     const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t x = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) = x / 3;
  *static_cast<int64_t *>(fetches[1].data) = x;
  return 0;
}

class TestPipeline {
public:
  /// A queue of `kind` that a runner fills with the elements of `source`.
  uint32_t queue(const char *kind, uint32_t source, int64_t capacity,
                 std::vector<ingot_attribute> more = {}, ingot_code code = same,
                 size_t components = 1) {
    std::vector<ingot_tensor_spec> types(components, b.spec(INGOT_INT64));
    uint32_t map = b.map(source, code, types);
    uint32_t runner = b.dataset("QueueEnqueue", {source}, {}, types, {},
                                b.edit(map).function);
    std::vector<ingot_attribute> attributes = {{"kind", 0, kind},
                                               {"capacity", capacity, nullptr}};
    attributes.insert(attributes.end(), more.begin(), more.end());
    return b.dataset("Queue", {runner}, {}, types, attributes);
  }

  std::unique_ptr<Iterator> create(std::vector<uint32_t> nodes,
                                   const InputPipelineOptions &options = {}) {
    if (root == UINT32_MAX)
      root = b.iterator(
          b.dataset("Queues", std::move(nodes), {}, {b.spec(INGOT_INT64)}));
    auto created = Iterator::create(b.program(), root, options);
    EXPECT_TRUE(created) << created.status().message();
    return created ? std::move(*created) : nullptr;
  }

  ProgramBuilder b;
  uint32_t root = UINT32_MAX;
};

/// Takes `count` elements at a time until the queue ends; returns the last
/// components.
Numbers takeAll(Iterator &iterator, int64_t count, Status &end,
                size_t most = SIZE_MAX, bool upTo = false) {
  Numbers numbers;
  end = Status::ok();
  while (end.isOk() && numbers.size() < most)
    end = iterator.useQueues([&](QueuePipeline &queues) -> Status {
      std::vector<const Element *> elements;
      INGOT_RETURN_IF_ERROR(queues.take(0, {count, upTo, true}, elements));
      for (const Element *element : elements)
        numbers.push_back(valueOf(element->back()));
      return Status::ok();
    });
  return numbers;
}

Numbers countTo(int64_t n) {
  Numbers numbers;
  for (int64_t i = 0; i < n; ++i)
    numbers.push_back(i);
  return numbers;
}

/// Checks that from every place where it can be saved the pipeline goes on as
/// if it had not been.
void resumesAnywhere(TestPipeline &pipeline, uint32_t queue, int64_t count,
                     const Numbers &all) {
  for (size_t at = 0; at <= all.size(); at += static_cast<size_t>(count)) {
    auto first = pipeline.create({queue});
    ASSERT_TRUE(first && first->make().isOk());
    Status end;
    Numbers numbers = takeAll(*first, count, end, at);
    auto state = first->save();
    ASSERT_TRUE(state) << state.status().message();
    auto second = pipeline.create({queue});
    Status restored = second->restore(*state);
    ASSERT_TRUE(restored.isOk()) << restored.message();
    Numbers rest = takeAll(*second, count, end);
    numbers.insert(numbers.end(), rest.begin(), rest.end());
    EXPECT_EQ(numbers, all) << "from " << at;
  }
}

TEST(Queue, FifoKeepsOrderAndSaysHowItEnds) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("FIFOQueue", pipeline.b.range(10), 4);
  auto iterator = pipeline.create({queue});
  ASSERT_TRUE(iterator && iterator->make().isOk());
  Status end;
  EXPECT_EQ(takeAll(*iterator, 4, end), countTo(8));
  EXPECT_EQ(end.code(), StatusCode::OutOfRange);
  EXPECT_TRUE(end.message().starts_with("FIFOQueue '") &&
              end.message().ends_with("' is closed and has insufficient "
                                      "elements (requested 4, current size 2)"))
      << end.message();
  resumesAnywhere(pipeline, queue, 4, countTo(8));
}

TEST(Queue, UpToTakesTheRest) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("FIFOQueue", pipeline.b.range(10), 16);
  auto iterator = pipeline.create({queue});
  ASSERT_TRUE(iterator && iterator->make().isOk());
  Status end;
  EXPECT_EQ(takeAll(*iterator, 4, end, SIZE_MAX, /*upTo=*/true), countTo(10));
  EXPECT_EQ(end.code(), StatusCode::OutOfRange);
}

TEST(Queue, TakesMoreThanItHolds) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("FIFOQueue", pipeline.b.range(10), 2);
  resumesAnywhere(pipeline, queue, 5, countTo(10));
}

TEST(Queue, IsFullBeforeAnOp) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("FIFOQueue", pipeline.b.range(10), 4);
  auto iterator = pipeline.create({queue});
  ASSERT_TRUE(iterator && iterator->make().isOk());
  auto size = [&] {
    int64_t found = -1;
    EXPECT_TRUE(iterator
                    ->useQueues([&](QueuePipeline &queues) -> Status {
                      INGOT_ASSIGN_OR_RETURN(found, queues.size(0));
                      return Status::ok();
                    })
                    .isOk());
    return found;
  };
  EXPECT_EQ(size(), 4);
  Status end;
  takeAll(*iterator, 4, end, 4);
  EXPECT_EQ(size(), 4);
}

TEST(Queue, ShufflesAsTensorFlow) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("RandomShuffleQueue", pipeline.b.range(21), 8,
                                  {{"min_after_dequeue", 3, nullptr},
                                   {"seed", 87654321, nullptr},
                                   {"seed2", 5, nullptr}});
  Numbers expected = {7,  4,  0, 6,  9,  10, 1,  11, 12, 3,
                      13, 15, 8, 18, 14, 16, 19, 17, 2,  20};
  resumesAnywhere(pipeline, queue, 2, expected);
}

TEST(Queue, ShuffleWithoutSeedGoesOnWithItsOwn) {
  TestPipeline pipeline;
  uint32_t queue =
      pipeline.queue("RandomShuffleQueue", pipeline.b.range(64), 32);
  auto first = pipeline.create({queue});
  ASSERT_TRUE(first && first->make().isOk());
  Status end;
  takeAll(*first, 4, end, 8);
  std::string state = *first->save();
  auto second = pipeline.create({queue});
  ASSERT_TRUE(second->restore(state).isOk());
  Numbers rest = takeAll(*first, 4, end);
  EXPECT_EQ(takeAll(*second, 4, end), rest);
  EXPECT_EQ(rest.size(), 56u);
}

TEST(Queue, PriorityIsAHeap) {
  TestPipeline pipeline;
  Numbers given = {7,  3,  9,  1,  0,  5,  8,  2,  6,  4, 11,
                   10, 13, 12, 14, 20, 17, 16, 19, 18, 15};
  uint32_t source = pipeline.b.dataset("TensorSliceDataset", {},
                                       {pipeline.b.int64s(given, {21})},
                                       {pipeline.b.spec(INGOT_INT64)});
  uint32_t queue =
      pipeline.queue("PriorityQueue", source, 9, {}, withPriority, 2);
  Numbers expected = {1, 0,  2,  5,  3,  4,  8,  6,  7,  11,
                      9, 10, 14, 12, 13, 16, 17, 15, 20, 19};
  resumesAnywhere(pipeline, queue, 4, expected);
}

TEST(Queue, OneFillsAnother) {
  TestPipeline pipeline;
  uint32_t first = pipeline.queue("FIFOQueue", pipeline.b.range(10), 3);
  uint32_t second = pipeline.queue("FIFOQueue", first, 2);
  resumesAnywhere(pipeline, second, 2, countTo(10));
}

TEST(Queue, RunnersTakeTurns) {
  TestPipeline pipeline;
  uint32_t names = pipeline.queue("FIFOQueue", pipeline.b.range(8), 3);
  ProgramBuilder &b = pipeline.b;
  uint32_t map = b.map(names, same, {b.spec(INGOT_INT64)});
  std::vector<uint32_t> runners;
  for (int i = 0; i < 2; ++i)
    runners.push_back(b.dataset("QueueEnqueue", {names}, {},
                                {b.spec(INGOT_INT64)}, {},
                                b.edit(map).function));
  uint32_t queue =
      b.dataset("Queue", runners, {}, {b.spec(INGOT_INT64)},
                {{"kind", 0, "FIFOQueue"}, {"capacity", 3, nullptr}});
  resumesAnywhere(pipeline, queue, 2, countTo(8));
}

TEST(Queue, WouldWaitForEver) {
  TestPipeline pipeline;
  ProgramBuilder &b = pipeline.b;
  uint32_t queue =
      b.dataset("Queue", {}, {}, {b.spec(INGOT_INT64)},
                {{"kind", 0, "FIFOQueue"}, {"capacity", 2, nullptr}});
  auto iterator = pipeline.create({queue});
  ASSERT_TRUE(iterator && iterator->make().isOk());
  Status end;
  takeAll(*iterator, 1, end);
  EXPECT_EQ(end.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(end.message().find("wait for ever"), std::string::npos);
}

/// Returns the name of the only file.
int32_t nameOfFile(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *, ingot_tensor *fetches) {
  *static_cast<ingot_string *>(fetches[0].data) = {"lines", 5};
  return 0;
}

/// Returns the first characters of the values of a batch, as one number.
int32_t firstCharacters(ingot_context *, uint8_t *, void *const *,
                        const ingot_tensor *feeds, ingot_tensor *fetches) {
  const auto *values = static_cast<const ingot_string *>(feeds[1].data);
  int64_t number = 0;
  for (int64_t i = 0; i < feeds[1].dims[0]; ++i)
    number = number * 256 + values[i].data[0];
  *static_cast<int64_t *>(fetches[0].data) = number;
  return 0;
}

TEST(Queue, InterruptedReadsLoseNoRecord) {
  // Lines of 100 kB, so that several reads fill the buffer for one batch.
  std::string text;
  for (char c : std::string("abcdefg"))
    text += std::string(100000, c) + '\n';
  bool isInterrupted = true;
  for (size_t call = 0; isInterrupted; ++call) {
    FaultFileSystem fileSystem;
    fileSystem.put("lines", text);
    TestPipeline pipeline;
    ProgramBuilder &b = pipeline.b;
    ingot_tensor_spec string = b.spec(INGOT_STRING);
    ingot_tensor_spec some = b.spec(INGOT_STRING, {-1});
    uint32_t map = b.map(b.range(1), nameOfFile, {string});
    uint32_t runner = b.dataset("QueueEnqueue", {b.range(1)}, {}, {string}, {},
                                b.edit(map).function);
    uint32_t names =
        b.dataset("Queue", {runner}, {}, {string},
                  {{"kind", 0, "FIFOQueue"}, {"capacity", 1, nullptr}});
    uint32_t reader = b.dataset("Reader", {names}, {}, {string, string},
                                {{"kind", 0, "TextLineReader"}});
    uint32_t batches =
        b.dataset("QueueDequeueMany", {reader}, {}, {some, some},
                  {{"count", 4, nullptr}, {"up_to", 1, nullptr}});
    uint32_t queue =
        pipeline.queue("FIFOQueue", batches, 1, {}, firstCharacters);
    InputPipelineOptions options;
    options.fileSystem = &fileSystem;
    options.stopped = [] { return true; };
    auto iterator = pipeline.create({queue}, options);
    ASSERT_TRUE(iterator && iterator->make().isOk());
    fileSystem.failCall(fileSystem.calls() + call, StatusCode::Cancelled);
    isInterrupted = false;
    Numbers found;
    for (Status end; end.code() != StatusCode::OutOfRange;) {
      RunArena memory;
      RunArena::ArenaRunScope scope(memory);
      Numbers taken = takeAll(*iterator, 1, end, 1);
      found.insert(found.end(), taken.begin(), taken.end());
      if (end.code() != StatusCode::Cancelled) {
        ASSERT_TRUE(end.isOk() || end.code() == StatusCode::OutOfRange)
            << end.message();
        continue;
      }
      ASSERT_FALSE(isInterrupted);
      isInterrupted = true;
      iterator->rewind();
      auto state = iterator->save();
      ASSERT_TRUE(state) << state.status().message();
      iterator = pipeline.create({queue}, options);
      Status restored = iterator->restore(*state);
      ASSERT_TRUE(restored.isOk()) << restored.message();
    }
    EXPECT_EQ(found, (Numbers{0x61626364, 0x656667}))
        << "with call " << call << " interrupted";
  }
}

/// Returns `state` with a change, as a state with a right checksum.
template <typename Change>
std::string changed(const std::string &state, Change change) {
  proto::IteratorState parsed;
  EXPECT_TRUE(
      parsed.ParseFromArray(state.data(), static_cast<int>(state.size())));
  change(*parsed.mutable_root());
  parsed.clear_checksum();
  std::string bytes = parsed.SerializeAsString();
  uint32_t crc = maskCrc32c(crc32c(0, bytes.data(), bytes.size()));
  bytes += static_cast<char>(15 << 3 | 5);
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(crc >> shift);
  return bytes;
}

TEST(Queue, RefusesDamagedStates) {
  TestPipeline pipeline;
  uint32_t queue = pipeline.queue("FIFOQueue", pipeline.b.range(10), 4);
  auto iterator = pipeline.create({queue});
  ASSERT_TRUE(iterator && iterator->make().isOk());
  Status end;
  takeAll(*iterator, 2, end, 2);
  std::string state = *iterator->save();
  auto refuses = [&](const char *why, auto change) {
    auto other = pipeline.create({queue});
    Status status = other->restore(changed(state, change));
    EXPECT_EQ(status.code(), StatusCode::DataLoss) << why;
    EXPECT_NE(status.message().find(why), std::string::npos)
        << status.message();
  };
  using State = proto::IteratorNodeState;
  // The nodes are the source, the runner and the queue.
  refuses("nodes, expected 3",
          [](State &root) { root.mutable_inputs()->RemoveLast(); });
  refuses("more than its capacity", [](State &root) {
    State &saved = *root.mutable_inputs(2);
    for (int i = 0; i < 8; ++i)
      *saved.add_contents() = saved.contents(0);
  });
  refuses("shape mismatch", [](State &root) {
    auto &tensor = *root.mutable_inputs(2)->mutable_contents(0);
    tensor.mutable_components(0)->add_dims(1);
  });
  refuses("components", [](State &root) {
    root.mutable_inputs(2)->mutable_contents(0)->clear_components();
  });
  refuses("is listed as waiting for room", [](State &root) {
    root.mutable_inputs(2)->clear_kept();
    root.mutable_inputs(2)->add_kept(1);
    root.mutable_inputs(2)->set_read(1);
  });
  refuses("are listed as waiting",
          [](State &root) { root.mutable_inputs(2)->clear_kept(); });
  refuses("has taken",
          [](State &root) { root.mutable_inputs(1)->set_read(5); });
  EXPECT_TRUE(pipeline.create({queue})->restore(state).isOk());
}

} // namespace
