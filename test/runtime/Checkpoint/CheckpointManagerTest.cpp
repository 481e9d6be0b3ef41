//===- CheckpointManagerTest.cpp - Files of a model directory -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointManager.h"
#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Tests with a model directory and a clock that the test sets.
class Directory : public testing::Test {
protected:
  Directory() {
    options.directory = "run";
    options.clock = [this] { return now; };
    disk.setClock(options.clock);
  }

  std::unique_ptr<CheckpointManager> start() {
    return std::make_unique<CheckpointManager>(disk, options);
  }

  void save(CheckpointManager &manager, int64_t step) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    auto prefix = manager.save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
    EXPECT_EQ(*prefix, "run/model.ckpt-" + std::to_string(step));
    EXPECT_TRUE(manager.takeWarnings().empty());
  }

  std::vector<int64_t> onDisk() {
    std::vector<int64_t> steps;
    for (const std::string &path : disk.paths())
      if (path.starts_with("run/model.ckpt-") && path.ends_with(".index") &&
          path.find(".damaged") == std::string::npos)
        steps.push_back(std::stoll(path.substr(15)));
    std::sort(steps.begin(), steps.end());
    return steps;
  }

  std::vector<int64_t> listed() {
    std::vector<int64_t> steps;
    auto state = readCheckpointState(disk, "run");
    EXPECT_TRUE(state) << state.status().message();
    if (!state)
      return steps;
    for (const std::string &path : state->allModelCheckpointPaths)
      steps.push_back(std::stoll(path.substr(11)));
    EXPECT_EQ(state->modelCheckpointPath,
              "model.ckpt-" + std::to_string(steps.back()));
    return steps;
  }

  void damage(int64_t step) {
    std::string path = dataPath(step);
    std::string bytes = disk.get(path);
    ASSERT_FALSE(bytes.empty());
    bytes[0] ^= 1;
    disk.put(path, bytes);
  }

  static std::string dataPath(int64_t step) {
    return "run/model.ckpt-" + std::to_string(step) + ".data-00000-of-00001";
  }

  static constexpr double hour = 3600;
  using Steps = std::vector<int64_t>;

  FaultFileSystem disk;
  CheckpointManagerOptions options;
  double now = 1e9;
};

// "max_to_keep indicates the maximum number of recent checkpoint files to
// keep. As new files are created, older files are deleted."
TEST_F(Directory, KeepsTheNewestFiveByDefault) {
  auto manager = start();
  for (int64_t step = 0; step < 70; step += 10)
    save(*manager, step);
  EXPECT_EQ(onDisk(), (Steps{20, 30, 40, 50, 60}));
  EXPECT_EQ(listed(), (Steps{20, 30, 40, 50, 60}));
}

// "If None or 0, no checkpoints are deleted from the filesystem but only the
// last one is kept in the checkpoint file."
TEST_F(Directory, KeepsAllButListsTheLastWhereTheLimitIsZero) {
  options.maxToKeep = 0;
  auto manager = start();
  for (int64_t step = 0; step < 70; step += 10)
    save(*manager, step);
  EXPECT_EQ(onDisk(), (Steps{0, 10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(listed(), (Steps{60}));
}

// "Passing keep_checkpoint_every_n_hours=2 ensures that the saver retains one
// checkpoint for every 2 hours of training."
TEST_F(Directory, AlsoKeepsOnePerTwoHours) {
  options.maxToKeep = 2;
  options.keepCheckpointEveryNHours = 2;
  auto manager = start();
  // Saves every half hour; checkpoints are named after the minute. When a
  // checkpoint leaves the list, it is kept if it is the first one later than 2,
  // 4 or 6 hours after the start.
  for (int64_t minute = 30; minute <= 480; minute += 30) {
    now = 1e9 + static_cast<double>(minute) * 60;
    save(*manager, minute);
  }
  EXPECT_EQ(onDisk(), (Steps{150, 270, 390, 450, 480}));
  EXPECT_EQ(listed(), (Steps{450, 480}));
}

// After a pause longer than the interval, the time at which the Saver keeps its
// next checkpoint has long passed: it keeps every checkpoint until that time,
// which grows by an interval each time, is in the future again.
TEST_F(Directory, CatchesUpAfterAPause) {
  options.maxToKeep = 1;
  options.keepCheckpointEveryNHours = 1;
  auto manager = start();
  now += 5.5 * hour;
  for (int64_t step = 1; step <= 8; ++step)
    save(*manager, step);
  EXPECT_EQ(onDisk(), (Steps{1, 2, 3, 4, 5, 8}));
}

// As with recover_last_checkpoints, a new process takes over the list, but
// counts its hours from its own start.
TEST_F(Directory, RestartTakesOverTheList) {
  options.maxToKeep = 3;
  options.keepCheckpointEveryNHours = 1;
  {
    auto manager = start();
    for (int64_t step : {1, 2, 3})
      save(*manager, step);
  }
  now += 10 * hour;
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->found->step, 3);
  EXPECT_TRUE(latest->warnings.empty());
  EXPECT_EQ(manager->lastCheckpoints(),
            (std::vector<std::string>{"run/model.ckpt-1", "run/model.ckpt-2",
                                      "run/model.ckpt-3"}));
  save(*manager, 4);
  EXPECT_EQ(onDisk(), (Steps{2, 3, 4}));
  save(*manager, 5);
  EXPECT_EQ(onDisk(), (Steps{3, 4, 5}));
  EXPECT_EQ(listed(), (Steps{3, 4, 5}));
}

// TensorFlow's Saver would remove only one checkpoint with each save, and so
// never reach the lower limit.
TEST_F(Directory, LowerLimitHoldsAfterFirstSave) {
  {
    auto manager = start();
    for (int64_t step : {1, 2, 3, 4, 5})
      save(*manager, step);
  }
  options.maxToKeep = 2;
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  save(*manager, 6);
  EXPECT_EQ(onDisk(), (Steps{5, 6}));
  EXPECT_EQ(listed(), (Steps{5, 6}));
}

TEST_F(Directory, SavingAStepAgainMovesItToTheEndOfTheList) {
  options.maxToKeep = 3;
  auto manager = start();
  for (int64_t step : {1, 2, 3, 2, 4})
    save(*manager, step);
  EXPECT_EQ(onDisk(), (Steps{2, 3, 4}));
  EXPECT_EQ(listed(), (Steps{3, 2, 4}));
}

TEST_F(Directory, MetaGraphIsRemovedWithCheckpoint) {
  options.maxToKeep = 1;
  auto manager = start();
  save(*manager, 1);
  disk.put("run/model.ckpt-1.meta", "graph");
  disk.put("run/other.ckpt-1.meta", "graph");
  save(*manager, 2);
  EXPECT_FALSE(disk.exists("run/model.ckpt-1.meta"));
  EXPECT_TRUE(disk.exists("run/other.ckpt-1.meta"));
}

TEST_F(Directory, MissingDirectoryHasNoCheckpoint) {
  auto manager = start();
  for (auto latest : {manager->latestComplete(), manager->recover()}) {
    ASSERT_TRUE(latest);
    EXPECT_FALSE(latest->found);
    EXPECT_TRUE(latest->warnings.empty());
  }
  EXPECT_EQ(disk.paths(), std::vector<std::string>{"."});
}

TEST_F(Directory, DamagedNewerCheckpointIsSetAside) {
  options.maxToKeep = 3;
  {
    auto manager = start();
    for (int64_t step : {1, 2, 3})
      save(*manager, step);
  }
  damage(3);
  disk.put("run/model.ckpt-3.meta", "graph");
  std::string bytes = disk.get(dataPath(3));
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-2");
  ASSERT_EQ(latest->warnings.size(), 2u);
  EXPECT_NE(latest->warnings[0].find("run/model.ckpt-3"), std::string::npos);
  EXPECT_NE(latest->warnings[0].find("checksum"), std::string::npos);
  EXPECT_NE(latest->warnings[1].find("run/model.ckpt-3.damaged"),
            std::string::npos);
  EXPECT_EQ(listed(), (Steps{1, 2}));
  // The damaged checkpoint 3 does not count towards the limit of three, and
  // none of its files is removed.
  save(*manager, 4);
  EXPECT_EQ(onDisk(), (Steps{1, 2, 4}));
  save(*manager, 5);
  save(*manager, 6);
  EXPECT_EQ(onDisk(), (Steps{4, 5, 6}));
  EXPECT_EQ(disk.get("run/model.ckpt-3.damaged.data-00000-of-00001"), bytes);
  EXPECT_TRUE(disk.exists("run/model.ckpt-3.damaged.index"));
  EXPECT_EQ(disk.get("run/model.ckpt-3.damaged.meta"), "graph");
  // The next run does not warn of the damaged checkpoint again.
  latest = start()->recover();
  ASSERT_TRUE(latest);
  EXPECT_TRUE(latest->warnings.empty());
}

// A checkpoint that cannot be read may be sound, as when the disk comes back:
// it is not renamed.
TEST_F(Directory, UnreadableCheckpointIsNotMoved) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  std::vector<std::string> before = disk.paths();
  size_t fellBack = 0;
  for (size_t call = 0; call < 100; ++call) {
    disk.failCall(disk.calls() + call, StatusCode::Unknown);
    auto latest = start()->recover();
    disk.failCall(FaultFileSystem::never, StatusCode::Unknown);
    fellBack += latest && latest->found && latest->found->step == 1;
    EXPECT_EQ(disk.paths(), before) << call;
  }
  EXPECT_GT(fellBack, 0u);
}

TEST_F(Directory, CheckpointsSetAsideDoNotReplaceOneAnother) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  for (const char *aside : {"damaged", "damaged-2"}) {
    damage(2);
    std::string bytes = disk.get(dataPath(2));
    auto manager = start();
    ASSERT_TRUE(manager->recover());
    save(*manager, 2);
    EXPECT_TRUE(verifyCheckpoint(disk, "run/model.ckpt-2").isOk());
    std::string moved = std::string("run/model.ckpt-2.") + aside;
    EXPECT_EQ(disk.get(moved + ".data-00000-of-00001"), bytes);
    EXPECT_TRUE(disk.exists(moved + ".index"));
  }
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 2);
  EXPECT_TRUE(latest->warnings.empty());
}

TEST_F(Directory, IncompleteCheckpointsAreSkipped) {
  {
    auto manager = start();
    for (int64_t step : {1, 2, 3, 4})
      save(*manager, step);
  }
  ASSERT_TRUE(disk.remove(dataPath(4)).isOk());
  ASSERT_TRUE(disk.remove("run/model.ckpt-3.index").isOk());
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 2);
  EXPECT_EQ(latest->warnings.size(), 4u);
  EXPECT_TRUE(disk.exists("run/model.ckpt-3.damaged.data-00000-of-00001"));
  EXPECT_TRUE(disk.exists("run/model.ckpt-4.damaged.index"));
  EXPECT_EQ(listed(), (Steps{1, 2}));
}

TEST_F(Directory, DanglingStateFileIsRepaired) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  for (const char *text :
       {"model_checkpoint_path: \"model.ckpt-9\"\n"
        "all_model_checkpoint_paths: \"model.ckpt-8\"\n"
        "all_model_checkpoint_paths: \"model.ckpt-9\"\n",
        "model_checkpoint_path: \"/gone/model.ckpt-9\"\n", "garbage", ""}) {
    SCOPED_TRACE(text);
    disk.put("run/checkpoint", text);
    auto latest = start()->recover();
    ASSERT_TRUE(latest && latest->found);
    EXPECT_EQ(latest->found->step, 2);
    EXPECT_EQ(listed().back(), 2);
  }
  ASSERT_TRUE(disk.remove("run/checkpoint").isOk());
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(listed(), (Steps{1, 2}));
}

TEST_F(Directory, FindsItsCheckpointsAfterItWasMoved) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  disk.put("run/checkpoint",
           "model_checkpoint_path: \"/old/place/model.ckpt-2\"\n"
           "all_model_checkpoint_paths: \"/old/place/model.ckpt-1\"\n"
           "all_model_checkpoint_paths: \"/old/place/model.ckpt-2\"\n");
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-2");
  EXPECT_EQ(manager->lastCheckpoints(),
            (std::vector<std::string>{"run/model.ckpt-1", "run/model.ckpt-2"}));
}

TEST_F(Directory, IsTheSameWithASlashAtItsEnd) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  options.directory = "run/";
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-2");
  EXPECT_TRUE(latest->warnings.empty());
  save(*manager, 3);
  EXPECT_EQ(listed(), (Steps{1, 2, 3}));
}

TEST_F(Directory, LeftoversOfKilledSaveAreRemoved) {
  {
    auto manager = start();
    save(*manager, 1);
  }
  std::vector<std::string> before = disk.paths();
  ASSERT_TRUE(disk.createDirectories("run/model.ckpt-2_temp").isOk());
  disk.put("run/model.ckpt-2_temp/part-00000-of-00002.data-00000-of-00001",
           "x");
  disk.put("run/model.ckpt-3.data-00000-of-00001.tempstate", "x");
  disk.put("run/model.ckpt-4.index.tempstate", "x");
  disk.put("run/model.ckpt-5.data-00000-of-00001.tempstate1234567", "x");
  disk.put("run/checkpoint.tempstate", "x");
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 1);
  EXPECT_TRUE(latest->warnings.empty());
  EXPECT_EQ(disk.paths(), before);
}

TEST_F(Directory, ForeignFilesAreNotTouched) {
  auto writer = start();
  save(*writer, 5);
  for (const char *name :
       {"run/model.ckpt-1.txt", "run/model.ckpt.index", "run/graph.pbtxt",
        "run/other.ckpt-1.data-00000-of-00001", "run/model.ckpt-01.index",
        "run/other.ckpt-9.index.tempstate", "run/model.ckpt-2.meta",
        "run/events.out.tfevents.1.host"})
    disk.put(name, "x");
  std::vector<std::string> before = disk.paths();
  ASSERT_TRUE(start()->recover());
  EXPECT_EQ(disk.paths(), before);
}

TEST_F(Directory, LookingForTheNewestChangesNothing) {
  {
    auto manager = start();
    for (int64_t step : {1, 2})
      save(*manager, step);
  }
  damage(2);
  disk.put("run/model.ckpt-3.index.tempstate", "x");
  disk.put("run/checkpoint", "garbage");
  std::vector<std::string> before = disk.paths();
  auto latest = start()->latestComplete();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 1);
  EXPECT_EQ(latest->warnings.size(), 2u);
  EXPECT_EQ(disk.paths(), before);
  EXPECT_EQ(disk.get("run/checkpoint"), "garbage");
}

TEST_F(Directory, PathsInTheStateFileAreAbsoluteOnlyOnDemand) {
  FaultFileSystem root({"/run"});
  for (bool relative : {true, false}) {
    CheckpointManagerOptions absolute = options;
    absolute.directory = "/run";
    absolute.saveRelativePaths = relative;
    CheckpointManager manager(root, absolute);
    int64_t step = 1;
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    ASSERT_TRUE(manager.save(1, items));
    auto state = readCheckpointState(root, "/run");
    ASSERT_TRUE(state);
    EXPECT_EQ(state->modelCheckpointPath,
              relative ? "model.ckpt-1" : "/run/model.ckpt-1");
  }
}

// As with recover_last_checkpoints, the times are those of the files.
TEST_F(Directory, TimesOfCheckpointsSurviveARestart) {
  {
    auto manager = start();
    for (int64_t step : {1, 2, 3}) {
      now += 60;
      save(*manager, step);
    }
  }
  now += hour;
  auto manager = start();
  ASSERT_TRUE(manager->recover());
  ASSERT_EQ(manager->lastCheckpointsWithTimes().size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(manager->lastCheckpointsWithTimes()[i].time,
              1e9 + 60 * static_cast<double>(i + 1));
}

// "If True, pads the global step number in the checkpoint filepaths to some
// fixed width (8 by default)." Tests of a manager that saves under one name
// without a step.
class Unnumbered : public Directory {
protected:
  Unnumbered() { options.numbersSteps = false; }

  Status saveValue(CheckpointManager &manager, int64_t value) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &value, 0}};
    auto prefix = manager.save(value, items);
    EXPECT_TRUE(!prefix || *prefix == "run/model.ckpt");
    return prefix.takeStatus();
  }

  static int64_t savedValue(FileSystem &files, const std::string &prefix) {
    int64_t value = -1;
    TensorToRestore items[] = {{"global_step", "", INGOT_INT64, {}, &value}};
    auto report = restoreCheckpoint(files, prefix, items);
    EXPECT_TRUE(report) << report.status().message();
    return value;
  }
};

// Saver.save without a global_step writes one checkpoint, with one entry in the
// list.
TEST_F(Unnumbered, EachSaveReplacesThePrevious) {
  auto manager = start();
  for (int64_t value : {1, 2, 3})
    ASSERT_TRUE(saveValue(*manager, value).isOk());
  EXPECT_EQ(disk.paths(),
            (std::vector<std::string>{".", "run", "run/checkpoint",
                                      "run/model.ckpt.data-00000-of-00001",
                                      "run/model.ckpt.index"}));
  auto state = readCheckpointState(disk, "run");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->allModelCheckpointPaths,
            std::vector<std::string>{"model.ckpt"});
  // Without the state file, a run that does not number its saves takes
  // model.ckpt, although model.ckpt-7 is newer.
  options.numbersSteps = true;
  save(*start(), 7);
  options.numbersSteps = false;
  ASSERT_TRUE(disk.remove("run/checkpoint").isOk());
  auto latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt");
  EXPECT_EQ(savedValue(disk, "run/model.ckpt"), 3);
}

TEST_F(Unnumbered, EachCrashLeavesOneOfBothWhole) {
  constexpr Crash crashes[] = {Crash::KeepsAll, Crash::DropsUnsynced,
                               Crash::Tears, Crash::Reorders};
  size_t after = 0;
  for (size_t at = 0; after == 0 || at < after; ++at)
    for (Crash crash : crashes)
      for (uint32_t seed = 0; seed < 4; ++seed) {
        FaultFileSystem fresh({".", "run"});
        CheckpointManager manager(fresh, options), next(fresh, options);
        ASSERT_TRUE(saveValue(manager, 1).isOk());
        fresh.crashAtCall(fresh.calls() + at);
        bool saved = saveValue(manager, 2).isOk();
        if (saved && !fresh.isDown())
          after = at; // the save makes at most `at` calls
        fresh.crashAtCall(FaultFileSystem::never);
        fresh.restart(crash, seed);
        auto latest = next.recover();
        ASSERT_TRUE(latest && latest->found) << at;
        EXPECT_EQ(latest->found->prefix, "run/model.ckpt");
        int64_t value = savedValue(fresh, "run/model.ckpt");
        EXPECT_TRUE(value == 2 || (value == 1 && !saved))
            << value << " after call " << at;
        ASSERT_TRUE(saveValue(next, 3).isOk());
        EXPECT_EQ(savedValue(fresh, "run/model.ckpt"), 3);
      }
  EXPECT_GT(after, 10u);
}

// A run that numbers its checkpoints takes model.ckpt for a checkpoint only if
// the state file lists it, as it does when an earlier run has saved it.
TEST_F(Unnumbered, NumberedRunsTakeOnlyListedOnes) {
  ASSERT_TRUE(saveValue(*start(), 1).isOk());
  options.numbersSteps = true;
  options.maxToKeep = 1;
  std::string state = disk.get("run/checkpoint");
  ASSERT_TRUE(disk.remove("run/checkpoint").isOk());
  auto latest = start()->recover();
  ASSERT_TRUE(latest);
  EXPECT_FALSE(latest->found);
  save(*start(), 5);
  EXPECT_EQ(savedValue(disk, "run/model.ckpt"), 1);
  disk.put("run/checkpoint", state);
  auto manager = start();
  latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt");
  save(*manager, 6);
  EXPECT_FALSE(disk.exists("run/model.ckpt.index"));
}

TEST_F(Directory, StepNumbersArePaddedOnDemand) {
  options.maxToKeep = 2;
  {
    auto manager = start();
    save(*manager, 7);
  }
  options.padStepNumber = true;
  auto manager = start();
  auto latest = manager->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/model.ckpt-7");
  for (int64_t step : {60, 123456789}) {
    TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
    auto prefix = manager->save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
    EXPECT_EQ(*prefix, step == 60 ? "run/model.ckpt-00000060"
                                  : "run/model.ckpt-123456789");
  }
  EXPECT_EQ(onDisk(), (Steps{60, 123456789}));
  options.padStepNumber = false;
  latest = start()->recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 123456789);
  EXPECT_EQ(listed(), (Steps{60, 123456789}));
}

TEST_F(Directory, StateFileNameIsAnOption) {
  options.stateFileName = "latest";
  auto manager = start();
  save(*manager, 1);
  EXPECT_FALSE(disk.exists("run/checkpoint"));
  EXPECT_EQ(disk.get("run/latest"),
            "model_checkpoint_path: \"model.ckpt-1\"\n"
            "all_model_checkpoint_paths: \"model.ckpt-1\"\n");
}

// "'latest_filename' must not contain path components", and "'latest_filename'
// collides with 'save_path'".
TEST(CheckpointNameRules, RejectCollidingNames) {
  auto check = [](const char *state, const char *basename,
                  const char *suffix = "meta") {
    CheckpointManagerOptions options;
    options.stateFileName = state;
    options.basename = basename;
    options.metaGraphSuffix = suffix;
    return checkNames(options);
  };
  EXPECT_TRUE(check("checkpoint", "model.ckpt").isOk());
  EXPECT_TRUE(check("checkpoint-2", "model.ckpt", "pb").isOk());
  EXPECT_TRUE(check("checkpoint", "c").isOk());
  for (auto [state, basename, part] :
       {std::tuple("a/b", "model.ckpt", "path components: 'a/b'"),
        std::tuple("/checkpoint", "model.ckpt", "path components"),
        std::tuple("", "model.ckpt", "is ''"),
        std::tuple("..", "model.ckpt", "is '..'"),
        std::tuple("checkpoint", "sub/model", "path components: 'sub/model'"),
        std::tuple("model.ckpt", "model.ckpt",
                   "'model.ckpt' collides with the names of checkpoints "
                   "('model.ckpt-STEP')"),
        std::tuple("model-60.index", "model", "collides"),
        std::tuple("model-60", "model", "collides"),
        std::tuple("x.tempstate", "model", "collides")}) {
    Status status = check(state, basename);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << state;
    EXPECT_NE(status.message().find(part), std::string::npos)
        << status.message();
  }
  EXPECT_FALSE(check("checkpoint", "m", "index").isOk());
  EXPECT_FALSE(check("checkpoint", "m", "data-00000-of-00001").isOk());
}

TEST_F(Directory, MetaGraphIsWrittenAndRemovedWithCheckpoint) {
  for (const char *suffix : {"meta", "graph"}) {
    options.maxToKeep = 1;
    options.metaGraphSuffix = suffix;
    int made = 0;
    options.metaGraph = [&]() -> Expected<std::string> {
      return "graph " + std::to_string(++made);
    };
    auto manager = start();
    save(*manager, 1);
    save(*manager, 2);
    EXPECT_EQ(disk.get("run/model.ckpt-2." + options.metaGraphSuffix),
              "graph 2");
    EXPECT_FALSE(disk.exists("run/model.ckpt-1." + options.metaGraphSuffix));
    ASSERT_TRUE(disk.remove("run/checkpoint").isOk());
  }
}

TEST_F(Directory, UnfinishedMetaGraphIsRemoved) {
  {
    auto manager = start();
    save(*manager, 1);
  }
  std::vector<std::string> before = disk.paths();
  disk.put("run/model.ckpt-1.meta.tempstate", "half");
  ASSERT_TRUE(start()->recover());
  EXPECT_EQ(disk.paths(), before);
}

// With three shards, tensors have the same bytes, and each shard holds a third
// of them.
TEST_F(Directory, TensorsAreSpreadOverShardsOnDemand) {
  options.numShards = 3;
  options.sharded = true;
  options.spread = true;
  options.threads = 2;
  std::vector<float> values(300);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  std::vector<TensorToSave> items;
  for (int64_t i = 0; i < 30; ++i)
    items.push_back({"w" + std::to_string(100 + i),
                     "",
                     INGOT_FLOAT,
                     {10},
                     values.data() + 10 * i,
                     0});
  auto prefix = start()->save(1, items);
  ASSERT_TRUE(prefix) << prefix.status().message();
  for (uint32_t shard = 0; shard < 3; ++shard)
    EXPECT_EQ(
        disk.get("run/model.ckpt-1.data-0000" + std::to_string(shard) +
                 "-of-00003"),
        std::string(reinterpret_cast<const char *>(values.data()) + shard * 400,
                    400));
  EXPECT_TRUE(verifyCheckpoint(disk, *prefix).isOk());
}

TEST(SpreadOverShards, KeepsTheOrderAndUsesEveryShardWhereThereIsEnough) {
  float value = 0;
  std::string text = "text";
  std::vector<TensorToSave> items;
  for (int64_t size : {0, 1, 1000, 1, 1, 500, 500, 0})
    items.push_back({"t", "", INGOT_FLOAT, {size}, &value, 7});
  items.push_back({"s", "", INGOT_STRING, {1}, &text, 7});
  spreadOverShards(items, 2);
  std::vector<uint32_t> shards;
  for (const TensorToSave &item : items)
    shards.push_back(item.shard);
  // The total is 8016 bytes: the tensor after byte 4008, its half, begins the
  // second shard.
  EXPECT_EQ(shards, (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 1}));
  // All items are empty, so there are no sizes by which to spread them.
  std::vector<TensorToSave> empty = {{"t", "", INGOT_FLOAT, {0}, &value, 7}};
  spreadOverShards(empty, 4);
  EXPECT_EQ(empty[0].shard, 0u);
}

// Saves and finds checkpoints with files of the machine's own disk.
TEST(PosixDirectory, SavesAndFindsTheNewest) {
  CheckpointManagerOptions options;
  options.directory = scratchDirectory() + "/new/run";
  options.sharded = true;
  options.numShards = 2;
  options.maxToKeep = 1;
  float weights[] = {1, 2, 3};
  TensorToSave items[] = {{"a", "", INGOT_FLOAT, {3}, weights, 0},
                          {"b", "", INGOT_FLOAT, {3}, weights, 1}};
  CheckpointManager manager(FileSystem::posix(), options);
  for (int64_t step : {1, 2}) {
    auto prefix = manager.save(step, items);
    ASSERT_TRUE(prefix) << prefix.status().message();
  }
  auto names = FileSystem::posix().list(options.directory);
  ASSERT_TRUE(names);
  EXPECT_EQ(*names,
            (std::vector<std::string>{
                "checkpoint", "model.ckpt-2.data-00000-of-00002",
                "model.ckpt-2.data-00001-of-00002", "model.ckpt-2.index"}));
  auto latest = CheckpointManager(FileSystem::posix(), options).recover();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->step, 2);
}

} // namespace
