//===- BatchRowsTest.cpp - Maps that parse into a batch's rows ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests batches of maps that parse. The order of elements must be that of the
// same pipeline of numbers, which OrderTest compares with TensorFlow, with any
// datasets in between and from any saved state. A failure must come at the same
// element as without the batch. What was parsed must not be copied.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"
#include "Records.h"

#include "runtime/Input/BatchRows.h"
#include "runtime/Input/ParseExample.h"
#include "runtime/Support/ErrorSlot.h"
#include "runtime/Support/RunArena.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>

using namespace ingot;
using namespace ingot::input;
using namespace ingot::test;

namespace {

const int64_t three[] = {3};
const ingot_dense_feature features[] = {
    {"x", INGOT_FLOAT, 1, three, nullptr},
    {"y", INGOT_INT64, 0, nullptr, nullptr},
    {"s", INGOT_STRING, 0, nullptr, nullptr}};
const ingot_parse_spec parseSpec = {"ParseSingle", 3, features};

std::string textOf(int64_t i) {
  return "the text of " + std::to_string(i) + std::string(100, '.');
}

std::string exampleOf(int64_t i, std::string_view more = "") {
  auto x = static_cast<float>(i);
  return example(feature("x", 2, packedFloats({x, x + .5f, -x})) +
                 feature("y", 3, packedInts({i})) +
                 feature("s", 1, delimited(1, textOf(i))) + std::string(more));
}

/// The addresses to which functions wrote their first result, one for each
/// call. A prefetching iterator may add to them while another one is read.
std::vector<const void *> written;
std::mutex writing;

// A map's function as codegen writes it: returns x, y, s and 2 * y.
int32_t parseAndDouble(ingot_context *, uint8_t *, void *const *,
                       const ingot_tensor *feeds, ingot_tensor *fetches) {
  {
    std::lock_guard<std::mutex> lock(writing);
    written.push_back(fetches[0].data);
  }
  void *outputs[] = {fetches[0].data, fetches[1].data, fetches[2].data};
  Status status = parseExamples(
      parseSpec, static_cast<const ingot_string *>(feeds[0].data), 1, outputs);
  // Wraps around on overflow, like the multiplication in compiled code.
  *static_cast<uint64_t *>(fetches[3].data) =
      2 * *static_cast<const uint64_t *>(fetches[1].data);
  return recordError(std::move(status));
}

int32_t neverCalled(ingot_context *, uint8_t *, void *const *,
                    const ingot_tensor *, ingot_tensor *) {
  return recordError({StatusCode::Internal, "the code was called"});
}

/// How much the tables say about a map's function.
enum class Kind {
  Parse,    // it only parses
  Computes, // it parses, and computes a result
  Opaque    // nothing
};

class BatchRowsTest : public testing::Test {
protected:
  uint32_t map(ProgramBuilder &b, uint32_t input, Kind kind) {
    std::vector<ingot_tensor_spec> outputs = {
        b.spec(INGOT_FLOAT, {3}), b.spec(INGOT_INT64), b.spec(INGOT_STRING)};
    if (kind != Kind::Parse)
      outputs.push_back(b.spec(INGOT_INT64));
    uint32_t map = b.map(
        input, kind == Kind::Parse ? neverCalled : parseAndDouble, outputs);
    if (kind != Kind::Opaque)
      b.editFunction(map).parse = &parseSpec;
    static const uint32_t parsed[] = {0, 1, 2, INGOT_COMPUTED};
    b.editFunction(map).parsed = parsed;
    return map;
  }

  uint32_t source(ProgramBuilder &b, const std::vector<std::string> &records) {
    return b.dataset("TensorSliceDataset", {}, {b.strings(records)},
                     {b.spec(INGOT_STRING)});
  }

  /// Makes an iterator over elements 0 to 19, each a string.
  using Build = std::function<uint32_t(ProgramBuilder &, uint32_t)>;

  std::unique_ptr<Iterator> make(ProgramBuilder &b, uint32_t root) {
    uint32_t index = b.iterator(root);
    auto created = Iterator::create(b.program(), index, {});
    EXPECT_TRUE(created) << created.status().message();
    EXPECT_TRUE((*created)->make().isOk());
    return std::move(*created);
  }

  std::unique_ptr<Iterator> parsed(ProgramBuilder &b, const Build &build,
                                   Kind kind) {
    std::vector<std::string> records;
    for (int64_t i = 0; i < 20; ++i)
      records.push_back(exampleOf(i));
    return make(b, build(b, map(b, source(b, records), kind)));
  }

  /// Takes up to `limit` elements, and returns their values of `y`; the other
  /// components must match `y`.
  static Taken takeParsed(Iterator &iterator, size_t limit, Kind kind) {
    Taken taken;
    while (taken.sizes.size() < limit) {
      const void *row[4];
      taken.status = iterator.next(row);
      if (!taken.status.isOk())
        break;
      int64_t size = iterator.shape(1)[0];
      taken.sizes.push_back(size);
      for (int64_t i = 0; i < size; ++i) {
        int64_t y = static_cast<const int64_t *>(row[1])[i];
        taken.values.push_back(y);
        const float *x = static_cast<const float *>(row[0]) + 3 * i;
        auto expected = static_cast<float>(y);
        EXPECT_EQ(x[0], expected);
        EXPECT_EQ(x[1], expected + .5f);
        EXPECT_EQ(x[2], -expected);
        const ingot_string &s = static_cast<const ingot_string *>(row[2])[i];
        EXPECT_EQ(std::string(s.data, s.size), textOf(y));
        if (kind != Kind::Parse) {
          EXPECT_EQ(static_cast<const int64_t *>(row[3])[i], 2 * y);
        }
      }
    }
    return taken;
  }

  static std::vector<std::pair<const char *, Build>> pipelines() {
    auto unary = [](const char *op, int64_t count) {
      return [=](ProgramBuilder &b, uint32_t input) {
        return b.batch(b.unary(op, input, count), 4);
      };
    };
    auto shard = [](ProgramBuilder &b, uint32_t input) {
      return b.dataset(
          "ShardDataset", {input}, {b.scalar(3), b.scalar(1)},
          std::vector(b.edit(input).components,
                      b.edit(input).components + b.edit(input).num_components));
    };
    using B = ProgramBuilder;
    return {
        {"short last batch", [](B &b, uint32_t i) { return b.batch(i, 6); }},
        {"dropped last batch",
         [](B &b, uint32_t i) { return b.batch(i, 6, true); }},
        {"larger than the input",
         [](B &b, uint32_t i) { return b.batch(i, int64_t(1) << 60); }},
        {"repeated batches",
         [](B &b, uint32_t i) { return b.repeat(b.batch(i, 6), 2); }},
        {"across passes",
         [](B &b, uint32_t i) { return b.batch(b.repeat(i, 3), 7); }},
        {"take", unary("TakeDataset", 10)},
        {"skip", unary("SkipDataset", 7)},
        {"shard", [=](B &b, uint32_t i) { return b.batch(shard(b, i), 2); }},
        {"shuffle",
         [](B &b, uint32_t i) { return b.batch(b.shuffle(i, 8, 3, 4), 6); }},
        {"as the reference runs have it",
         [](B &b, uint32_t i) {
           return b.prefetch(
               b.batch(b.repeat(b.shuffle(i, 8, 3, 4), 3), 7, true));
         }},
        {"read ahead in between",
         [](B &b, uint32_t i) { return b.batch(b.prefetch(i, 3), 6); }},
        {"read ahead twice",
         [](B &b, uint32_t i) {
           return b.prefetch(b.batch(b.prefetch(b.shuffle(i, 5, 3, 4), 3), 6));
         }},
    };
  }
};

TEST_F(BatchRowsTest, OrderIsThatOfNumbers) {
  for (auto &[name, build] : pipelines()) {
    SCOPED_TRACE(name);
    ProgramBuilder numbers;
    Taken expected =
        take(*make(numbers, build(numbers, numbers.range(20))), 100);
    for (Kind kind : {Kind::Parse, Kind::Computes, Kind::Opaque}) {
      ProgramBuilder b;
      Taken found = takeParsed(*parsed(b, build, kind), 100, kind);
      EXPECT_EQ(found.status.code(), StatusCode::OutOfRange)
          << found.status.message();
      EXPECT_EQ(found.sizes, expected.sizes);
      EXPECT_EQ(found.values, expected.values);
    }
  }
}

TEST_F(BatchRowsTest, ResumesAnywhere) {
  for (auto &[name, build] : pipelines()) {
    SCOPED_TRACE(name);
    ProgramBuilder numbers;
    Taken expected =
        take(*make(numbers, build(numbers, numbers.range(20))), 100);
    for (Kind kind : {Kind::Parse, Kind::Computes, Kind::Opaque}) {
      for (size_t taken = 0; taken <= expected.sizes.size(); ++taken) {
        ProgramBuilder b;
        auto before = parsed(b, build, kind);
        Taken found = takeParsed(*before, taken, kind);
        auto state = before->save();
        ASSERT_TRUE(state) << state.status().message();
        ASSERT_TRUE(before->restore(*state).isOk());
        Taken rest = takeParsed(*before, 100, kind);
        found.values.insert(found.values.end(), rest.values.begin(),
                            rest.values.end());
        EXPECT_EQ(found.values, expected.values) << "from " << taken;
      }
    }
  }
}

// The rows of a constant are only counted; a batch copies those that it takes.
TEST_F(BatchRowsTest, RowsComeInTheOrderOfNumbersFromAnyPlace) {
  std::vector<int64_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0);
  for (auto &[name, build] : pipelines()) {
    SCOPED_TRACE(name);
    ProgramBuilder numbers;
    Taken expected =
        take(*make(numbers, build(numbers, numbers.range(20))), 100);
    for (size_t taken = 0; taken <= expected.sizes.size(); ++taken) {
      ProgramBuilder b;
      uint32_t slices =
          b.dataset("TensorSliceDataset", {}, {b.int64s(rows, {20})},
                    {b.spec(INGOT_INT64)});
      auto iterator = make(b, build(b, slices));
      Taken found = take(*iterator, taken);
      auto state = iterator->save();
      ASSERT_TRUE(state) << state.status().message();
      ASSERT_TRUE(iterator->restore(*state).isOk());
      Taken rest = take(*iterator, 100);
      EXPECT_EQ(rest.status.code(), StatusCode::OutOfRange);
      found.sizes.insert(found.sizes.end(), rest.sizes.begin(),
                         rest.sizes.end());
      found.values.insert(found.values.end(), rest.values.begin(),
                          rest.values.end());
      EXPECT_EQ(found.sizes, expected.sizes) << "from " << taken;
      EXPECT_EQ(found.values, expected.values) << "from " << taken;
    }
  }
}

// A single row that was shuffled is still an element of its own.
TEST_F(BatchRowsTest, ShuffledRowsAreElements) {
  std::vector<int64_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0);
  ProgramBuilder numbers, b;
  Taken expected =
      take(*make(numbers, numbers.shuffle(numbers.range(20), 8, 3, 4)), 100);
  uint32_t slices = b.dataset("TensorSliceDataset", {}, {b.int64s(rows, {20})},
                              {b.spec(INGOT_INT64)});
  std::vector<int64_t> found;
  auto iterator = make(b, b.shuffle(slices, 8, 3, 4));
  const void *row = nullptr;
  while (iterator->next(&row).isOk())
    found.push_back(*static_cast<const int64_t *>(row));
  EXPECT_EQ(found, expected.values);
}

/// Twenty records; record 9 is not a valid Example.
std::vector<std::string> recordsWithABadOne() {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 20; ++i)
    records.push_back(i == 9 ? example(feature("y", 3, packedInts({i})))
                             : exampleOf(i));
  return records;
}

TEST_F(BatchRowsTest, FailureComesAtTheMapsElement) {
  for (Kind kind : {Kind::Parse, Kind::Computes, Kind::Opaque}) {
    auto failure = [&](const Build &build, size_t &numBatches) {
      ProgramBuilder b;
      uint32_t parse = map(b, source(b, recordsWithABadOne()), kind);
      std::string node = b.edit(parse).node;
      auto iterator = make(b, build(b, parse));
      Taken taken = takeParsed(*iterator, 100, kind);
      numBatches = taken.sizes.size();
      EXPECT_EQ(taken.status.code(), StatusCode::InvalidArgument);
      for (const std::string &word :
           {"dataset '" + node + "'", std::string("node 'ParseSingle'"),
            std::string("example 0"), std::string("feature 'x'")})
        EXPECT_NE(taken.status.message().find(word), std::string::npos)
            << word << " in " << taken.status.message();
      const void *row[4];
      EXPECT_EQ(iterator->next(row).message(), taken.status.message());
    };
    size_t numBatches = 0;
    failure([](ProgramBuilder &b, uint32_t i) { return b.batch(i, 4); },
            numBatches);
    EXPECT_EQ(numBatches, 2u);
    // The shuffle has filled its buffer, and so read the bad record, before the
    // first batch.
    failure([](ProgramBuilder &b,
               uint32_t i) { return b.batch(b.shuffle(i, 16, 3, 4), 4); },
            numBatches);
    EXPECT_EQ(numBatches, 0u);
  }
}

// The record after the bad Example is damaged: the failure of the Example is
// reported first.
TEST_F(BatchRowsTest, EarlierFailureComesFirst) {
  TestFolder folder;
  std::string file, last = framed(exampleOf(10));
  std::vector<std::string> records = recordsWithABadOne();
  for (int i = 0; i < 10; ++i)
    file += framed(records[static_cast<size_t>(i)]);
  last.back() ^= 1;
  writeFile(folder / "records", file + last);
  for (Kind kind : {Kind::Parse, Kind::Computes, Kind::Opaque}) {
    ProgramBuilder b;
    uint32_t parse = map(b, b.records(b.strings({folder / "records"})), kind);
    auto iterator = make(b, b.batch(b.repeat(parse, 2), 20));
    Taken taken = takeParsed(*iterator, 100, kind);
    for (const char *word : {"record 9 of ", "feature 'x'"})
      EXPECT_NE(taken.status.message().find(word), std::string::npos)
          << word << " in " << taken.status.message();
  }
}

int32_t endAtNine(ingot_context *, uint8_t *, void *const *,
                  const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t value = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) = value;
  return value == 9 ? recordError({StatusCode::OutOfRange, "enough"}) : 0;
}

TEST_F(BatchRowsTest, FunctionEndsDatasetWithinBatch) {
  ProgramBuilder b;
  uint32_t map = b.map(b.range(20), endAtNine, {b.spec(INGOT_INT64)});
  auto iterator = make(b, b.batch(map, 4));
  EXPECT_EQ(take(*iterator, 3).sizes, (std::vector<int64_t>{4, 4, 1}));
}

/// Runs a pipeline on a memory pool that counts its blocks.
class PoolTest : public BatchRowsTest {
protected:
  void start(ProgramBuilder &b, uint32_t root) {
    iterator.reset();
    element.clear();
    environment =
        std::make_unique<IteratorContext>(b.program(), InputPipelineOptions());
    auto made = makeIterator(*environment, root, nullptr, nullptr);
    ASSERT_TRUE(made) << made.status().message();
    iterator = std::move(*made);
    ASSERT_TRUE(iterator->start().isOk());
  }

  void next() {
    bool end = false;
    Status status = iterator->next(element, end);
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_FALSE(end);
  }

  uint64_t blocksOfNext() {
    uint64_t before = environment->pool.usage().blocks;
    next();
    return environment->pool.usage().blocks - before;
  }

  std::unique_ptr<IteratorContext> environment;
  Element element;
  std::unique_ptr<DatasetIterator> iterator;
};

// If the parser wrote elsewhere first, that would be a block more.
TEST_F(PoolTest, ParsesDirectlyIntoBatch) {
  constexpr uint64_t size = 16, components = 3;
  std::vector<std::string> records;
  for (int64_t i = 0; i < 200; ++i)
    records.push_back(exampleOf(i));
  const Build builds[] = {
      [](ProgramBuilder &b, uint32_t i) { return b.batch(i, size); },
      [](ProgramBuilder &b, uint32_t i) {
        return b.batch(b.repeat(b.shuffle(i, 50, 3, 4)), size);
      },
  };
  for (const Build &build : builds) {
    ProgramBuilder b;
    start(b, build(b, map(b, source(b, records), Kind::Parse)));
    blocksOfNext(); // the first call fills the shuffle
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(blocksOfNext(), size + components) << "a block a record read, "
                                                      "and one a component";
  }
}

TEST_F(PoolTest, ParsesBatchIntoResults) {
  constexpr uint64_t size = 16;
  std::vector<std::string> records;
  for (int64_t i = 0; i < 200; ++i)
    records.push_back(exampleOf(i));
  ProgramBuilder b;
  uint32_t batches = b.batch(b.repeat(source(b, records)), size);
  uint32_t parse =
      b.map(batches, neverCalled,
            {b.spec(INGOT_FLOAT, {-1, 3}), b.spec(INGOT_INT64, {-1}),
             b.spec(INGOT_STRING, {-1})});
  static const uint32_t parsed[] = {0, 1, 2};
  b.editFunction(parse).parse = &parseSpec;
  b.editFunction(parse).parsed = parsed;
  start(b, parse);
  blocksOfNext();
  // A block for each record, one for their strings put together, one for these
  // in the batch, and one for each component.
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(blocksOfNext(), size + 2 + 3);
  EXPECT_EQ(static_cast<const int64_t *>(element[1].data())[15], 95);
}

TEST_F(PoolTest, ComputesDirectlyIntoBatch) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 200; ++i)
    records.push_back(exampleOf(i));
  const Build builds[] = {
      [](ProgramBuilder &b, uint32_t i) { return b.batch(i, 16); },
      [](ProgramBuilder &b, uint32_t i) {
        return b.batch(b.prefetch(b.repeat(b.shuffle(i, 50, 3, 4))), 16);
      },
  };
  for (const Build &build : builds) {
    ProgramBuilder b;
    start(b, build(b, map(b, source(b, records), Kind::Computes)));
    for (int i = 0; i < 5; ++i) {
      written.clear();
      next();
      ASSERT_EQ(written.size(), 16u);
      const auto *row = static_cast<const float *>(element[0].data());
      for (size_t j = 0; j < written.size(); ++j)
        EXPECT_EQ(written[j], row + 3 * j);
    }
    iterator.reset();
  }
}

std::vector<const void *> allocated;

// Returns [n, 2], [2 * n] from one allocation, and the argument [n] itself.
int32_t growRows(ingot_context *, uint8_t *, void *const *,
                 const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t count = feeds[0].dims[0];
  auto memory = RunArena::current()->allocate(2 * count * 8);
  auto *rows = static_cast<int64_t *>(*memory);
  for (int64_t i = 0; i < 2 * count; ++i)
    rows[i] = static_cast<const int64_t *>(feeds[0].data)[i / 2];
  allocated.push_back(rows);
  fetches[0].data = fetches[1].data = rows;
  fetches[0].dims[0] = fetches[2].dims[0] = count;
  fetches[1].dims[0] = 2 * count;
  fetches[2].data = feeds[0].data;
  return 0;
}

TEST_F(PoolTest, AllocatedMemoryBecomesResult) {
  ProgramBuilder b;
  start(b, b.map(b.batch(b.range(10), 4), growRows,
                 {b.spec(INGOT_INT64, {-1, 2}), b.spec(INGOT_INT64, {-1}),
                  b.spec(INGOT_INT64, {-1})}));
  allocated.clear();
  std::vector<Element> kept;
  for (int i = 0; i < 3; ++i) {
    next();
    EXPECT_EQ(element[0].data(), allocated.back());
    kept.push_back(element);
  }
  // Kept elements must not change when the function runs again.
  for (int64_t i = 0; i < 3; ++i) {
    const Element &of = kept[static_cast<size_t>(i)];
    int64_t count = i < 2 ? 4 : 2;
    ASSERT_EQ(of[0].shape()[0], count);
    ASSERT_EQ(of[1].numElements(), 2 * count);
    ASSERT_EQ(of[2].numElements(), count);
    for (int64_t j = 0; j < 2 * count; ++j) {
      EXPECT_EQ(static_cast<const int64_t *>(of[0].data())[j], 4 * i + j / 2);
      EXPECT_EQ(static_cast<const int64_t *>(of[1].data())[j], 4 * i + j / 2);
      EXPECT_EQ(static_cast<const int64_t *>(of[2].data())[j / 2],
                4 * i + j / 2);
    }
  }
}

TEST_F(PoolTest, FirstBatchIsNotReallocated) {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 1000; ++i)
    records.push_back(exampleOf(i));
  ProgramBuilder b;
  start(b, b.batch(map(b, source(b, records), Kind::Computes), 1000));
  written.clear();
  next();
  EXPECT_EQ(written.front(), element[0].data());
}

/// A constant of `rows` numbered rows, whose first row is aligned.
ingot_dataset_operand alignedRows(ProgramBuilder &b, int64_t rows,
                                  int64_t width) {
  std::vector<int64_t> numbers(static_cast<size_t>(rows * width) + 8);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int64_t>(i);
  ingot_dataset_operand operand = b.int64s(numbers, {rows, width});
  // The storage is larger, so that an aligned address lies in it.
  auto *data =
      const_cast<char *>(static_cast<const char *>(operand.constant->data));
  auto address = reinterpret_cast<uintptr_t>(data);
  char *aligned =
      data + (INGOT_ALIGNMENT - address % INGOT_ALIGNMENT) % INGOT_ALIGNMENT;
  std::memmove(aligned, data, static_cast<size_t>(rows * width) * 8);
  const_cast<ingot_constant *>(operand.constant)->data = aligned;
  return operand;
}

// Kernels read a batch of consecutive rows of a constant in place; if the batch
// is misaligned, they read a copy.
TEST_F(PoolTest, ConsecutiveRowsAreAView) {
  for (int64_t width : {8, 3}) {
    ProgramBuilder b;
    ingot_dataset_operand rows = alignedRows(b, 11, width);
    uint32_t slices = b.dataset("TensorSliceDataset", {}, {rows},
                                {b.spec(INGOT_INT64, {width})});
    start(b, b.prefetch(b.repeat(b.batch(slices, 4))));
    const auto *data = static_cast<const int64_t *>(rows.constant->data);
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t first : {0, 4, 8}) {
        EXPECT_EQ(blocksOfNext(), 1u);
        int64_t count = first == 8 ? 3 : 4;
        ASSERT_EQ(element[0].shape()[0], count);
        const auto *found = static_cast<const int64_t *>(element[0].data());
        EXPECT_TRUE(
            std::equal(found, found + count * width, data + first * width));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(found) % INGOT_ALIGNMENT, 0u);
        EXPECT_EQ(found == data + first * width,
                  width == 8 || first == 0 ||
                      (first * width * 8) % INGOT_ALIGNMENT == 0);
      }
  }
}

// A dataset of one element does not copy a constant, which may be large.
TEST_F(PoolTest, AWholeConstantIsReadWhereItLies) {
  ProgramBuilder b;
  ingot_dataset_operand rows = alignedRows(b, 4, 16);
  start(b, b.repeat(b.dataset("TensorDataset", {}, {rows},
                              {b.spec(INGOT_INT64, {4, 16})})));
  for (int pass = 0; pass < 2; ++pass) {
    next();
    EXPECT_EQ(element[0].data(), rows.constant->data);
  }
}

// An input that is fast needs no thread: it would take a core from the step.
TEST_F(PoolTest, QuickInputsAreNotPrefetched) {
  ProgramBuilder b;
  ingot_dataset_operand rows = alignedRows(b, 64, 8);
  uint32_t slices =
      b.dataset("TensorSliceDataset", {}, {rows}, {b.spec(INGOT_INT64, {8})});
  start(b, b.prefetch(b.batch(slices, 4), 8));
  next();
  EXPECT_EQ(environment->pool.usage().blocks, 1u);
  // The saved state is that of the input, without a prefetch.
  NodeState state;
  iterator->save(state);
  next();
  const void *second = element[0].data();
  ASSERT_TRUE(iterator->restore(state).isOk());
  next();
  EXPECT_EQ(element[0].data(), second);
}

// The arguments of a function may be freed before the elements that it
// returned, so rows of an argument are copied.
TEST_F(PoolTest, RowsOfAnArgumentAreCopied) {
  ProgramBuilder b;
  ingot_dataset_operand rows = alignedRows(b, 4, 16);
  uint32_t whole =
      b.dataset("TensorDataset", {}, {rows}, {b.spec(INGOT_INT64, {4, 16})});
  uint32_t slices =
      b.dataset("TensorSliceDataset", {}, {ProgramBuilder::argument(0)},
                {b.spec(INGOT_INT64, {16})});
  start(b, b.flatMap(whole, b.batch(slices, 2)));
  next();
  Element first = element;
  next();
  bool end = false;
  ASSERT_TRUE(iterator->next(element, end).isOk());
  EXPECT_TRUE(end);
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(static_cast<const int64_t *>(first[0].data())[i], i);
}

// Records are kept as long as strings point into them; a shuffle keeps only the
// features that are asked for.
TEST_F(PoolTest, UnusedFeaturesAreNotBuffered) {
  std::string large =
      feature("large", 1, delimited(1, std::string(100000, 'x')));
  std::vector<std::string> records;
  for (int64_t i = 0; i < 100; ++i)
    records.push_back(exampleOf(i, large));
  for (Kind kind : {Kind::Parse, Kind::Computes}) {
    ProgramBuilder b;
    uint32_t parse = map(b, source(b, records), kind);
    start(b, b.batch(b.shuffle(parse, 80, 3, 4), 16));
    next();
    EXPECT_LT(environment->pool.usage().bytes, 500000u);
    const auto *y = static_cast<const int64_t *>(element[1].data());
    const auto *s = static_cast<const ingot_string *>(element[2].data());
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(std::string(s[i].data, s[i].size), textOf(y[i]));
    element.clear();
    iterator.reset();
  }
}

TEST_F(PoolTest, LargeStringsLiveAsLongAsTensor) {
  TensorMemoryPool pool;
  std::string text(100000, 't');
  Tensor source = Tensor::string(pool, text);
  const char *bytes = static_cast<const ingot_string *>(source.data())->data;
  int64_t one = 1;
  auto view = [&](const Tensor &of) {
    Tensor strings = Tensor::allocate(pool, INGOT_STRING, {&one, 1});
    *static_cast<ingot_string *>(strings.mutableData()) =
        *static_cast<const ingot_string *>(of.data());
    return strings;
  };
  Tensor held = Tensor::lasting(pool, view(source), {source});
  EXPECT_EQ(static_cast<const ingot_string *>(held.data())->data, bytes);
  source = Tensor();
  EXPECT_GT(pool.usage().bytes, 100000u);
  EXPECT_EQ(std::memcmp(static_cast<const ingot_string *>(held.data())->data,
                        text.data(), text.size()),
            0);
  held = Tensor();
  EXPECT_EQ(pool.usage().bytes, 0u);

  // A small string must not keep a large tensor alive.
  Tensor large = Tensor::allocate(pool, INGOT_UINT8, {&one, 1}, 100000);
  Tensor small = Tensor::string(pool, "small");
  Tensor copied = Tensor::lasting(pool, view(small), {small, large});
  small = large = Tensor();
  EXPECT_LT(pool.usage().bytes, 1000u);
  const auto *s = static_cast<const ingot_string *>(copied.data());
  EXPECT_EQ(std::string(s->data, s->size), "small");
}

TEST_F(BatchRowsTest, TablesThatDoNotFitAreRefused) {
  auto refused = [&](const std::function<void(ingot_function &)> &spoil) {
    ProgramBuilder b;
    uint32_t parse = map(b, source(b, {exampleOf(0)}), Kind::Computes);
    spoil(b.editFunction(parse));
    uint32_t index = b.iterator(b.batch(parse, 2));
    auto created = Iterator::create(b.program(), index, {});
    ASSERT_FALSE(created);
    EXPECT_NE(created.status().message().find("and return the parsed features"),
              std::string::npos)
        << created.status().message();
  };
  static const uint32_t beyond[] = {0, 1, 3, INGOT_COMPUTED},
                        swapped[] = {1, 0, 2, INGOT_COMPUTED};
  refused([](ingot_function &f) { f.parsed = beyond; });
  refused([](ingot_function &f) { f.parsed = swapped; });
  refused([](ingot_function &f) { f.parsed = nullptr; });
  static const int64_t four[] = {4};
  static const ingot_dense_feature longer[] = {
      {"x", INGOT_FLOAT, 1, four, nullptr}, features[1], features[2]};
  static const ingot_parse_spec longerSpec = {"ParseSingle", 3, longer};
  refused([](ingot_function &f) { f.parse = &longerSpec; });
}

} // namespace
