//===- UserLibraryHookTest.cpp - Hooks in libraries of the user's ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "BatchTranscripts.h"

#include "test/runtime/Session/TrainerProcess.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

class UserLibraryHookTest : public testing::Test {
protected:
  /// Trains to step 3 with the recorder hook, to which `what` is passed.
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

TEST_F(UserLibraryHookTest, CallbacksComeInOrder) {
  ProcessResult result = train("");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nbefore 2\nafter 3\nend 3\ndestroy 3\n");
}

TEST_F(UserLibraryHookTest, ResumedRunIsMarkedRestored) {
  ASSERT_EQ(train("").exitCode, 0);
  ::unlink((directory / "calls").c_str());
  ASSERT_EQ(train("").exitCode, 0);
  EXPECT_EQ(calls(), "begin 0\nrestored 3\nend 3\ndestroy 3\n");
}

TEST_F(UserLibraryHookTest, StateIsSavedAndRestoredWithModel) {
  ASSERT_EQ(train(",state").exitCode, 0);
  ::unlink((directory / "calls").c_str());
  ProcessResult result = train(",state", {}, "5");
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_TRUE(calls().starts_with("begin 0\nstate 3\nrestored 3\nbefore 3\n"))
      << calls();
  // After the Aborted error, the hook gets the state of the checkpoint from
  // which the session starts again.
  ::unlink((directory / "calls").c_str());
  result = train(",state,abort@8", {"--save-checkpoints-steps", "2"}, "9");
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(calls().find("after 8\nstate 7\nrestored 7\nbefore 7\n"),
            std::string::npos)
      << calls();
}

TEST_F(UserLibraryHookTest, FetchesAreTheSteps) {
  // Step 1 draws the element 0, so w = 0.9 * 0.5.
  ProcessResult result = train(",fetch,stop@1");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(),
            "begin 0\ncreated 0\nbefore 0\nafter 1\n"
            "loss:0 dtype 1 rank 0 value 0.449999988\nend 1\ndestroy 1\n");
  EXPECT_TRUE(hasCheckpoint(1));
}

TEST_F(UserLibraryHookTest, OutOfRangeEndsRun) {
  ProcessResult result = train(",range@2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nend 2\ndestroy 2\n");
}

TEST_F(UserLibraryHookTest, FailureSkipsSaveAndEnd) {
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

TEST_F(UserLibraryHookTest, AbortedRecoversTheSessionFromItsNewestCheckpoint) {
  ProcessResult result = train(",abort@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), "begin 0\ncreated 0\nbefore 0\nafter 1\nbefore 1\n"
                     "after 2\nrestored 1\nbefore 1\nafter 2\nbefore 2\n"
                     "after 3\nend 3\ndestroy 3\n");
  EXPECT_NE(result.err.find("warning: "), std::string::npos) << result.err;
}

// The order of the calls is that of TensorFlow's CheckpointSaverHook and its
// listeners.
TEST_F(UserLibraryHookTest, SaversTellListeners) {
  std::vector<std::string> saves = {"--save-checkpoints-steps", "2",
                                    "--sync-saves"};
  ProcessResult result = train(",listen", saves);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(),
            "begin 0\nsaver begin 0\ncreated 0\nsaving 0\nsaved 0 "
            "model.ckpt-0\nbefore 0\nafter 1\nbefore 1\nafter 2\nsaving "
            "2\nsaved 2 model.ckpt-2\nbefore 2\nafter 3\nend 3\nsaving "
            "3\nsaved 3 model.ckpt-3\nsaver end 3\ndestroy 3\n");
}

TEST_F(UserLibraryHookTest, ListenersStopAndFailRuns) {
  std::vector<std::string> saves = {"--save-checkpoints-steps", "2",
                                    "--sync-saves"};
  ProcessResult result = train(",listen,stopsave@2", saves, "9");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  // No step has been trained since the last save, so there is no further save
  // at the end.
  EXPECT_TRUE(calls().ends_with("saving 2\nsaved 2 model.ckpt-2\nend "
                                "2\nsaver end 2\ndestroy 2\n"))
      << calls();
  ::unlink((directory / "calls").c_str());
  result = train(",listen,failsave@4", saves, "9");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("the checkpoint does not please"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(calls().ends_with("saved 4 model.ckpt-4\ndestroy 4\n"))
      << calls();
}

// The hook runs entries in a callback, with feeds, and after the last step; the
// last checkpoint contains what they change. By step 3, three elements have
// been drawn.
TEST_F(UserLibraryHookTest, EntriesRunAtTheEnd) {
  ProcessResult result = train(",run,listen", {"--sync-saves"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::string text = calls();
  size_t end = text.find("end 3\nran evaluate/metrics: 0 3\nran predict: 0 ");
  ASSERT_NE(end, std::string::npos) << text;
  // The result is 1 + 2 + 3 + w. Without its feed, or with an unknown name, the
  // entry fails.
  double sum = std::atof(text.c_str() + text.find("ran predict: 0 ") + 15);
  EXPECT_GT(sum, 6) << text;
  EXPECT_TRUE(text.ends_with("\nran predict: 3\nran nothing: 3\nran init: "
                             "0\nsaving 3\nsaved 3 model.ckpt-3\nsaver end "
                             "3\ndestroy 3\n"))
      << text;
  // The init entry, which the hook has run, has set w to 0.5.
  result = runTrainer({"run", "predict", "--checkpoint",
                       directory / "run/model.ckpt-3", "--quiet",
                       "--feed=x:0=[[1,2,3],[4,5,6]]"});
  EXPECT_EQ(result.out, "sum:0 = [6.5,15.5]\n");
}

TEST_F(UserLibraryHookTest, FailedRunOfEntryIsNamed) {
  ProcessResult result = train(",runfails");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("librecording_hook.so': no entry 'nothing': run "
                            "'PROGRAM info' to list the entries"),
            std::string::npos)
      << result.err;
}

// Calls and results are those of TensorFlow's MonitoredSession when a thread
// calls coord.request_stop(): first end() is called, then the failure is
// raised.
TEST_F(UserLibraryHookTest, CoordinatorStopsRun) {
  const std::string before = "begin 0\ncreated 0\nbefore 0\nafter 1\nstopping "
                             "0 1\n";
  ProcessResult result = train(",coordinate@1");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(calls(), before + "end 1\ndestroy 1\n");
  EXPECT_EQ(callsOf(calls()), tensorflowCalls("train coordinate1"));
  EXPECT_TRUE(hasCheckpoint(1));
  ::unlink((directory / "calls").c_str());

  result = runTrainer(
      {"--model-dir", directory / "other", "--max-steps", "3", "--quiet",
       "--hook", INGOT_TEST_HOOK ":" + (directory / "calls") + ",broken@1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("librecording_hook.so': the thread is broken\n"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(calls(), before + "end 1\ndestroy 1\n");
  EXPECT_EQ(callsOf(calls()), tensorflowCalls("train broken1"));
  EXPECT_NE(readFile(directory / "other/model.ckpt-1.index"), "");
  ::unlink((directory / "calls").c_str());

  result = runTrainer(
      {"--model-dir", directory / "third", "--max-steps", "2", "--quiet",
       "--save-checkpoints-steps", "1", "--hook",
       INGOT_TEST_HOOK ":" + (directory / "calls") + ",gone@1,coordinate@2"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("the thread is gone; recovering"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(calls(), before + "restored 1\nbefore 1\nafter 2\nstopping 0 "
                              "1\nend 2\ndestroy 2\n");
  EXPECT_EQ(callsOf(calls()), tensorflowCalls("train gone1"));
}

// After one hook has requested a stop, another hook sees that in its next
// callback.
TEST_F(UserLibraryHookTest, StopIsSeenByOtherHooks) {
  ProcessResult result = runTrainer(
      {"--model-dir", directory / "run", "--max-steps", "3", "--quiet",
       "--hook", INGOT_TEST_HOOK ":" + (directory / "first") + ",broken@1",
       "--hook", INGOT_TEST_HOOK ":" + (directory / "second") + ",broken@1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(readFile(directory / "first").find("stopping 0 1\n"),
            std::string::npos);
  EXPECT_NE(readFile(directory / "second").find("stopping 1 1\n"),
            std::string::npos)
      << readFile(directory / "second");
}

TEST_F(UserLibraryHookTest, CrashIsReportedAndChangesNothing) {
  ProcessResult result = train(",crash@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("its process was ended by signal 6"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("in after_run"), std::string::npos) << result.err;
  EXPECT_TRUE(hasCheckpoint(1));
  EXPECT_FALSE(hasCheckpoint(2));
  // Training resumes without the hook.
  EXPECT_EQ(runTrainer({"--model-dir", directory / "run", "--max-steps", "3",
                        "--quiet"})
                .exitCode,
            0);
}

TEST_F(UserLibraryHookTest, ExitIsReportedAndChangesNothing) {
  ProcessResult result = train(",exit@2", {"--save-checkpoints-steps", "1"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("its process exited with code 7 in after_run"),
            std::string::npos)
      << result.err;
  EXPECT_TRUE(hasCheckpoint(1));
  EXPECT_FALSE(hasCheckpoint(2));
}

TEST_F(UserLibraryHookTest, HookPrintsToTrainersOutput) {
  ProcessResult result = train(",print@2");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("the hook prints\n"), std::string::npos)
      << result.out;
}

TEST_F(UserLibraryHookTest, SignalSavesDespiteHangingHook) {
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

TEST_F(UserLibraryHookTest, WatchdogNamesHangingHook) {
  ProcessResult result = train(",hang@2", {"--watchdog-secs", "0.3"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("is in hook 'recorder'"), std::string::npos)
      << result.err;
  // The hook's host process has ended as well.
  int host = std::atoi(readFile(directory / "calls.pid").c_str());
  ASSERT_GT(host, 0);
  for (int i = 0; i < 100 && ::kill(host, 0) == 0; ++i)
    ::usleep(100000);
  EXPECT_NE(::kill(host, 0), 0);
}

TEST_F(UserLibraryHookTest, HiddenVisibilityExportsHook) {
  ProcessResult result =
      runTrainer({"--model-dir", directory / "run", "--max-steps", "3",
                  "--hook", INGOT_HIDDEN_HOOK, "--quiet"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("counted 3 steps\n"), std::string::npos)
      << result.out;
}

TEST_F(UserLibraryHookTest, LibraryOfEarlierVersionIsAccepted) {
  ProcessResult result =
      runTrainer({"--model-dir", directory / "run", "--max-steps", "9",
                  "--quiet", "--hook", INGOT_OLDER_HOOK});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("version 1 ends at step 2\n"), std::string::npos)
      << result.out;
  EXPECT_TRUE(hasCheckpoint(2));
}

TEST_F(UserLibraryHookTest, TensorOutsideProgramIsNamed) {
  ProcessResult result = train(",none,");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("--observe hidden/Relu"), std::string::npos)
      << result.err;
}

TEST_F(UserLibraryHookTest, SignalToProcessGroupLetsHookFinish) {
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

TEST_F(UserLibraryHookTest, LibraryErrorsAreReportedFirst) {
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

  // Libraries built for another version, or linked without the hook's symbols,
  // are rejected.
  result = load(INGOT_NEWER_HOOK);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("newer_hook.so': it was built for version 4 of "
                            "ingot/hook.h, this trainer has version 3: "
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
