//===- BatchHookTest.cpp - Hooks around evaluations and predictions -------===//
// SPDX-License-Identifier: Apache-2.0
//
// The expected calls are those of TensorFlow's Estimator.evaluate(hooks=...)
// and predict(hooks=...), in test/data/hooks/batches.txt.
//
//===----------------------------------------------------------------------===//

#include "BatchTranscripts.h"

#include "test/runtime/Session/TrainerProcess.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

class BatchHookTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(runTrainer({"--model-dir", directory / "run", "--max-steps", "2",
                          "--quiet", "--summary-steps", "0"})
                  .exitCode,
              0);
    writeFile(directory / "in.csv", "1,2,3\n4,5,6\n-1,0.5,0\n");
  }

  /// Runs `verb` with the recorder hook, and keeps its calls. The global step
  /// of each call must be that of the model.
  ProcessResult run(std::vector<std::string> verb, const std::string &what) {
    verb.insert(verb.end(),
                {"--model-dir", directory / "run", "--hook",
                 INGOT_TEST_HOOK ":" + (directory / "calls") + what});
    // The input has 40 elements, in one pass.
    ProcessResult result = runTrainer(verb, {{"COUNTER_PASSES", "1"}});
    std::string text = readFile(directory / "calls"), line;
    ::unlink((directory / "calls").c_str());
    std::istringstream lines(text);
    while (std::getline(lines, line)) {
      EXPECT_TRUE(line == "begin 0" || line.ends_with(" 2")) << line;
    }
    calls = callsOf(text);
    return result;
  }
  ProcessResult evaluate(const std::string &what) {
    return run({"evaluate", "--steps", "3", "--json", "--name", "it"}, what);
  }
  ProcessResult predict(const std::string &what) {
    return run({"predict", "--entry", "sums", "--batch", "1", "--input",
                directory / "in.csv", "--output", directory / "out.csv"},
               what);
  }
  std::string written() { return readFile(directory / "out.csv"); }

  TemporaryDirectory directory;
  std::string calls;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(BatchHookTest, EvaluationOfSomeBatchesEndsAfterTheLast) {
  ProcessResult result = evaluate("");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("evaluate 3"));
  EXPECT_TRUE(contains(result.out, "\"batches\":3")) << result.out;
}

// The input ends after before_run() has been called for another batch.
TEST_F(BatchHookTest, EvaluationOfTheWholeInputEndsInARun) {
  ProcessResult result = run({"evaluate", "--json"}, "");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  // TensorFlow's calls for three batches, and those of the 37 further batches
  // of this input.
  std::string expected = tensorflowCalls("evaluate whole");
  size_t last = expected.rfind(" before end");
  ASSERT_NE(last, std::string::npos) << expected;
  for (int i = 3; i < 40; ++i)
    expected.insert(last, " before after");
  EXPECT_EQ(calls, expected);
  EXPECT_TRUE(contains(result.out, "\"batches\":40")) << result.out;
}

TEST_F(BatchHookTest, StoppedEvaluationHasTheResultsSoFar) {
  ProcessResult result = evaluate(",stop#1");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("evaluate 3 stop1"));
  EXPECT_TRUE(contains(result.out, "\"batches\":1,")) << result.out;
}

// A hook that reports OutOfRange after a batch ends the evaluation; that batch
// counts.
TEST_F(BatchHookTest, OutOfRangeEndsEvaluation) {
  ProcessResult result = evaluate(",range#2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("evaluate 3 range2"));
  EXPECT_TRUE(contains(result.out, "\"batches\":2,")) << result.out;
}

TEST_F(BatchHookTest, AbortedEvaluationBeginsAgain) {
  ProcessResult whole = evaluate("");
  ProcessResult result = evaluate(",abort#2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("evaluate 3 abort2"));
  EXPECT_EQ(result.out, whole.out);
}

TEST_F(BatchHookTest, FailedEvaluationHasNoResultsAndNoEnd) {
  ProcessResult result = evaluate(",fail#2");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(calls, tensorflowCalls("evaluate 3 fail2"));
  EXPECT_TRUE(contains(result.err, "the loss does not please")) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(BatchHookTest, HookReadsWhatTheEvaluationFetches) {
  ProcessResult result = runTrainer(
      {"evaluate", "--steps", "2", "--quiet", "--model-dir", directory / "run",
       "--hook", INGOT_TEST_HOOK ":" + (directory / "calls") + ",fetch"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(
      contains(readFile(directory / "calls"), "loss dtype 1 rank 0 value "))
      << readFile(directory / "calls");
  ::unlink((directory / "calls").c_str());
  // If a hook asks for a tensor that the entry does not fetch, the message
  // names both.
  result = evaluate(",none");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "'hidden/Relu', which is not a fetch of "
                                   "entry 'evaluate'"))
      << result.err;
}

// An evaluation does not restore the states of hooks, which belong to the
// training.
TEST_F(BatchHookTest, StatesOfTrainingAreNotRestored) {
  ASSERT_EQ(runTrainer({"--model-dir", directory / "run", "--steps", "2",
                        "--quiet", "--summary-steps", "0", "--hook",
                        INGOT_TEST_HOOK ":" + (directory / "calls") + ",state"})
                .exitCode,
            0);
  ::unlink((directory / "calls").c_str());
  ProcessResult result = runTrainer(
      {"evaluate", "--steps", "1", "--quiet", "--model-dir", directory / "run",
       "--hook", INGOT_TEST_HOOK ":" + (directory / "calls") + ",state"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(readFile(directory / "calls"),
            "begin 0\nrestored 4\nbefore 4\nafter 4\nend 4\ndestroy 4\n");
}

TEST_F(BatchHookTest, PredictionsEndInARun) {
  ProcessResult result = predict("");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("predict"));
  EXPECT_EQ(written(), "sum\n7\n16\n0.5\n");
}

TEST_F(BatchHookTest, StoppedPredictionsAreThoseSoFar) {
  ProcessResult result = predict(",stop#2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("predict stop2"));
  EXPECT_EQ(written(), "sum\n7\n16\n");
}

TEST_F(BatchHookTest, OutOfRangeEndsPredictionsWithoutThatBatch) {
  ProcessResult result = predict(",range#2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls, tensorflowCalls("predict range2"));
  EXPECT_EQ(written(), "sum\n7\n");
}

// Each evaluation of a training creates a new hook, which is not called for
// training steps.
TEST_F(BatchHookTest, EvaluationsBesideTrainingHaveHooks) {
  ProcessResult result =
      runTrainer({"train-and-evaluate", "--model-dir", directory / "run",
                  "--max-steps", "6", "--save-checkpoints-steps", "2",
                  "--sync-saves", "--eval-throttle-secs", "0", "--eval-steps",
                  "1", "--quiet", "--summary-steps", "0", "--eval-hook",
                  INGOT_TEST_HOOK ":" + (directory / "calls")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::string expected;
  for (const char *step : {" 4\n", " 6\n"})
    expected += std::string("begin 0\nrestored") + step + "before" + step +
                "after" + step + "end" + step + "destroy" + step;
  EXPECT_EQ(readFile(directory / "calls"), expected);
}

// After an Aborted error, predictions continue with the same batch, so that
// each row is written once; TensorFlow would start over.
TEST_F(BatchHookTest, AbortedPredictionsGoOnWithTheirBatch) {
  ProcessResult result = predict(",abort#2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls,
            "begin created before after before after created before after "
            "before after before end");
  EXPECT_EQ(written(), "sum\n7\n16\n0.5\n");
}

TEST_F(BatchHookTest, FailedPredictionsAreNoFile) {
  ProcessResult result = predict(",fail#2");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(calls, tensorflowCalls("predict fail2"));
  EXPECT_EQ(written(), "");
}

TEST_F(BatchHookTest, BatchesAreTracedAndChecked) {
  std::string trace = directory / "trace.json";
  ProcessResult result = run(
      {"evaluate", "--steps", "3", "--trace", trace, "--trace-steps", "2"}, "");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(readFile(trace), "\"batch 2\"")) << readFile(trace);
  EXPECT_FALSE(contains(readFile(trace), "\"batch 3\""));
  EXPECT_TRUE(contains(readFile(trace), "\"recorder\""));
  result = run({"evaluate", "--trace", trace, "--check-numerics"}, "");
  EXPECT_EQ(result.exitCode, 2);
  result = run({"evaluate", "--watchdog-secs", "0.3"}, ",hang#1");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "no progress for 0.3 s after batch"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "is in hook 'recorder'")) << result.err;
}

} // namespace
