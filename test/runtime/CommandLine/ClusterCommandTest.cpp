//===- ClusterCommandTest.cpp - Chief and workers as processes ------------===//

#include "test/runtime/Session/TrainerProcess.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

Environment role(const std::string &type) {
  return {{"TF_CONFIG", R"({"cluster": {"chief": ["host0:2222"],
                            "worker": ["host1:2222"]}, "task": {"type": ")" +
                            type + R"(", "index": 0}})"},
          {"COUNTER_STEP_USEC", "200"}};
}

class ClusterCommandTest : public testing::Test {
protected:
  std::vector<std::string> flags(const std::string &maxWait) {
    return {"--model-dir",     directory / "run",
            "--max-steps",     "20",
            "--summary-steps", "0",
            "--max-wait-secs", maxWait};
  }
  TemporaryDirectory directory;
};

TEST_F(ClusterCommandTest, AChiefThatNeverComesIsWaitedForUntilTheDeadline) {
  ProcessResult result = runTrainer(flags("0.3"), role("worker"));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "worker 0 (host1:2222) waits for the chief, "
                                   "chief 0 (host0:2222) to save a checkpoint"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "w, v/part_0, v/part_1, label, global_step"))
      << result.err;
}

TEST_F(ClusterCommandTest, AWorkerStartsWhereTheChiefIsAndSavesNothing) {
  TrainerProcess worker(flags("60"), role("worker"));
  ASSERT_EQ(runTrainer(flags("60"), role("chief")).exitCode, 0);
  std::string state = readFile(directory / "run/checkpoint");
  ProcessResult result = worker.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "restored '")) << result.out;
  EXPECT_EQ(readFile(directory / "run/checkpoint"), state);
}

TEST_F(ClusterCommandTest, AChiefThatDiesAndReturnsIsStillWaitedFor) {
  TrainerProcess worker(flags("60"), role("worker"));
  {
    Environment slow = role("chief");
    slow["COUNTER_INIT_USEC"] = "10000000";
    TrainerProcess chief(flags("60"), slow);
    ::usleep(50000);
    chief.signal(SIGKILL);
    ProcessResult killed = chief.wait();
    EXPECT_EQ(killed.signal, SIGKILL) << killed.err;
  }
  ASSERT_EQ(runTrainer(flags("60"), role("chief")).exitCode, 0);
  ProcessResult result = worker.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
}

TEST_F(ClusterCommandTest, ASignalEndsTheWaiting) {
  TrainerProcess worker(flags("60"), role("worker"));
  while (!worker.catches(SIGTERM))
    ::usleep(200);
  worker.signal(SIGTERM);
  ProcessResult result = worker.wait();
  EXPECT_EQ(result.exitCode, 143) << result.err;
}

TEST_F(ClusterCommandTest, ATFConfigThatIsWrongIsAUsageError) {
  ProcessResult result = runTrainer(flags("1"), {{"TF_CONFIG", "{"}});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "TF_CONFIG")) << result.err;
  EXPECT_EQ(runTrainer(flags("1"), role("evaluator")).exitCode, 2);
}

class WatchFlagsTest : public testing::Test {
protected:
  ProcessResult train(std::vector<std::string> more,
                      const Environment &environment = {}) {
    std::vector<std::string> flags = {"--model-dir",     directory.path(),
                                      "--max-steps",     "9",
                                      "--summary-steps", "0"};
    flags.insert(flags.end(), more.begin(), more.end());
    return runTrainer(flags, environment);
  }
  TemporaryDirectory directory;
};

TEST_F(WatchFlagsTest, TheNodeOfANaNIsFoundByRunningItsStepsAgain) {
  ProcessResult result =
      train({"--save-checkpoints-steps", "3"}, {{"COUNTER_NAN_AT", "5"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: the loss 'loss:0' is NaN at step 5; "
                                   "node 'mix' made it: element 0 of 1"))
      << result.err;
  EXPECT_EQ(train({"--on-nan", "stop"}, {{"COUNTER_NAN_AT", "5"}}).exitCode, 0);
}

TEST_F(WatchFlagsTest, AWatchdogEndsARunThatHangs) {
  ProcessResult result =
      train({"--watchdog-secs", "0.2"}, {{"COUNTER_STEP_USEC", "20000000"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: no progress for 0.2 s after step 0"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "computes 'mix'")) << result.err;
}

TEST_F(WatchFlagsTest, ATraceIsWrittenAndAFinalEntryIsLogged) {
  ProcessResult result = train(
      {"--trace", directory / "trace.json", "--final", "evaluate/metrics"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(readFile(directory / "trace.json"), "\"step 9\""));
  EXPECT_TRUE(contains(result.out, "seen = 9\n")) << result.out;
  EXPECT_EQ(train({"--final", "none"}).exitCode, 2);
}

} // namespace
