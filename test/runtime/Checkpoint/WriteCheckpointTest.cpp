//===- WriteCheckpointTest.cpp - Writing the bytes TensorFlow writes ------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Checkpoint/TableWriter.h"
#include "runtime/Support/DType.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

FileSystem &files() { return FileSystem::posix(); }

class ZooBytes : public testing::TestWithParam<const char *> {};

// Reads a checkpoint and writes it again: every file must be TensorFlow's, byte
// for byte.
TEST_P(ZooBytes, AreWrittenAgain) {
  std::string name = GetParam();
  auto reader = BundleReader::open(files(), zooPath(name));
  ASSERT_TRUE(reader) << reader.status().message();
  auto whole = readWhole(**reader);
  ASSERT_TRUE(whole) << whole.status().message();
  uint32_t shards = whole->numShards;
  FaultFileSystem disk;
  Status status =
      writeCheckpoint(disk, name, shards, /*sharded=*/shards > 1, whole->items);
  ASSERT_TRUE(status.isOk()) << status.message();

  EXPECT_EQ(disk.get(name + ".index"),
            fileBytes(files(), zooPath(name + ".index")));
  for (uint32_t shard = 0; shard < shards; ++shard)
    EXPECT_EQ(disk.get(shardPath(name, shard, shards)),
              fileBytes(files(), shardPath(zooPath(name), shard, shards)));
  // "." is the folder; besides the index and the shards there must be no file.
  EXPECT_EQ(disk.paths().size(), shards + 2);
}

INSTANTIATE_TEST_SUITE_P(Zoo, ZooBytes,
                         testing::Values("v2_single", "v2_dtypes",
                                         "v2_sharded4", "v2_slices",
                                         "v2_many_keys", "object_based-1"));

// The reference run's checkpoint contains variants, which Ingot cannot write;
// its index is rebuilt from the entries that TensorFlow wrote.
TEST(BundleIndexBuilder, IndexOfTrainingRunMatchesTensorFlow) {
  std::string prefix = std::string(INGOT_TEST_DATA) + "/mlp_adam/model.ckpt-0";
  auto reader = BundleReader::open(files(), prefix);
  ASSERT_TRUE(reader) << reader.status().message();
  BundleIndexBuilder index;
  for (const std::string &key : (*reader)->keys()) {
    const BundleEntry &entry = *(*reader)->find(key);
    ASSERT_TRUE(index
                    .addStored(key, entry.dtype, entry.shape, entry.offset,
                               entry.size, entry.crc32c)
                    .isOk());
  }
  auto bytes = index.serialize((*reader)->numShards());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, fileBytes(files(), prefix + ".index"));
}

TEST(WriteCheckpoint, KeepsValuesOfEveryTypeAndShape) {
  FaultFileSystem disk;
  std::vector<TensorValue> values;
  std::vector<TensorToSave> items;
  for (int32_t dtype = 1; dtype <= INGOT_UINT64; ++dtype) {
    if (dtypeSize(dtype) == 0 && dtype != INGOT_STRING)
      continue;
    for (const Shape &shape :
         {Shape{}, Shape{0}, Shape{3, 0}, Shape{2, 3, 4}}) {
      TensorValue value = makeValue(dtype, shape);
      for (size_t i = 0; i < value.bytes.size(); ++i)
        value.bytes[i] = static_cast<char>(i * 37 + size_t(dtype));
      for (size_t i = 0; i < value.strings.size(); ++i)
        value.strings[i] = std::string(i * i * 13, static_cast<char>(i));
      items.push_back(
          {dtypeName(dtype) + shapeText(shape), "", dtype, shape, nullptr, 0});
      values.push_back(std::move(value));
    }
  }
  for (size_t i = 0; i < items.size(); ++i)
    items[i].data = values[i].data(items[i].dtype);
  ASSERT_TRUE(writeCheckpoint(disk, "c", 1, false, items).isOk());

  auto reader = BundleReader::open(disk, "c");
  ASSERT_TRUE(reader) << reader.status().message();
  EXPECT_EQ((*reader)->keys().size(), items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    SCOPED_TRACE(items[i].key);
    TensorValue read = makeValue(items[i].dtype, items[i].shape);
    Status status = (*reader)->read(items[i].key, "", items[i].dtype,
                                    items[i].shape, read.data(items[i].dtype));
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(read.bytes, values[i].bytes);
    EXPECT_EQ(read.strings, values[i].strings);
  }
  EXPECT_TRUE((*reader)->verify().isOk());
}

TEST(WriteCheckpoint, ReadsTensorsLargerThanABufferBack) {
  FaultFileSystem disk;
  // 1,000,003 is a prime number: it is not divisible into rows or chunks of the
  // same size.
  std::vector<float> numbers(1000003);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i);
  std::vector<std::string> strings = {std::string(700000, 'a'), "",
                                      std::string(900001, 'b')};
  TensorToSave items[] = {{"n", "", INGOT_FLOAT, {1000003}, numbers.data(), 0},
                          {"s", "", INGOT_STRING, {3}, strings.data(), 0}};
  ASSERT_TRUE(writeCheckpoint(disk, "c", 1, false, items).isOk());
  auto reader = BundleReader::open(disk, "c");
  ASSERT_TRUE(reader);
  std::vector<float> read(1000003);
  ASSERT_TRUE(
      (*reader)->read("n", "", INGOT_FLOAT, {1000003}, read.data()).isOk());
  EXPECT_EQ(read, numbers);
  ASSERT_TRUE((*reader)
                  ->read("n", "1000003 65530,400000", INGOT_FLOAT, {400000},
                         read.data())
                  .isOk());
  EXPECT_EQ(
      std::vector<float>(read.begin(), read.begin() + 400000),
      std::vector<float>(numbers.begin() + 65530, numbers.begin() + 465530));
  std::vector<std::string> readStrings(3);
  ASSERT_TRUE(
      (*reader)->read("s", "", INGOT_STRING, {3}, readStrings.data()).isOk());
  EXPECT_EQ(readStrings, strings);
}

TEST(WriteCheckpoint, RejectsUnreadableItems) {
  float numbers[12] = {};
  struct Case {
    std::vector<TensorToSave> items;
    const char *message;
  };
  auto item = [&](const char *key, const char *slice, Shape shape,
                  uint32_t shard = 0, int32_t dtype = INGOT_FLOAT) {
    return TensorToSave{key, slice, dtype, std::move(shape), numbers, shard};
  };
  std::vector<Case> cases = {
      {{item("a", "", {2}), item("a", "", {2}, 1)}, "saved twice"},
      {{item("a", "4 0,2", {2}), item("a", "4 1,2", {2}, 1)}, "overlap"},
      {{item("a", "4 0,2", {2}), item("a", "", {4})}, "saved twice"},
      {{item("a", "4 0,2", {2}), item("a", "6 2,2", {2}, 1)},
       "must have the same type"},
      {{item("a", "4 0,2", {3})}, "has shape [3]"},
      {{item("a", "4 3,2", {2})}, "beyond its tensor"},
      {{item("a", "4 0,2:-", {2})}, "extents"},
      {{item("a", "four", {2})}, "slice specification 'four'"},
      {{item("a", "", {2}, 2)}, "is assigned to shard 2"},
      {{item("a", "", {-1})}, "a checkpoint cannot store"},
      {{item("", "", {2})}, "name must not be empty"},
  };
  for (const Case &bad : cases) {
    FaultFileSystem disk;
    Status status = writeCheckpoint(disk, "c", 2, true, bad.items);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_NE(status.message().find(bad.message), std::string::npos)
        << status.message();
    EXPECT_EQ(disk.paths(), std::vector<std::string>{"."});
  }
}

TEST(WriteCheckpoint, ReplacesOneWithAnotherNumberOfShards) {
  FaultFileSystem disk;
  float before[] = {1}, after[] = {2};
  TensorToSave first[] = {{"a", "", INGOT_FLOAT, {1}, before, 0},
                          {"b", "", INGOT_FLOAT, {1}, before, 1}};
  TensorToSave second[] = {{"a", "", INGOT_FLOAT, {1}, after, 0}};
  ASSERT_TRUE(writeCheckpoint(disk, "c", 2, true, first).isOk());
  ASSERT_TRUE(writeCheckpoint(disk, "c", 1, false, second).isOk());
  EXPECT_EQ(disk.paths(), (std::vector<std::string>{
                              ".", "c.data-00000-of-00001", "c.index"}));
  EXPECT_TRUE(verifyCheckpoint(disk, "c").isOk());
}

TEST(Table, KeepsRecordsThatFillSeveralBlocks) {
  std::map<std::string, std::string> records = {{"", "header"}};
  for (int i = 0; i < 5000; ++i)
    records["a/common/prefix/" + std::to_string(i)] =
        std::string(static_cast<size_t>(i % 600), 'v');
  auto bytes = buildTable(records);
  ASSERT_TRUE(bytes);
  ASSERT_GT(bytes->size(), size_t(1) << 20);
  FaultFileSystem disk;
  disk.put("t", *bytes);
  std::map<std::string, std::string> read;
  Status status =
      readTable(disk, "t", [&](std::string_view key, std::string_view value) {
        read.emplace(key, value);
        return Status::ok();
      });
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(read, records);
}

} // namespace
