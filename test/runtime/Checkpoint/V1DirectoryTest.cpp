//===- V1DirectoryTest.cpp - V1 checkpoints in a model directory ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// An old saver of TensorFlow has begun a run. Its V1 checkpoints must be found,
// verified, counted and removed like those that Ingot writes.
//
//===----------------------------------------------------------------------===//

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class V1Directory : public testing::Test {
protected:
  V1Directory() {
    options.directory = "run";
    options.clock = [this] { return now; };
    disk.setClock(options.clock);
    EXPECT_TRUE(disk.createDirectories("run").isOk());
  }

  std::unique_ptr<CheckpointManager> start() {
    return std::make_unique<CheckpointManager>(disk, options);
  }

  void put(const std::string &path, const std::string &bytes) {
    auto file = disk.create(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE((*file)->append(bytes).isOk() && (*file)->close().isOk());
  }

  /// Adds a checkpoint as a V1 saver writes it: putSingle() in one file,
  /// putSharded() in three.
  void putSingle(int64_t step) {
    std::string prefix = "run/model.ckpt-" + std::to_string(step);
    put(prefix, fileBytes(FileSystem::posix(), zooPath("v1_single")));
    put(prefix + ".meta", "graph");
  }
  void putSharded(int64_t step) {
    std::string prefix = "run/model.ckpt-" + std::to_string(step);
    for (uint32_t shard = 0; shard < 3; ++shard)
      put(v1ShardPath(prefix, shard, 3),
          fileBytes(FileSystem::posix(),
                    v1ShardPath(zooPath("v1_sharded2"), shard, 3)));
    put(prefix + ".meta", "graph");
  }
  static std::string sharded(int64_t step) {
    return v1ShardPath("model.ckpt-" + std::to_string(step), std::nullopt, 3);
  }

  void putState(const std::vector<std::string> &names) {
    std::string text = "model_checkpoint_path: \"" + names.back() + "\"\n";
    for (const std::string &name : names)
      text += "all_model_checkpoint_paths: \"" + name + "\"\n";
    disk.put("run/checkpoint", text);
  }

  void save(CheckpointManager &manager, int64_t step) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    auto prefix = manager.save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
    EXPECT_TRUE(manager.takeWarnings().empty());
  }

  std::vector<std::string> inDirectory() {
    auto names = disk.list("run");
    EXPECT_TRUE(names);
    return names ? *names : std::vector<std::string>();
  }

  using Names = std::vector<std::string>;

  FaultFileSystem disk;
  CheckpointManagerOptions options;
  double now = 1e9;
};

TEST_F(V1Directory, ResumesFromNewest) {
  putSingle(50);
  putSingle(60);
  putState({"model.ckpt-50", "model.ckpt-60"});
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest) << latest.status().message();
  EXPECT_EQ(latest->warnings, Names());
  ASSERT_TRUE(latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-60");
  EXPECT_EQ(latest->found->step, 60);
  EXPECT_EQ(manager->lastCheckpoints(),
            (Names{"run/model.ckpt-50", "run/model.ckpt-60"}));
}

TEST_F(V1Directory, ResumesFromShardedCheckpoint) {
  putSharded(9);
  putSharded(60);
  putState({sharded(9), sharded(60)});
  auto latest = start()->recover();
  ASSERT_TRUE(latest) << latest.status().message();
  EXPECT_EQ(latest->warnings, Names());
  ASSERT_TRUE(latest->found);
  EXPECT_EQ(latest->found->prefix, "run/" + sharded(60));
  EXPECT_EQ(latest->found->step, 60);
}

TEST_F(V1Directory, IsFoundWithoutAStateFile) {
  putSingle(50);
  putSharded(60);
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest) << latest.status().message();
  ASSERT_TRUE(latest->found);
  EXPECT_EQ(latest->found->prefix, "run/" + sharded(60));
  auto state = readCheckpointState(disk, "run");
  ASSERT_TRUE(state) << state.status().message();
  EXPECT_EQ(state->modelCheckpointPath, sharded(60));
  EXPECT_EQ(state->allModelCheckpointPaths,
            (Names{"model.ckpt-50", sharded(60)}));
}

TEST_F(V1Directory, IsReplacedByV2Saves) {
  options.maxToKeep = 2;
  putSingle(40);
  putSharded(50);
  putState({"model.ckpt-40", sharded(50)});
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 60);
  EXPECT_EQ(
      inDirectory(),
      (Names{"checkpoint", "model.ckpt-50-00000-of-00003",
             "model.ckpt-50-00001-of-00003", "model.ckpt-50-00002-of-00003",
             "model.ckpt-50.meta", "model.ckpt-60.data-00000-of-00001",
             "model.ckpt-60.index"}));
  save(*manager, 70);
  EXPECT_EQ(inDirectory(),
            (Names{"checkpoint", "model.ckpt-60.data-00000-of-00001",
                   "model.ckpt-60.index", "model.ckpt-70.data-00000-of-00001",
                   "model.ckpt-70.index"}));
}

TEST_F(V1Directory, IsSavedBesideUnderTheSameName) {
  // After a restore, a run first saves the restored step again, here over the
  // V1 checkpoint.
  options.maxToKeep = 1;
  putSingle(60);
  putState({"model.ckpt-60"});
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 60);
  auto reader = CheckpointReader::open(disk, "run/model.ckpt-60");
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->format(), CheckpointReader::Format::V2);
  save(*manager, 70);
  EXPECT_EQ(inDirectory(),
            (Names{"checkpoint", "model.ckpt-70.data-00000-of-00001",
                   "model.ckpt-70.index"}));
}

TEST_F(V1Directory, SetsDamagedAside) {
  putSingle(50);
  putSharded(60);
  putSingle(70);
  disk.put("run/model.ckpt-70", disk.get("run/model.ckpt-70").substr(0, 200));
  std::string path = "run/model.ckpt-60-00001-of-00003";
  std::string bytes = disk.get(path);
  bytes[bytes.size() / 3] ^= 1;
  disk.put(path, bytes);
  putState({"model.ckpt-50", sharded(60), "model.ckpt-70"});
  auto manager = start();
  auto looked = manager->latestComplete();
  ASSERT_TRUE(looked && looked->found);
  EXPECT_EQ(looked->found->prefix, "run/model.ckpt-50");
  EXPECT_TRUE(disk.exists("run/model.ckpt-70"));
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-50");
  EXPECT_EQ(inDirectory(),
            (Names{"checkpoint", "model.ckpt-50", "model.ckpt-50.meta",
                   "model.ckpt-60.damaged-00000-of-00003",
                   "model.ckpt-60.damaged-00001-of-00003",
                   "model.ckpt-60.damaged-00002-of-00003", "model.ckpt-60.meta",
                   "model.ckpt-70.damaged", "model.ckpt-70.damaged.meta"}));
}

TEST_F(V1Directory, FolderOfThatNameIsIgnored) {
  putSingle(50);
  ASSERT_TRUE(disk.createDirectories("run/model.ckpt-60").isOk());
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-50");
  EXPECT_EQ(latest->warnings, Names());
}

// FindsBothFormats: as tf.train.checkpoint_exists, get_checkpoint_mtimes and
// remove_checkpoint do.
TEST_F(V1Directory, FindsBothFormats) {
  putSingle(50);
  now += 10;
  putSharded(60);
  EXPECT_TRUE(checkpointExists(disk, "run/model.ckpt-50"));
  EXPECT_TRUE(checkpointExists(disk, "run/" + sharded(60)));
  EXPECT_FALSE(checkpointExists(disk, "run/model.ckpt-70"));
  EXPECT_FALSE(checkpointExists(disk, "run"));
  auto time = checkpointTime(disk, "run/model.ckpt-50");
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 1e9);
  time = checkpointTime(disk, "run/" + sharded(60));
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 1e9 + 10);
  EXPECT_FALSE(checkpointTime(disk, "run/model.ckpt-70"));
  EXPECT_TRUE(removeCheckpoint(disk, "run/" + sharded(60)).isOk());
  EXPECT_EQ(inDirectory(), (Names{"model.ckpt-50", "model.ckpt-50.meta"}));
  EXPECT_TRUE(removeCheckpoint(disk, "run/model.ckpt-50").isOk());
  EXPECT_EQ(inDirectory(), Names());
}

} // namespace
