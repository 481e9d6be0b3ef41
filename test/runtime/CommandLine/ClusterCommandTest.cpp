//===- ClusterCommandTest.cpp - Chief and workers as processes ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SessionManager.h"
#include "test/runtime/Session/TrainerProcess.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <random>
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
          {"COUNTER_PLACED", "1"},
          {"COUNTER_STEP_USEC", "200"}};
}

class ClusterCommandTest : public testing::Test {
protected:
  std::vector<std::string> flags(const std::string &maxWait) {
    return {"--model-dir",          directory / "run",
            "--max-steps",          "20",
            "--summary-steps",      "0",
            "--max-wait-secs",      maxWait,
            "--recovery-wait-secs", "0.1"};
  }
  TemporaryDirectory directory;
};

TEST_F(ClusterCommandTest, WaitForMissingChiefTimesOut) {
  ProcessResult result = runTrainer(flags("0.3"), role("worker"));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "worker 0 (host1:2222) waits for the chief, "
                                   "chief 0 (host0:2222) to save a checkpoint"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "w, v/part_0, v/part_1, label, global_step"))
      << result.err;
}

TEST_F(ClusterCommandTest, OtherProgramsAreRefused) {
  for (const char *type : {"chief", "worker"}) {
    Environment alone = role(type);
    alone.erase("COUNTER_PLACED");
    ProcessResult result = runTrainer(flags("1"), alone);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_TRUE(contains(result.err,
                         "this program is for a single process, but TF_CONFIG "
                         "has 2 chief and worker tasks: compile it with "
                         "--parallel, and start it with mpirun or srun"))
        << result.err;
  }
  EXPECT_FALSE(ingot::FileSystem::posix().exists(directory / "run"));
}

// Tasks of a placed search may be srun's.
TEST_F(ClusterCommandTest, PlacedTasksMayComeFromALauncher) {
  Environment chief = role("chief");
  chief["SLURM_NTASKS"] = "2";
  EXPECT_EQ(runTrainer(flags("1"), chief).exitCode, 0);
  chief.erase("COUNTER_PLACED");
  EXPECT_EQ(runTrainer(flags("1"), chief).exitCode, 2);
}

// Without --max-wait-secs, a worker waits until a signal ends it.
TEST_F(ClusterCommandTest, WaitForChiefHasNoEndByDefault) {
  TrainerProcess worker({"--model-dir", directory / "run", "--max-steps", "20",
                         "--recovery-wait-secs", "0.05"},
                        role("worker"));
  while (!worker.catches(SIGTERM))
    ::usleep(200);
  ::usleep(300000);
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait().exitCode, 143);
  EXPECT_EQ(ingot::SessionStateSource().maxChiefWaitSeconds,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(ingot::SessionStateSource().maxWaitSeconds, 7200);
  EXPECT_EQ(ingot::SessionStateSource().recoveryWaitSeconds, 30);
}

TEST_F(ClusterCommandTest, WorkerRestoresFromChiefAndSavesNothing) {
  TrainerProcess worker(flags("60"), role("worker"));
  ASSERT_EQ(runTrainer(flags("60"), role("chief")).exitCode, 0);
  std::string state = readFile(directory / "run/checkpoint");
  ProcessResult result = worker.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "restored '")) << result.out;
  EXPECT_EQ(readFile(directory / "run/checkpoint"), state);
}

TEST_F(ClusterCommandTest, WaitSurvivesChiefRestart) {
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

// A chief and processes that wait for it are killed at random moments and
// restarted. Each waiting process must end, by itself or by its deadline. Set
// INGOT_CLUSTER_RUNS=100 for a longer test.
TEST_F(ClusterCommandTest, WorkersOfKilledChiefEnd) {
  const char *text = std::getenv("INGOT_CLUSTER_RUNS");
  int runs = text ? std::atoi(text) : 6, finished = 0, gaveUp = 0;
  std::mt19937 random(20251121);
  for (int run = 0; run < runs; ++run) {
    TemporaryDirectory model;
    bool returns = run % 3 != 2;
    std::vector<std::string> base = {"--model-dir",
                                     model / "run",
                                     "--max-steps",
                                     "60",
                                     "--save-checkpoints-steps",
                                     "10",
                                     "--max-wait-secs",
                                     returns ? "30" : "1",
                                     "--recovery-wait-secs",
                                     "0.1"};
    std::vector<std::string> later = base, evaluates = base;
    later.insert(later.end(), {"--wait-for-step", "50"});
    evaluates.insert(evaluates.begin(), "train-and-evaluate");
    evaluates.insert(evaluates.end(), {"--eval-steps", "2"});
    Environment slow = role("chief");
    slow["COUNTER_STEP_USEC"] = "3000";
    slow["COUNTER_INIT_USEC"] = "30000";
    auto start = std::chrono::steady_clock::now();
    TrainerProcess worker(base, role("worker")), second(later, role("worker")),
        evaluator(evaluates, role("evaluator"));
    for (int kills = returns ? 3 : 1; kills > 0; --kills) {
      TrainerProcess chief(base, slow);
      ::usleep(static_cast<useconds_t>(random() % 100000));
      chief.signal(SIGKILL);
      (void)chief.wait();
    }
    if (returns) {
      ASSERT_EQ(runTrainer(base, slow).exitCode, 0);
    }
    for (TrainerProcess *process : {&worker, &second, &evaluator}) {
      ProcessResult result = process->wait();
      if (result.exitCode == 0) {
        ++finished;
        continue;
      }
      ++gaveUp;
      EXPECT_FALSE(returns) << result.err;
      EXPECT_EQ(result.exitCode, 1) << result.err;
      // The message names the process that waits and the one it waits for.
      EXPECT_TRUE(contains(result.err, " waits for ") ||
                  contains(result.err, " gave up waiting for "))
          << result.err;
      EXPECT_TRUE(contains(result.err, "chief 0 (host0:2222) to save a "
                                       "checkpoint") ||
                  contains(result.err, "step 50: training is at step "))
          << result.err;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(returns ? 30 : 15));
  }
  EXPECT_GT(finished, 0);
  EXPECT_GT(gaveUp, 0);
}

TEST_F(ClusterCommandTest, OnlyEvaluatorEvaluates) {
  std::vector<std::string> both = flags("30");
  both.insert(both.begin(), "train-and-evaluate");
  both.insert(both.end(),
              {"--eval-steps", "2", "--eval-throttle-secs", "0.01"});
  TrainerProcess evaluator(both, role("evaluator"));
  ProcessResult chief = runTrainer(both, role("chief"));
  EXPECT_EQ(chief.exitCode, 0) << chief.err;
  EXPECT_FALSE(contains(chief.out, "evaluated")) << chief.out;
  ProcessResult result = evaluator.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "evaluated step 20")) << result.out;
}

TEST_F(ClusterCommandTest, SignalEndsWaiting) {
  TrainerProcess worker(flags("60"), role("worker"));
  while (!worker.catches(SIGTERM))
    ::usleep(200);
  worker.signal(SIGTERM);
  ProcessResult result = worker.wait();
  EXPECT_EQ(result.exitCode, 143) << result.err;
}

TEST_F(ClusterCommandTest, InvalidTFConfigIsUsageError) {
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

TEST_F(WatchFlagsTest, NanOriginIsFoundByReplay) {
  ProcessResult result =
      train({"--save-checkpoints-steps", "3"}, {{"COUNTER_NAN_AT", "5"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: the loss 'loss:0' is NaN at step 5; "
                                   "node 'mix' produced it: element 0 of 1"))
      << result.err;
  EXPECT_EQ(train({"--on-nan", "stop"}, {{"COUNTER_NAN_AT", "5"}}).exitCode, 0);
}

TEST_F(WatchFlagsTest, WatchdogEndsHangingRun) {
  ProcessResult result =
      train({"--watchdog-secs", "0.2"}, {{"COUNTER_STEP_USEC", "20000000"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: no progress for 0.2 s after step 0"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "computes 'mix'")) << result.err;
}

TEST_F(WatchFlagsTest, TraceIsWrittenAndFinalEntryIsLogged) {
  ProcessResult result = train(
      {"--trace", directory / "trace.json", "--final", "evaluate/metrics"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(readFile(directory / "trace.json"), "\"step 9\""));
  EXPECT_TRUE(contains(result.out, "seen = 9\n")) << result.out;
  EXPECT_EQ(train({"--final", "none"}).exitCode, 2);
}

} // namespace
