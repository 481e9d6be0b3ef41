//===- ForeignFilesTest.cpp - Other programs' files stay ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A state file is a text that any program may have written. Whatever files it
// names, the manager must remove only checkpoints that the saver of its
// directory has written, and must not write or remove anything through a link.
//
//===----------------------------------------------------------------------===//

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

using Strings = std::vector<std::string>;

class ForeignFiles : public testing::Test {
protected:
  ForeignFiles()
      : disk({"run", "run/sub", "other", "run/../other",
              "run/other/../../other"}) {
    options.directory = "run";
    options.maxToKeep = 2;
  }

  std::unique_ptr<CheckpointManager> start() {
    return std::make_unique<CheckpointManager>(disk, options);
  }
  void save(CheckpointManager &manager, int64_t step) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    auto prefix = manager.save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
  }
  void saveIn(const std::string &directory, const std::string &basename,
              int64_t step) {
    CheckpointManagerOptions others;
    others.directory = directory;
    others.basename = basename;
    others.stateFileName = "theirs";
    CheckpointManager manager(disk, others);
    save(manager, step);
  }

  /// All files that are not the run's own, with their contents.
  std::map<std::string, std::string> foreign() {
    std::map<std::string, std::string> files;
    for (const std::string &path : disk.paths())
      if (!path.starts_with("run/model.ckpt-") && path != "run/checkpoint")
        files[path] = disk.get(path);
    return files;
  }

  void putState(const Strings &paths, const Strings &removing = {}) {
    CheckpointState state;
    state.modelCheckpointPath = paths.back();
    state.allModelCheckpointPaths = paths;
    state.removing = removing;
    ASSERT_TRUE(writeCheckpointState(disk, "run", state).isOk());
  }

  static bool mentions(const Strings &texts, const std::string &part) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string &text) {
                         return text.find(part) != std::string::npos;
                       });
  }

  FaultFileSystem disk;
  CheckpointManagerOptions options;
};

TEST_F(ForeignFiles, ListedByStateFileAreKept) {
  saveIn("run", "other.ckpt", 7);     // of another model in the same directory
  saveIn("run/sub", "model.ckpt", 3); // in another folder
  saveIn("other", "model.ckpt", 8);
  saveIn("other", "model.ckpt", 9);
  disk.put("run/letters.txt", "Dear Ann,");
  disk.put("run/letters-5", "Dear Bob,");
  disk.put("other/letters-6", "Dear Cy,");
  save(*start(), 10);
  std::map<std::string, std::string> before = foreign();
  Strings listed = {"other.ckpt-7",          "sub/model.ckpt-3",
                    "../other/model.ckpt-8", "other/../../other/model.ckpt-9",
                    "letters.txt",           "letters-5",
                    "../other/letters-6",    "model.ckpt-10"};
  // The test's disk does not resolve "..": it has the file under the unresolved
  // path.
  for (std::string &path : listed)
    if (path.find("..") != std::string::npos)
      disk.put("run/" + path, "theirs");
  before = foreign();
  putState(listed, {"other.ckpt-7", "../other/model.ckpt-8", "letters.txt"});
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-10");
  for (const char *path : {"run/sub/model.ckpt-3", "run/letters.txt",
                           "run/letters-5", "run/../other/letters-6"})
    EXPECT_TRUE(mentions(latest->warnings, path)) << path;
  for (int64_t step = 20; step < 100; step += 10)
    save(*manager, step);
  EXPECT_EQ(foreign(), before);
  auto state = readCheckpointState(disk, "run");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->allModelCheckpointPaths,
            (Strings{"model.ckpt-80", "model.ckpt-90"}));
}

TEST_F(ForeignFiles, WithOurNamesAreKept) {
  save(*start(), 10);
  // Paths that are no checkpoints of the run: a text, an invalid index, and
  // links.
  disk.put("run/model.ckpt-1", "Dear Ann,");
  disk.put("run/model.ckpt-2.index", "Dear Bob,");
  disk.put("run/model.ckpt-3.index", disk.get("run/model.ckpt-10.index"));
  disk.setKind("run/model.ckpt-3.index", FileKind::Link);
  disk.put("run/model.ckpt-3.data-00000-of-00001",
           disk.get("run/model.ckpt-10.data-00000-of-00001"));
  disk.put("run/model.ckpt-4.index", disk.get("run/model.ckpt-10.index"));
  disk.put("run/model.ckpt-4.data-00000-of-00001",
           disk.get("run/model.ckpt-10.data-00000-of-00001"));
  disk.setKind("run/model.ckpt-4.data-00000-of-00001", FileKind::Link);
  Strings before = disk.paths();
  putState({"model.ckpt-1", "model.ckpt-2", "model.ckpt-3", "model.ckpt-4",
            "model.ckpt-10"},
           {});
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  Strings warnings = latest->warnings;
  for (int64_t step : {20, 30, 40}) {
    save(*manager, step);
    for (const std::string &warning : manager->takeWarnings())
      warnings.push_back(warning);
  }
  for (const char *name :
       {"model.ckpt-1'", "model.ckpt-2'", "model.ckpt-3'", "model.ckpt-4'"})
    EXPECT_TRUE(mentions(warnings, name)) << name;
  for (const std::string &path : before) {
    if (path.find("ckpt-10") == std::string::npos) {
      EXPECT_TRUE(disk.exists(path)) << path;
    }
  }
  EXPECT_FALSE(disk.exists("run/model.ckpt-10.index"));
}

// If the state file names another program's files as the newest checkpoint,
// they are not renamed either.
TEST_F(ForeignFiles, NamedAsNewestAreNotRenamed) {
  save(*start(), 10);
  disk.put("run/model.ckpt-20", "Dear Ann,");
  disk.put("run/letters.txt", "Dear Bob,");
  for (const char *path : {"model.ckpt-20", "letters.txt"}) {
    putState({"model.ckpt-10", path});
    auto latest = start()->recover();
    ASSERT_TRUE(latest && latest->found);
    EXPECT_EQ(latest->found->prefix, "run/model.ckpt-10");
    EXPECT_TRUE(mentions(latest->warnings, path));
  }
  EXPECT_EQ(disk.get("run/model.ckpt-20"), "Dear Ann,");
  EXPECT_EQ(disk.get("run/letters.txt"), "Dear Bob,");
}

TEST_F(ForeignFiles, BlockingSaveAreMovedAside) {
  save(*start(), 10);
  Strings ways = {"run/model.ckpt-20.index",
                  "run/model.ckpt-20.index.tempstate",
                  "run/model.ckpt-20.data-00000-of-00001.tempstate",
                  "run/checkpoint.tempstate", "run/checkpoint.next.tempstate"};
  for (const std::string &path : ways) {
    disk.put(path, "where the link leads to");
    disk.setKind(path, FileKind::Link);
  }
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  for (const std::string &path : ways)
    EXPECT_EQ(disk.kindOf(path), FileKind::Link) << path;
  save(*manager, 20);
  Strings warnings = manager->takeWarnings();
  EXPECT_EQ(warnings.size(), ways.size());
  for (const std::string &path : ways) {
    EXPECT_EQ(disk.kindOf(path + ".aside"), FileKind::Link) << path;
    EXPECT_EQ(disk.get(path + ".aside"), "where the link leads to");
    EXPECT_TRUE(mentions(warnings, "'" + path + "' is a link")) << path;
  }
  EXPECT_TRUE(verifyCheckpoint(disk, "run/model.ckpt-20").isOk());
  EXPECT_EQ(start()->recover()->found->step, 20);
}

// A folder that has the name of a sharded save's temporary folder, and that
// contains another program's file.
TEST_F(ForeignFiles, InOtherFoldersAreKept) {
  options.sharded = true;
  save(*start(), 10);
  ASSERT_TRUE(disk.createDirectories("run/model.ckpt-20_temp_1").isOk());
  disk.put("run/model.ckpt-20_temp_1/letters.txt", "Dear Ann,");
  disk.put("run/model.ckpt-20_temp_1/part-00000-of-00001.data-00000-of-00001",
           "half");
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_TRUE(mentions(latest->warnings, "not empty"));
  EXPECT_EQ(disk.get("run/model.ckpt-20_temp_1/letters.txt"), "Dear Ann,");
}

TEST_F(ForeignFiles, AreNeverRemovedAsACheckpoint) {
  save(*start(), 10);
  disk.put("run/model.ckpt-1", "Dear Ann,");
  disk.put("run/model.ckpt-2.index", "Dear Bob,");
  disk.put("run/model.ckpt-10.data-00001-of-00002", "elsewhere");
  disk.setKind("run/model.ckpt-10.data-00001-of-00002", FileKind::Link);
  Strings before = disk.paths();
  for (const char *prefix :
       {"run/model.ckpt-1", "run/model.ckpt-2", "run/model.ckpt-10"}) {
    Status status = removeCheckpoint(disk, prefix);
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition) << prefix;
    EXPECT_NE(status.message().find("is not removed"), std::string::npos);
  }
  EXPECT_EQ(disk.paths(), before);
}

} // namespace
