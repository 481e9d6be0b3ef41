//===- RetentionTest.cpp - Which checkpoints stay -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes random sequences of saves, pauses, and restarts with other limits, and
// compares which checkpoints are kept with a second implementation of
// tf.train.Saver's rule. In one respect both differ from the Saver: it removes
// at most one checkpoint with each save, they remove as many as the limit
// requires.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ingot;
using namespace ingot::test;

namespace {

/// tf.train.Saver: "max_to_keep indicates the maximum number of recent
/// checkpoint files to keep. As new files are created, older files are deleted.
/// If None or 0, no checkpoints are deleted from the filesystem but only the
/// last one is kept in the checkpoint file." "If you pass
/// keep_checkpoint_every_n_hours [...] keep an additional checkpoint every N
/// hours", counted from the Saver's construction. recover_last_checkpoints
/// takes over those of the list that are still there, with the files' times.
class SaverModel {
public:
  void start(double now, size_t maxToKeep, double hours) {
    limit = maxToKeep;
    interval = hours * 3600;
    nextPreserved = now + interval;
    if (limit == 0)
      list.clear();
    else
      list = stateFile;
  }

  void save(int64_t step, double now) {
    onDisk.insert(step);
    std::erase_if(list, [&](const Entry &old) { return old.step == step; });
    if (limit == 0) {
      stateFile = {{step, now}};
      return;
    }
    list.push_back({step, now});
    for (; list.size() > limit; list.pop_front()) {
      if (list.front().time > nextPreserved)
        nextPreserved += interval;
      else
        onDisk.erase(list.front().step);
    }
    stateFile = list;
  }

  std::set<int64_t> onDisk;
  std::vector<int64_t> listed() const {
    std::vector<int64_t> steps;
    for (const Entry &entry : stateFile)
      steps.push_back(entry.step);
    return steps;
  }

private:
  struct Entry {
    int64_t step;
    double time;
  };
  size_t limit = 0;
  double interval = 0, nextPreserved = 0;
  std::deque<Entry> list, stateFile;
};

std::set<int64_t> stepsOnDisk(const FaultFileSystem &disk) {
  std::set<int64_t> steps;
  for (const std::string &path : disk.paths())
    if (path.ends_with(".index"))
      steps.insert(std::stoll(path.substr(path.rfind('-') + 1)));
  return steps;
}

std::vector<int64_t> stepsListed(FaultFileSystem &disk) {
  std::vector<int64_t> steps;
  auto state = readCheckpointState(disk, "run");
  EXPECT_TRUE(state) << state.status().message();
  if (state)
    for (const std::string &path : state->allModelCheckpointPaths)
      steps.push_back(std::stoll(path.substr(path.rfind('-') + 1)));
  return steps;
}

TEST(Retention, FollowsTheSaversRuleWhateverHappens) {
  constexpr int64_t limits[] = {0, 1, 2, 3, 5};
  constexpr double hours[] = {0.25, 0.5, 1, 3, 10000};
  size_t preserved = 0, lowered = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    double now = 1e9;
    FaultFileSystem disk;
    disk.setClock([&] { return now; });
    SaverModel model;
    CheckpointManagerOptions options;
    options.directory = "run";
    options.clock = [&] { return now; };
    options.threads = 1;
    std::unique_ptr<CheckpointManager> manager;
    auto restart = [&] {
      int64_t before = options.maxToKeep;
      options.maxToKeep = limits[random() % std::size(limits)];
      lowered += options.maxToKeep > 0 && options.maxToKeep < before;
      options.keepCheckpointEveryNHours = hours[random() % std::size(hours)];
      model.start(now, static_cast<size_t>(options.maxToKeep),
                  options.keepCheckpointEveryNHours);
      manager = std::make_unique<CheckpointManager>(disk, options);
      auto latest = manager->recover();
      ASSERT_TRUE(latest) << latest.status().message();
      EXPECT_TRUE(latest->warnings.empty()) << latest->warnings[0];
    };
    restart();
    int64_t step = 0;
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", event " +
                   std::to_string(i));
      now += static_cast<double>(random() % 7200);
      if (random() % 10 == 0)
        restart();
      // Sometimes the same step is saved again, as at the end of a run.
      if (random() % 8 != 0)
        step += 1 + static_cast<int64_t>(random() % 50);
      TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step, 0}};
      auto saved = manager->save(step, items);
      ASSERT_TRUE(saved) << saved.status().message();
      model.save(step, now);
      ASSERT_EQ(stepsOnDisk(disk), model.onDisk);
      ASSERT_EQ(stepsListed(disk), model.listed());
    }
    preserved += model.onDisk.size() > 5;
  }
  // Otherwise the random sequences would hardly test the rules for keeping
  // checkpoints and for lower limits.
  EXPECT_GT(preserved, 20u);
  EXPECT_GT(lowered, 20u);
}

} // namespace
