//===- KillSaveTest.cpp - Saves that are killed ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Kills a trainer 200 times, which saves all the time. Unlike
// Checkpoint/CrashTest.cpp, which injects a fault into each call, this uses the
// real file system.
//
//===----------------------------------------------------------------------===//

#include "TrainerProcess.h"

#include "runtime/Checkpoint/CheckpointManager.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace ingot;
using namespace ingot::test;

namespace {

TEST(KillSaveTest, TwoHundredKillsLoseNoFinishedSaveAndLeaveNothing) {
  TemporaryDirectory directory;
  CheckpointManagerOptions options;
  options.directory = directory.path();
  options.maxToKeep = 2;
  Environment slow = {{"COUNTER_STEP_USEC", "50"}};
  std::vector<std::string> flags = {"train",
                                    "--model-dir",
                                    directory.path(),
                                    "--save-checkpoints-steps",
                                    "3",
                                    "--keep-checkpoint-max",
                                    "2",
                                    "--shards",
                                    "2",
                                    "--summary-steps",
                                    "0",
                                    "--quiet"};
  // Measures a run with one step, so that kills come during saves, however fast
  // this machine is.
  std::vector<std::string> oneStep = flags;
  oneStep.insert(oneStep.end(), {"--steps", "1"});
  auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(runTrainer(oneStep).exitCode, 0);
  auto span = static_cast<uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - start)
          .count());
  span = std::min(span, 80000u);
  std::mt19937 random(20260101);
  int64_t newest = -1;
  int interrupted = 0;
  for (int kill = 0; kill < 200; ++kill) {
    SCOPED_TRACE("kill " + std::to_string(kill));
    {
      TrainerProcess process(flags, slow);
      ::usleep(span / 4 + random() % (2 * span));
      process.signal(SIGKILL);
      ProcessResult end = process.wait();
      ASSERT_EQ(end.signal, SIGKILL) << end.err;
      // The only warning allowed is that the state file does not name the last
      // save.
      ASSERT_TRUE(end.err.empty() ||
                  (end.err.find("is newer") != std::string::npos &&
                   std::count(end.err.begin(), end.err.end(), '\n') == 1))
          << end.err;
    }
    // The next process must find a complete checkpoint, which is not older than
    // the one before the kill.
    auto latest =
        CheckpointManager(FileSystem::posix(), options).latestComplete();
    ASSERT_TRUE(latest) << latest.status().message();
    for (const std::string &warning : latest->warnings)
      EXPECT_NE(warning.find("is newer"), std::string::npos) << warning;
    if (latest->found) {
      EXPECT_GE(latest->found->step.value_or(-1), newest);
      newest = latest->found->step.value_or(-1);
    }
    auto names = FileSystem::posix().list(directory.path());
    ASSERT_TRUE(names);
    interrupted +=
        std::any_of(names->begin(), names->end(), [](const std::string &name) {
          return name.ends_with(".tempstate") ||
                 name.find("_temp_") != std::string::npos;
        });
  }
  // Otherwise all saves would have been over before the kill, and the test
  // would show nothing.
  EXPECT_GE(interrupted, 10);
  EXPECT_GT(newest, 10);

  ProcessResult end = runTrainer(oneStep);
  ASSERT_EQ(end.exitCode, 0) << end.err;
  auto names = FileSystem::posix().list(directory.path());
  ASSERT_TRUE(names);
  auto state = readCheckpointState(FileSystem::posix(), directory.path());
  ASSERT_TRUE(state) << state.status().message();
  std::vector<std::string> expected = {"checkpoint"};
  for (const std::string &path : state->allModelCheckpointPaths)
    for (const char *suffix :
         {".data-00000-of-00002", ".data-00001-of-00002", ".index"})
      expected.push_back(path + suffix);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(state->allModelCheckpointPaths.size(), 2u);
  EXPECT_EQ(*names, expected);
}

} // namespace
