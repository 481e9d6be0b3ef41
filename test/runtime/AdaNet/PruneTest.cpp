//===- PruneTest.cpp - ingot-adanet prune, stopped anywhere ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "SearchRuns.h"

#include "runtime/AdaNet/SearchProgress.h"
#include "tools/AdaNetTool/Tool.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

int prune(FileSystem &files, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"ingot-adanet", "prune", "--model-dir",
                                        "run"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  return toolMain(static_cast<int>(pointers.size()), pointers.data(), files);
}

TEST(PruneTest, InterruptionLeavesOldOrPrunedSearch) {
  FaultFileSystem selected(searchFolders);
  ASSERT_EQ(train(selected, 0), 0);
  ASSERT_EQ(train(selected, 1, {"--force-grow"}), 0);
  auto before = contents(selected);
  FaultFileSystem whole(searchFolders);
  copy(selected, whole);
  ASSERT_EQ(prune(whole, {"--drop", "t0_a"}), 0);
  auto expected = contents(whole);
  EXPECT_EQ(readProgress(whole, "run")->iteration, 2);
  const Crash crashes[] = {Crash::KeepsAll, Crash::DropsUnsynced,
                           Crash::Reorders};
  size_t call = 0;
  for (bool wentDown = true; wentDown; ++call) {
    FaultFileSystem files(searchFolders);
    copy(selected, files);
    files.crashAtCall(files.calls() + call);
    (void)prune(files, {"--drop", "t0_a"});
    wentDown = files.isDown();
    files.restart(crashes[call % std::size(crashes)],
                  static_cast<uint32_t>(call));
    auto progress = readProgress(files, "run");
    ASSERT_TRUE(progress) << call << ": " << progress.status().message();
    ASSERT_TRUE(progress->selected) << call;
    // No file of the search is changed, except for the state file.
    auto found = contents(files);
    for (const auto &[path, bytes] : before)
      if (path != "run/checkpoint")
        ASSERT_TRUE(found[path] == bytes) << call << ": " << path;
    if (progress->iteration == 1)
      ASSERT_EQ(prune(files, {"--drop", "t0_a"}), 0) << call;
    ASSERT_EQ(contents(files), expected) << call;
  }
  EXPECT_GT(call, 30u);
}

TEST(PruneTest, SearchFilesAreNotOverwritten) {
  FaultFileSystem files(searchFolders);
  ASSERT_EQ(train(files, 0), 0);
  ASSERT_EQ(train(files, 1, {"--force-grow"}), 0);
  ASSERT_EQ(train(files, 2), 0);
  // Returns to the end of iteration 1, while there is an architecture of
  // iteration 2.
  files.put("run/checkpoint", "model_checkpoint_path: \"model.ckpt-20\"\n");
  auto before = contents(files);
  EXPECT_EQ(prune(files, {"--drop", "t0_a"}), 1);
  EXPECT_EQ(contents(files), before);
}

} // namespace
