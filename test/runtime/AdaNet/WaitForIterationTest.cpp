//===- WaitForIterationTest.cpp - Workers wait for the chief --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "SearchRuns.h"

#include "runtime/AdaNet/WaitForIteration.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

/// A worker, the folder that it shares with the chief, and a clock that only
/// sleeping advances.
class WaitForIterationTest : public testing::Test {
protected:
  WaitForIterationTest() : files(searchFolders) {
    worker.tasks = {{"chief", {"host0:1"}}, {"worker", {"host1:1", "host2:1"}}};
    worker.type = "worker";
    clock.seconds = [this] { return now; };
    clock.sleep = [this](double seconds) {
      now += seconds;
      sleeps.push_back(seconds);
      return chief ? chief() : Status::ok();
    };
    EXPECT_EQ(train(files, 0), 0);
  }

  std::string wait(int64_t iteration) {
    auto result = waitForIteration(files, "run", iteration, options, worker,
                                   clock, reporter);
    if (!result)
      return (result.status().code() == StatusCode::DeadlineExceeded
                  ? "timeout: "
                  : "failed: ") +
             result.status().message();
    return *result == WaitResult::Ended ? "ended" : "next";
  }

  /// What the chief does while the worker sleeps.
  std::function<Status()> chief;
  FaultFileSystem files;
  WorkerWaitOptions options;
  ProcessCluster worker;
  WorkerWaitClock clock;
  SessionLogger reporter;
  double now = 100;
  std::vector<double> sleeps;
};

TEST_F(WaitForIterationTest, StartsWhenChiefHasGrown) {
  chief = [&] {
    if (sleeps.size() == 3)
      EXPECT_EQ(train(files, 1, {"--max-steps", "11"}), 0);
    return Status::ok();
  };
  worker.index = 1;
  EXPECT_EQ(wait(0), "next");
  // The worker polls every 5 seconds (AN-010), and then worker 1 sleeps the 10
  // seconds of its own delay (AN-118).
  EXPECT_EQ(sleeps, (std::vector<double>{5, 5, 5, 10}));
  // The iteration has begun already; worker 0 only sleeps its own delay.
  sleeps.clear();
  worker.index = 0;
  EXPECT_EQ(wait(0), "next");
  EXPECT_EQ(sleeps, (std::vector<double>{5}));
}

TEST_F(WaitForIterationTest, ReachedLimitPrecedesNewIteration) {
  // The limit of steps is reached, so the worker does not wait for the next
  // iteration (AN-115).
  ASSERT_EQ(train(files, 1, {"--max-steps", "12"}), 0);
  options.maxSteps = 12;
  EXPECT_EQ(wait(0), "ended");
  options.maxSteps = 13;
  EXPECT_EQ(wait(0), "next");
  // There is no limit of steps (AN-117).
  options.maxSteps = -1;
  EXPECT_EQ(wait(0), "next");
}

TEST_F(WaitForIterationTest, TimeoutIsDeadlineExceeded) {
  // Exceeding the timeout is an error, and the last sleep ends with it
  // (AN-116).
  options.waitSeconds = 40;
  options.timeoutSeconds = 100;
  EXPECT_EQ(
      wait(0),
      "timeout: worker 0 (host1:1) waits for the chief, chief 0 (host0:1) to "
      "begin iteration 1, timed out after 100 s; 'run/model.ckpt-10' "
      "is at iteration 0, step 10");
  EXPECT_EQ(sleeps, (std::vector<double>{40, 40, 20}));
}

TEST_F(WaitForIterationTest, UnreadableStateIsPolledAgain) {
  ASSERT_EQ(train(files, 1, {"--max-steps", "11"}), 0);
  std::string architecture = files.get("run/architecture-0.json");
  files.put("run/architecture-0.json", "{");
  chief = [&] {
    files.put("run/architecture-0.json", architecture);
    return Status::ok();
  };
  EXPECT_EQ(wait(0), "next");
  EXPECT_EQ(sleeps.size(), 2u);
  // A signal ends the wait.
  chief = [] { return Status(StatusCode::Cancelled, "by a signal"); };
  EXPECT_EQ(wait(1), "failed: by a signal");
}

TEST_F(WaitForIterationTest, WorkersAreStaggered) {
  // Each worker starts 5 seconds after the one before it, the last ones after
  // 60 seconds (AN-118).
  const std::pair<int64_t, double> delays[] = {
      {0, 5}, {1, 10}, {10, 55}, {11, 60}, {500, 60}};
  for (auto [index, seconds] : delays) {
    worker.index = index;
    EXPECT_EQ(staggerSeconds(options, worker), seconds) << index;
  }
  worker.type = "chief";
  worker.index = 0;
  EXPECT_EQ(staggerSeconds(options, worker), 0);
}

TEST_F(WaitForIterationTest, InvalidSecondsAreRejected) {
  // Seconds must be finite and not negative (AN-011).
  for (double wrong : {-1.0, std::nan(""), double(INFINITY)})
    for (double WorkerWaitOptions::*option :
         {&WorkerWaitOptions::waitSeconds, &WorkerWaitOptions::timeoutSeconds,
          &WorkerWaitOptions::delaySecondsPerWorker,
          &WorkerWaitOptions::maxDelaySeconds}) {
      options = WorkerWaitOptions();
      options.*option = wrong;
      EXPECT_EQ(checkWait(options).code(), StatusCode::InvalidArgument);
    }
  options = WorkerWaitOptions();
  EXPECT_TRUE(checkWait(options).isOk());
  options.waitSeconds = options.timeoutSeconds + 1;
  EXPECT_NE(checkWait(options).message().find("worker_wait_timeout_secs"),
            std::string::npos);
  EXPECT_TRUE(wait(0).starts_with("failed: worker_wait_secs is 7201"));
  EXPECT_TRUE(sleeps.empty());
}

} // namespace
