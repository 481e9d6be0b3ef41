//===- GrowthTest.cpp - Searches that are stopped anywhere ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Trains the iterations of a search one after the other. At each call to the
// file system in turn, the disk fails or the machine goes down. Afterwards,
// either selection, architecture and increment are all complete, or the search
// continues from the previous state and comes to the same bytes (AN-067,
// AN-068, AN-247, AN-250).
//
//===----------------------------------------------------------------------===//

#include "SearchRuns.h"

#include "runtime/AdaNet/EnsembleArchitecture.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/Checkpoint/CheckpointManager.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

const std::vector<std::string> &folders = searchFolders;

TEST(GrowthTest, InputContinuesInNextIteration) {
  // With --continue-input, two iterations draw the elements that one
  // uninterrupted run of the same number of steps draws (AN-027).
  FaultFileSystem whole(folders), restarted(folders), continued(folders);
  (void)takeDrawnElements();
  ASSERT_EQ(train(whole, 0, {"--max-iteration-steps", "20"}), 0);
  std::vector<int64_t> expected = takeDrawnElements();
  ASSERT_EQ(expected.size(), 20u);
  ASSERT_EQ(train(continued, 0, {"--continue-input"}), 0);
  ASSERT_EQ(train(continued, 1, {"--continue-input"}), 0);
  EXPECT_EQ(takeDrawnElements(), expected);
  ASSERT_EQ(train(restarted, 0), 0);
  ASSERT_EQ(train(restarted, 1), 0);
  std::vector<int64_t> twice(expected.begin(), expected.begin() + 10);
  twice.insert(twice.end(), expected.begin(), expected.begin() + 10);
  EXPECT_EQ(takeDrawnElements(), twice);
}

TEST(GrowthTest, EndedInputRestarts) {
  // The first iteration ends when it has drawn all 12 elements of the input
  // (AN-026).
  FaultFileSystem files(folders);
  const std::vector<std::string> flags = {"--continue-input",
                                          "--end-of-input-ends-iteration",
                                          "--max-iteration-steps", "100"};
  (void)takeDrawnElements();
  ASSERT_EQ(train(files, 0, flags, 1), 0);
  std::vector<int64_t> first = takeDrawnElements();
  ASSERT_EQ(first.size(), 12u);
  EXPECT_EQ(files.get("run/train_manager/t0/t0_a.json"),
            R"({"message": "Training stopped after 12 steps: the input has )"
            R"(ended"})");
  EXPECT_EQ(readArchitecture(files, "run", 0)->globalStep, 12);
  ASSERT_EQ(train(files, 1, flags, 1), 0);
  EXPECT_EQ(takeDrawnElements(), first);
  EXPECT_EQ(readArchitecture(files, "run", 1)->globalStep, 24);
  // Without --end-of-input-ends-iteration, the end of the input ends the run,
  // but selects no ensemble.
  FaultFileSystem plain(folders);
  ASSERT_EQ(train(plain, 0, {"--max-iteration-steps", "100"}, 1), 0);
  EXPECT_EQ(plain.get("run/architecture-0.json"), "");
  EXPECT_EQ(plain.get("run/train_manager/t0/t0_a.json"), "");
}

TEST(GrowthTest, IncompatibleInputRestarts) {
  FaultFileSystem files(folders);
  ASSERT_EQ(train(files, 0, {"--continue-input"}), 0);
  (void)takeDrawnElements();
  // The next program repeats its input another number of times, so the
  // iterator's state is not taken over.
  ASSERT_EQ(train(files, 1, {"--continue-input"}, 7), 0);
  EXPECT_EQ(takeDrawnElements().size(), 10u);
}

float weightIn(FaultFileSystem &files, const std::string &prefix,
               const std::string &member) {
  float w = 0;
  auto reader = CheckpointReader::open(files, prefix);
  EXPECT_TRUE(reader && (*reader)
                            ->read("adanet/iteration_" + member.substr(1, 1) +
                                       "/subnetwork_" + member + "/w",
                                   "", INGOT_FLOAT, {}, &w)
                            .isOk());
  return w;
}

TEST(GrowthTest, GrowEntrySetsVariablesFromPreviousIteration) {
  FaultFileSystem files(folders);
  for (int64_t iteration : {0, 1})
    ASSERT_EQ(train(files, iteration), 0);
  ASSERT_EQ(train(files, 2, {"--max-steps", "21"}), 0);
  float left = weightIn(files, "run/model.ckpt-20", "t1_a");
  EXPECT_EQ(weightIn(files, "run/increment.ckpt-2", "t1_a"), left);
  EXPECT_EQ(weightIn(files, "run/increment.ckpt-2", "t2_a"), left + 1000);
  EXPECT_EQ(weightIn(files, "run/increment.ckpt-2", "t2_b"), 1);
  // The grow entry runs once, not again when training of the iteration
  // continues.
  float now = weightIn(files, "run/model.ckpt-21", "t2_a");
  ASSERT_EQ(train(files, 2, {"--max-steps", "21"}), 0);
  EXPECT_EQ(weightIn(files, "run/model.ckpt-21", "t2_a"), now);
  EXPECT_LT(now, 900);
}

TEST(GrowthTest, TablesStayAsTheyWere) {
  FaultFileSystem files(folders);
  (void)takeDrawnElements();
  ASSERT_EQ(train(files, 0, {"--continue-input"}), 0);
  ASSERT_EQ(train(files, 1, {"--continue-input", "--max-steps", "11"}), 0);
  // 11 of the input's 12 elements, in the order in which they were drawn.
  std::vector<int64_t> keys = takeDrawnElements(), turns(11);
  ASSERT_EQ(keys.size(), 11u);
  std::iota(turns.begin(), turns.end(), 1);
  EXPECT_EQ(numbersIn(files, "run/model.ckpt-11", "seen-keys"), keys);
  EXPECT_EQ(numbersIn(files, "run/model.ckpt-11", "seen-values"), turns);
  keys.pop_back();
  turns.pop_back();
  for (const char *prefix : {"run/model.ckpt-10", "run/increment.ckpt-1"}) {
    EXPECT_EQ(numbersIn(files, prefix, "seen-keys"), keys) << prefix;
    EXPECT_EQ(numbersIn(files, prefix, "seen-values"), turns) << prefix;
  }
}

TEST(GrowthTest, RandomOpsBeginAnewUnlessTheInputContinues) {
  const std::string position = "ingot/random/dropout",
                    seed = "ingot/random_seed";
  using Numbers = std::vector<int64_t>;
  for (const char *input :
       {"--as-saved", "--restart-input", "--continue-input"}) {
    FaultFileSystem files(folders);
    std::vector<std::string> flags = {"--seed", "7"};
    if (input != std::string("--as-saved"))
      flags.push_back(input);
    ASSERT_EQ(train(files, 0, flags), 0);
    flags.insert(flags.end(), {"--max-steps", "12"});
    ASSERT_EQ(train(files, 1, flags), 0);
    bool continues = input == std::string("--continue-input");
    EXPECT_EQ(numbersIn(files, "run/model.ckpt-10", position),
              Numbers({10, 0}));
    EXPECT_EQ(numbersIn(files, "run/increment.ckpt-1", position),
              Numbers({continues ? 10 : 0, 0}))
        << input;
    EXPECT_EQ(numbersIn(files, "run/model.ckpt-12", position),
              Numbers({continues ? 12 : 2, 0}))
        << input;
    for (const char *prefix : {"run/model.ckpt-10", "run/increment.ckpt-1"})
      EXPECT_EQ(numbersIn(files, prefix, seed), Numbers({7, 0})) << prefix;
  }
}

std::string progressOf(FaultFileSystem &files) {
  auto progress = readProgress(files, "run");
  if (!progress)
    return progress.status().message();
  return "iteration " + std::to_string(progress->iteration) + " at " +
         std::to_string(progress->globalStep) + " by '" + progress->checkpoint +
         "', " + (progress->selected ? "selected" : "open") + ", " +
         std::to_string(progress->architectures.size()) + " files";
}

TEST(SearchProgressTest, FindsNextProgram) {
  FaultFileSystem files(folders);
  EXPECT_EQ(progressOf(files), "iteration 0 at 0 by '', open, 0 files");
  ASSERT_EQ(train(files, 0, {"--max-steps", "6"}), 0);
  EXPECT_EQ(progressOf(files),
            "iteration 0 at 6 by 'run/model.ckpt-6', open, 0 files");
  ASSERT_EQ(train(files, 0), 0);
  EXPECT_EQ(progressOf(files),
            "iteration 0 at 10 by 'run/model.ckpt-10', selected, 1 files");
  ASSERT_EQ(train(files, 1, {"--max-steps", "10"}), 0);
  EXPECT_EQ(progressOf(files),
            "iteration 1 at 10 by 'run/increment.ckpt-1', open, 1 files");
  ASSERT_EQ(train(files, 1), 0);
  EXPECT_EQ(progressOf(files),
            "iteration 1 at 20 by 'run/model.ckpt-20', selected, 2 files");
  // After a return to an earlier checkpoint, the architecture file of the
  // iteration's end does not count (AN-113).
  files.put("run/checkpoint", "model_checkpoint_path: \"model.ckpt-14\"\n");
  EXPECT_EQ(progressOf(files),
            "iteration 1 at 14 by 'run/model.ckpt-14', open, 1 files");
  // Damaged and missing architecture files are errors (AN-031, AN-248).
  files.put("run/architecture-1.json", "{");
  EXPECT_TRUE(
      progressOf(files).starts_with("'run/architecture-1.json', offset 1"));
  ASSERT_TRUE(files.remove("run/architecture-0.json").isOk());
  EXPECT_NE(progressOf(files).find("'run/architecture-0.json' does not exist"),
            std::string::npos);
}

/// A search that was interrupted in iteration 0, and the files expected after
/// iteration 1.
class Interrupted {
public:
  Interrupted() : begun(folders) {
    EXPECT_EQ(train(begun, 0, {"--continue-input", "--max-steps", "8"}), 0);
    FaultFileSystem files(folders);
    copy(begun, files);
    goOn(files, "undisturbed");
    expected = contents(files);
  }

  /// Trains the iteration of the newest checkpoint, and the iterations after
  /// it, until iteration 1 has ended.
  static void goOn(FaultFileSystem &files, const std::string &what) {
    CheckpointManagerOptions options;
    options.directory = "run";
    auto latest = CheckpointManager(files, options).latestComplete();
    ASSERT_TRUE(latest && latest->found) << what;
    auto reader = CheckpointReader::open(files, latest->found->prefix);
    ASSERT_TRUE(reader) << what;
    int64_t iteration = iterationOf(**reader).value_or(-1);
    // If the newest checkpoint is of iteration 1, the architecture of iteration
    // 0 was written before it (AN-068).
    ASSERT_GE(iteration, 0) << what;
    if (iteration > 0)
      ASSERT_TRUE(readArchitecture(files, "run", 0)) << what;
    for (; iteration < 2; ++iteration)
      ASSERT_EQ(train(files, iteration, {"--continue-input"}), 0) << what;
  }

  FaultFileSystem begun;
  std::map<std::string, std::string> expected;
};

/// Compares the results of a search: its newest checkpoint and the files of its
/// iterations. Older checkpoints are not compared: those in the middle of an
/// iteration are a step further than those at a run's end (AN-046), and a
/// stopped run may leave either.
void expectSameEnd(const FaultFileSystem &files,
                   const std::map<std::string, std::string> &expected,
                   const std::string &what) {
  std::map<std::string, std::string> found = contents(files);
  size_t compared = 0;
  for (const auto &[path, bytes] : expected) {
    auto other = found.find(path);
    if (path == "run/checkpoint") {
      ASSERT_EQ(found[path].substr(0, found[path].find('\n')),
                bytes.substr(0, bytes.find('\n')))
          << what;
      continue;
    }
    if (path.starts_with("run/model.ckpt-") &&
        !path.starts_with("run/model.ckpt-20."))
      continue;
    ++compared;
    ASSERT_TRUE(other != found.end()) << what << ": " << path << " is missing";
    ASSERT_TRUE(other->second == bytes) << what << ": " << path;
  }
  // At least 13 files are compared: those of two checkpoints, two
  // architectures, and the markers of both iterations.
  EXPECT_GE(compared, 13u);
  for (const auto &[path, bytes] : found)
    ASSERT_TRUE(expected.count(path) || path.starts_with("run/model.ckpt-"))
        << what << ": " << path << " is left";
}

TEST(GrowthTest, CrashAnywhereGivesSameSearch) {
  Interrupted search;
  // Crashes at each call in turn, and changes the state in which the disk is
  // left with each call.
  const Crash crashes[] = {Crash::KeepsAll, Crash::DropsUnsynced,
                           Crash::Reorders};
  size_t call = 0;
  for (bool wentDown = true; wentDown; ++call) {
    FaultFileSystem files(folders);
    copy(search.begun, files);
    files.crashAtCall(files.calls() + call);
    (void)train(files, 0, {"--continue-input"});
    (void)train(files, 1, {"--continue-input", "--max-steps", "12"});
    wentDown = files.isDown();
    files.restart(crashes[call % std::size(crashes)],
                  static_cast<uint32_t>(call));
    std::string what = "down at call " + std::to_string(call);
    Interrupted::goOn(files, what);
    expectSameEnd(files, search.expected, what);
  }
  EXPECT_GT(call, 100u);
}

TEST(GrowthTest, FailedCallKeepsOldStateUsable) {
  Interrupted search;
  size_t numFailed = 0;
  for (size_t call = 0;; ++call) {
    FaultFileSystem files(folders);
    copy(search.begun, files);
    size_t last = files.calls() + call;
    files.failCall(last, StatusCode::ResourceExhausted);
    bool over = train(files, 0, {"--continue-input"}) == 0 &&
                train(files, 1, {"--continue-input", "--max-steps", "12"}) == 0;
    if (files.calls() <= last)
      break;
    numFailed += !over;
    std::string what = "call " + std::to_string(call) + " fails";
    Interrupted::goOn(files, what);
    expectSameEnd(files, search.expected, what);
  }
  EXPECT_GT(numFailed, 100u);
}

} // namespace
