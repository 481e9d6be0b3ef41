//===- V1WriterTest.cpp - V1 checkpoints that are written -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Saves two slices of a tensor, a number and a text with each step.
class V1Saves {
public:
  explicit V1Saves(FaultFileSystem &disk, bool sharded = true) : disk(disk) {
    options.directory = "run";
    options.maxToKeep = 2;
    options.sharded = sharded;
    options.numShards = sharded ? 2 : 1;
    options.writesV1 = true;
    options.clock = [] { return 1000.0; };
    manager = std::make_unique<CheckpointManager>(disk, options);
  }

  Expected<std::string> save(int64_t step) {
    auto number = static_cast<float>(step);
    std::vector<float> part(3, number);
    std::vector<std::string> text = {std::to_string(step)};
    uint32_t last = options.numShards - 1;
    TensorToSave items[] = {{"w", "6 0,3", INGOT_FLOAT, {3}, part.data(), 0},
                            {"w", "6 3,3", INGOT_FLOAT, {3}, part.data(), last},
                            {"step", "", INGOT_INT64, {}, &step, 0},
                            {"text", "", INGOT_STRING, {}, text.data(), last}};
    return manager->save(step, items);
  }

  /// Returns the step that all tensors of checkpoint `prefix` hold.
  int64_t stepIn(const std::string &prefix) {
    std::vector<float> whole(6);
    int64_t step = -1;
    std::string text;
    TensorToRestore items[] = {{"w", "", INGOT_FLOAT, {6}, whole.data()},
                               {"step", "", INGOT_INT64, {}, &step},
                               {"text", "", INGOT_STRING, {}, &text}};
    auto report = restoreCheckpoint(disk, prefix, items);
    EXPECT_TRUE(report) << report.status().message();
    for (float element : whole)
      EXPECT_EQ(element, static_cast<float>(step));
    EXPECT_EQ(text, std::to_string(step));
    return step;
  }

  FaultFileSystem &disk;
  CheckpointManagerOptions options;
  std::unique_ptr<CheckpointManager> manager;
};

TEST(V1Writer, FilesHaveTensorFlowsNames) {
  FaultFileSystem disk;
  V1Saves parts(disk);
  auto saved = parts.save(7);
  ASSERT_TRUE(saved) << saved.status().message();
  EXPECT_EQ(*saved, v1ShardPath("run/model.ckpt-7", std::nullopt, 2));
  EXPECT_EQ(disk.paths(),
            (std::vector<std::string>{".", "run", "run/checkpoint",
                                      "run/model.ckpt-7-00000-of-00002",
                                      "run/model.ckpt-7-00001-of-00002"}));
  EXPECT_EQ(parts.stepIn(*saved), 7);
  EXPECT_TRUE(verifyCheckpoint(disk, *saved).isOk());
  auto state = readCheckpointState(disk, "run");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->modelCheckpointPath,
            v1ShardPath("model.ckpt-7", std::nullopt, 2));

  FaultFileSystem other;
  V1Saves whole(other, /*sharded=*/false);
  saved = whole.save(7);
  ASSERT_TRUE(saved) << saved.status().message();
  EXPECT_EQ(*saved, "run/model.ckpt-7");
  EXPECT_EQ(whole.stepIn(*saved), 7);
}

TEST(V1Writer, OldOnesAreRemoved) {
  FaultFileSystem disk;
  V1Saves run(disk);
  for (int64_t step : {1, 2, 3})
    ASSERT_TRUE(run.save(step));
  EXPECT_FALSE(
      checkpointExists(disk, v1ShardPath("run/model.ckpt-1", std::nullopt, 2)));
  EXPECT_TRUE(
      checkpointExists(disk, v1ShardPath("run/model.ckpt-2", std::nullopt, 2)));
}

TEST(V1Writer, ReplacesBundleOfSameName) {
  FaultFileSystem disk;
  V1Saves run(disk, /*sharded=*/false);
  run.options.writesV1 = false;
  CheckpointManager bundles(disk, run.options);
  float old = 1;
  TensorToSave item = {"w", "", INGOT_FLOAT, {}, &old, 0};
  ASSERT_TRUE(bundles.save(5, {&item, 1}));
  ASSERT_TRUE(run.save(5));
  EXPECT_EQ(run.stepIn("run/model.ckpt-5"), 5);
  EXPECT_FALSE(disk.exists("run/model.ckpt-5.index"));
}

TEST(V1Writer, UnsupportedTypesAreRejected) {
  FaultFileSystem disk;
  V1Saves run(disk, /*sharded=*/false);
  float value = 0;
  TensorToSave item = {"w", "", INGOT_VARIANT, {}, &value, 0};
  auto saved = run.manager->save(1, {&item, 1});
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.status().message().find("tensor 'w'"), std::string::npos)
      << saved.status().message();
  EXPECT_FALSE(disk.exists("run/model.ckpt-1"));
}

// At each call, the call fails or the machine goes down: the newest complete
// checkpoint must be the last one, or the one being saved.
TEST(V1Writer, InterruptedSaveLosesNothing) {
  size_t calls = 0;
  {
    FaultFileSystem disk;
    V1Saves run(disk);
    ASSERT_TRUE(run.save(10));
    size_t before = disk.calls();
    ASSERT_TRUE(run.save(20));
    calls = disk.calls() - before;
  }
  ASSERT_GT(calls, 6u);
  for (std::optional<Crash> crash :
       {std::optional(Crash::KeepsAll), std::optional(Crash::DropsUnsynced),
        std::optional(Crash::Tears), std::optional<Crash>()})
    for (size_t at = 0; at < calls; ++at) {
      FaultFileSystem disk;
      V1Saves run(disk);
      ASSERT_TRUE(run.save(10));
      if (crash)
        disk.crashAtCall(disk.calls() + at);
      else
        disk.failCall(disk.calls() + at, StatusCode::Unknown);
      bool saved = run.save(20).status().isOk();
      if (crash)
        disk.restart(*crash, static_cast<uint32_t>(at));
      V1Saves again(disk);
      auto latest = again.manager->recover();
      ASSERT_TRUE(latest) << latest.status().message();
      ASSERT_TRUE(latest->found) << "call " << at;
      int64_t step = again.stepIn(latest->found->prefix);
      EXPECT_TRUE(step == 20 || (step == 10 && !saved)) << step;
    }
}

} // namespace
