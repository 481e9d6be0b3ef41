//===- KillResumeTest.cpp - Runs that are stopped and continued -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "TrainerProcess.h"

#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace ingot::test;

namespace {

constexpr const char *lastIndex = "model.ckpt-300.index";
constexpr const char *lastData = "model.ckpt-300.data-00000-of-00001";

std::vector<std::string> trainFlags(const std::string &directory,
                                    std::vector<std::string> more = {}) {
  std::vector<std::string> flags = {
      "train",       "--model-dir", directory,
      "--max-steps", "300",         "--save-checkpoints-steps",
      "25",          "--losses",    directory + "/losses",
      "--fetch",     "element:0",   "--quiet"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

void waitAtMost(TrainerProcess &process, int64_t microseconds) {
  ::usleep(static_cast<useconds_t>(microseconds));
  process.signal(SIGKILL);
}

TEST(KillResumeTest, KilledRunEndsLikeUninterruptedRun) {
  TemporaryDirectory whole, killed;
  ProcessResult result = runTrainer(trainFlags(whole.path()));
  ASSERT_EQ(result.exitCode, 0) << result.err;

  std::mt19937 random(20240607);
  Environment slow = {{"COUNTER_STEP_USEC", "500"}};
  int kills = 0;
  for (int i = 0; i < 20; ++i) {
    // Runs use one and two threads in turn: this must not change the results.
    TrainerProcess process(
        trainFlags(killed.path(), {"--threads", i % 2 ? "1" : "2"}), slow);
    waitAtMost(process, 1000 + random() % 30000);
    ProcessResult end = process.wait();
    kills += end.signal == SIGKILL;
    ASSERT_TRUE(end.signal == SIGKILL || end.exitCode == 0) << end.err;
  }
  // Otherwise steps would have been too fast to be interrupted, and the test
  // would show nothing.
  EXPECT_GE(kills, 5);
  result = runTrainer(trainFlags(killed.path()));
  ASSERT_EQ(result.exitCode, 0) << result.err;

  for (const char *name : {lastIndex, lastData, "losses"}) {
    std::string expected = readFile(whole / name);
    EXPECT_FALSE(expected.empty()) << name;
    EXPECT_EQ(readFile(killed / name), expected) << name;
  }
}

TEST(KillResumeTest, ThreadCountChangesNothing) {
  TemporaryDirectory one, two;
  ASSERT_EQ(runTrainer(trainFlags(one.path(), {"--threads", "1"})).exitCode, 0);
  ASSERT_EQ(runTrainer(trainFlags(two.path(), {"--threads", "2"})).exitCode, 0);
  for (const char *name : {lastIndex, lastData, "losses"})
    EXPECT_EQ(readFile(one / name), readFile(two / name)) << name;
}

TEST(KillResumeTest, HalfWrittenLossesLineIsRewritten) {
  TemporaryDirectory whole, cut;
  ASSERT_EQ(runTrainer(trainFlags(whole.path())).exitCode, 0);
  auto flags = trainFlags(cut.path());
  flags[4] = "50";
  ASSERT_EQ(runTrainer(flags).exitCode, 0);
  // Simulates a crash of the machine in step 52.
  std::string losses = readFile(cut / "losses");
  writeFile(cut / "losses",
            losses +
                "{\"step\":51,\"loss\":1,\"element:0\":1}\n{\"step\":52,\"lo");
  ASSERT_EQ(runTrainer(trainFlags(cut.path())).exitCode, 0);
  EXPECT_EQ(readFile(cut / "losses"), readFile(whole / "losses"));
}

class SignalTest : public testing::TestWithParam<int> {};

TEST_P(SignalTest, StoppedRunSavesAndSetsExitCode) {
  TemporaryDirectory whole, stopped;
  ASSERT_EQ(runTrainer(trainFlags(whole.path())).exitCode, 0);
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  Environment slow = {{"COUNTER_STEP_USEC", "500"}};
  int stops = 0;
  unsigned startUsec = 5000;
  for (int i = 0; i < 10; ++i) {
    auto flags = trainFlags(stopped.path());
    // With these flags, only the signal causes a save.
    flags[6] = "100000";
    TrainerProcess process(flags, slow);
    ::usleep(startUsec + random() % 20000);
    process.signal(GetParam());
    // A second signal must not interrupt the save.
    process.signal(GetParam());
    ProcessResult end = process.wait();
    // Until main() has set its handlers, a signal kills the process. Machines
    // that start programs slowly get more time.
    if (end.signal == GetParam()) {
      startUsec *= 2;
      continue;
    }
    if (end.exitCode == 0)
      break;
    EXPECT_EQ(end.exitCode, 128 + GetParam()) << end.err;
    ++stops;
    // The run has saved exactly the steps whose losses are in the file.
    std::string losses = readFile(stopped / "losses");
    auto lines = std::count(losses.begin(), losses.end(), '\n');
    EXPECT_FALSE(
        readFile(stopped / ("model.ckpt-" + std::to_string(lines) + ".index"))
            .empty())
        << lines;
  }
  EXPECT_GE(stops, 2);
  ASSERT_EQ(runTrainer(trainFlags(stopped.path())).exitCode, 0);
  for (const char *name : {lastIndex, lastData, "losses"})
    EXPECT_EQ(readFile(stopped / name), readFile(whole / name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest,
                         testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](auto &info) {
                           return ingot::signalName(info.param);
                         });

TEST(KillResumeTest, NohupRunIgnoresHangup) {
  TemporaryDirectory directory;
  // nohup ignores SIGHUP in the same way.
  auto before = std::signal(SIGHUP, SIG_IGN);
  TrainerProcess process(trainFlags(directory.path()),
                         {{"COUNTER_STEP_USEC", "500"}});
  (void)std::signal(SIGHUP, before);
  while (!process.catches(SIGTERM))
    ::usleep(1000);
  process.signal(SIGHUP);
  ProcessResult end = process.wait();
  EXPECT_EQ(end.exitCode, 0) << end.err;
  EXPECT_FALSE(readFile(directory / lastIndex).empty());
}

TEST(KillResumeTest, EndOfInputIsSaved) {
  TemporaryDirectory directory;
  Environment twoPasses = {{"COUNTER_PASSES", "2"}};
  std::vector<std::string> flags = {"--model-dir", directory.path(), "--quiet"};
  ASSERT_EQ(runTrainer(flags, twoPasses).exitCode, 0);
  std::string index = readFile(directory / "model.ckpt-80.index");
  EXPECT_FALSE(index.empty());
  std::string state = readFile(directory / "checkpoint");
  ASSERT_EQ(runTrainer(flags, twoPasses).exitCode, 0);
  EXPECT_EQ(readFile(directory / "model.ckpt-80.index"), index);
  EXPECT_EQ(readFile(directory / "checkpoint"), state);
}

} // namespace
