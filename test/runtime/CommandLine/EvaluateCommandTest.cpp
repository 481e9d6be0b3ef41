//===- EvaluateCommandTest.cpp - trainer evaluate, train-and-evaluate -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"
#include "test/runtime/Session/TrainerProcess.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class EvaluateCommandTest : public testing::Test {
protected:
  ProcessResult train(const std::string &steps) {
    return runTrainer({"--model-dir", directory.path(), "--max-steps", steps,
                       "--quiet", "--summary-steps", "0"});
  }
  ProcessResult evaluate(std::vector<std::string> more) {
    std::vector<std::string> flags = {"evaluate", "--model-dir",
                                      directory.path()};
    flags.insert(flags.end(), more.begin(), more.end());
    return runTrainer(flags, {{"COUNTER_PASSES", "1"}});
  }
  /// Returns the evaluations in the event files of a folder, by step.
  std::map<int64_t, std::map<std::string, double>>
  events(const std::string &name) {
    auto scalars =
        ingot::readScalars(ingot::FileSystem::posix(), directory / name);
    EXPECT_TRUE(scalars);
    return *scalars;
  }
  TemporaryDirectory directory;
};

// The input is the numbers 0 to 39, each once, no matter where training has
// stopped reading: their mean is 19.5.
TEST_F(EvaluateCommandTest, MetricsAreOverTheWholeInputFromItsStart) {
  ASSERT_EQ(train("7").exitCode, 0);
  ProcessResult result = evaluate({"--json"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "{\"global_step\":7,\"checkpoint\":\"" +
                            (directory / "model.ckpt-7") +
                            "\",\"batches\":40,\"metrics\":{\"loss\":19.5,"
                            "\"seen\":40}}\n");
  EXPECT_EQ(result.err, "");
  auto found = events("eval");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[7]["loss"], 19.5);
  EXPECT_EQ(found[7]["seen"], 40);
}

TEST_F(EvaluateCommandTest, PrintsTable) {
  ASSERT_EQ(train("7").exitCode, 0);
  ProcessResult result = evaluate({"--steps", "1", "--name", "first"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  // The first element of the shuffled input is 0.
  EXPECT_TRUE(contains(result.out, "loss         0\n")) << result.out;
  EXPECT_TRUE(contains(result.out, "seen         1\n")) << result.out;
  EXPECT_EQ(events("eval_first").size(), 1u);
  EXPECT_TRUE(events("eval").empty());
}

TEST_F(EvaluateCommandTest, ReevaluatedStepIsWrittenOnce) {
  ASSERT_EQ(train("7").exitCode, 0);
  ASSERT_EQ(evaluate({"--steps", "1"}).exitCode, 0);
  ASSERT_EQ(evaluate({}).exitCode, 0);
  ASSERT_EQ(train("9").exitCode, 0);
  ASSERT_EQ(evaluate({}).exitCode, 0);
  auto found = events("eval");
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found[7]["loss"], 19.5);
  ASSERT_TRUE(
      ingot::dropEventsOf(ingot::FileSystem::posix(), directory / "eval", 9)
          .isOk());
  EXPECT_EQ(events("eval").size(), 1u);
}

TEST_F(EvaluateCommandTest, EvaluationChangesNeitherCheckpointsNorInput) {
  ASSERT_EQ(train("7").exitCode, 0);
  std::string state = readFile(directory / "checkpoint");
  std::string data = readFile(directory / "model.ckpt-7.data-00000-of-00001");
  ASSERT_EQ(evaluate({}).exitCode, 0);
  EXPECT_EQ(readFile(directory / "checkpoint"), state);
  EXPECT_EQ(readFile(directory / "model.ckpt-7.data-00000-of-00001"), data);
  // After an evaluation, training ends with the same bytes as a run that was
  // never evaluated.
  ASSERT_EQ(train("50").exitCode, 0);
  std::string evaluated =
      readFile(directory / "model.ckpt-50.data-00000-of-00001");
  TemporaryDirectory other;
  ASSERT_EQ(
      runTrainer({"--model-dir", other.path(), "--max-steps", "50", "--quiet"})
          .exitCode,
      0);
  EXPECT_EQ(readFile(other / "model.ckpt-50.data-00000-of-00001"), evaluated);
}

TEST_F(EvaluateCommandTest, CheckpointFlagChoosesCheckpoint) {
  ASSERT_EQ(train("7").exitCode, 0);
  ASSERT_EQ(train("9").exitCode, 0);
  ProcessResult result =
      evaluate({"--checkpoint", directory / "model.ckpt-7", "--json"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "{\"global_step\":7,")) << result.out;
}

TEST_F(EvaluateCommandTest, WithoutACheckpointThereIsNothingToEvaluate) {
  ProcessResult result = evaluate({});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_TRUE(contains(result.err, "no usable checkpoint")) << result.err;
  EXPECT_EQ(evaluate({"--checkpoint", directory / "model.ckpt-7"}).exitCode, 4);
}

TEST_F(EvaluateCommandTest, UnknownEntriesAndMissingFoldersAreUsageErrors) {
  EXPECT_EQ(evaluate({"--entry", "none"}).exitCode, 2);
  EXPECT_EQ(runTrainer({"evaluate"}).exitCode, 2);
}

TEST_F(EvaluateCommandTest, TrainAndEvaluateEvaluatesCheckpointsAndTheLast) {
  ProcessResult result = runTrainer(
      {"train-and-evaluate", "--model-dir", directory.path(), "--max-steps",
       "25", "--save-checkpoints-steps", "10", "--eval-steps", "40",
       "--eval-throttle-secs", "0.000001", "--sync-saves"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  auto found = events("eval");
  EXPECT_EQ(found.size(), 3u);
  for (int64_t step : {10, 20, 25})
    EXPECT_EQ(found[step]["loss"], 19.5) << step;
  EXPECT_TRUE(contains(result.out, "evaluated step 25  loss 19.5  seen 40\n"))
      << result.out;
}

/// The loss never changes, so that no evaluation after step 10 is better.
TEST_F(EvaluateCommandTest, EvaluationsStopTraining) {
  std::vector<std::string> flags = {"train-and-evaluate",
                                    "--model-dir",
                                    directory.path(),
                                    "--max-steps",
                                    "1000000",
                                    "--eval-steps",
                                    "40",
                                    "--eval-throttle-secs",
                                    "1000",
                                    "--stop-if-no-decrease",
                                    "loss:20",
                                    "--save-checkpoints-steps",
                                    "10"};
  ProcessResult result = runTrainer(flags);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "stopping early: loss is 19.5 at step 30"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "evaluating every checkpoint"))
      << result.err;
  std::vector<int64_t> steps;
  for (const auto &[step, values] : events("eval"))
    steps.push_back(step);
  EXPECT_EQ(steps, (std::vector<int64_t>{10, 20, 30}));
  EXPECT_TRUE(std::filesystem::exists(directory / "model.ckpt-30.index"));

  // It does not train on after a restart either, nor if it was killed before
  // the last checkpoint was evaluated.
  for (bool forgets : {false, true}) {
    if (forgets)
      std::filesystem::remove_all(directory / "eval");
    result = runTrainer(flags);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_TRUE(contains(result.err, "stopping early: loss is 19.5 at step 30"))
        << result.err;
    EXPECT_FALSE(std::filesystem::exists(directory / "model.ckpt-40.index"));
    EXPECT_EQ(events("eval").rbegin()->first, 30);
  }

  // Without the flag for its number of steps, the rule determines it.
  TemporaryDirectory other;
  flags.resize(flags.size() - 2);
  flags[2] = other.path();
  result = runTrainer(flags);
  EXPECT_TRUE(contains(result.err, "evaluating a checkpoint every 20 steps"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "stopping early: loss is 19.5 at step 40"))
      << result.err;
}

TEST_F(EvaluateCommandTest, UnknownMetricsAreUsageErrors) {
  auto run = [&](std::vector<std::string> flags) {
    std::vector<std::string> all = {flags[0], "--model-dir", directory.path(),
                                    "--max-steps", "20"};
    all.insert(all.end(), flags.begin() + 1, flags.end());
    ProcessResult result = runTrainer(all);
    EXPECT_EQ(result.exitCode, 2) << result.err;
    return result.err;
  };
  EXPECT_TRUE(contains(run({"train-and-evaluate", "--stop-if-lower", "los:1"}),
                       "--stop-if-lower: 'los' is not a metric of entry "
                       "'evaluate', which has metrics "));
  EXPECT_TRUE(contains(run({"train-and-evaluate", "--stop-if-higher", "loss:1",
                            "--save-checkpoints-secs", "1"}),
                       "give --save-checkpoints-steps N"));
  EXPECT_TRUE(contains(run({"train", "--stop-if-lower", "loss:1"}),
                       "'PROGRAM train' evaluates nothing"));
  EXPECT_TRUE(contains(
      run({"train", "--stop-if-lower", "los:1", "--eval-name", "other"}),
      "no entry of this program has metric 'los'"));
}

TEST_F(EvaluateCommandTest, EvaluatorStartsAndEndsWithChief) {
  Environment evaluator = {
      {"TF_CONFIG", R"({"cluster": {"chief": ["a:1"]}, "task":
                        {"type": "evaluator", "index": 0}})"}};
  std::vector<std::string> flags = {"train-and-evaluate",
                                    "--model-dir",
                                    directory.path(),
                                    "--max-steps",
                                    "20",
                                    "--eval-steps",
                                    "40",
                                    "--eval-throttle-secs",
                                    "0.01",
                                    "--max-wait-secs",
                                    "30"};
  TrainerProcess process(flags, evaluator);
  ASSERT_EQ(train("20").exitCode, 0);
  ProcessResult result = process.wait();
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(events("eval")[20]["loss"], 19.5);

  TemporaryDirectory empty;
  flags[2] = empty.path();
  flags.back() = "0.2";
  result = runTrainer(flags, evaluator);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "waiting for the chief, chief 0 (a:1)"))
      << result.err;
}

} // namespace
