//===- TranscriptTest.cpp - Built-in hooks against TensorFlow's -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// test/data/hooks/transcripts.txt says what TensorFlow's hooks do, and at which
// step (written by test/data/hooks/make.py). Ingot's hooks must do the same.
//
//===----------------------------------------------------------------------===//

#include "proto/Event.pb.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/EventFileHook.h"
#include "runtime/Hooks/LoggingHook.h"
#include "runtime/Hooks/NanTensorHook.h"
#include "runtime/Hooks/StepCounterHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Hooks/SummarySaverHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace ingot;
using namespace ingot::test;

namespace {

using Lines = std::vector<std::string>;

/// Returns TensorFlow's actions in case `name`.
const Lines &tensorflow(const std::string &name) {
  static const std::map<std::string, Lines> cases = [] {
    std::map<std::string, Lines> read;
    std::ifstream file(INGOT_HOOK_TRANSCRIPTS);
    std::string line, current;
    while (std::getline(file, line))
      if (line.starts_with("case "))
        current = line.substr(5);
      else
        read[current].push_back(line);
    return read;
  }();
  auto found = cases.find(name);
  EXPECT_NE(found, cases.end()) << name;
  static const Lines none;
  return found == cases.end() ? none : found->second;
}

/// Returns the lines that begin with one of `starts`.
Lines only(const Lines &lines, std::initializer_list<const char *> starts) {
  Lines kept;
  for (const std::string &line : lines)
    if (std::any_of(starts.begin(), starts.end(),
                    [&](const char *start) { return line.starts_with(start); }))
      kept.push_back(line);
  return kept;
}

double now = 100;
double clockNow() { return now; }

/// Advances the clock by a second before every step.
class TickHook final : public SessionRunHook {
public:
  const char *name() const override { return "Tick"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &, SessionRunArgs &) override {
    now += 1;
    return Status::ok();
  }
};

/// Records the steps, and once, after step `loseAt`, reports Aborted as if the
/// machine were lost.
class ListeningHook final : public SessionRunHook {
public:
  ListeningHook(Lines &lines, int64_t loseAt) : lines(lines), loseAt(loseAt) {}
  const char *name() const override { return "Listening"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(SessionRunContext &context) override {
    return add("created at ", context);
  }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &) override {
    if (context.globalStep == loseAt) {
      loseAt = -1;
      return Status(StatusCode::Aborted, "as told");
    }
    return add("step ", context);
  }
  Status end(SessionRunContext &context) override {
    return add("ended at ", context);
  }

private:
  Status add(const char *what, const SessionRunContext &context) {
    lines.push_back(what + std::to_string(context.globalStep));
    return Status::ok();
  }
  Lines &lines;
  int64_t loseAt;
};

class Listener final : public CheckpointSaverListener {
public:
  Listener(Lines &lines, int64_t stopAt) : lines(lines), stopAt(stopAt) {}
  Status begin(Session &) override {
    lines.push_back("listener begin");
    return Status::ok();
  }
  Status beforeSave(SessionRunContext &, int64_t step) override {
    return add("before_save ", step);
  }
  Status afterSave(SessionRunContext &context, int64_t step,
                   const std::string &) override {
    if (step == stopAt)
      context.requestStop();
    return add("after_save ", step);
  }
  Status end(SessionRunContext &, int64_t step) override {
    return add("end ", step);
  }

private:
  Status add(const char *what, int64_t step) {
    lines.push_back("listener " + (what + std::to_string(step)));
    return Status::ok();
  }
  Lines &lines;
  int64_t stopAt;
};

class TranscriptTest : public testing::Test {
protected:
  TranscriptTest() : files({".", "run"}) {
    now = 100;
    auto created = Session::create(program, oneThread(files));
    EXPECT_TRUE(created);
    session = std::move(*created);
    SessionStateSource source;
    source.checkpoints = &checkpoints;
    source.writes = true;
    manager = std::make_unique<SessionManager>(source, reporter);
    loop = std::make_unique<TrainingLoop>(*session, *manager,
                                          *findEntry(program, INGOT_ROLE_STEP));
    loop->addHook(std::make_unique<TickHook>());
    auto hook = std::make_unique<EventFileHook>(files, "run", clockNow);
    events = [file = hook.get()] { return file->events(); };
    loop->addHook(std::move(hook));
  }
  ~TranscriptTest() override { ::unsetenv("COUNTER_NAN_AT"); }

  static CheckpointManagerOptions inRun() {
    CheckpointManagerOptions options;
    options.directory = "run";
    return options;
  }

  void addSaver(SecondOrStepTimer timer, int64_t stopAt = -1) {
    CheckpointSavePolicy policy;
    policy.inBackground = false;
    auto saver = std::make_unique<CheckpointSaverHook>(
        checkpoints, std::move(timer), reporter, events, policy);
    saver->addListener(std::make_shared<Listener>(lines, stopAt));
    loop->addHook(std::move(saver));
  }

  void trainTo(int64_t step) {
    loop->addHook(StopAtStepHook::atStep(step));
    Status status = loop->run();
    EXPECT_TRUE(status.isOk()) << status.message();
  }

  /// Returns the summaries and session logs in the event file.
  Lines written() {
    Lines result;
    for (const std::string &path : files.paths()) {
      std::string contents = files.get(path);
      if (path.find("tfevents") == std::string::npos)
        continue;
      for (size_t at = 0; at < contents.size();) {
        uint64_t length;
        std::memcpy(&length, contents.data() + at, sizeof(length));
        proto::Event event;
        EXPECT_TRUE(event.ParseFromString(contents.substr(at + 12, length)));
        at += length + 16;
        std::string where = " at " + std::to_string(event.step());
        if (event.has_session_log())
          result.push_back("session log " +
                           proto::SessionLog::SessionStatus_Name(
                               event.session_log().status()) +
                           where);
        for (const auto &value : event.summary().value()) {
          char number[32];
          std::snprintf(number, sizeof(number), " %g",
                        static_cast<double>(value.simple_value()));
          // Values are not compared for the loss, which comes from another
          // graph.
          result.push_back("summary " + value.tag() +
                           (value.tag() == "loss_1" ? "" : number) + where);
        }
      }
    }
    return result;
  }

  /// Returns TensorFlow's lines without the values of the loss.
  static Lines withoutLosses(Lines expected) {
    for (std::string &line : expected)
      if (line.starts_with("summary loss_1 "))
        line = "summary loss_1" + line.substr(line.find(" at "));
    return expected;
  }

  /// Records the lines that a hook logs.
  struct Log final : SessionLogger {
    void log(const std::string &line) override { logged.push_back(line); }
    void warning(const std::string &line) override { warned.push_back(line); }
    Lines logged, warned;
  };

  /// The steps at which TensorFlow has logged the loss, computed from the loss:
  /// 2 ** (1 - step), or 2 ** -step after the last step.
  static std::vector<int64_t> loggedSteps(const std::string &name, int end) {
    std::vector<int64_t> steps;
    for (const std::string &line : only(tensorflow(name), {"log loss"})) {
      double loss = std::atof(line.c_str() + line.find_first_of("0123456789"));
      steps.push_back(end - std::lround(std::log2(loss)));
    }
    return steps;
  }
  std::vector<int64_t> ourSteps() const {
    std::vector<int64_t> steps;
    for (const std::string &line : reporter.logged)
      steps.push_back(std::atoll(line.c_str() + std::strlen("step ")));
    return steps;
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  CheckpointManager checkpoints{files, inRun()};
  Log reporter;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionManager> manager;
  std::unique_ptr<TrainingLoop> loop;
  std::function<EventWriter *()> events;
  Lines lines;
};

/// The decisions of a timer that is asked at `steps`, with a second between two
/// of them.
Lines decisions(SecondOrStepTimer timer, std::vector<int64_t> steps) {
  Lines lines;
  for (int64_t step : steps) {
    now += 1;
    if (!timer.isDue(step))
      continue;
    char line[64];
    std::snprintf(line, sizeof(line), "%d after %.1f %d",
                  static_cast<int>(step), now - timer.lastTime(),
                  static_cast<int>(step - timer.lastStep()));
    lines.push_back(timer.wasDone() ? line
                                    : std::to_string(step) + " after - -");
    timer.done(step);
  }
  return lines;
}

TEST_F(TranscriptTest, TimerMatchesTensorFlow) {
  std::vector<int64_t> eleven = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(decisions(SecondOrStepTimer(3, 0, clockNow), eleven),
            tensorflow("timer every 3 steps"));
  EXPECT_EQ(decisions(SecondOrStepTimer(3, 0, clockNow),
                      {1, 2, 9, 10, 11, 12, 12, 5, 15}),
            tensorflow("timer every 3 steps, jumping"));
  EXPECT_EQ(decisions(SecondOrStepTimer(0, 4, clockNow), eleven),
            tensorflow("timer every 4 seconds"));
  EXPECT_EQ(
      decisions(SecondOrStepTimer(0, 4, clockNow), {1, 1, 1, 1, 1, 1, 2, 2, 3}),
      tensorflow("timer every 4 seconds, standing"));
}

TEST_F(TranscriptTest, LoggingEveryNSteps) {
  loop->addHook(std::make_unique<LoggingHook>(
      std::vector<LoggingHook::LabeledFetch>{{"loss", 0}},
      SecondOrStepTimer(3, 0, clockNow), clockNow, reporter, /*atEnd=*/false));
  trainTo(7);
  EXPECT_EQ(ourSteps(), loggedSteps("logging every 3 steps", 1));
}

TEST_F(TranscriptTest, LoggingEveryNSeconds) {
  loop->addHook(std::make_unique<LoggingHook>(
      std::vector<LoggingHook::LabeledFetch>{{"loss", 0}},
      SecondOrStepTimer(0, 4, clockNow), clockNow, reporter, /*atEnd=*/false));
  trainTo(7);
  EXPECT_EQ(ourSteps(), loggedSteps("logging every 4 seconds", 1));
}

TEST_F(TranscriptTest, LoggingAtTheEndAlone) {
  loop->addHook(std::make_unique<LoggingHook>(
      std::vector<LoggingHook::LabeledFetch>{{"loss", 0}}, std::nullopt,
      clockNow, reporter, /*atEnd=*/true));
  trainTo(7);
  EXPECT_EQ(ourSteps(), loggedSteps("logging at the end", 0));
}

TEST_F(TranscriptTest, LoggingWithAFormatter) {
  auto hook = std::make_unique<LoggingHook>(
      std::vector<LoggingHook::LabeledFetch>{{"loss", 0}},
      SecondOrStepTimer(3, 0, clockNow), clockNow, reporter, /*atEnd=*/false);
  hook->setFormatter([](int64_t, const BoundEntryPoint &step) {
    return "loss is " +
           std::to_string(*static_cast<const float *>(step.fetch(0)));
  });
  loop->addHook(std::move(hook));
  trainTo(7);
  const Lines &expected = tensorflow("logging every 3 steps with a formatter");
  EXPECT_EQ(reporter.logged.size(), only(expected, {"log loss is "}).size());
  for (const std::string &line : reporter.logged)
    EXPECT_TRUE(line.starts_with("loss is ")) << line;
}

TEST_F(TranscriptTest, SummariesEveryNSteps) {
  loop->addHook(std::make_unique<SummarySaverHook>(
      SecondOrStepTimer(3, 0, clockNow), events));
  trainTo(8);
  EXPECT_EQ(written(),
            only(withoutLosses(tensorflow("summaries every 3 steps")),
                 {"summary", "session log"}));
}

TEST_F(TranscriptTest, SummariesEveryNSeconds) {
  loop->addHook(std::make_unique<SummarySaverHook>(
      SecondOrStepTimer(0, 3, clockNow), events));
  trainTo(8);
  EXPECT_EQ(written(),
            only(withoutLosses(tensorflow("summaries every 3 seconds")),
                 {"summary", "session log"}));
}

TEST_F(TranscriptTest, StepsASecondEveryNSteps) {
  loop->addHook(std::make_unique<StepCounterHook>(
      SecondOrStepTimer(3, 0, clockNow), clockNow, reporter, events));
  trainTo(8);
  EXPECT_EQ(only(written(), {"summary"}),
            only(tensorflow("counting every 3 steps"), {"summary"}));
  EXPECT_EQ(reporter.warned, Lines());
}

TEST_F(TranscriptTest, StepsASecondEveryNSeconds) {
  loop->addHook(std::make_unique<StepCounterHook>(
      SecondOrStepTimer(0, 4, clockNow), clockNow, reporter, events));
  trainTo(11);
  EXPECT_EQ(only(written(), {"summary"}),
            only(tensorflow("counting every 4 seconds"), {"summary"}));
}

TEST_F(TranscriptTest, ListenersAreToldOfSavesByStepsAsTensorFlowsAre) {
  addSaver(SecondOrStepTimer(4, 0, clockNow));
  trainTo(10);
  const Lines &expected = tensorflow("saving every 4 steps");
  EXPECT_EQ(lines, only(expected, {"listener"}));
  EXPECT_EQ(only(written(), {"session log CHECKPOINT"}),
            only(expected, {"session log CHECKPOINT"}));
}

TEST_F(TranscriptTest, ListenersAreToldOfSavesBySecondsAsTensorFlowsAre) {
  addSaver(SecondOrStepTimer(0, 3, clockNow));
  trainTo(10);
  EXPECT_EQ(lines, only(tensorflow("saving every 3 seconds"), {"listener"}));
}

TEST_F(TranscriptTest, ListenerStopsRunAfterSave) {
  addSaver(SecondOrStepTimer(4, 0, clockNow), /*stopAt=*/4);
  trainTo(10);
  EXPECT_EQ(lines, only(tensorflow("a listener stops"), {"listener"}));
}

TEST_F(TranscriptTest, StepsAreRelative) {
  loop->addHook(StopAtStepHook::after(3));
  loop->addHook(std::make_unique<ListeningHook>(lines, -1));
  ASSERT_TRUE(loop->run().isOk());
  EXPECT_EQ(lines,
            only(tensorflow("three more steps"), {"created", "step", "ended"}));
}

TEST_F(TranscriptTest, RecoveryAddsNoSteps) {
  loop->addHook(StopAtStepHook::after(7));
  addSaver(SecondOrStepTimer(4, 0, clockNow));
  loop->addHook(std::make_unique<ListeningHook>(lines, 5));
  Status status = loop->run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(only(lines, {"created", "step", "ended"}),
            only(tensorflow("seven more steps with a loss after 5"),
                 {"created", "step", "ended"}));
}

TEST_F(TranscriptTest, NanLossFailsRunInItsStep) {
  loop->addHook(
      std::make_unique<NanTensorHook>(0, /*failsRun=*/true, reporter));
  loop->addHook(std::make_unique<ListeningHook>(lines, -1));
  ::setenv("COUNTER_NAN_AT", "3", 1);
  EXPECT_FALSE(loop->run().isOk());
  EXPECT_EQ(lines, only(tensorflow("a NaN in step 3, failing true"),
                        {"created", "step", "ended"}));
}

TEST_F(TranscriptTest, NaNLossStopsRunAfterItsStep) {
  loop->addHook(
      std::make_unique<NanTensorHook>(0, /*failsRun=*/false, reporter));
  loop->addHook(std::make_unique<ListeningHook>(lines, -1));
  ::setenv("COUNTER_NAN_AT", "3", 1);
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(lines, only(tensorflow("a NaN in step 3, failing false"),
                        {"created", "step", "ended"}));
}

// A global step that counts updates of accumulated gradients stays the same for
// a few steps; one that stays for 100 is likely to be stuck.
TEST_F(TranscriptTest, StuckGlobalStepIsWarnedOfOnce) {
  StepCounterHook hook(SecondOrStepTimer(3, 0, clockNow), clockNow, reporter,
                       events);
  ASSERT_TRUE(manager->prepare(*session).isOk());
  Coordinator coordinator;
  SessionRunContext context(*session, 5, false, coordinator);
  auto bound = session->bind(*findEntry(program, INGOT_ROLE_STEP));
  ASSERT_TRUE(bound);
  SummaryCollector summaries;
  SessionRunValues values{*bound, summaries};
  ASSERT_TRUE(hook.afterCreateSession(context).isOk());
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(hook.afterRun(context, values).isOk());
  EXPECT_TRUE(reporter.warned.empty());
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(hook.afterRun(context, values).isOk());
  ASSERT_EQ(reporter.warned.size(), 1u);
  EXPECT_NE(reporter.warned[0].find("the global step has stayed at 5 for 100"),
            std::string::npos)
      << reporter.warned[0];
}

} // namespace
