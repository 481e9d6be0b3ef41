//===- CheckpointSaverHookTest.cpp - When checkpoints are written ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/CheckpointSaverHook.h"

#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

using namespace ingot;
using namespace ingot::test;

namespace {

class CheckpointSaverHookTest : public testing::Test {
protected:
  CheckpointSaverHookTest() : files({".", "run"}) {
    options.directory = "run";
    options.sharded = true;
    options.maxToKeep = 0;
  }

  /// Trains to `lastStep` in run/. No other thread uses the disk.
  Status train(int64_t lastStep, int64_t saveSteps, double saveSeconds = 0) {
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session);
    CheckpointManager checkpoints(files, options);
    SessionStateSource source;
    source.checkpoints = &checkpoints;
    source.writes = true;
    SessionManager manager(source, reporter);
    TrainingLoop loop(**session, manager, *findEntry(program, INGOT_ROLE_STEP));
    loop.addHook(StopAtStepHook::atStep(lastStep));
    loop.addHook(std::make_unique<CheckpointSaverHook>(
        checkpoints,
        SecondOrStepTimer(saveSteps, saveSeconds, [this] { return time += 1; }),
        reporter, [] { return nullptr; }, policy));
    Status status = loop.run();
    lastMessage = status.message();
    return status;
  }

  /// The steps of the checkpoints in run/, in the order of their names;
  /// "10.damaged" for a checkpoint that was renamed.
  std::vector<std::string> saved() {
    std::vector<std::string> steps;
    std::string start = "run/model.ckpt-", end = ".index";
    for (const std::string &path : files.paths()) {
      if (!path.starts_with(start) || !path.ends_with(end))
        continue;
      std::string step =
          path.substr(start.size(), path.size() - start.size() - end.size());
      if (step.find_first_not_of("0123456789") == std::string::npos)
        steps.push_back(step);
    }
    return steps;
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  CheckpointManagerOptions options;
  struct Warnings final : SessionLogger {
    void warning(const std::string &message) override {
      messages.push_back(message);
    }
    std::vector<std::string> messages;
  } reporter;
  CheckpointSavePolicy policy;
  double time = 0;
  std::string lastMessage;
};

using Steps = std::vector<std::string>;

TEST_F(CheckpointSaverHookTest, SavesAtTheStartEveryNStepsAndAtTheEnd) {
  ASSERT_TRUE(train(25, 10).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"0", "10", "20", "25"}));
}

TEST_F(CheckpointSaverHookTest, LastStepIsSavedOnce) {
  ASSERT_TRUE(train(20, 10).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"0", "10", "20"}));
}

TEST_F(CheckpointSaverHookTest, ResumedRunKeepsSaveInterval) {
  ASSERT_TRUE(train(20, 10).isOk()) << lastMessage;
  std::string index = files.get("run/model.ckpt-20.index");
  size_t calls = files.calls();
  ASSERT_TRUE(train(20, 10).isOk()) << lastMessage;
  EXPECT_EQ(files.get("run/model.ckpt-20.index"), index);
  ASSERT_TRUE(train(35, 10).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"0", "10", "20", "30", "35"}));
  EXPECT_GT(files.calls(), calls);
}

TEST_F(CheckpointSaverHookTest, SavesByTheClock) {
  // Each reading of the clock advances it by a second. It is read once when a
  // step is checked, and once when a save is noted.
  ASSERT_TRUE(train(10, 0, 4).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"0", "10", "4", "8"}));
}

TEST_F(CheckpointSaverHookTest, RecoveredRunEqualsUndisturbedRun) {
  ASSERT_TRUE(train(25, 10).isOk()) << lastMessage;
  std::string data = "run/model.ckpt-25.data-00000-of-00001";
  std::string expected = files.get(data);
  ASSERT_FALSE(expected.empty());
  for (const std::string &path : files.paths())
    if (path.starts_with("run/")) {
      ASSERT_TRUE(files.remove(path).isOk());
    }
  ::setenv("COUNTER_ABORT_AT", "18", 1);
  ASSERT_TRUE(train(25, 10).isOk()) << lastMessage;
  // The program has removed it when it failed.
  EXPECT_EQ(std::getenv("COUNTER_ABORT_AT"), nullptr);
  EXPECT_EQ(saved(), (Steps{"0", "10", "20", "25"}));
  EXPECT_EQ(files.get(data), expected);
}

TEST_F(CheckpointSaverHookTest, OldCheckpointsAreRemoved) {
  options.maxToKeep = 2;
  ASSERT_TRUE(train(40, 10).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"30", "40"}));
}

TEST_F(CheckpointSaverHookTest, SavesBeforeNextStepOnDemand) {
  policy.inBackground = false;
  ASSERT_TRUE(train(25, 10).isOk()) << lastMessage;
  EXPECT_EQ(saved(), (Steps{"0", "10", "20", "25"}));
}

TEST_F(CheckpointSaverHookTest,
       AFailedSaveIsToleratedOnDemandUnlessItIsTheLast) {
  policy.toleratesFailures = true;
  size_t warned = 0, failed = 0;
  for (size_t call = 0; call < 200; ++call) {
    size_t start = files.calls();
    files.failCall(start + call, StatusCode::ResourceExhausted);
    reporter.messages.clear();
    Status status = train(30, 10);
    warned += status.isOk() && !reporter.messages.empty();
    failed += !status.isOk();
    files.failCall(FaultFileSystem::never, StatusCode::Unknown);
    if (status.isOk()) {
      // No matter which call has failed, the last checkpoint is there.
      ASSERT_FALSE(saved().empty());
      EXPECT_EQ(saved().back(), "30") << call;
    }
    for (const std::string &path : files.paths())
      if (path.starts_with("run/")) {
        ASSERT_TRUE(files.remove(path).isOk() ||
                    files.removeDirectory(path).isOk());
      }
  }
  EXPECT_GT(warned, 20u);
  EXPECT_LT(failed, warned);
}

TEST_F(CheckpointSaverHookTest, VariablesThatAreNotCopiedHaveTheSameBytes) {
  auto saveAll = [&] {
    EXPECT_TRUE(train(25, 10).isOk()) << lastMessage;
    std::map<std::string, std::string> found;
    for (const std::string &path : files.paths())
      if (path.starts_with("run/")) {
        found[path] = files.get(path);
        EXPECT_TRUE(files.remove(path).isOk());
      }
    return found;
  };
  auto copied = saveAll();
  EXPECT_GT(copied.size(), 8u);
  for (uint64_t most : {0, 8, 24}) {
    policy.mostCopied = most;
    EXPECT_EQ(saveAll(), copied) << most;
  }
}

/// Whether variables are copied before a save, or while it writes them.
class FailedSaveTest : public CheckpointSaverHookTest,
                       public testing::WithParamInterface<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Copied, FailedSaveTest,
                         testing::Values(0, UINT64_MAX));

TEST_P(FailedSaveTest, FailedSaveFailsRunAndKeepsOlderCheckpoints) {
  policy.mostCopied = GetParam();
  ASSERT_TRUE(train(10, 10).isOk()) << lastMessage;
  std::string index = files.get("run/model.ckpt-10.index");
  // Lets each call of the disk fail once because the disk is full, until a run
  // makes fewer calls.
  int failures = 0;
  for (size_t call = 0;; ++call) {
    size_t start = files.calls();
    files.failCall(start + call, StatusCode::ResourceExhausted);
    Status status = train(15, 10);
    bool reached = files.calls() - start > call;
    if (!status.isOk()) {
      ++failures;
      EXPECT_NE(status.message().find("run"), std::string::npos)
          << status.message();
      EXPECT_EQ(files.get("run/model.ckpt-10.index"), index) << call;
    }
    files.failCall(FaultFileSystem::never, StatusCode::Unknown);
    if (!reached)
      break;
    // No matter which call has failed, the run can be resumed.
    ASSERT_TRUE(train(15, 10).isOk()) << call << ": " << lastMessage;
    EXPECT_EQ(saved(), (Steps{"0", "10", "15"}));
    for (const char *suffix : {".index", ".data-00000-of-00001"})
      ASSERT_TRUE(
          files.remove(std::string("run/model.ckpt-15") + suffix).isOk());
    ASSERT_LT(call, 500u);
  }
  EXPECT_GT(failures, 5);
}

} // namespace
