//===- StopTest.cpp - SIGTERM at any moment -------------------------------===//

#include "TrainerProcess.h"

#include "runtime/Checkpoint/CheckpointManager.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace ingot::test;

namespace {

/// The phases of a run that last long enough to be hit.
enum Phase { Init, Restore, Step, Save, InputWait, numPhases };

/// How long each run of a phase is in it.
Environment settings(Phase phase) {
  switch (phase) {
  case Init:
    return {{"COUNTER_INIT_USEC", "20000"}, {"COUNTER_STEP_USEC", "200"}};
  case Restore:
    return {{"COUNTER_LOCAL_INIT_USEC", "20000"}, {"COUNTER_STEP_USEC", "200"}};
  case Step:
    return {{"COUNTER_STEP_USEC", "3000"}};
  case Save:
    return {{"COUNTER_STEP_USEC", "100"}};
  default:
    return {{"COUNTER_INPUT_USEC", "5000"}};
  }
}

/// The step of the newest checkpoint whose every checksum holds; -1 where there
/// is none or any is damaged.
int64_t newestStep(const std::string &directory) {
  ingot::CheckpointManagerOptions options;
  options.directory = directory;
  ingot::CheckpointManager checkpoints(ingot::FileSystem::posix(), options);
  auto latest = checkpoints.latestComplete();
  if (!latest || !latest->found || !latest->warnings.empty())
    return -1;
  return latest->found->step.value_or(-1);
}

/// Bounded here; INGOT_STOP_RUNS=200 for the long one.
int numRuns() {
  const char *text = std::getenv("INGOT_STOP_RUNS");
  return text ? std::atoi(text) : 20;
}

TEST(StopTest, ASignalAtARandomMomentLeavesTheStepAtHandComplete) {
  std::mt19937 random(20251121);
  int stops = 0, byPhase[numPhases] = {};
  for (int run = 0; run < numRuns(); ++run) {
    auto phase = static_cast<Phase>(run % numPhases);
    TemporaryDirectory directory;
    std::string losses = directory / "losses";
    std::vector<std::string> flags = {"--model-dir",
                                      directory / "run",
                                      "--max-steps",
                                      "100000",
                                      "--save-checkpoints-steps",
                                      phase == Save ? "1" : "1000",
                                      "--losses",
                                      losses,
                                      "--quiet",
                                      "--threads",
                                      run % 2 ? "1" : "2"};
    if (phase == Restore) {
      std::vector<std::string> first = flags;
      first[3] = "5";
      ASSERT_EQ(runTrainer(first).exitCode, 0);
    }
    TrainerProcess process(flags, settings(phase));
    while (!process.catches(SIGTERM))
      ::usleep(200);
    ::usleep(static_cast<useconds_t>(random() % 40000));
    process.signal(SIGTERM);
    ProcessResult end = process.wait();
    ASSERT_EQ(end.exitCode, 128 + SIGTERM)
        << "run " << run << ", phase " << phase << ", signal " << end.signal
        << ": " << end.err;
    ++stops;
    ++byPhase[phase];
    // Every step that ended is saved: none is lost, and none is half done.
    std::string text = readFile(losses);
    auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_EQ(newestStep(directory / "run"), lines)
        << "run " << run << ", phase " << phase;
  }
  EXPECT_EQ(stops, numRuns());
  for (int count : byPhase)
    EXPECT_GE(count, numRuns() / numPhases);
}

} // namespace
