//===- CheckpointReaderTest.cpp - Reading any format ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Support/DType.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

using namespace ingot;
using namespace ingot::test;

namespace {

FileSystem &files() { return FileSystem::posix(); }

std::unique_ptr<CheckpointReader> open(FileSystem &fileSystem,
                                       const std::string &path) {
  auto reader = CheckpointReader::open(fileSystem, path);
  EXPECT_TRUE(reader) << reader.status().message();
  return reader ? std::move(*reader) : nullptr;
}

void expectValues(const CheckpointReader &reader, const std::string &name) {
  for (const ExpectedTensor &tensor : expectedTensors(name)) {
    SCOPED_TRACE(tensor.key + " " + tensor.slice);
    EXPECT_EQ(
        readTexts(reader, tensor.key, tensor.slice, tensor.dtype, tensor.shape),
        tensor.elements);
  }
  Status status = reader.verify();
  EXPECT_TRUE(status.isOk()) << status.message();
}

class AnyFormat : public testing::TestWithParam<const char *> {};

TEST_P(AnyFormat, IsReadExactly) {
  std::string name = GetParam();
  auto reader = open(files(), zooPath(name));
  ASSERT_TRUE(reader);
  EXPECT_STREQ(formatName(reader->format()),
               name.starts_with("v1") ? "V1" : "V2");
  expectValues(*reader, name);
}

INSTANTIATE_TEST_SUITE_P(Zoo, AnyFormat,
                         testing::Values("v2_single", "v2_dtypes",
                                         "v2_sharded4", "v2_slices",
                                         "v2_many_keys", "v1_single",
                                         "v1_sharded2", "v1_dtypes"));

TEST(V1, StateFilesNamesAreFound) {
  std::string pattern = "-" + std::string(5, '?') + "-of-00003";
  auto reader = open(files(), zooPath("v1_sharded2" + pattern));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->numShards(), 3u);
  expectValues(*reader, "v1_sharded2");
}

TEST(V1, CutsAnySliceFromAnyPartitioning) {
  auto reader = open(files(), zooPath("v1_sharded2"));
  ASSERT_TRUE(reader);
  // The elements of the whole tensor, put together from the saved slices.
  std::vector<std::string> full(54);
  for (const ExpectedTensor &slice : expectedTensors("v1_sharded2")) {
    if (slice.key != "part/cols")
      continue;
    auto part = parseShapeAndSlice(slice.slice);
    ASSERT_TRUE(part);
    const auto &extents = part->slice.extents;
    for (int64_t r = 0; r < slice.shape[0]; ++r)
      for (int64_t c = 0; c < slice.shape[1]; ++c)
        full[static_cast<size_t>((extents[0].start + r) * 9 + extents[1].start +
                                 c)] =
            slice.elements[static_cast<size_t>(r * slice.shape[1] + c)];
  }
  EXPECT_EQ(readTexts(*reader, "part/cols", "", INGOT_FLOAT, {6, 9}), full);
  for (int64_t left = 0; left < 9; ++left)
    for (int64_t width = 1; width <= 9 - left; ++width) {
      std::vector<std::string> expected;
      for (int64_t r = 2; r < 5; ++r)
        for (int64_t c = left; c < left + width; ++c)
          expected.push_back(full[static_cast<size_t>(r * 9 + c)]);
      std::string slice =
          "6 9 2,3:" + std::to_string(left) + "," + std::to_string(width);
      EXPECT_EQ(readTexts(*reader, "part/cols", slice, INGOT_FLOAT, {3, width}),
                expected)
          << slice;
    }
}

/// A leveldb file that collects the output of a table builder.
class StringSink final : public leveldb::WritableFile {
public:
  leveldb::Status Append(const leveldb::Slice &data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  std::string bytes;
};

/// Returns the table of file `path`, written again by leveldb with these
/// options.
std::string rebuilt(const std::string &path, size_t blockSize,
                    leveldb::CompressionType compression) {
  leveldb::Options options;
  options.block_size = blockSize;
  options.compression = compression;
  StringSink file;
  leveldb::TableBuilder builder(options, &file);
  EXPECT_TRUE(readTable(files(), path,
                        [&](std::string_view key, std::string_view value) {
                          builder.Add({key.data(), key.size()},
                                      {value.data(), value.size()});
                          return Status::ok();
                        })
                  .isOk());
  EXPECT_TRUE(builder.Finish().ok());
  return file.bytes;
}

TEST(V1, IsTheSameInSmallAndInCompressedBlocks) {
  for (size_t blockSize : {1u, 300u, 1u << 18})
    for (auto compression :
         {leveldb::kNoCompression, leveldb::kSnappyCompression}) {
      FaultFileSystem disk;
      disk.put("c", rebuilt(zooPath("v1_dtypes"), blockSize, compression));
      auto reader = open(disk, "c");
      ASSERT_TRUE(reader);
      expectValues(*reader, "v1_dtypes");
    }
  // If strings of equal bytes did not compress, this test would test nothing.
  EXPECT_LT(
      rebuilt(zooPath("v1_dtypes"), 1u << 18, leveldb::kSnappyCompression)
          .size(),
      rebuilt(zooPath("v1_dtypes"), 1u << 18, leveldb::kNoCompression).size());
}

TEST(V1, NamesAMissingFile) {
  FaultFileSystem disk;
  for (const char *file :
       {"v1_sharded2-00000-of-00003", "v1_sharded2-00002-of-00003"})
    disk.put(file, fileBytes(files(), zooPath(file)));
  auto reader = CheckpointReader::open(disk, "v1_sharded2");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.status().code(), StatusCode::NotFound);
  EXPECT_NE(reader.status().message().find("v1_sharded2-00001-of-00003"),
            std::string::npos)
      << reader.status().message();
}

TEST(V1, SlicesInTwoFilesThatOverlapAreRefused) {
  FaultFileSystem disk;
  std::string bytes = fileBytes(files(), zooPath("v1_single"));
  disk.put("c-00000-of-00002", bytes);
  disk.put("c-00001-of-00002", bytes);
  auto reader = CheckpointReader::open(disk, "c");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.status().code(), StatusCode::DataLoss);
  EXPECT_NE(reader.status().message().find("its slice overlaps one in"),
            std::string::npos);
}

TEST(OpenCheckpoint, ListsTriedPaths) {
  auto reader = CheckpointReader::open(files(), zooPath("none"));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.status().code(), StatusCode::NotFound);
  for (const char *part :
       {"none.index'", "none'", "none-00000-of-00001'", "none.safetensors'"})
    EXPECT_NE(reader.status().message().find(part), std::string::npos)
        << reader.status().message();
}

TEST(OpenCheckpoint, AcceptsFilesAndDirectories) {
  std::string folder = zooPath("").substr(0, zooPath("").size() - 1);
  for (const std::string &path : {zooPath("v2_sharded4.index"),
                                  zooPath("v2_sharded4.data-00001-of-00004")}) {
    auto reader = open(files(), path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->numShards(), 4u);
  }
  auto newest = open(files(), folder);
  ASSERT_TRUE(newest);
  EXPECT_NE(newest->find("save_counter/.ATTRIBUTES/VARIABLE_VALUE"), nullptr);
  auto model = open(files(), std::string(INGOT_TEST_DATA) +
                                 "/saved_model_small/saved_model");
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->verify().isOk());
}

TEST(OpenCheckpoint, RejectsOtherFiles) {
  FaultFileSystem disk({".", "empty", "loop"});
  disk.put("text", "not a checkpoint, but long enough to be taken for a table");
  disk.put("loop/checkpoint", "model_checkpoint_path: \".\"\n");
  EXPECT_EQ(CheckpointReader::open(disk, "text").status().code(),
            StatusCode::DataLoss);
  EXPECT_EQ(CheckpointReader::open(disk, "empty").status().code(),
            StatusCode::NotFound);
  EXPECT_FALSE(CheckpointReader::open(disk, "loop"));
}

/// Restores the variables that expect.json names from checkpoint `name`.
Expected<RestoreReport> restoreNamed(const std::string &name,
                                     const RestoreOptions &options,
                                     std::vector<TensorToRestore> more = {}) {
  std::vector<ExpectedTensor> tensors = expectedTensors(name);
  std::vector<TensorValue> values;
  for (const ExpectedTensor &tensor : tensors)
    values.push_back(makeValue(tensor.dtype, tensor.shape));
  std::vector<TensorToRestore> items;
  for (size_t i = 0; i < tensors.size(); ++i)
    items.push_back({tensors[i].key, tensors[i].slice, tensors[i].dtype,
                     tensors[i].shape, values[i].data(tensors[i].dtype)});
  items.insert(items.end(), more.begin(), more.end());
  auto report = restoreCheckpoint(files(), zooPath(name), items, options);
  for (size_t i = 0; report && i < tensors.size(); ++i)
    EXPECT_EQ(elementTexts(tensors[i].dtype, values[i]), tensors[i].elements)
        << tensors[i].key;
  return report;
}

class AnyThreads : public testing::TestWithParam<unsigned> {};

TEST_P(AnyThreads, RestoreTheSame) {
  RestoreOptions options;
  options.threads = GetParam();
  for (const char *name :
       {"v2_dtypes", "v2_sharded4", "v2_slices", "v2_many_keys", "v1_single",
        "v1_sharded2", "v1_dtypes"}) {
    auto report = restoreNamed(name, options);
    EXPECT_TRUE(report) << report.status().message();
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, AnyThreads, testing::Values(1u, 2u, 7u));

TEST(ObjectBased, VariablesAreRestoredByTheirNames) {
  RestoreOptions options;
  auto report = restoreNamed("object_based-1", options);
  // The checkpoint contains the global step as well, and it must be restored.
  ASSERT_FALSE(report);
  EXPECT_NE(report.status().message().find(
                "in the checkpoint, but not in the program:\n"
                "    'global_step' (under 'step/.ATTRIBUTES/VARIABLE_VALUE')"),
            std::string::npos)
      << report.status().message();
  int64_t step = -1;
  report = restoreNamed("object_based-1", options,
                        {{"global_step", "", INGOT_INT64, {}, &step}});
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(step, 0);
  // A warning says that variables of an object-based checkpoint are restored by
  // name, as a name may have changed its meaning.
  ASSERT_EQ(report->warnings.size(), 1u);
  EXPECT_NE(report->warnings[0].find("object-based"), std::string::npos);
  EXPECT_TRUE(restoreNamed("v2_dtypes", {})->warnings.empty());
  options.allowUnused = true;
  report = restoreNamed("keras-1", options);
  EXPECT_TRUE(report) << report.status().message();
}

// As with TensorFlow's Saver, the name that the graph asks for may differ from
// the one in the checkpoint; the message has both.
TEST(ObjectBased, MissingNameIsReportedWithBothNames) {
  float kernel[6];
  TensorToRestore items[] = {{"first/kernel", "", INGOT_FLOAT, {2, 3}, kernel},
                             {"third/kernel", "", INGOT_FLOAT, {2, 3}, kernel}};
  RestoreOptions options;
  options.allowUnused = true;
  auto report = restoreCheckpoint(files(), zooPath("keras-1"), items, options);
  ASSERT_FALSE(report);
  const std::string &message = report.status().message();
  for (const char *part :
       {"Existing variables not in the checkpoint: third/kernel\n\nVariables "
        "names when this checkpoint was written which don't exist now: ",
        "second/kernel", "\n\n(1 variable name(s) did match)\n",
        "not in the checkpoint:\n    'third/kernel', nearest: 'first/kernel'",
        "'second/kernel' (under "
        "'model/layer_with_weights-1/kernel/.ATTRIBUTES/VARIABLE_VALUE')"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find("save_counter"), std::string::npos) << message;
}

/// The bytes of a safetensors file with this header and data.
std::string safetensors(const std::string &header, const std::string &data) {
  uint64_t size = header.size();
  return std::string(reinterpret_cast<const char *>(&size), 8) + header + data;
}

constexpr const char *twoTensors =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"F32","shape":[2,3],"data_offsets":[2,26]},)"
    R"("a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}}   )";

std::string twoTensorsData() {
  float numbers[] = {0, 1, 2, 3, 4, 5};
  return std::string("\x80\x3f", 2) + // 1 in bfloat16
         std::string(reinterpret_cast<const char *>(numbers), sizeof(numbers));
}

TEST(Safetensors, AreReadWholeAndInSlices) {
  FaultFileSystem disk;
  disk.put("m.safetensors", safetensors(twoTensors, twoTensorsData()));
  for (const char *path : {"m", "m.safetensors"}) {
    auto reader = open(disk, path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->keys(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(readTexts(*reader, "a", "", INGOT_BFLOAT16, {}),
              std::vector<std::string>{"1"});
    EXPECT_EQ(readTexts(*reader, "b", "2 3 -:1,2", INGOT_FLOAT, {2, 2}),
              (std::vector<std::string>{"1", "2", "4", "5"}));
  }
}

TEST(Safetensors, EveryTruncationIsNoticed) {
  std::string whole = safetensors(twoTensors, twoTensorsData());
  for (size_t size = 0; size < whole.size(); ++size) {
    FaultFileSystem disk;
    disk.put("m.safetensors", whole.substr(0, size));
    auto reader = CheckpointReader::open(disk, "m");
    ASSERT_FALSE(reader) << size;
    EXPECT_EQ(reader.status().code(), StatusCode::DataLoss);
    EXPECT_NE(reader.status().message().find("'m.safetensors'"),
              std::string::npos);
    EXPECT_NE(reader.status().message().find("offset"), std::string::npos);
  }
}

TEST(Safetensors, ForgedHeadersAreRejected) {
  for (const char *header : {
           R"([])",
           R"({"a":1})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})",
           R"({"a":{"dtype":"F32","shape":[2]}})",
           R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
           R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],)"
           R"("data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],)"
           R"("data_offsets":[0,8]}})",
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
           R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
           R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           R"({"a":{"dtype":"F32","shape":[18446744073709551615],)"
           R"("data_offsets":[0,8]}})",
           R"({"__metadata__":{"x":{}},)"
           R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
           R"({"__metadata__":[],)"
           R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       }) {
    FaultFileSystem disk;
    disk.put("m.safetensors", safetensors(header, std::string(8, '\0')));
    auto reader = CheckpointReader::open(disk, "m");
    ASSERT_FALSE(reader) << header;
    EXPECT_EQ(reader.status().code(), StatusCode::DataLoss) << header;
  }
}

TEST(DTypes, AllHaveNameAndSize) {
  // Types with which programs cannot compute have names and sizes, too.
  EXPECT_EQ(dtypeName(12), "quint8");
  EXPECT_EQ(dtypeSize(18), 16u);
  EXPECT_EQ(dtypeName(29), "int4");
  EXPECT_EQ(dtypeSize(29), 1u);
  EXPECT_EQ(dtypeName(25), "float8_e4m3fn");
}

} // namespace
