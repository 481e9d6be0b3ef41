//===- RunCommandTest.cpp - trainer run -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Session/TrainerProcess.h"

#include <gtest/gtest.h>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(RunCommandTest, RunsAnEntryOnInlineValues) {
  // The fetch is the sum of each row plus w, which is 0.5 at first.
  ProcessResult result = runTrainer(
      {"run", "predict", "--feed", "x=[[1,2,3],[4,5,6]]", "--fetch", "sum"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "sum:0 = [6.5,15.5]\n");
  EXPECT_TRUE(contains(result.err, "note: neither --model-dir"));
}

TEST(RunCommandTest, PrintsOneJsonObject) {
  ProcessResult result = runTrainer(
      {"run", "predict", "--json", "--quiet", "--feed=x:0=[[1,2,3],[4,5,6]]"});
  EXPECT_EQ(result.out, "{\"sum:0\":[6.5,15.5]}\n");
  EXPECT_EQ(result.err, "");
}

TEST(RunCommandTest, ReadsAndWritesNpyFiles) {
  TemporaryDirectory directory;
  ProcessResult result =
      runTrainer({"run", "predict", "--quiet", "--feed",
                  "x:0=@" INGOT_TEST_DATA "/npy/float32_2x3.npy", "--fetch",
                  "sum:0=@" + directory / "sum.npy"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "");
  std::string file = readFile(directory / "sum.npy");
  ASSERT_EQ(file.size(), 128u + 8u);
  const float expected[] = {2.0f, 6.5f};
  EXPECT_EQ(file.substr(128),
            std::string(reinterpret_cast<const char *>(expected), 8));
}

TEST(RunCommandTest, CheckpointNamesAreFlags) {
  TemporaryDirectory directory;
  ASSERT_EQ(runTrainer({"--model-dir", directory.path(), "--max-steps", "1",
                        "--quiet", "--checkpoint-basename", "m",
                        "--latest-filename", "newest"})
                .exitCode,
            0);
  auto run = [&](std::vector<std::string> command,
                 const std::vector<std::string> &names) {
    for (const char *flag : {"--quiet", "--model-dir"})
      command.push_back(flag);
    command.push_back(directory.path());
    command.insert(command.end(), names.begin(), names.end());
    return runTrainer(command, {{"COUNTER_PASSES", "1"}});
  };
  std::vector<std::string> names = {"--checkpoint-basename", "m",
                                    "--latest-filename", "newest"};
  writeFile(directory / "rows.csv", "1,2,3\n4,5,6\n");
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{"run", "predict", "--feed",
                                 "x=[[1,2,3],[4,5,6]]"},
        {"evaluate"},
        {"predict", "--input", directory / "rows.csv", "--output",
         directory / "out.csv"}}) {
    ProcessResult result = run(command, names);
    EXPECT_EQ(result.exitCode, 0) << command[0] << ": " << result.err;
    EXPECT_EQ(run(command, {}).exitCode, 4) << command[0];
    // Names of checkpoint files must follow the rules.
    result = run(command, {"--latest-filename", "a/b"});
    EXPECT_EQ(result.exitCode, 2) << command[0];
    EXPECT_TRUE(contains(result.err, "has path components")) << result.err;
  }
}

TEST(RunCommandTest, TakesVariablesFromACheckpoint) {
  TemporaryDirectory directory;
  ASSERT_EQ(runTrainer({"--model-dir", directory.path(), "--max-steps", "1",
                        "--quiet"})
                .exitCode,
            0);
  std::vector<std::string> command = {"run", "predict", "--feed",
                                      "x=[[0,0,0],[1,0,0]]", "--quiet"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return runTrainer(more);
  };
  // After a step with x = 0, w is 0.9 * 0.5.
  std::string expected = "sum:0 = [0.44999998807907104,1.4500000476837158]\n";
  EXPECT_EQ(with({"--model-dir", directory.path()}).out, expected);
  EXPECT_EQ(with({"--checkpoint", directory / "model.ckpt-1"}).out, expected);
  EXPECT_EQ(with({"--checkpoint", directory / "model.ckpt-0"}).out,
            "sum:0 = [0.5,1.5]\n");
}

TEST(RunCommandTest, WithoutUsableCheckpointExitCodeIs4) {
  TemporaryDirectory directory;
  std::vector<std::string> command = {"run", "predict", "--feed",
                                      "x=[[0,0,0],[1,0,0]]"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return runTrainer(more);
  };
  ProcessResult result = with({"--model-dir", directory.path()});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_TRUE(contains(result.err, directory.path())) << result.err;
  result = with({"--checkpoint", directory / "nothing"});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_TRUE(contains(result.err, directory / "nothing")) << result.err;
}

TEST(RunCommandTest, MistakesInNamesAndValuesAreUsageErrors) {
  ProcessResult result = runTrainer({"run", "predcit"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "did you mean 'predict'?")) << result.err;
  result = runTrainer({"run", "predict"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "x:0 float32[2,3]")) << result.err;
  result = runTrainer({"run", "predict", "--feed", "y=1"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "x:0")) << result.err;
  result = runTrainer({"run", "predict", "--feed", "x=[1,2]"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "feed 'x:0'")) << result.err;
}

TEST(RunCommandTest, SingleStepRuns) {
  ProcessResult result =
      runTrainer({"run", "step", "--quiet", "--fetch", "element"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "element:0 = 0\n");
}

} // namespace
