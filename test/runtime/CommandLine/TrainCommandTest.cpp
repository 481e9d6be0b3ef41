//===- TrainCommandTest.cpp - trainer train -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/TrainerMain.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Session/TrainerProcess.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class TrainCommandTest : public testing::Test {
protected:
  ProcessResult train(std::vector<std::string> more,
                      const Environment &environment = {}) {
    std::vector<std::string> flags = {"train", "--model-dir", directory.path()};
    flags.insert(flags.end(), more.begin(), more.end());
    return runTrainer(flags, environment);
  }
  bool hasCheckpoint(int step) {
    return !readFile(directory /
                     ("model.ckpt-" + std::to_string(step) + ".index"))
                .empty();
  }
  TemporaryDirectory directory;
};

TEST_F(TrainCommandTest, TrainsToAStepAndThenHasNothingToDo) {
  ProcessResult result = train({"--max-steps", "20"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "step 1  loss 0.45\n")) << result.out;
  EXPECT_TRUE(contains(result.out, "step 20  loss ")) << result.out;
  EXPECT_TRUE(hasCheckpoint(20));
  result = train({"--max-steps", "20"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_FALSE(contains(result.out, "step 20  loss ")) << result.out;
}

TEST_F(TrainCommandTest, StepsAddToGlobalStep) {
  ASSERT_EQ(train({"--max-steps", "20", "--quiet"}).exitCode, 0);
  ProcessResult result = train({"--steps", "5", "--quiet"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(hasCheckpoint(25));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
}

TEST_F(TrainCommandTest, ModelDirectoryIsLocked) {
  {
    TrainerProcess first({"train", "--model-dir", directory.path(), "--quiet"},
                         {{"COUNTER_STEP_USEC", "200"}});
    // Wait until the run has written a checkpoint: it locks the directory
    // before that.
    while (!hasCheckpoint(0))
      ::usleep(1000);
    ProcessResult second = train({"--max-steps", "20"});
    EXPECT_EQ(second.exitCode, 1);
    EXPECT_TRUE(contains(second.err, "is being trained in by process "))
        << second.err;
    EXPECT_TRUE(contains(second.err, " on ")) << second.err;
    // The lock does not keep readers out.
    EXPECT_EQ(runTrainer({"run", "predict", "--feed", "x=[[1,2,3],[4,5,6]]",
                          "--model-dir", directory.path(), "--quiet"})
                  .exitCode,
              0);
    first.signal(SIGKILL);
    (void)first.wait();
  }
  EXPECT_NE(readFile(directory / ".ingot-lock"), "");
  ProcessResult next = train({"--steps", "1"});
  EXPECT_EQ(next.exitCode, 0) << next.err;
  EXPECT_EQ(readFile(directory / ".ingot-lock"), "");
}

TEST_F(TrainCommandTest, ModelDirectoryIsRequired) {
  ProcessResult result = runTrainer({"--max-steps", "3"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "--model-dir")) << result.err;
}

TEST_F(TrainCommandTest, FlagsThatExcludeOneAnotherAreUsageErrors) {
  EXPECT_EQ(train({"--max-steps", "3", "--steps", "4"}).exitCode, 2);
  EXPECT_EQ(
      train({"--save-checkpoints-steps", "3", "--save-checkpoints-secs", "4"})
          .exitCode,
      2);
  EXPECT_EQ(train({"--device", "cuda:0"}).exitCode, 2);
}

TEST_F(TrainCommandTest, SaverOptionsAreFlags) {
  ProcessResult result =
      train({"--max-steps", "20", "--save-checkpoints-steps", "10", "--quiet",
             "--shards", "2", "--checkpoint-basename", "m", "--pad-step-number",
             "--latest-filename", "newest", "--save-relative-paths=false",
             "--keep-checkpoint-max", "1", "--sync-saves"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(readFile(directory / "newest"),
            "model_checkpoint_path: \"" + (directory / "m-00000020") +
                "\"\nall_model_checkpoint_paths: \"" +
                (directory / "m-00000020") + "\"\n");
  for (const char *end :
       {".index", ".data-00000-of-00002", ".data-00001-of-00002"})
    EXPECT_FALSE(
        readFile(directory / (std::string("m-00000020") + end)).empty())
        << end;
  EXPECT_TRUE(readFile(directory / "m-00000010.index").empty());
  // A run with the same flags resumes from that checkpoint.
  result = train({"--steps", "1", "--checkpoint-basename", "m",
                  "--latest-filename", "newest"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_FALSE(readFile(directory / "m-21.index").empty());
}

TEST_F(TrainCommandTest, InvalidSaverOptionsAreUsageErrors) {
  for (const auto &[flags, part] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--latest-filename", "a/b"}, "path components: 'a/b'"},
           {{"--latest-filename", "model.ckpt"}, "collides"},
           {{"--shards", "0"}, "--shards"},
           {{"--shards", "100000"}, "--shards"},
           {{"--on-failed-save", "retry"}, "expected stop or continue"},
           {{"--save-relative-paths", "no"}, "expected true or false"},
           {{"--clear-devices"}, "--write-meta-graph"},
           // The counter program was not compiled from a graph.
           {{"--write-meta-graph"}, "does not contain its graph"}}) {
    ProcessResult result = train(flags);
    EXPECT_EQ(result.exitCode, 2) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  }
}

TEST_F(TrainCommandTest, UnknownFetchListsCompiledOnes) {
  for (const char *flag : {"--fetch", "--loss"}) {
    ProcessResult result = train({flag, "hidden/Relu:0"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_TRUE(contains(result.err, std::string(flag) + ": 'hidden/Relu:0'"))
        << result.err;
    EXPECT_TRUE(contains(result.err, "loss:0, element:0, v:0")) << result.err;
    EXPECT_TRUE(contains(result.err, "--observe")) << result.err;
    EXPECT_FALSE(hasCheckpoint(0));
  }
}

TEST_F(TrainCommandTest, LossesFileHasOneLinePerStep) {
  std::string losses = directory / "losses";
  ASSERT_EQ(train({"--max-steps", "2", "--losses", losses, "--fetch", "element",
                   "--fetch", "v"})
                .exitCode,
            0);
  std::string text = readFile(losses);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_TRUE(text.starts_with("{\"step\":1,\"loss\":0.44999998807907104,"
                               "\"element:0\":0,\"v:0\":[1.45"))
      << text;
}

TEST_F(TrainCommandTest, AnotherLossIsLogged) {
  ProcessResult result = train({"--max-steps", "1", "--loss", "element:0"});
  EXPECT_TRUE(contains(result.out, "step 1  loss 0\n")) << result.out;
}

TEST_F(TrainCommandTest, NanLossFailsBeforeSaving) {
  ProcessResult result =
      train({"--max-steps", "9", "--save-checkpoints-steps", "1"},
            {{"COUNTER_NAN_AT", "5"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: the loss 'loss:0' is NaN at step 5"))
      << result.err;
  EXPECT_TRUE(hasCheckpoint(4));
  EXPECT_FALSE(hasCheckpoint(5));
}

TEST_F(TrainCommandTest, StepFailureKeepsMessage) {
  ProcessResult result =
      train({"--max-steps", "9"}, {{"COUNTER_FAIL_AT", "3"}});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "error: step 3: ")) << result.err;
}

TEST_F(TrainCommandTest, UncreatableModelDirectoryIsReported) {
  writeFile(directory / "file", "not a folder");
  ProcessResult result =
      runTrainer({"--model-dir", directory / "file/run", "--max-steps", "3"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, directory / "file")) << result.err;
  EXPECT_TRUE(contains(result.err, "Not a directory")) << result.err;
  EXPECT_EQ(readFile(directory / "file"), "not a folder");
}

/// Trains up to step `maxSteps` in this process, on the disk `files`. After the
/// first step, only saves use the disk.
std::pair<int, std::string> trainOn(ingot::FileSystem &files,
                                    const char *maxSteps) {
  ingot_program program = counterProgram();
  std::vector<std::string> arguments = {"trainer", "--model-dir",
                                        "run",     "--max-steps",
                                        maxSteps,  "--save-checkpoints-steps",
                                        "5",       "--summary-steps",
                                        "0",       "--threads",
                                        "1",       "--quiet"};
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStderr();
  int code = ingot::trainerMain(static_cast<int>(argv.size()), argv.data(),
                                program, files);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(FullDiskTest, FailedSaveExitsWith1AndLosesNothing) {
  FaultFileSystem good;
  ASSERT_EQ(trainOn(good, "5").first, 0);
  std::string index = good.get("run/model.ckpt-5.index");
  ASSERT_FALSE(index.empty());
  size_t start = good.calls();
  ASSERT_EQ(trainOn(good, "12").first, 0);
  size_t calls = good.calls() - start;
  std::string last = good.get("run/model.ckpt-12.index");

  int failures = 0;
  for (size_t call = 0; call < calls; ++call) {
    FaultFileSystem full;
    ASSERT_EQ(trainOn(full, "5").first, 0);
    full.failCall(full.calls() + call, ingot::StatusCode::ResourceExhausted);
    auto [code, message] = trainOn(full, "12");
    if (code != 0) {
      ++failures;
      // If a read of the checkpoint fails, the exit code says that the
      // checkpoint is unusable.
      bool unreadable = contains(message, "run/model.ckpt-5.");
      EXPECT_EQ(code, unreadable ? 4 : 1) << message;
      EXPECT_TRUE(message.starts_with("error: ")) << message;
      EXPECT_TRUE(contains(message, "'run")) << message;
      EXPECT_EQ(full.get("run/model.ckpt-5.index"), index) << call;
    }
    EXPECT_EQ(trainOn(full, "12").first, 0) << call;
    EXPECT_EQ(full.get("run/model.ckpt-12.index"), last) << call;
  }
  EXPECT_GT(failures, 10);
}

TEST_F(TrainCommandTest, DamagedCheckpointExitsWith4) {
  ASSERT_EQ(train({"--max-steps", "3", "--quiet"}).exitCode, 0);
  std::string data = directory / "model.ckpt-3.data-00000-of-00001";
  std::string bytes = readFile(data);
  bytes[3] ^= 4;
  writeFile(data, bytes);
  TemporaryDirectory other;
  ProcessResult result =
      runTrainer({"--model-dir", other.path(), "--max-steps", "3",
                  "--init-from", directory / "model.ckpt-3"});
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_TRUE(contains(result.err, data)) << result.err;
  // Without --init-checkpoint, the run falls back to the previous checkpoint in
  // its own model directory.
  result = train({"--max-steps", "3"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "warning: ")) << result.err;
  EXPECT_TRUE(contains(result.out, "model.ckpt-0', step 0")) << result.out;
}

TEST_F(TrainCommandTest, InitFromStartsElsewhereAndRefusesForeignNames) {
  ASSERT_EQ(train({"--max-steps", "3", "--quiet"}).exitCode, 0);
  TemporaryDirectory other;
  std::vector<std::string> command = {
      "--model-dir", other.path(),  "--max-steps",
      "5",           "--init-from", directory / "model.ckpt-3"};
  auto mapped = command;
  mapped.insert(mapped.end(), {"--restore-map", "^w$=x"});
  ProcessResult result = runTrainer(mapped);
  EXPECT_EQ(result.exitCode, 4);
  EXPECT_TRUE(contains(result.err, "'x'")) << result.err;
  result = runTrainer(command);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "step 3")) << result.out;
  EXPECT_FALSE(readFile(other / "model.ckpt-3.index").empty());
  EXPECT_FALSE(readFile(other / "model.ckpt-5.index").empty());
}

TEST_F(TrainCommandTest, GraphsSaverLimitsCheckpoints) {
  ASSERT_EQ(
      train({"--max-steps", "8", "--save-checkpoints-steps", "1", "--quiet"})
          .exitCode,
      0);
  for (int step = 0; step <= 8; ++step)
    EXPECT_EQ(hasCheckpoint(step), step >= 4) << step;
}

TEST_F(TrainCommandTest, KeepCheckpointMaxOverridesTheGraphsSaver) {
  ASSERT_EQ(train({"--max-steps", "8", "--save-checkpoints-steps", "1",
                   "--keep-checkpoint-max", "2", "--quiet"})
                .exitCode,
            0);
  for (int step = 0; step <= 8; ++step)
    EXPECT_EQ(hasCheckpoint(step), step >= 7) << step;
}

} // namespace
