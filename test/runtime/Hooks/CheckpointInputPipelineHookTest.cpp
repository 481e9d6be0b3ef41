//===- CheckpointInputPipelineHookTest.cpp - The input's own checkpoints --===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/CheckpointInputPipelineHook.h"

#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Records the elements that steps draw, each of which takes a second.
class ElementsHook final : public SessionRunHook {
public:
  ElementsHook(std::vector<int64_t> &elements, double &seconds)
      : elements(elements), seconds(seconds) {}
  const char *name() const override { return "Elements"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterRun(SessionRunContext &,
                  const SessionRunValues &values) override {
    elements.push_back(*static_cast<const int64_t *>(values.step.fetch(1)));
    seconds += 1;
    return Status::ok();
  }

private:
  std::vector<int64_t> &elements;
  double &seconds;
};

/// Keeps the messages.
class RecordingReporter final : public SessionLogger {
public:
  void warning(const std::string &message) override {
    warnings.push_back(message);
  }
  void log(const std::string &line) override { lines.push_back(line); }
  std::vector<std::string> warnings, lines;
};

class InputPipelineTest : public testing::Test {
protected:
  InputPipelineTest() : files({".", "run"}) {}

  /// Trains `steps` more steps in run/, where the model's own checkpoints do
  /// not contain the input's state. Returns the elements drawn.
  std::vector<int64_t> run(int64_t steps, bool withHook = true) {
    std::vector<int64_t> elements;
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session);
    CheckpointManagerOptions options;
    options.directory = directory;
    options.sharded = true;
    CheckpointManager checkpoints(files, options);
    SessionStateSource source;
    source.checkpoints = &checkpoints;
    source.freshIterators = true;
    SessionManager manager(source, reporter);
    TrainingLoop loop(**session, manager, *findEntry(program, INGOT_ROLE_STEP));
    loop.addHook(StopAtStepHook::after(steps));
    loop.addHook(std::make_unique<ElementsHook>(elements, seconds));
    if (withHook)
      loop.addHook(std::make_unique<CheckpointInputPipelineHook>(
          files, inputCheckpoints(directory, cluster), timer(), reporter));
    loop.addHook(std::make_unique<CheckpointSaverHook>(
        checkpoints, timer(), reporter, [] { return nullptr; }));
    Status status = loop.run();
    EXPECT_TRUE(status.isOk()) << status.message();
    return elements;
  }

  /// Says when checkpoints of the model and of the input are due.
  SecondOrStepTimer timer() {
    return SecondOrStepTimer(everySeconds > 0 ? 0 : 10, everySeconds,
                             [this] { return seconds; });
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  RecordingReporter reporter;
  ProcessCluster cluster;
  double seconds = 0, everySeconds = 0;
  std::string directory = "run";
};

TEST_F(InputPipelineTest, InputResumes) {
  std::vector<int64_t> whole = run(100, /*withHook=*/false), parts;
  directory = "parts";
  // The runs end at steps at which nothing is saved, and go on past the end of
  // a pass of 40 elements.
  for (int64_t steps : {25, 1, 44, 30})
    for (int64_t element : run(steps))
      parts.push_back(element);
  EXPECT_EQ(parts, whole);
}

TEST_F(InputPipelineTest, InputAheadOfModelGoesBack) {
  std::vector<int64_t> whole = run(30);
  // Simulates a kill after the input of step 30 was saved, but not the model.
  for (const std::string &path : files.paths())
    if (path.starts_with("run/model.ckpt-30")) {
      ASSERT_TRUE(files.remove(path).isOk());
    }
  EXPECT_EQ(run(10), std::vector<int64_t>(whole.begin() + 20, whole.end()));
}

TEST_F(InputPipelineTest, InputOfAnotherStepIsReported) {
  run(30);
  for (const std::string &path : files.paths())
    if (path.starts_with("run/input.ckpt-30")) {
      ASSERT_TRUE(files.remove(path).isOk());
    }
  reporter.warnings.clear();
  run(1);
  EXPECT_NE(std::find_if(reporter.warnings.begin(), reporter.warnings.end(),
                         [](const std::string &warning) {
                           return warning.find("'run/input.ckpt-30'") !=
                                      std::string::npos &&
                                  warning.find("step 30") != std::string::npos;
                         }),
            reporter.warnings.end());
}

TEST_F(InputPipelineTest, EachCheckpointIsLogged) {
  run(10);
  for (const char *line :
       {"saved 'run/input.ckpt-0'", "saved 'run/input.ckpt-10'",
        "saved 'run/model.ckpt-0'", "saved 'run/model.ckpt-10'"})
    EXPECT_NE(std::find(reporter.lines.begin(), reporter.lines.end(), line),
              reporter.lines.end())
        << line;
}

TEST_F(InputPipelineTest, FirstRunSavesBeforeFirstStep) {
  run(25);
  EXPECT_TRUE(files.exists("run/checkpoint_input"));
  for (const char *step : {"0", "10", "20", "25"})
    EXPECT_TRUE(files.exists("run/input.ckpt-" + std::string(step) + ".index"))
        << step;
}

// As TensorFlow's SecondOrStepTimer says, the next save is due 2.5 s after the
// last one.
TEST_F(InputPipelineTest, SavesByTheClock) {
  everySeconds = 2.5;
  run(10);
  std::vector<std::string> saved;
  for (const std::string &line : reporter.lines)
    if (line.starts_with("saved 'run/input.ckpt-"))
      saved.push_back(line.substr(22, line.size() - 23));
  EXPECT_EQ(saved, (std::vector<std::string>{"0", "3", "6", "9", "10"}));
}

TEST_F(InputPipelineTest, CheckpointsHoldIteratorsOnly) {
  run(3);
  CheckpointManager checkpoints(files, inputCheckpoints("run", {}));
  auto latest = checkpoints.latestComplete();
  ASSERT_TRUE(latest && latest->found);
  EXPECT_EQ(latest->found->prefix, "run/input.ckpt-3");
  std::string position;
  TensorToRestore item;
  item.key = "ingot/iterator/IteratorV2";
  item.dtype = INGOT_STRING;
  item.data = &position;
  // Any other tensor in the checkpoint would make the restore fail.
  auto report = restoreCheckpoint(files, latest->found->prefix, {&item, 1});
  EXPECT_TRUE(report) << report.status().message();
  EXPECT_FALSE(position.empty());
}

TEST_F(InputPipelineTest, EachWorkerHasCheckpointsOfItsOwn) {
  cluster.tasks = {{"chief", {"a:1"}}, {"worker", {"b:1", "c:1"}}};
  cluster.index = 1;
  run(3);
  EXPECT_TRUE(files.exists("run/checkpoint_input_worker_1"));
  EXPECT_TRUE(files.exists("run/input_worker_1.ckpt-3.index"));
}

TEST_F(InputPipelineTest, RunWithoutStepsKeepsInputPosition) {
  std::vector<int64_t> whole = run(20, /*withHook=*/false);
  directory = "parts";
  run(10);
  EXPECT_TRUE(run(0).empty());
  EXPECT_EQ(run(10), std::vector<int64_t>(whole.begin() + 10, whole.end()));
}

} // namespace
