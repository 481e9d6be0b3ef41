//===- DistributedSaveTest.cpp - Checkpoints that all ranks write ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are threads train and save with shards of their own, on one disk.
// It fails, or the machine goes down, at each call that any rank makes.
//
//===----------------------------------------------------------------------===//

#include "runtime/Session/DistributedSave.h"

#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/FinalCheckpointWaiterHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Collective/FakeCollective.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class DistributedSaveTest : public testing::Test {
protected:
  /// Trains to `lastStep` in run/, by `size` ranks on `disk` that save every
  /// three steps. `other` is the disk of the last rank, if it has its own.
  std::vector<Status> train(FaultFileSystem &disk, unsigned size,
                            int64_t lastStep, FaultFileSystem *other = nullptr,
                            unsigned delays = 0) {
    FakeCollectives all(size);
    if (delays)
      all.delayCalls(delays);
    return all.run([&](Collective &collective) {
      bool isOther = other && collective.rank() + 1 == size;
      return trainRank(isOther ? *other : disk, collective, lastStep);
    });
  }

  Status trainRank(FaultFileSystem &disk, Collective &collective,
                   int64_t lastStep) {
    RankGroup ranks(collective,
                    std::vector<std::string>(collective.size(), "node"));
    ingot_program program = counterProgram();
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                           Session::create(program, oneThread(disk)));
    DistributedSave together(ranks, *session);
    CheckpointManagerOptions options;
    options.directory = "run";
    options.maxToKeep = 2;
    options.numShards = ranks.size();
    options.sharded = true;
    options.others = &together;
    CheckpointManager checkpoints(disk, options);
    SessionStateSource source;
    source.ranks = &ranks;
    source.checkpoints = &checkpoints;
    source.writes = ranks.isFirst();
    SessionLogger reporter;
    SessionManager manager(source, reporter);
    TrainingLoop loop(*session, manager, *findEntry(program, INGOT_ROLE_STEP));
    loop.trainWith(ranks);
    if (ranks.isFirst()) {
      auto saver = std::make_unique<CheckpointSaverHook>(
          checkpoints, SecondOrStepTimer(3, 0, [] { return 0.0; }), reporter,
          [] { return nullptr; }, policy);
      saver->saveWith(together);
      loop.addHook(std::move(saver));
      loop.addHook(StopAtStepHook::atStep(lastStep, nullptr));
    } else {
      loop.addHook(std::make_unique<FinalCheckpointWaiterHook>(ranks));
    }
    return loop.run();
  }

  /// The variables in the newest checkpoint of `disk`, and its step.
  static std::string newest(FaultFileSystem &disk, int64_t &step) {
    CheckpointManagerOptions options;
    options.directory = "run";
    CheckpointManager checkpoints(disk, options);
    auto latest = checkpoints.recover();
    if (!latest || !latest->found)
      return "none";
    step = latest->found->step.value_or(-1);
    EXPECT_TRUE(verifyCheckpoint(disk, latest->found->prefix).isOk());
    auto reader = CheckpointReader::open(disk, latest->found->prefix);
    if (!reader)
      return reader.status().message();
    std::string text;
    for (const std::string &key : (*reader)->keys()) {
      const CheckpointEntry *tensor = (*reader)->find(key);
      std::vector<uint8_t> bytes(64);
      std::string word;
      bool isText = tensor->dtype == INGOT_STRING;
      Status status =
          (*reader)->read(key, "", tensor->dtype, tensor->shape,
                          isText ? static_cast<void *>(&word) : bytes.data());
      EXPECT_TRUE(status.isOk()) << status.message();
      text +=
          key + "=" + (isText ? word : std::string(bytes.begin(), bytes.end()));
    }
    return text;
  }

  CheckpointSavePolicy policy;
};

} // namespace

TEST_F(DistributedSaveTest, any_number_of_ranks_saves_the_same_tensors) {
  std::string alone;
  for (unsigned size : {1u, 2u, 3u, 8u})
    for (unsigned delays : {0u, size}) {
      FaultFileSystem disk({".", "run"});
      for (const Status &status : train(disk, size, 7, nullptr, delays))
        ASSERT_TRUE(status.isOk()) << status.message();
      int64_t step = -1;
      std::string tensors = newest(disk, step);
      EXPECT_EQ(step, 7);
      if (size == 1)
        alone = tensors;
      EXPECT_EQ(tensors, alone) << size;
      EXPECT_TRUE(disk.exists("run/model.ckpt-7.data-00000-of-0000" +
                              std::to_string(size)));
    }
}

TEST_F(DistributedSaveTest, another_number_of_ranks_goes_on) {
  FaultFileSystem alone({".", "run"}), disk({".", "run"});
  ASSERT_TRUE(train(alone, 1, 20)[0].isOk());
  int64_t last = 0;
  for (unsigned size : {8u, 2u, 1u, 4u}) {
    last += 5;
    for (const Status &status : train(disk, size, last))
      ASSERT_TRUE(status.isOk()) << status.message();
  }
  int64_t step = 0;
  EXPECT_EQ(newest(disk, step), newest(alone, step));
  EXPECT_EQ(step, 20);
}

TEST_F(DistributedSaveTest, a_save_may_fail_or_end_at_any_call_of_any_rank) {
  for (bool inBackground : {true, false}) {
    policy.inBackground = inBackground;
    FaultFileSystem whole({".", "run"});
    ASSERT_TRUE(train(whole, 3, 5)[0].isOk());
    size_t calls = whole.calls();
    ASSERT_GT(calls, 100u);
    int64_t step = 0;
    const std::string expected = newest(whole, step);
    for (size_t at = 0; at < calls; at += inBackground ? 2 : 5)
      for (bool crashes : {true, false}) {
        SCOPED_TRACE("call " + std::to_string(at) + ", crash " +
                     std::to_string(crashes));
        FaultFileSystem disk({".", "run"});
        if (crashes)
          disk.crashAtCall(at);
        else
          disk.failCall(at, StatusCode::ResourceExhausted);
        std::vector<Status> statuses = train(disk, 3, 5);
        if (crashes)
          disk.restart(at % 2 ? Crash::Reorders : Crash::DropsUnsynced,
                       static_cast<uint32_t>(at));
        // What is there is complete, and another number of ranks ends the run.
        (void)newest(disk, step);
        for (const Status &status : train(disk, 2, 5))
          ASSERT_TRUE(status.isOk()) << status.message();
        EXPECT_EQ(newest(disk, step), expected);
        EXPECT_EQ(step, 5);
        for (const std::string &path : disk.paths())
          EXPECT_EQ(path.find("_temp_"), std::string::npos) << path;
        if (HasFailure())
          return;
      }
  }
}

TEST_F(DistributedSaveTest, a_save_that_fails_on_any_rank_may_be_tolerated) {
  policy.toleratesFailures = true;
  FaultFileSystem whole({".", "run"});
  ASSERT_TRUE(train(whole, 3, 5)[0].isOk());
  int64_t step = 0;
  const std::string expected = newest(whole, step);
  for (size_t at = 0; at < whole.calls(); at += 3) {
    SCOPED_TRACE("call " + std::to_string(at));
    FaultFileSystem disk({".", "run"});
    disk.failCall(at, StatusCode::ResourceExhausted);
    // The last save must succeed: then it has all that a failed one lacks.
    bool succeeds = train(disk, 3, 5, nullptr, at % 2 ? 7 : 0)[0].isOk();
    disk.failCall(FaultFileSystem::never, StatusCode::Unknown);
    if (succeeds) {
      EXPECT_EQ(newest(disk, step), expected);
      EXPECT_EQ(step, 5);
    }
    (void)newest(disk, step);
    for (const std::string &path : disk.paths())
      EXPECT_EQ(path.find("_temp_"), std::string::npos) << path;
    if (HasFailure())
      return;
  }
}

TEST_F(DistributedSaveTest, a_failure_of_another_rank_names_it) {
  FaultFileSystem shared({".", "run"}), own({".", "run"});
  std::vector<Status> statuses = train(shared, 3, 5, &own);
  ASSERT_FALSE(statuses[0].isOk());
  EXPECT_NE(
      statuses[0].message().find("rank 2 (node): 'run/model.ckpt-0_temp_"),
      std::string::npos)
      << statuses[0].message();
  EXPECT_NE(statuses[0].message().find("a folder that all ranks share"),
            std::string::npos)
      << statuses[0].message();
}

TEST_F(DistributedSaveTest, a_rank_that_is_lost_ends_all) {
  // How many votes a run takes depends on how long its saves last.
  size_t lost = 0;
  for (size_t call = 0; call < 50; ++call) {
    FaultFileSystem disk({".", "run"});
    FakeCollectives all(3);
    all.failAt(1, call);
    std::vector<Status> statuses = all.run(
        [&](Collective &collective) { return trainRank(disk, collective, 5); });
    bool isOver = statuses[1].isOk();
    lost += !isOver;
    for (const Status &status : statuses)
      EXPECT_EQ(status.isOk(), isOver) << call << ": " << status.message();
  }
  EXPECT_GT(lost, 10u);
}
