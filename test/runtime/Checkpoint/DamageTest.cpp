//===- DamageTest.cpp - Damaged files are noticed and named ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/TableWriter.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>
#include <random>

using namespace ingot;
using namespace ingot::test;

namespace {

const std::vector<std::string> checkpoints = {
    "v2_single",    "v2_dtypes",      "v2_sharded4", "v2_slices",
    "v2_many_keys", "object_based-1", "v1_single",   "v1_sharded2"};

/// The checkpoint to which file `name` belongs; "" if it belongs to none.
std::string checkpointOf(const std::string &name) {
  for (const std::string &checkpoint : checkpoints)
    if (name == checkpoint || name.starts_with(checkpoint + ".") ||
        name.starts_with(checkpoint + "-"))
      return checkpoint;
  return "";
}

/// The contents of the zoo's files, by name.
std::map<std::string, std::string> zooFiles() {
  FileSystem &files = FileSystem::posix();
  std::map<std::string, std::string> contents;
  auto names = files.list(zooPath(""));
  EXPECT_TRUE(names);
  for (const std::string &name : *names)
    if (!checkpointOf(name).empty())
      contents[name] = fileBytes(files, zooPath(name));
  EXPECT_EQ(contents.size(), 21u);
  return contents;
}

/// Reads all tensors of a checkpoint. Returns the first error.
Status readAll(FileSystem &disk, const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                         CheckpointReader::open(disk, prefix));
  for (const std::string &key : reader->keys())
    INGOT_RETURN_IF_ERROR(readTensor(*reader, key).takeStatus());
  return Status::ok();
}

/// Expects an error when the checkpoint of `file`, which has this damage, is
/// restored and verified.
void expectNoticed(FaultFileSystem &disk, const std::string &file,
                   const std::string &damage) {
  SCOPED_TRACE(file + ": " + damage);
  std::string prefix = checkpointOf(file);
  auto verify = [&]() -> Status {
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                           CheckpointReader::open(disk, prefix));
    return reader->verify();
  };
  Status verified = verify();
  EXPECT_EQ(verified.code(), StatusCode::DataLoss);
  EXPECT_NE(verified.message().find("'" + file + "'"), std::string::npos)
      << verified.message();
  EXPECT_NE(verified.message().find("offset"), std::string::npos)
      << verified.message();
  EXPECT_FALSE(readAll(disk, prefix).isOk());
}

TEST(Damage, EveryBitFlipIsNoticedAndTheFileNamed) {
  std::map<std::string, std::string> files = zooFiles();
  std::mt19937 random(1);
  std::vector<std::string> names;
  for (const auto &[name, bytes] : files)
    names.push_back(name);
  for (int i = 0; i < 1000; ++i) {
    const std::string &name = names[random() % names.size()];
    FaultFileSystem disk;
    for (const auto &[other, bytes] : files)
      disk.put(other, bytes);
    std::string bytes = files[name];
    size_t bit = random() % (bytes.size() * 8);
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    disk.put(name, bytes);
    expectNoticed(disk, name, "bit " + std::to_string(bit));
  }
}

class SmallFile : public testing::TestWithParam<const char *> {};

// Tests every bit of the files that are small enough for it.
TEST_P(SmallFile, EveryBitMatters) {
  std::map<std::string, std::string> files = zooFiles();
  std::string name = GetParam();
  FaultFileSystem disk;
  for (const auto &[other, bytes] : files)
    disk.put(other, bytes);
  for (size_t bit = 0; bit < files[name].size() * 8; ++bit) {
    std::string bytes = files[name];
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    disk.put(name, bytes);
    expectNoticed(disk, name, "bit " + std::to_string(bit));
  }
}

INSTANTIATE_TEST_SUITE_P(Damage, SmallFile,
                         testing::Values("v2_single.index", "v1_single"));

TEST(Damage, EveryTruncationIsNoticedAndTheFileNamed) {
  std::map<std::string, std::string> files = zooFiles();
  std::mt19937 random(2);
  std::vector<std::string> names;
  for (const auto &[name, bytes] : files)
    names.push_back(name);
  for (int i = 0; i < 1000; ++i) {
    const std::string &name = names[random() % names.size()];
    FaultFileSystem disk;
    for (const auto &[other, bytes] : files)
      disk.put(other, bytes);
    size_t size = random() % files[name].size();
    disk.put(name, files[name].substr(0, size));
    expectNoticed(disk, name, "cut to " + std::to_string(size));
  }
}

TEST(Damage, RandomBytesAreRejected) {
  std::mt19937 random(3);
  for (size_t size : {0u, 1u, 47u, 48u, 100u, 5000u}) {
    std::string bytes(size, '\0');
    for (char &byte : bytes)
      byte = static_cast<char>(random());
    FaultFileSystem disk;
    disk.put("c.index", bytes);
    auto reader = BundleReader::open(disk, "c");
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.status().code(), StatusCode::DataLoss);
  }
}

/// Opens an index with valid checksums, one entry of which `forge` has changed.
Status openForged(void (*forge)(proto::BundleEntryProto &)) {
  proto::BundleHeaderProto header;
  header.set_num_shards(1);
  proto::BundleEntryProto entry;
  entry.set_dtype(proto::DT_FLOAT);
  entry.mutable_shape()->add_dim()->set_size(2);
  entry.set_size(8);
  entry.set_crc32c(0x12345678);
  forge(entry);
  auto bytes = buildTable(
      {{"", header.SerializeAsString()}, {"w", entry.SerializeAsString()}});
  FaultFileSystem disk;
  disk.put("c.index", *bytes);
  disk.put("c.data-00000-of-00001", std::string(8, '\0'));
  auto reader = BundleReader::open(disk, "c");
  if (!reader)
    return reader.status();
  return (*reader)->verify();
}

// The checksums of these files are right, but numbers in them are wrong. The
// reader must check each number before it uses it for an allocation or a sum.
TEST(Damage, ForgedEntriesAreRefused) {
  using Entry = proto::BundleEntryProto;
  void (*forgeries[])(Entry &) = {
      [](Entry &e) { e.mutable_shape()->mutable_dim(0)->set_size(-2); },
      [](Entry &e) {
        e.mutable_shape()->mutable_dim(0)->set_size(int64_t(1) << 61);
      },
      [](Entry &e) {
        e.mutable_shape()->mutable_dim(0)->set_size(int64_t(1) << 40);
        e.mutable_shape()->add_dim()->set_size(int64_t(1) << 40);
      },
      [](Entry &e) { e.mutable_shape()->set_unknown_rank(true); },
      [](Entry &e) { e.set_offset(INT64_MAX); },
      [](Entry &e) { e.set_offset(-8); },
      [](Entry &e) { e.set_size(INT64_MAX - 7); },
      [](Entry &e) { e.set_size(-1); },
      [](Entry &e) { e.set_size(12); },
      [](Entry &e) { e.set_shard_id(1); },
      [](Entry &e) { e.set_shard_id(-1); },
      [](Entry &e) {
        e.set_dtype(proto::DT_STRING);
        e.mutable_shape()->mutable_dim(0)->set_size(INT64_MAX);
        e.set_size(INT64_MAX);
      },
      [](Entry &e) { e.set_dtype(proto::DT_STRING); },
      [](Entry &e) { e.set_dtype(proto::DT_VARIANT); },
      [](Entry &e) { e.add_slices()->add_extent()->set_start(1); },
      [](Entry &e) {
        auto *extent = e.add_slices()->add_extent();
        extent->set_start(INT64_MAX);
        extent->set_length(INT64_MAX);
      },
      [](Entry &e) { e.add_slices(); },
  };
  for (size_t i = 0; i < std::size(forgeries); ++i) {
    Status status = openForged(forgeries[i]);
    EXPECT_EQ(status.code(), StatusCode::DataLoss) << "forgery " << i;
    EXPECT_NE(status.message().find("'w'"), std::string::npos)
        << status.message();
  }
}

TEST(Damage, OtherHeaderKindsAreRefused) {
  auto open = [](const proto::BundleHeaderProto &header) {
    FaultFileSystem disk;
    disk.put("c.index", *buildTable({{"", header.SerializeAsString()}}));
    auto reader = BundleReader::open(disk, "c");
    return reader ? Status::ok() : reader.status();
  };
  proto::BundleHeaderProto header;
  EXPECT_EQ(open(header).code(), StatusCode::DataLoss);
  header.set_num_shards(1);
  EXPECT_TRUE(open(header).isOk());
  // File names have five digits for the shard. The message names missing
  // shards, but not thousands of them.
  header.set_num_shards(99999);
  FaultFileSystem disk;
  disk.put("c.index", *buildTable({{"", header.SerializeAsString()}}));
  auto many = BundleReader::open(disk, "c");
  ASSERT_TRUE(many);
  std::vector<Status> damage = (*many)->findDamage(1);
  EXPECT_EQ(damage.size(), 20u);
  EXPECT_NE(damage[0].message().find("c.data-00000-of-99999"),
            std::string::npos);
  header.set_num_shards(100000);
  EXPECT_EQ(open(header).code(), StatusCode::DataLoss);
  header.set_num_shards(1);
  header.set_endianness(proto::BundleHeaderProto::BIG);
  EXPECT_EQ(open(header).code(), StatusCode::Unimplemented);
  header.set_endianness(proto::BundleHeaderProto::LITTLE);
  header.mutable_version()->set_min_consumer(2);
  EXPECT_EQ(open(header).code(), StatusCode::Unimplemented);
}

} // namespace
