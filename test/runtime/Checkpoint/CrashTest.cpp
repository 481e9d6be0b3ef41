//===- CrashTest.cpp - A save stopped at every call -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Stops saves in a model directory, with the removals that follow them, at each
// call to the file system: the call fails, or the machine goes down before it,
// and the disk keeps all, none or any part of the bytes that were not synced.
// In every case, the newest complete checkpoint must be one that a save has
// written completely.
//
//===----------------------------------------------------------------------===//

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

struct Layout {
  const char *name;
  uint32_t numShards;
  bool sharded;
  bool metaGraph = false;
  unsigned threads = 1; // with several threads, the order of calls varies
};

/// Saves checkpoints: all tensors of a save hold its number.
class Trainer {
public:
  Trainer(FaultFileSystem &disk, const Layout &layout) : layout(layout) {
    CheckpointManagerOptions options;
    options.directory = "run";
    options.maxToKeep = 2;
    options.numShards = layout.numShards;
    options.sharded = layout.sharded;
    options.clock = [] { return 1000.0; };
    options.threads = layout.threads;
    if (layout.metaGraph)
      options.metaGraph = []() -> Expected<std::string> {
        return std::string("graph");
      };
    manager = std::make_unique<CheckpointManager>(disk, options);
  }

  Status save(int64_t step, float number) {
    std::vector<float> values(64, number);
    std::vector<std::string> text = {std::to_string(number)};
    std::vector<TensorToSave> items;
    for (uint32_t shard = 0; shard < layout.numShards; ++shard)
      items.push_back({"w" + std::to_string(shard),
                       "",
                       INGOT_FLOAT,
                       {64},
                       values.data(),
                       shard});
    items.push_back({"iterator", "", INGOT_STRING, {}, text.data(), 0});
    return manager->save(step, items).takeStatus();
  }

  /// Returns the number that all tensors of checkpoint `prefix` hold.
  static float numberIn(FaultFileSystem &disk, const std::string &prefix,
                        const Layout &layout) {
    std::vector<std::vector<float>> values(layout.numShards,
                                           std::vector<float>(64));
    std::string text;
    std::vector<TensorToRestore> items;
    for (uint32_t shard = 0; shard < layout.numShards; ++shard)
      items.push_back({"w" + std::to_string(shard),
                       "",
                       INGOT_FLOAT,
                       {64},
                       values[shard].data()});
    items.push_back({"iterator", "", INGOT_STRING, {}, &text});
    auto report = restoreCheckpoint(disk, prefix, items);
    EXPECT_TRUE(report) << report.status().message();
    for (const std::vector<float> &value : values)
      for (float element : value)
        EXPECT_EQ(element, values[0][0]);
    EXPECT_EQ(text, std::to_string(values[0][0]));
    return values[0][0];
  }

  Layout layout;
  std::unique_ptr<CheckpointManager> manager;
};

/// A fault at a call: an error, or the machine goes down before the call.
struct Fault {
  std::optional<Crash> crash;
  StatusCode code = StatusCode::Unknown;
};

const std::vector<Fault> faults = {
    {Crash::KeepsAll},
    {Crash::DropsUnsynced},
    {Crash::Tears},
    {Crash::Reorders},
    {std::nullopt, StatusCode::ResourceExhausted},
    {std::nullopt, StatusCode::Unknown}};

std::vector<std::string> filesOf(const Layout &layout,
                                 std::vector<int64_t> steps) {
  std::vector<std::string> paths = {".", "run", "run/checkpoint"};
  for (int64_t step : steps) {
    std::string prefix = "run/model.ckpt-" + std::to_string(step);
    paths.push_back(prefix + ".index");
    for (uint32_t shard = 0; shard < layout.numShards; ++shard) {
      char suffix[40];
      std::snprintf(suffix, sizeof(suffix), ".data-%05u-of-%05u", shard,
                    layout.numShards);
      paths.push_back(prefix + suffix);
    }
    if (layout.metaGraph)
      paths.push_back(prefix + ".meta");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Returns `paths` without meta graphs: a crash may come before a meta graph is
/// written.
std::vector<std::string> withoutMeta(std::vector<std::string> paths) {
  std::erase_if(
      paths, [](const std::string &path) { return path.ends_with(".meta"); });
  return paths;
}

/// The steps of the checkpoints that are left after a complete save of `step`,
/// where there were 10 and 20.
std::vector<int64_t> stepsAfter(int64_t step) {
  return step == 20 ? std::vector<int64_t>{10, 20}
                    : std::vector<int64_t>{20, step};
}

class Stopped : public testing::TestWithParam<std::tuple<Layout, int64_t>> {
protected:
  Layout layout = std::get<0>(GetParam());
  // The step that is being saved when the fault occurs.
  int64_t step = std::get<1>(GetParam());

  /// Makes a directory with checkpoints 10 and 20, and a run that is about to
  /// save the next one.
  void prepare(FaultFileSystem &disk, std::unique_ptr<Trainer> &run) {
    run = std::make_unique<Trainer>(disk, layout);
    ASSERT_TRUE(run->save(0, 0).isOk());
    ASSERT_TRUE(run->save(10, 10).isOk());
    ASSERT_TRUE(run->save(20, 20).isOk());
    ASSERT_EQ(disk.paths(), filesOf(layout, {10, 20}));
  }

  size_t callsOfASave() {
    FaultFileSystem disk;
    std::unique_ptr<Trainer> run;
    prepare(disk, run);
    size_t before = disk.calls();
    EXPECT_TRUE(run->save(step, 99).isOk());
    EXPECT_EQ(disk.paths(), filesOf(layout, stepsAfter(step)));
    return disk.calls() - before;
  }

  /// After a restart, the newest complete checkpoint must be the unchanged 20,
  /// or the one that was being saved; the latter if save() had returned without
  /// an error.
  void expectComplete(FaultFileSystem &disk, Trainer &run, bool saved) {
    auto latest = run.manager->recover();
    ASSERT_TRUE(latest) << latest.status().message();
    ASSERT_TRUE(latest->found);
    // The only warning allowed is that a checkpoint is newer than the one named
    // by the state file.
    for (const std::string &warning : latest->warnings)
      EXPECT_NE(warning.find("is newer"), std::string::npos) << warning;
    float number = Trainer::numberIn(disk, latest->found->prefix, layout);
    if (number == 99)
      EXPECT_EQ(latest->found->step, step);
    else
      EXPECT_EQ(latest->found->step, 20);
    EXPECT_TRUE(number == 99 || (number == 20 && !saved)) << number;
  }

  /// The state file must list exactly the checkpoints whose files are there.
  void expectAgreement(FaultFileSystem &disk) {
    auto state = readCheckpointState(disk, "run");
    ASSERT_TRUE(state) << state.status().message();
    std::vector<int64_t> steps;
    for (const std::string &path : state->allModelCheckpointPaths)
      steps.push_back(std::stoll(path.substr(path.find('-') + 1)));
    EXPECT_EQ(state->modelCheckpointPath,
              state->allModelCheckpointPaths.back());
    EXPECT_TRUE(state->removing.empty());
    std::vector<std::string> expected = filesOf(layout, steps);
    EXPECT_EQ(withoutMeta(disk.paths()), withoutMeta(expected));
    // A meta graph must belong to a checkpoint.
    for (const std::string &path : disk.paths())
      EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), path))
          << path;
  }
};

TEST_P(Stopped, AtAnyCallOfSave) {
  size_t calls = callsOfASave();
  size_t points = 0;
  for (const Fault &fault : faults)
    for (size_t at = 0; at < calls; ++at)
      for (uint32_t seed = 0; seed < 6; ++seed) {
        if (seed > 0 && fault.crash != Crash::Tears &&
            fault.crash != Crash::Reorders)
          break;
        ++points;
        SCOPED_TRACE("call " + std::to_string(at) + " of " +
                     std::to_string(calls) + ", seed " + std::to_string(seed) +
                     (fault.crash
                          ? ", crash " + std::to_string(int(*fault.crash))
                          : std::string(", error")));
        FaultFileSystem disk;
        std::unique_ptr<Trainer> run;
        prepare(disk, run);
        if (fault.crash)
          disk.crashAtCall(disk.calls() + at);
        else
          disk.failCall(disk.calls() + at, fault.code);
        bool saved = run->save(step, 99).isOk();
        if (fault.crash)
          disk.restart(*fault.crash, seed);

        Trainer again(disk, layout);
        expectComplete(disk, again, saved);
        expectAgreement(disk);
        // The next save succeeds and leaves the expected files only.
        ASSERT_TRUE(again.save(30 + step, 99).isOk());
        EXPECT_EQ(
            Trainer::numberIn(disk, again.manager->prefixOf(30 + step), layout),
            99);
        // A crash must not leave more checkpoints than the limit of two.
        EXPECT_LE(again.manager->lastCheckpoints().size(), 2u);
        expectAgreement(disk);
        if (HasFailure())
          return;
      }
  // With this layout and step; there are eight such combinations.
  EXPECT_GE(points, 300u);
}

TEST_P(Stopped, AtAnyCallOfRecovery) {
  size_t calls = callsOfASave();
  for (size_t at = 0; at < calls; ++at)
    for (size_t second = 0; second < 200; ++second) {
      SCOPED_TRACE("call " + std::to_string(at) + ", then " +
                   std::to_string(second));
      FaultFileSystem disk;
      std::unique_ptr<Trainer> run;
      prepare(disk, run);
      disk.crashAtCall(disk.calls() + at);
      (void)run->save(step, 99);
      disk.restart(Crash::Reorders, static_cast<uint32_t>(second));
      {
        disk.crashAtCall(disk.calls() + second);
        Trainer recovering(disk, layout);
        (void)recovering.manager->recover();
        if (!disk.isDown())
          break; // the recovery makes fewer calls
        disk.restart(second % 2 ? Crash::Reorders : Crash::DropsUnsynced,
                     static_cast<uint32_t>(at));
      }
      Trainer again(disk, layout);
      expectComplete(disk, again, /*saved=*/false);
      expectAgreement(disk);
      if (HasFailure())
        return;
    }
}

TEST_P(Stopped, ByErrorRunContinues) {
  size_t calls = callsOfASave();
  for (size_t at = 0; at < calls; ++at) {
    SCOPED_TRACE("call " + std::to_string(at));
    FaultFileSystem disk;
    std::unique_ptr<Trainer> run;
    prepare(disk, run);
    disk.failCall(disk.calls() + at, StatusCode::ResourceExhausted);
    (void)run->save(step, 99);
    // The process that had the error saves again, without a recovery.
    ASSERT_TRUE(run->save(40, 40).isOk());
    EXPECT_EQ(Trainer::numberIn(disk, "run/model.ckpt-40", layout), 40);
    Trainer again(disk, layout);
    auto latest = again.manager->recover();
    ASSERT_TRUE(latest && latest->found);
    EXPECT_EQ(latest->found->step, 40);
    expectAgreement(disk);
    if (HasFailure())
      return;
  }
}

std::string
nameOf(const testing::TestParamInfo<std::tuple<Layout, int64_t>> &info) {
  return std::string(std::get<0>(info.param).name) +
         (std::get<1>(info.param) == 20 ? "Replacing" : "New");
}

INSTANTIATE_TEST_SUITE_P(
    Save, Stopped,
    testing::Combine(testing::Values(Layout{"Unsharded", 1, false},
                                     Layout{"Sharded", 3, true},
                                     Layout{"WithMetaGraph", 2, true, true},
                                     Layout{"OnThreads", 4, true, false, 3}),
                     testing::Values(int64_t(30), int64_t(20))),
    nameOf);

} // namespace
