//===- LibraryHookTest.cpp - Hooks in libraries of the user's -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Session/TrainerProcess.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

class LibraryHookTest : public testing::Test {
protected:
  /// Trains to step three with the recorder and its arguments.
  ProcessResult train(const std::string &what,
                      std::vector<std::string> more = {},
                      const std::string &maxSteps = "3") {
    std::vector<std::string> flags = {"--model-dir",
                                      directory / "run",
                                      "--max-steps",
                                      maxSteps,
                                      "--quiet",
                                      "--hook",
                                      INGOT_TEST_HOOK ":" +
                                          (directory / "calls") + what,
                                      "--summary-steps",
                                      "0"};
    flags.insert(flags.end(), more.begin(), more.end());
    return runTrainer(flags);
  }
  std::string calls() { return readFile(directory / "calls"); }
  bool hasCheckpoint(int step) {
    return !readFile(directory /
                     ("run/model.ckpt-" + std::to_string(step) + ".index"))
                .empty();
  }

  TemporaryDirectory directory;
};

TEST_F(LibraryHookTest, CallbacksComeInOrder) {
  ProcessResult result = train("");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nbefore 2\nafter 3\nend 3\ndestroy 3\n");
}

TEST_F(LibraryHookTest, ResumedRunIsMarkedRestored) {
  ASSERT_EQ(train("").exitCode, 0);
  ::unlink((directory / "calls").c_str());
  ASSERT_EQ(train("").exitCode, 0);
  EXPECT_EQ(calls(), "begin 0\nrestored 3\nend 3\ndestroy 3\n");
}

TEST_F(LibraryHookTest, StateIsSavedAndRestoredWithModel) {
  ASSERT_EQ(train(",state").exitCode, 0);
  ::unlink((directory / "calls").c_str());
  ProcessResult result = train(",state", {}, "5");
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(calls().starts_with("begin 0\nstate 3\nrestored 3\nbefore 3\n"))
      << calls();
  // The state of the checkpoint that the session goes back to.
  ::unlink((directory / "calls").c_str());
  result = train(",state,abort@8", {"--save-checkpoints-steps", "2"}, "9");
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(calls().find("after 8\nstate 7\nrestored 7\nbefore 7\n"),
            std::string::npos)
      << calls();
}

TEST_F(LibraryHookTest, FetchesAreTheSteps) {
  // Step 1 draws 0: w = 0.9 * 0.5.
  ProcessResult result = train(",fetch,stop@1");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(),
            "begin 0\ncreated 0\nbefore 0\nafter 1\n"
            "loss:0 dtype 1 rank 0 value 0.449999988\nend 1\ndestroy 1\n");
  EXPECT_TRUE(hasCheckpoint(1));
}

TEST_F(LibraryHookTest, OutOfRangeEndsRun) {
  ProcessResult result = train(",range@2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nend 2\ndestroy 2\n");
}

TEST_F(LibraryHookTest, FailureSkipsSaveAndEnd) {
  ProcessResult result = train(",fail@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find(": the loss does not please\n"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(INGOT_TEST_HOOK), std::string::npos) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\ndestroy 2\n");
  EXPECT_TRUE(hasCheckpoint(1));
  EXPECT_FALSE(hasCheckpoint(2));
}

TEST_F(LibraryHookTest, AbortedRecoversTheSessionFromItsNewestCheckpoint) {
  ProcessResult result = train(",abort@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nrestored 1\nbefore 1\nafter 2\nbefore 2\n"
                     "after 3\nend 3\ndestroy 3\n");
  EXPECT_NE(result.err.find("warning: "), std::string::npos) << result.err;
}

TEST_F(LibraryHookTest, CrashIsReportedAndChangesNothing) {
  ProcessResult result = train(",crash@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("its process was ended by signal 6"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("in after_run"), std::string::npos) << result.err;
  EXPECT_TRUE(hasCheckpoint(1));
  EXPECT_FALSE(hasCheckpoint(2));
  // The run resumes without it.
  EXPECT_EQ(runTrainer({"--model-dir", directory / "run", "--max-steps", "3",
                        "--quiet"})
                .exitCode,
            0);
}

TEST_F(LibraryHookTest, ExitIsReportedAndChangesNothing) {
  ProcessResult result = train(",exit@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("its process exited with code 7 in after_run"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(hasCheckpoint(1));
  EXPECT_FALSE(hasCheckpoint(2));
}

TEST_F(LibraryHookTest, HookPrintsToTrainersOutput) {
  ProcessResult result = train(",print@2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("the hook prints\n"), std::string::npos)
      << result.out;
}

TEST_F(LibraryHookTest, SignalSavesDespiteHangingHook) {
  TrainerProcess process(
      {"--model-dir", directory / "run", "--max-steps", "9", "--hook",
       INGOT_TEST_HOOK ":" + (directory / "calls") + ",hang@2",
       "--summary-steps", "0"});
  while (calls().find("after 2") == std::string::npos)
    ::usleep(1000);
  process.signal(SIGTERM);
  ProcessResult result = process.wait();
  EXPECT_EQ(result.exitCode, 143) << result.err;
  EXPECT_NE(result.err.find("librecording_hook.so': after_run did not return "
                            "within 10 s of the signal"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(hasCheckpoint(2));
}

TEST_F(LibraryHookTest, WatchdogNamesHangingHook) {
  ProcessResult result = train(",hang@2", {"--watchdog-secs", "0.3"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("is in hook 'recorder'"), std::string::npos)
      << result.err;
  // Nor does the host process survive.
  int host = std::atoi(readFile(directory / "calls.pid").c_str());
  ASSERT_GT(host, 0);
  for (int i = 0; i < 100 && ::kill(host, 0) == 0; ++i)
    ::usleep(100000);
  EXPECT_NE(::kill(host, 0), 0);
}

TEST_F(LibraryHookTest, HiddenVisibilityExportsHook) {
  ProcessResult result =
      runTrainer({"--model-dir", directory / "run", "--max-steps", "3",
                  "--hook", INGOT_HIDDEN_HOOK, "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("counted 3 steps\n"), std::string::npos)
      << result.out;
}

TEST_F(LibraryHookTest, TensorOutsideProgramIsNamed) {
  ProcessResult result = train(",none,");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("--observe hidden/Relu"), std::string::npos)
      << result.err;
}

TEST_F(LibraryHookTest, SignalToProcessGroupLetsHookFinish) {
  TrainerProcess process({"--model-dir", directory / "run", "--quiet", "--hook",
                          INGOT_TEST_HOOK ":" + (directory / "calls")},
                         {{"COUNTER_STEP_USEC", "1000"}});
  while (calls().find("after 3") == std::string::npos)
    ::usleep(1000);
  process.signal(SIGTERM);
  ProcessResult result = process.wait();
  EXPECT_EQ(result.exitCode, 143) << result.err;
  EXPECT_NE(calls().find("\nend "), std::string::npos) << calls();
}

TEST_F(LibraryHookTest, LibraryErrorsAreReportedFirst) {
  auto load = [&](const std::string &hook) {
    return runTrainer(
        {"--model-dir", directory / "run", "--max-steps", "3", "--hook", hook});
  };
  ProcessResult result = load(directory / "none.so");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("none.so"), std::string::npos) << result.err;

  writeFile(directory / "text.so", "not a library");
  result = load(directory / "text.so");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("text.so"), std::string::npos) << result.err;

  result = load("libm.so.6");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("ingot_hook_create"), std::string::npos)
      << result.err;

  // Built for another version, or linked without its symbols.
  result = load(INGOT_NEWER_HOOK);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("newer_hook.so': it was built for version 3 of "
                            "ingot/hook.h, this trainer has version 2: "
                            "rebuild it"),
            std::string::npos)
      << result.err;
  result = load(INGOT_UNRESOLVED_HOOK);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("undefined symbol: only_in_another_library"),
            std::string::npos)
      << result.err;

  result = load(INGOT_TEST_HOOK);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("expected FILE[,WHAT@STEP]"), std::string::npos)
      << result.err;
  EXPECT_FALSE(hasCheckpoint(0));
}

} // namespace
