//===- LargeTensorTest.cpp - Tensors much larger than memory to spare -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests how much memory reading a checkpoint needs in addition to the
// destination. Each test is a process of its own, as the kernel keeps one peak
// of memory for each process.
//
//===----------------------------------------------------------------------===//

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include "proto/SavedTensorSlices.pb.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>
#include <random>

using namespace ingot;
using namespace ingot::test;

namespace {

FileSystem &files() { return FileSystem::posix(); }

void addVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void addField(std::string &bytes, uint32_t field, std::string_view value) {
  addVarint(bytes, field << 3 | 2);
  addVarint(bytes, value.size());
  bytes += value;
}

/// A tensor to be written to a V1 checkpoint as one slice.
struct V1Tensor {
  std::string name;
  int32_t dtype;
  Shape shape;
  uint32_t field;     // the number of the TensorProto field with the elements
  std::string packed; // the contents of that field
};

class FileSink final : public leveldb::WritableFile {
public:
  explicit FileSink(ingot::WritableFile &file) : file(file) {}
  leveldb::Status Append(const leveldb::Slice &data) override {
    return file.append({data.data(), data.size()}).isOk()
               ? leveldb::Status::OK()
               : leveldb::Status::IOError("append");
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

private:
  ingot::WritableFile &file;
};

/// Writes `tensors`, which must be ordered by name, like TensorFlow's V1 saver:
/// in blocks of 256 KiB, or of the size of a larger tensor, compressed with
/// snappy.
void writeV1(FileSystem &fileSystem, const std::string &path,
             const std::vector<V1Tensor> &tensors) {
  auto file = fileSystem.create(path);
  ASSERT_TRUE(file);
  FileSink sink(**file);
  leveldb::Options options;
  options.block_size = 1 << 18;
  options.compression = leveldb::kSnappyCompression;
  leveldb::TableBuilder builder(options, &sink);
  proto::SavedTensorSlices meta;
  for (const V1Tensor &tensor : tensors) {
    proto::SavedSliceMeta &slice = *meta.mutable_meta()->add_tensor();
    slice.set_name(tensor.name);
    slice.set_type(static_cast<proto::DataType>(tensor.dtype));
    for (int64_t size : tensor.shape)
      slice.mutable_shape()->add_dim()->set_size(size);
    proto::TensorSliceProto &all = *slice.add_slice();
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      all.add_extent();
  }
  builder.Add("", meta.SerializeAsString());
  for (const V1Tensor &tensor : tensors) {
    std::string proto, saved, record;
    addField(proto, tensor.field, tensor.packed);
    addField(saved, 1, tensor.name);
    TensorSlice all;
    all.extents.resize(tensor.shape.size());
    proto::TensorSliceProto slice;
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      slice.add_extent();
    addField(saved, 2, slice.SerializeAsString());
    addField(saved, 3, proto);
    addField(record, 2, saved);
    builder.Add(encodeSliceKey(tensor.name, all), record);
  }
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_TRUE((*file)->close().isOk());
}

/// Bytes of which half are noise and half are repetitions, so that snappy uses
/// all kinds of its elements.
std::string mixedBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size;) {
    size_t run = std::min<size_t>(1 + random() % 90000, size - at);
    uint32_t period = 1 + random() % 40000;
    if (random() % 2)
      for (size_t i = at; i < at + run; i += 4) {
        uint32_t noise = static_cast<uint32_t>(random());
        std::memcpy(bytes.data() + i, &noise, std::min(size - i, size_t(4)));
      }
    else
      for (size_t i = at; i < at + run; ++i)
        bytes[i] = i >= period ? bytes[i - period] : 'x';
    at += run;
  }
  return bytes;
}

/// Packs int32 numbers like a saver; negative numbers take ten bytes.
std::string packedNumbers(const std::vector<int32_t> &numbers) {
  std::string bytes;
  for (int32_t number : numbers)
    addVarint(bytes, static_cast<uint64_t>(static_cast<int64_t>(number)));
  return bytes;
}

/// The peak of resident memory in bytes since resetPeakMemory().
uint64_t peakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      uint64_t kilobytes;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

bool resetPeakMemory() {
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5" << std::flush;
  return refs.good();
}

constexpr uint64_t mebibyte = 1 << 20;

TEST(LargeV1Tensor, IsReadAsItWasCompressed) {
  std::string floats = mixedBytes(6 << 20, 1);
  std::vector<int32_t> numbers(3 << 19);
  std::mt19937 random(2);
  for (int32_t &number : numbers)
    number = static_cast<int32_t>(random()) >> (random() % 32);
  auto rows = static_cast<int64_t>(numbers.size() / 512);
  FaultFileSystem disk;
  writeV1(disk, "v1",
          {{"floats", INGOT_FLOAT, {3, 1 << 19}, 5, floats},
           {"numbers", INGOT_INT32, {rows, 512}, 7, packedNumbers(numbers)},
           {"small", INGOT_FLOAT, {2}, 5, floats.substr(0, 8)}});
  auto reader = CheckpointReader::open(disk, "v1");
  ASSERT_TRUE(reader) << reader.status().message();
  auto wholeFloats = readTensor(**reader, "floats");
  ASSERT_TRUE(wholeFloats) << wholeFloats.status().message();
  EXPECT_TRUE(wholeFloats->bytes == floats);
  auto wholeNumbers = readTensor(**reader, "numbers");
  ASSERT_TRUE(wholeNumbers) << wholeNumbers.status().message();
  ASSERT_EQ(wholeNumbers->bytes.size(), numbers.size() * 4);
  EXPECT_EQ(std::memcmp(wholeNumbers->bytes.data(), numbers.data(),
                        numbers.size() * 4),
            0);
  // Columns 100 to 299 of all rows from row 1 on.
  auto part = readTensor(**reader, "numbers",
                         std::to_string(rows) + " 512 1," +
                             std::to_string(rows - 1) + ":100,200");
  ASSERT_TRUE(part) << part.status().message();
  for (int64_t row = 1; row < rows; ++row)
    ASSERT_EQ(std::memcmp(part->bytes.data() + (row - 1) * 800,
                          numbers.data() + row * 512 + 100, 800),
              0)
        << row;
  Status status = (*reader)->verify();
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(LargeV1Tensor, DamageAnywhereIsNamed) {
  FaultFileSystem disk;
  writeV1(disk, "v1",
          {{"floats", INGOT_FLOAT, {1 << 20}, 5, mixedBytes(4 << 20, 3)}});
  std::string whole = fileBytes(disk, "v1");
  std::mt19937 random(4);
  std::vector<float> floats(1 << 20);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = whole;
    size_t bit = random() % (bytes.size() * 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    disk.put("v1", bytes);
    auto read = [&]() -> Status {
      INGOT_ASSIGN_OR_RETURN(auto reader, CheckpointReader::open(disk, "v1"));
      INGOT_RETURN_IF_ERROR(
          reader->read("floats", "", INGOT_FLOAT, {1 << 20}, floats.data()));
      return reader->verify();
    };
    Status status = read();
    EXPECT_FALSE(status.isOk()) << "bit " << bit;
    EXPECT_NE(status.message().find("'v1'"), std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find("offset"), std::string::npos)
        << status.message();
  }
}

TEST(LargeV1Tensor, TakesNoMemoryBesideTheDestination) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was freed";
#endif
  if (!resetPeakMemory())
    GTEST_SKIP() << "no /proc/self/clear_refs, by which the kernel resets a "
                    "process's peak memory";
  constexpr size_t size = 96 * mebibyte;
  std::string path = testing::TempDir() + "large_v1";
  writeV1(files(), path,
          {{"a", INGOT_FLOAT, {size / 4}, 5, mixedBytes(size, 5)},
           {"b", INGOT_FLOAT, {size / 4}, 5, std::string(size, '\0')}});
  std::vector<float> a(size / 4, 1.0f), b(size / 4, 1.0f);
  std::vector<TensorToRestore> items(2);
  items[0].key = "a";
  items[1].key = "b";
  items[0].data = a.data();
  items[1].data = b.data();
  for (TensorToRestore &item : items) {
    item.dtype = INGOT_FLOAT;
    item.shape = {size / 4};
  }
  // Returns memory that the allocator has kept to the system, so that it does
  // not count.
  ASSERT_TRUE(resetPeakMemory());
  uint64_t before = peakMemory();
  auto report = restoreCheckpoint(files(), path, items);
  ASSERT_TRUE(report) << report.status().message();
  uint64_t restored = peakMemory();
  EXPECT_LT(restored - before, 8 * mebibyte);
  EXPECT_EQ(b[size / 4 - 1], 0.0f);
  auto reader = CheckpointReader::open(files(), path);
  ASSERT_TRUE(reader);
  Status status = (*reader)->verify(2);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_LT(peakMemory() - before, 8 * mebibyte);
  EXPECT_TRUE(files().remove(path).isOk());
}

} // namespace
