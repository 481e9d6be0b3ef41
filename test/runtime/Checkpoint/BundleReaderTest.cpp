//===- BundleReaderTest.cpp - Reading what TensorFlow wrote ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

FileSystem &files() { return FileSystem::posix(); }

std::unique_ptr<BundleReader> openZoo(const std::string &name) {
  auto reader = BundleReader::open(files(), zooPath(name));
  EXPECT_TRUE(reader) << reader.status().message();
  return reader ? std::move(*reader) : nullptr;
}

class ZooValues : public testing::TestWithParam<const char *> {};

TEST_P(ZooValues, AreReadExactly) {
  auto reader = openZoo(GetParam());
  ASSERT_TRUE(reader);
  for (const ExpectedTensor &tensor : expectedTensors(GetParam())) {
    SCOPED_TRACE(tensor.key + " " + tensor.slice);
    EXPECT_EQ(readTexts(*reader, tensor.key, tensor.slice, tensor.dtype,
                        tensor.shape),
              tensor.elements);
  }
  EXPECT_TRUE(reader->verify().isOk());
}

INSTANTIATE_TEST_SUITE_P(Zoo, ZooValues,
                         testing::Values("v2_single", "v2_dtypes",
                                         "v2_sharded4", "v2_slices",
                                         "v2_many_keys"));

TEST(BundleReader, ReadsObjectBasedCheckpointsByTheirPaths) {
  auto reader = openZoo("object_based-1");
  ASSERT_TRUE(reader);
  for (const ExpectedTensor &tensor : expectedTensors("object_based-1")) {
    std::string variable = tensor.key.substr(tensor.key.find('/') + 1);
    EXPECT_EQ(readTexts(*reader,
                        "net/" + variable + "/.ATTRIBUTES/VARIABLE_VALUE", "",
                        tensor.dtype, tensor.shape),
              tensor.elements);
  }
}

TEST(BundleReader, ListsAPartitionedTensorOnce) {
  auto reader = openZoo("v2_slices");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->keys(),
            (std::vector<std::string>{"layer0/kernel", "layer1/kernel",
                                      "layer2/kernel", "layer3/kernel",
                                      "part/cols", "part/rows"}));
  EXPECT_EQ(reader->find("part/cols")->shape, (Shape{6, 9}));
  EXPECT_EQ(reader->find("part/cols")->slices.size(), 4u);
}

/// The elements of the whole tensor, put together from the slices in
/// expect.json.
std::vector<std::string> assembled(const std::string &key, int64_t rows,
                                   int64_t columns) {
  std::vector<std::string> full(static_cast<size_t>(rows * columns));
  for (const ExpectedTensor &slice : expectedTensors("v2_slices")) {
    if (slice.key != key)
      continue;
    auto part = parseShapeAndSlice(slice.slice);
    EXPECT_TRUE(part);
    const auto &extents = part->slice.extents;
    for (int64_t r = 0; r < slice.shape[0]; ++r)
      for (int64_t c = 0; c < slice.shape[1]; ++c)
        full[static_cast<size_t>((extents[0].start + r) * columns +
                                 extents[1].start + c)] =
            slice.elements[static_cast<size_t>(r * slice.shape[1] + c)];
  }
  return full;
}

TEST(BundleReader, PutsPartitionedTensorsTogether) {
  auto reader = openZoo("v2_slices");
  ASSERT_TRUE(reader);
  EXPECT_EQ(readTexts(*reader, "part/cols", "", INGOT_FLOAT, {6, 9}),
            assembled("part/cols", 6, 9));
  EXPECT_EQ(readTexts(*reader, "part/rows", "", INGOT_FLOAT, {10, 4}),
            assembled("part/rows", 10, 4));
}

TEST(BundleReader, CutsAnySliceFromAnyPartitioning) {
  auto reader = openZoo("v2_slices");
  ASSERT_TRUE(reader);
  std::vector<std::string> cols = assembled("part/cols", 6, 9);
  for (int64_t top = 0; top < 6; ++top)
    for (int64_t left = 0; left < 9; ++left)
      for (int64_t height = 1; height <= 6 - top; ++height)
        for (int64_t width = 1; width <= 9 - left; ++width) {
          std::vector<std::string> expected;
          for (int64_t r = top; r < top + height; ++r)
            for (int64_t c = left; c < left + width; ++c)
              expected.push_back(cols[static_cast<size_t>(r * 9 + c)]);
          std::string slice =
              "6 9 " + std::to_string(top) + "," + std::to_string(height) +
              ":" + std::to_string(left) + "," + std::to_string(width);
          ASSERT_EQ(readTexts(*reader, "part/cols", slice, INGOT_FLOAT,
                              {height, width}),
                    expected)
              << slice;
        }
  // Slices can also be read of a tensor that was stored whole.
  std::vector<std::string> whole =
      readTexts(*reader, "layer0/kernel", "", INGOT_FLOAT, {4, 3});
  EXPECT_EQ(
      readTexts(*reader, "layer0/kernel", "4 3 1,2:-", INGOT_FLOAT, {2, 3}),
      std::vector<std::string>(whole.begin() + 3, whole.begin() + 9));
}

TEST(BundleReader, RefusesAnotherTypeShapeOrName) {
  auto reader = openZoo("v2_single");
  ASSERT_TRUE(reader);
  char room[256];
  Status status = reader->read("layer0/kernel", "", INGOT_INT32, {4, 3}, room);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("has type float32, expected int32"),
            std::string::npos);
  status = reader->read("layer0/kernel", "", INGOT_FLOAT, {3, 4}, room);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("has shape [4,3], expected [3,4]"),
            std::string::npos);
  status =
      reader->read("layer0/kernel", "5 3 0,1:-", INGOT_FLOAT, {1, 3}, room);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  status = reader->read("layer9/kernel", "", INGOT_FLOAT, {4, 3}, room);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_NE(status.message().find("layer9/kernel"), std::string::npos);
}

/// Copies the zoo's checkpoint `name` to a disk on which the test can damage
/// it.
void copyZoo(FaultFileSystem &disk, const std::string &name) {
  auto names = files().list(zooPath(""));
  ASSERT_TRUE(names);
  for (const std::string &file : *names)
    if (file.starts_with(name + "."))
      disk.put(file, fileBytes(files(), zooPath(file)));
}

TEST(BundleReader, NamesAMissingShard) {
  FaultFileSystem disk;
  copyZoo(disk, "v2_sharded4");
  ASSERT_TRUE(disk.remove("v2_sharded4.data-00002-of-00004").isOk());
  auto reader = BundleReader::open(disk, "v2_sharded4");
  ASSERT_TRUE(reader);
  char room[256];
  EXPECT_TRUE(
      (*reader)->read("layer1/kernel", "", INGOT_FLOAT, {5, 3}, room).isOk());
  for (const Status &status :
       {(*reader)->read("layer2/kernel", "", INGOT_FLOAT, {6, 3}, room),
        (*reader)->verify()}) {
    EXPECT_EQ(status.code(), StatusCode::NotFound);
    EXPECT_NE(status.message().find("v2_sharded4.data-00002-of-00004"),
              std::string::npos);
  }
}

TEST(BundleReader, NamesFileTensorAndOffsetOfDamage) {
  FaultFileSystem disk;
  copyZoo(disk, "v2_single");
  std::string path = "v2_single.data-00000-of-00001";
  std::string bytes = disk.get(path);
  bytes[60] ^= 4; // in layer1/kernel, which begins at byte 48
  disk.put(path, bytes);
  auto reader = BundleReader::open(disk, "v2_single");
  ASSERT_TRUE(reader);
  char room[256];
  EXPECT_TRUE(
      (*reader)->read("layer0/kernel", "", INGOT_FLOAT, {4, 3}, room).isOk());
  Status status =
      (*reader)->read("layer1/kernel", "", INGOT_FLOAT, {5, 3}, room);
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  for (const char *part :
       {"'v2_single.data-00000-of-00001'", "'layer1/kernel'",
        "60 bytes at offset 48", "checksum is 0x", "expected 0x"})
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();
}

TEST(BundleReader, NamesTheIndexThatIsMissing) {
  auto reader = BundleReader::open(files(), zooPath("v2_none"));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.status().code(), StatusCode::NotFound);
  EXPECT_NE(reader.status().message().find("v2_none.index"), std::string::npos);
}

TEST(BundleReader, VerifiesTheVariantsOfAnIterator) {
  FaultFileSystem disk;
  std::string prefix = std::string(INGOT_TEST_DATA) + "/mlp_adam/model.ckpt-60";
  auto reader = BundleReader::open(files(), prefix);
  ASSERT_TRUE(reader) << reader.status().message();
  std::vector<std::string> variants;
  for (const std::string &key : (*reader)->keys())
    if ((*reader)->find(key)->dtype == INGOT_VARIANT)
      variants.push_back(key);
  ASSERT_FALSE(variants.empty());
  Status status = (*reader)->verify();
  EXPECT_TRUE(status.isOk()) << status.message();

  const BundleEntry &entry = *(*reader)->find(variants.front());
  std::string data = prefix + ".data-00000-of-00001";
  std::string bytes = fileBytes(files(), data);
  bytes[entry.offset + entry.size / 2] ^= 1;
  disk.put("c.index", fileBytes(files(), prefix + ".index"));
  disk.put("c.data-00000-of-00001", bytes);
  auto damaged = BundleReader::open(disk, "c");
  ASSERT_TRUE(damaged);
  EXPECT_EQ((*damaged)->verify().code(), StatusCode::DataLoss);
}

} // namespace
