//===- RecordTest.cpp - TFRecord files, parsed and damaged ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's files are read as TensorFlow reads them; damaged ones are
// rejected with file, record and byte.
//
//===----------------------------------------------------------------------===//
#include "ProgramBuilder.h"
#include "Records.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include "runtime/Input/Iterator.h"
#include "runtime/Input/ParseExample.h"
#include "runtime/Support/ErrorSlot.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

const int64_t three[] = {3}, two[] = {2};
const int64_t defaults[] = {7, 8};
const ingot_dense_feature features[] = {
    {"x", INGOT_FLOAT, 1, three, nullptr},
    {"y", INGOT_INT64, 0, nullptr, nullptr},
    {"s", INGOT_STRING, 0, nullptr, nullptr},
    {"d", INGOT_INT64, 1, two, defaults}};
const ingot_parse_spec parseSpec = {"ParseExample", 4, features};

// A function as codegen writes it for parse_single_example.
int32_t parseRecord(ingot_context *, uint8_t *, void *const *,
                    const ingot_tensor *feeds, ingot_tensor *fetches) {
  std::vector<void *> outputs;
  for (uint32_t i = 0; i < parseSpec.num_dense; ++i)
    outputs.push_back(fetches[i].data);
  return recordError(
      parseExamples(parseSpec, static_cast<const ingot_string *>(feeds[0].data),
                    1, outputs.data()));
}

class RecordTest : public testing::Test {
protected:
  /// Reads records and parses them, with a flat_map over the files, as tf.data
  /// does.
  std::unique_ptr<Iterator> parsed(const std::vector<std::string> &files,
                                   const std::string &compression = "") {
    uint32_t names =
        builder.dataset("TensorSliceDataset", {}, {builder.strings(files)},
                        {builder.spec(INGOT_STRING)});
    uint32_t body = builder.records(ProgramBuilder::argument(0), compression);
    uint32_t map = builder.map(
        builder.flatMap(names, body), parseRecord,
        {builder.spec(INGOT_FLOAT, {3}), builder.spec(INGOT_INT64),
         builder.spec(INGOT_STRING), builder.spec(INGOT_INT64, {2})});
    return make(map);
  }

  /// Reads records without parsing them.
  std::unique_ptr<Iterator> raw(const std::vector<std::string> &files,
                                const std::string &compression = "") {
    return make(builder.records(builder.strings(files), compression));
  }

  std::unique_ptr<Iterator> make(uint32_t root) {
    uint32_t index = builder.iterator(root);
    auto created = Iterator::create(builder.program(), index, options);
    EXPECT_TRUE(created) << created.status().message();
    EXPECT_TRUE((*created)->make().isOk());
    return std::move(*created);
  }

  /// Reads up to the end or the first failure.
  static Status readAll(Iterator &iterator, std::vector<std::string> &records) {
    const void *component = nullptr;
    while (true) {
      Status status = iterator.next(&component);
      if (!status.isOk())
        return status;
      const auto *value = static_cast<const ingot_string *>(component);
      records.emplace_back(value->data, value->size);
    }
  }

  /// Expects reading `file` to fail with `code` after `good` records, with each
  /// of `words` in the message.
  void expectFailure(const std::string &file, StatusCode code, size_t good,
                     const std::vector<std::string> &words,
                     const std::string &compression = "") {
    auto iterator = raw({file}, compression);
    std::vector<std::string> records;
    Status status = readAll(*iterator, records);
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_EQ(records.size(), good);
    for (const std::string &word : words)
      EXPECT_NE(status.message().find(word), std::string::npos)
          << "no '" << word << "' in: " << status.message();
    const void *component = nullptr;
    EXPECT_EQ(iterator->next(&component).message(), status.message())
        << "a failure stays";
  }

  ProgramBuilder builder;
  InputPipelineOptions options;
  TestFolder folder;
};

std::string hex(std::string_view bytes) {
  std::string text;
  char digits[3];
  for (char byte : bytes) {
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<uint8_t>(byte));
    text += digits;
  }
  return text;
}

/// Returns an element as a line of records.txt.
std::string lineOf(const void *const *components) {
  std::string line;
  for (int i = 0; i < 3; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, static_cast<const float *>(components[0]) + i, 4);
    char text[16];
    std::snprintf(text, sizeof(text), "%08x ", bits);
    line += text;
  }
  const auto *s = static_cast<const ingot_string *>(components[2]);
  const auto *d = static_cast<const int64_t *>(components[3]);
  return line + "| " +
         std::to_string(*static_cast<const int64_t *>(components[1])) + " | " +
         hex({s->data, s->size}) + " | " + std::to_string(d[0]) + " " +
         std::to_string(d[1]);
}

class CompressionTest : public RecordTest,
                        public testing::WithParamInterface<
                            std::pair<const char *, const char *>> {};

TEST_P(CompressionTest, ParsesAsTensorFlowDoes) {
  options.dataDirectory = INGOT_TEST_DATA "/input";
  auto [suffix, compression] = GetParam();
  auto iterator =
      parsed({std::string("records.tfrecord") + suffix}, compression);
  std::ifstream expected(INGOT_TEST_DATA "/input/records.txt");
  std::string line;
  std::getline(expected, line); // skips the comment
  const void *components[4];
  size_t count = 0;
  for (; std::getline(expected, line); ++count) {
    Status status = iterator->next(components);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(lineOf(components), line);
    for (const void *component : components)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(component) % INGOT_ALIGNMENT, 0u);
  }
  EXPECT_EQ(count, 40u);
  EXPECT_EQ(iterator->next(components).code(), StatusCode::OutOfRange);
}

TEST_P(CompressionTest, ResumesWithinFile) {
  options.dataDirectory = INGOT_TEST_DATA "/input";
  auto [suffix, compression] = GetParam();
  std::string name = std::string("records.tfrecord") + suffix;
  auto iterator = raw({name, name}, compression);
  auto resumed = raw({name, name}, compression);
  std::vector<std::string> all;
  ASSERT_EQ(readAll(*iterator, all).code(), StatusCode::OutOfRange);
  ASSERT_EQ(all.size(), 80u);
  ASSERT_TRUE(iterator->make().isOk());
  for (size_t k = 0; k <= all.size(); ++k) {
    auto state = iterator->save();
    ASSERT_TRUE(state);
    ASSERT_TRUE(resumed->restore(*state).isOk());
    std::vector<std::string> rest;
    ASSERT_EQ(readAll(*resumed, rest).code(), StatusCode::OutOfRange);
    ASSERT_EQ(rest, std::vector<std::string>(all.begin() + k, all.end()));
    const void *component = nullptr;
    ASSERT_EQ(iterator->next(&component).isOk(), k < all.size());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, CompressionTest,
    testing::Values(std::pair("", ""), std::pair(".gz", "GZIP"),
                    std::pair(".zlib", "ZLIB")),
    [](const auto &info) {
      return std::string(*info.param.second ? info.param.second : "Plain");
    });

TEST_F(RecordTest, ReadsEachFileFromItsOffsetOn) {
  std::string first = framed("a"), second = framed("bb"), third = framed("c");
  writeFile(folder / "data", first + second + third);
  auto iterator = make(builder.dataset(
      "TFRecordDatasetV2", {},
      {builder.strings({folder / "data", folder / "data"}), builder.string(""),
       builder.scalar(0),
       builder.int64s({static_cast<int64_t>(first.size()), 0}, {2})},
      {builder.spec(INGOT_STRING)}));
  std::vector<std::string> records;
  EXPECT_EQ(readAll(*iterator, records).code(), StatusCode::OutOfRange);
  EXPECT_EQ(records, (std::vector<std::string>{"bb", "c", "a", "bb", "c"}));
}

TEST_F(RecordTest, ReadsRecordsLargerThanTheBuffer) {
  std::string large(3 << 20, 'x');
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<char>(i * 2654435761u >> 24);
  writeFile(folder / "large", framed("a") + framed(large) + framed(""));
  auto iterator = raw({folder / "large"});
  std::vector<std::string> records;
  EXPECT_EQ(readAll(*iterator, records).code(), StatusCode::OutOfRange);
  EXPECT_EQ(records, (std::vector<std::string>{"a", large, ""}));
}

TEST_F(RecordTest, EmptyFilesHaveNoRecords) {
  writeFile(folder / "empty", "");
  writeFile(folder / "one", framed("one"));
  auto iterator = raw({folder / "empty", folder / "one", folder / "empty"});
  std::vector<std::string> records;
  EXPECT_EQ(readAll(*iterator, records).code(), StatusCode::OutOfRange);
  EXPECT_EQ(records, std::vector<std::string>{"one"});
}

TEST_F(RecordTest, MissingFileIsNamed) {
  expectFailure(folder / "no-such.tfrecord", StatusCode::NotFound, 0,
                {folder / "no-such.tfrecord", "TFRecordDataset_0"});
}

TEST_F(RecordTest, EveryTruncationNamesFileAndByte) {
  FaultFileSystem disk;
  options.fileSystem = &disk;
  std::string whole = framed("first") + framed("the second record");
  size_t second = framed("first").size();
  for (size_t size = 1; size < whole.size(); ++size) {
    if (size == second)
      continue;
    disk.put("./cut", whole.substr(0, size));
    bool inSecond = size > second;
    expectFailure("./cut", StatusCode::DataLoss, inSecond,
                  {"./cut", inSecond ? "record 1" : "record 0",
                   "at byte " + std::to_string(inSecond ? second : 0) + ",",
                   "truncated"});
  }
}

TEST_F(RecordTest, EveryFlippedBitIsFound) {
  FaultFileSystem disk;
  options.fileSystem = &disk;
  std::string whole = framed("first") + framed("the second record");
  size_t second = framed("first").size();
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string spoiled = whole;
    spoiled[bit / 8] ^= static_cast<char>(1 << bit % 8);
    disk.put("./flipped", spoiled);
    bool inSecond = bit / 8 >= second;
    expectFailure("./flipped", StatusCode::DataLoss, inSecond,
                  {"./flipped",
                   "at byte " + std::to_string(inSecond ? second : 0) + ","});
  }
}

TEST_F(RecordTest, FailedReadIsNotEndOfFile) {
  for (size_t call = 0;; ++call) {
    FaultFileSystem disk;
    options.fileSystem = &disk;
    disk.put("./a", framed("first"));
    disk.put("./b", framed("second"));
    disk.failCall(call, StatusCode::Unavailable);
    auto iterator = raw({"./a", "./b"});
    std::vector<std::string> records;
    Status status = readAll(*iterator, records);
    if (status.code() == StatusCode::OutOfRange) {
      // Each of the two files takes three calls: it is opened, read, and read
      // to its end.
      EXPECT_EQ(call, 6u);
      break;
    }
    EXPECT_EQ(status.code(), StatusCode::Unavailable) << call;
    EXPECT_NE(status.message().find(call < 3 ? "./a" : "./b"),
              std::string::npos)
        << status.message();
  }
}

TEST_F(RecordTest, DamagedCompressedDataIsDataLoss) {
  std::string whole = readFile(INGOT_TEST_DATA "/input/records.tfrecord.gz");
  for (size_t size : {size_t(5), whole.size() / 2, whole.size() - 1}) {
    writeFile(folder / "cut.gz", whole.substr(0, size));
    auto iterator = raw({folder / "cut.gz"}, "GZIP");
    std::vector<std::string> records;
    Status status = readAll(*iterator, records);
    EXPECT_EQ(status.code(), StatusCode::DataLoss) << status.message();
    EXPECT_NE(status.message().find(folder / "cut.gz"), std::string::npos);
    EXPECT_LT(records.size(), 41u);
  }
  whole[whole.size() / 2] ^= 1;
  writeFile(folder / "flipped.gz", whole);
  auto iterator = raw({folder / "flipped.gz"}, "GZIP");
  std::vector<std::string> records;
  EXPECT_EQ(readAll(*iterator, records).code(), StatusCode::DataLoss);
  expectFailure(INGOT_TEST_DATA "/input/records.tfrecord", StatusCode::DataLoss,
                0, {"records.tfrecord", "compressed data is damaged"}, "ZLIB");
}

TEST_F(RecordTest, InvalidExampleNamesRecord) {
  std::string good = example(feature("x", 2, packedFloats({1, 2, 3})) +
                             feature("y", 3, packedInts({-1})) +
                             feature("s", 1, delimited(1, "s")));
  std::string bad = example(feature("x", 2, packedFloats({1, 2})) +
                            feature("y", 3, packedInts({1})) +
                            feature("s", 1, delimited(1, "s")));
  writeFile(folder / "records", framed(good) + framed(bad));
  auto iterator = parsed({folder / "records"});
  const void *components[4];
  ASSERT_TRUE(iterator->next(components).isOk());
  Status status = iterator->next(components);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  for (std::string word : {std::string("ParallelMapDatasetV2"),
                           folder / "records", std::string("record 1"),
                           "at byte " + std::to_string(framed(good).size()),
                           std::string("ParseExample"), std::string("key 'x'"),
                           std::string("expected 3"), std::string("found 2")})
    EXPECT_NE(status.message().find(word), std::string::npos)
        << word << " in " << status.message();
  EXPECT_EQ(iterator->save().status().code(), StatusCode::FailedPrecondition);
}

TEST_F(RecordTest, StringsOutliveTheRecordTheyCameFrom) {
  options.dataDirectory = INGOT_TEST_DATA "/input";
  // A batch owns its strings, even after the records they came from were freed.
  uint32_t map = builder.map(
      builder.records(builder.strings({"records.tfrecord"})), parseRecord,
      {builder.spec(INGOT_FLOAT, {3}), builder.spec(INGOT_INT64),
       builder.spec(INGOT_STRING), builder.spec(INGOT_INT64, {2})});
  auto iterator = make(builder.prefetch(builder.batch(map, 40, true)));
  const void *components[4];
  ASSERT_TRUE(iterator->next(components).isOk());
  std::ifstream expected(INGOT_TEST_DATA "/input/records.txt");
  std::string line;
  std::getline(expected, line); // skips the comment
  for (size_t i = 0; std::getline(expected, line); ++i) {
    const void *row[4] = {static_cast<const float *>(components[0]) + 3 * i,
                          static_cast<const int64_t *>(components[1]) + i,
                          static_cast<const ingot_string *>(components[2]) + i,
                          static_cast<const int64_t *>(components[3]) + 2 * i};
    EXPECT_EQ(lineOf(row), line);
  }
}

} // namespace
