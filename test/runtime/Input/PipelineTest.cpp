//===- PipelineTest.cpp - Datasets one by one, and broken tables ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests the elements of each dataset for different operands, and the errors
// that are reported before a program with invalid tables runs.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "runtime/Support/ErrorSlot.h"
#include "runtime/Support/RunArena.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class PipelineTest : public testing::Test {
protected:
  Expected<std::unique_ptr<Iterator>> create(uint32_t root) {
    uint32_t index = b.iterator(root);
    return Iterator::create(b.program(), index, {});
  }

  Taken all(uint32_t root) {
    auto iterator = create(root);
    if (!iterator)
      return {{}, {}, iterator.takeStatus()};
    Status status = (*iterator)->make();
    if (!status.isOk())
      return {{}, {}, status};
    return take(**iterator, 1000);
  }

  void expectElements(uint32_t root, const std::vector<int64_t> &expected) {
    Taken taken = all(root);
    EXPECT_EQ(taken.status.code(), StatusCode::OutOfRange)
        << taken.status.message();
    EXPECT_EQ(taken.values, expected);
  }

  void expectRefused(uint32_t root, StatusCode code,
                     const std::vector<std::string> &words) {
    auto iterator = create(root);
    ASSERT_FALSE(iterator);
    EXPECT_EQ(iterator.status().code(), code) << iterator.status().message();
    for (const std::string &word : words)
      EXPECT_NE(iterator.status().message().find(word), std::string::npos)
          << "no '" << word << "' in: " << iterator.status().message();
  }

  uint32_t rangeOf(int64_t start, int64_t stop, int64_t step) {
    return b.dataset("RangeDataset", {},
                     {b.scalar(start), b.scalar(stop), b.scalar(step)},
                     {b.spec(INGOT_INT64)});
  }

  ProgramBuilder b;
};

TEST_F(PipelineTest, RangesCountUpAndDownToTheEndsOfInt64) {
  expectElements(rangeOf(2, 9, 3), {2, 5, 8});
  expectElements(rangeOf(2, 8, 3), {2, 5});
  expectElements(rangeOf(3, -4, -3), {3, 0, -3});
  expectElements(rangeOf(3, 3, 1), {});
  expectElements(rangeOf(5, 3, 1), {});
  expectElements(rangeOf(INT64_MIN, INT64_MAX, INT64_MAX),
                 {INT64_MIN, -1, INT64_MAX - 1});
  expectElements(rangeOf(INT64_MAX, INT64_MIN, INT64_MIN), {INT64_MAX, -1});
}

TEST_F(PipelineTest, SlicesAreRowsOfEveryComponent) {
  uint32_t root = b.dataset(
      "TensorSliceDataset", {},
      {b.int64s({1, 2, 3, 4, 5, 6}, {3, 2}), b.floats({.5, 1.5, 2.5}, {3}),
       b.strings({"a", "", "ccc"})},
      {b.spec(INGOT_INT64, {2}), b.spec(INGOT_FLOAT), b.spec(INGOT_STRING)});
  auto iterator = create(root);
  ASSERT_TRUE(iterator);
  ASSERT_TRUE((*iterator)->make().isOk());
  const char *texts[] = {"a", "", "ccc"};
  const void *row[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*iterator)->next(row).isOk());
    EXPECT_EQ(static_cast<const int64_t *>(row[0])[0], 2 * i + 1);
    EXPECT_EQ(static_cast<const int64_t *>(row[0])[1], 2 * i + 2);
    EXPECT_EQ(*static_cast<const float *>(row[1]), i + 0.5f);
    const auto *text = static_cast<const ingot_string *>(row[2]);
    EXPECT_EQ(std::string(text->data, text->size), texts[i]);
  }
  EXPECT_EQ((*iterator)->next(row).code(), StatusCode::OutOfRange);
  EXPECT_EQ((*iterator)->next(row).code(), StatusCode::OutOfRange);
}

TEST_F(PipelineTest, TensorDatasetIsOneElement) {
  expectElements(b.dataset("TensorDataset", {}, {b.int64s({4, 5}, {2})},
                           {b.spec(INGOT_INT64, {2})}),
                 {4, 5});
}

TEST_F(PipelineTest, TakeAndSkipCountAndNegativeMeansAll) {
  expectElements(b.unary("TakeDataset", b.range(5), 3), {0, 1, 2});
  expectElements(b.unary("TakeDataset", b.range(5), 0), {});
  expectElements(b.unary("TakeDataset", b.range(3), -1), {0, 1, 2});
  expectElements(b.unary("SkipDataset", b.range(5), 3), {3, 4});
  expectElements(b.unary("SkipDataset", b.range(5), 9), {});
  expectElements(b.unary("SkipDataset", b.range(5), -1), {});
}

TEST_F(PipelineTest, RepeatingNothingForEverEnds) {
  expectElements(b.repeat(b.range(0)), {});
  expectElements(b.repeat(b.range(3), 0), {});
  expectElements(b.repeat(b.range(2), 2), {0, 1, 0, 1});
}

TEST_F(PipelineTest, ZipEndsWithItsShortestInput) {
  uint32_t pairs = b.dataset("ZipDataset", {rangeOf(10, 20, 1), b.range(2)}, {},
                             {b.spec(INGOT_INT64), b.spec(INGOT_INT64)});
  auto iterator = create(pairs);
  ASSERT_TRUE(iterator);
  ASSERT_TRUE((*iterator)->make().isOk());
  const void *pair[2];
  for (int64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE((*iterator)->next(pair).isOk());
    EXPECT_EQ(*static_cast<const int64_t *>(pair[0]), 10 + i);
    EXPECT_EQ(*static_cast<const int64_t *>(pair[1]), i);
  }
  EXPECT_EQ((*iterator)->next(pair).code(), StatusCode::OutOfRange);
}

TEST_F(PipelineTest, BatchAllocatesForActualRows) {
  Taken taken = all(b.batch(b.range(1000), int64_t(1) << 60));
  EXPECT_EQ(taken.sizes, std::vector<int64_t>{1000});
  EXPECT_EQ(taken.values[999], 999);
}

TEST_F(PipelineTest, BatchesOfDifferentShapesAreRefused) {
  uint32_t rows =
      b.dataset("ConcatenateDataset",
                {b.dataset("TensorDataset", {}, {b.int64s({1, 2}, {2})},
                           {b.spec(INGOT_INT64, {2})}),
                 b.dataset("TensorDataset", {}, {b.int64s({1, 2, 3}, {3})},
                           {b.spec(INGOT_INT64, {3})})},
                {}, {b.spec(INGOT_INT64, {-1})});
  Taken taken = all(b.batch(rows, 2));
  EXPECT_EQ(taken.status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(taken.status.message().find("[2]"), std::string::npos);
  EXPECT_NE(taken.status.message().find("[3]"), std::string::npos)
      << taken.status.message();
}

// Returns x * captured, which it computes in the arena.
int32_t multiply(ingot_context *, uint8_t *arena, void *const *variables,
                 const ingot_tensor *feeds, ingot_tensor *fetches) {
  EXPECT_EQ(variables, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena) % INGOT_ALIGNMENT, 0u);
  auto *scratch = reinterpret_cast<int64_t *>(arena);
  scratch[15] = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) =
      scratch[15] * *static_cast<const int64_t *>(feeds[1].data);
  return 0;
}

int32_t failAtThree(ingot_context *, uint8_t *, void *const *,
                    const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t value = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) = value;
  return value == 3
             ? recordError({StatusCode::ResourceExhausted, "three is too many"})
             : 0;
}

int32_t endAtThree(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t value = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) = value;
  return value == 3 ? recordError({StatusCode::OutOfRange, "enough"}) : 0;
}

TEST_F(PipelineTest, MapPassesCapturedValues) {
  uint32_t root =
      b.map(b.range(4), multiply, {b.spec(INGOT_INT64)}, 128, {b.scalar(10)});
  expectElements(root, {0, 10, 20, 30});
}

TEST_F(PipelineTest, FunctionFailureNamesMap) {
  uint32_t root = b.map(b.range(5), failAtThree, {b.spec(INGOT_INT64)});
  Taken taken = all(b.prefetch(root));
  EXPECT_EQ(taken.values, (std::vector<int64_t>{0, 1, 2}));
  for (const char *word : {"ParallelMapDatasetV2_1", "three is too many"})
    EXPECT_NE(taken.status.message().find(word), std::string::npos)
        << taken.status.message();
}

TEST_F(PipelineTest, FunctionEndsDatasetUnlessCardinalityIsPreserved) {
  uint32_t root = b.map(b.range(5), endAtThree, {b.spec(INGOT_INT64)});
  expectElements(root, {0, 1, 2});
  static const ingot_attribute preserve = {"preserve_cardinality", 1, nullptr};
  b.edit(root).num_attributes = 1;
  b.edit(root).attributes = &preserve;
  EXPECT_EQ(all(root).status.code(), StatusCode::InvalidArgument);
}

TEST_F(PipelineTest, AllErrorsAreReportedAtOnce) {
  uint32_t window = b.unary("SlidingWindowDataset", b.range(5), 2);
  uint32_t bounds = b.shuffle(window, 0, 1, 1);
  uint32_t root = b.dataset("BatchDatasetV2", {bounds}, {b.boolean(true)},
                            {b.spec(INGOT_INT64)});
  expectRefused(root, StatusCode::Unimplemented,
                {"IteratorV2_0", "SlidingWindowDataset_1",
                 "has no code for this dataset", "buffer_size", "at least 1",
                 "BatchDatasetV2_3", "expected 2 operands, found 1"});
}

TEST_F(PipelineTest, UnlinkedDatasetIsRejected) {
  uint32_t root = b.range(5);
  b.edit(root).code = nullptr;
  expectRefused(root, StatusCode::Unimplemented,
                {"RangeDataset_0", "no code for this dataset"});
}

TEST_F(PipelineTest, WrongOperandsAreRefusedByName) {
  auto refused = [&](uint32_t root, const char *word) {
    expectRefused(root, StatusCode::InvalidArgument, {word});
  };
  refused(b.dataset("TakeDataset", {b.range(3)}, {b.floats({1}, {})},
                    {b.spec(INGOT_INT64)}),
          "operand 0 (count) is float");
  refused(b.dataset("TakeDataset", {b.range(3)}, {b.int64s({1, 2}, {2})},
                    {b.spec(INGOT_INT64)}),
          "int64[2]");
  refused(b.dataset("TakeDataset", {b.range(3)}, {ProgramBuilder::argument(0)},
                    {b.spec(INGOT_INT64)}),
          "argument 0");
  refused(rangeOf(0, 5, 0), "step must not be 0");
  refused(
      b.dataset("TensorSliceDataset", {}, {b.scalar(1)}, {b.spec(INGOT_INT64)}),
      "scalar");
  refused(b.dataset("TensorSliceDataset", {},
                    {b.int64s({1, 2}, {2}), b.int64s({1}, {1})},
                    {b.spec(INGOT_INT64), b.spec(INGOT_INT64)}),
          "has 1 slices");
  expectRefused(b.records(b.strings({"x"}), "LZ4"), StatusCode::Unimplemented,
                {"LZ4", "TFRecordDataset"});
}

TEST_F(PipelineTest, InvalidTableIndicesAreRejected) {
  uint32_t far = b.unary("TakeDataset", b.range(3), 1);
  static const uint32_t nowhere[] = {999};
  b.edit(far).inputs = nowhere;
  expectRefused(far, StatusCode::InvalidArgument, {"dataset 999"});
  uint32_t loop = b.unary("TakeDataset", b.range(3), 1);
  static uint32_t self[1];
  self[0] = loop;
  b.edit(loop).inputs = self;
  expectRefused(loop, StatusCode::Unimplemented, {"deeper"});
  uint32_t noFunction = b.map(b.range(3), failAtThree, {b.spec(INGOT_INT64)});
  b.edit(noFunction).function = 77;
  expectRefused(noFunction, StatusCode::InvalidArgument, {"function 77"});
  uint32_t noBody = b.flatMap(b.range(3), b.range(3));
  b.edit(noBody).body = -1;
  expectRefused(noBody, StatusCode::InvalidArgument, {"returned dataset"});
  EXPECT_EQ(Iterator::create(b.program(), 1000, {}).status().code(),
            StatusCode::InvalidArgument);
}

// Returns a vector of ones; its argument is the length.
int32_t countUp(ingot_context *, uint8_t *, void *const *,
                const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t count = *static_cast<const int64_t *>(feeds[0].data);
  auto memory = RunArena::current()->allocate(count * 8);
  fetches[0].dims[0] = count;
  fetches[0].data = *memory;
  std::fill_n(static_cast<int64_t *>(*memory), count, 1);
  return 0;
}

TEST_F(PipelineTest, FunctionSizesDynamicResults) {
  Taken taken = all(b.map(b.range(4), countUp, {b.spec(INGOT_INT64, {-1})}));
  EXPECT_EQ(taken.status.code(), StatusCode::OutOfRange)
      << taken.status.message();
  EXPECT_EQ(taken.sizes, (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST_F(PipelineTest, ResultsTooLargeForAnyMemoryAreRefused) {
  expectRefused(
      b.map(b.range(3), countUp, {b.spec(INGOT_INT64, {INT64_MAX, 2})}),
      StatusCode::Unimplemented, {"test_function", "int64["});
}

TEST_F(PipelineTest, ShuffleWithTwoConsumersIsRefused) {
  uint32_t shared = b.shuffle(b.range(5), 3, 1, 2);
  uint32_t root = b.dataset("ZipDataset", {shared, shared}, {},
                            {b.spec(INGOT_INT64), b.spec(INGOT_INT64)});
  expectRefused(root, StatusCode::Unimplemented,
                {"ShuffleDataset_1", "two consumers"});
}

TEST_F(PipelineTest, ElementOfWrongShapeIsRejected) {
  uint32_t root = b.batch(b.range(5), 4);
  static const int64_t four[] = {4};
  static ingot_tensor_spec promised;
  promised = {"", INGOT_INT64, 1, four};
  b.edit(root).components = &promised;
  Taken taken = all(root);
  EXPECT_EQ(taken.sizes, std::vector<int64_t>{4});
  EXPECT_EQ(taken.status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(taken.status.message().find("int64[1], expected int64[4]"),
            std::string::npos)
      << taken.status.message();
}

} // namespace
