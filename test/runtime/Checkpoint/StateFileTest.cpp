//===- StateFileTest.cpp - The state file decides -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The newest checkpoint is the one that the state file names, not the one with
// the highest number. A user may have returned to an earlier checkpoint. Or
// another saver may have written to the same directory, as AdaNet's does when a
// search grows (increment.ckpt-1 next to model.ckpt-100).
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class StateFile : public testing::Test {
protected:
  using Strings = std::vector<std::string>;

  StateFile() { options.directory = "run"; }

  void save(CheckpointManager &manager, int64_t step) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    auto prefix = manager.save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
  }
  void saveAll(const std::vector<int64_t> &steps,
               const std::string &basename = "model.ckpt") {
    CheckpointManagerOptions others = options;
    others.basename = basename;
    CheckpointManager manager(disk, others);
    if (disk.exists("run/checkpoint")) {
      ASSERT_TRUE(manager.recover());
    }
    for (int64_t step : steps)
      save(manager, step);
  }

  /// Edits the state file: `prefix` is the newest checkpoint, and `listed`, if
  /// not empty, the list.
  void name(const std::string &prefix, std::vector<std::string> listed = {}) {
    auto state = readCheckpointState(disk, "run");
    ASSERT_TRUE(state);
    state->modelCheckpointPath = prefix;
    if (!listed.empty())
      state->allModelCheckpointPaths = listed;
    ASSERT_TRUE(writeCheckpointState(disk, "run", *state).isOk());
  }

  void damage(const std::string &prefix) {
    std::string path = "run/" + prefix + ".data-00000-of-00001";
    std::string bytes = disk.get(path);
    ASSERT_FALSE(bytes.empty());
    bytes[0] ^= 1;
    disk.put(path, bytes);
  }

  std::unique_ptr<CheckpointManager> start() {
    return std::make_unique<CheckpointManager>(disk, options);
  }

  /// Returns the newest checkpoint, which must be the same for readers and for
  /// the trainer.
  LatestCheckpoint find() {
    auto seen = start()->latestComplete();
    EXPECT_TRUE(seen);
    auto taken = start()->recover();
    EXPECT_TRUE(taken);
    if (!seen || !taken || !seen->found || !taken->found) {
      ADD_FAILURE() << "nothing was found";
      return {};
    }
    EXPECT_EQ(seen->found->prefix, taken->found->prefix);
    return *seen;
  }

  Strings listed() {
    auto state = readCheckpointState(disk, "run");
    EXPECT_TRUE(state);
    return state ? state->allModelCheckpointPaths : Strings();
  }
  std::string named() {
    auto state = readCheckpointState(disk, "run");
    return state ? state->modelCheckpointPath : "";
  }

  FaultFileSystem disk;
  CheckpointManagerOptions options;
};

TEST_F(StateFile, IsFollowedBackToAnEarlierCheckpoint) {
  saveAll({20, 40, 60, 80, 100});
  name("model.ckpt-60");
  LatestCheckpoint latest = find();
  EXPECT_EQ(latest.found->prefix, "run/model.ckpt-60");
  ASSERT_EQ(latest.warnings.size(), 1u);
  EXPECT_EQ(latest.warnings[0],
            "the state file names 'run/model.ckpt-60': using it although "
            "'run/model.ckpt-100' is newer");
  // recover() has removed no listed checkpoint, and left the state file's text
  // as it was.
  EXPECT_EQ(named(), "model.ckpt-60");
  EXPECT_EQ(listed(),
            (Strings{"model.ckpt-20", "model.ckpt-40", "model.ckpt-60",
                     "model.ckpt-80", "model.ckpt-100"}));
}

// As with tf.train.Saver after recover_last_checkpoints, the list continues,
// and a step that is saved again moves to its end.
TEST_F(StateFile, SavesContinueFromEarlierCheckpoint) {
  saveAll({20, 40, 60, 80, 100});
  name("model.ckpt-60");
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 80);
  EXPECT_EQ(named(), "model.ckpt-80");
  EXPECT_EQ(listed(),
            (Strings{"model.ckpt-20", "model.ckpt-40", "model.ckpt-60",
                     "model.ckpt-100", "model.ckpt-80"}));
  save(*manager, 90);
  EXPECT_EQ(listed(),
            (Strings{"model.ckpt-40", "model.ckpt-60", "model.ckpt-100",
                     "model.ckpt-80", "model.ckpt-90"}));
  EXPECT_FALSE(disk.exists("run/model.ckpt-20.index"));
  EXPECT_EQ(find().found->prefix, "run/model.ckpt-90");
}

TEST_F(StateFile, WithOnlyItsNameIsFollowed) {
  saveAll({20, 40, 60});
  name("model.ckpt-20", {"model.ckpt-20"});
  EXPECT_EQ(find().found->prefix, "run/model.ckpt-20");
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 30);
  // A checkpoint that the state file does not list may not be the run's own,
  // and is not removed.
  EXPECT_TRUE(disk.exists("run/model.ckpt-40.index"));
  EXPECT_TRUE(disk.exists("run/model.ckpt-60.index"));
  EXPECT_EQ(listed(), (Strings{"model.ckpt-20", "model.ckpt-30"}));
}

TEST_F(StateFile, MayNameAnotherSaversCheckpoint) {
  saveAll({0, 100});
  saveAll({1}, "increment.ckpt");
  ASSERT_EQ(listed(),
            (Strings{"model.ckpt-0", "model.ckpt-100", "increment.ckpt-1"}));
  LatestCheckpoint latest = find();
  EXPECT_EQ(latest.found->prefix, "run/increment.ckpt-1");
  EXPECT_TRUE(latest.warnings.empty());
  // The manager must not remove another saver's checkpoint, however old it
  // becomes.
  options.maxToKeep = 2;
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 120);
  EXPECT_EQ(manager->takeWarnings(), Strings());
  save(*manager, 140);
  Strings warnings = manager->takeWarnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'run/increment.ckpt-1'"), std::string::npos);
  EXPECT_NE(warnings[0].find("it is not a checkpoint of"), std::string::npos);
  EXPECT_TRUE(disk.exists("run/increment.ckpt-1.index"));
  EXPECT_FALSE(disk.exists("run/model.ckpt-100.index"));
  save(*manager, 160);
  EXPECT_EQ(manager->takeWarnings(), Strings());
  EXPECT_EQ(listed(), (Strings{"model.ckpt-140", "model.ckpt-160"}));
}

TEST_F(StateFile, WithDamagedNewestFallsBackInList) {
  saveAll({20, 40, 60, 80, 100});
  name("model.ckpt-60");
  damage("model.ckpt-60");
  LatestCheckpoint latest = find();
  EXPECT_EQ(latest.found->prefix, "run/model.ckpt-40");
  ASSERT_EQ(latest.warnings.size(), 1u);
  EXPECT_NE(latest.warnings[0].find("'run/model.ckpt-60' can't be used"),
            std::string::npos);
  EXPECT_NE(latest.warnings[0].find("checksum"), std::string::npos);
  EXPECT_NE(
      latest.warnings[0].find(
          "using 'run/model.ckpt-40', the next one that the state file lists"),
      std::string::npos)
      << latest.warnings[0];
  EXPECT_EQ(named(), "model.ckpt-40");
}

// If the named checkpoint is damaged, earlier ones in the list are tried first,
// then the last one.
TEST_F(StateFile, IsFollowedToTheEndOfItsList) {
  saveAll({20, 40, 60});
  name("model.ckpt-40");
  damage("model.ckpt-20");
  damage("model.ckpt-40");
  EXPECT_EQ(find().found->prefix, "run/model.ckpt-60");
}

TEST_F(StateFile, WithAllDamagedFallsBackToDirectory) {
  saveAll({20, 40, 60, 80});
  name("model.ckpt-90", {"model.ckpt-80", "model.ckpt-90"});
  damage("model.ckpt-80");
  LatestCheckpoint latest = find();
  EXPECT_EQ(latest.found->prefix, "run/model.ckpt-60");
  ASSERT_EQ(latest.warnings.size(), 2u);
  EXPECT_NE(latest.warnings[0].find("using 'run/model.ckpt-60', the newest "
                                    "complete one in the directory"),
            std::string::npos)
      << latest.warnings[0];
}

// With max-to-keep 1, the checkpoint that the state file names is kept, not the
// last one in its list.
TEST_F(StateFile, LowerLimitTakesEffectAtNextSave) {
  saveAll({20, 40, 60});
  name("model.ckpt-40");
  options.maxToKeep = 1;
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 40);
  EXPECT_TRUE(disk.exists("run/model.ckpt-40.index"));
  save(*manager, 50);
  EXPECT_EQ(listed(), (Strings{"model.ckpt-50"}));
  for (int64_t step : {20, 40, 60})
    EXPECT_FALSE(
        disk.exists("run/model.ckpt-" + std::to_string(step) + ".index"));
}

} // namespace
