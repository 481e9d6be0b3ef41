//===- TrainingLoopTest.cpp - The order in which hooks are called ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "CounterProgram.h"

#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

using Transcript = std::vector<std::string>;

/// Records each call.
class RecordingHook final : public SessionRunHook {
public:
  RecordingHook(std::string label, HookPriority order, Transcript &transcript)
      : label(std::move(label)), order(order), transcript(transcript) {}

  const char *name() const override { return label.c_str(); }
  HookPriority priority() const override { return order; }
  Status begin(Session &) override { return record("begin"); }
  Status afterCreateSession(SessionRunContext &context) override {
    return record("created", context);
  }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override {
    request.summaries |= wantsSummaries;
    if (entry && context.globalStep >= replacesFrom)
      request.entry = entry;
    request.fetches = fetches;
    request.feeds.insert(request.feeds.end(), feeds.begin(), feeds.end());
    Status status = record("before", context);
    if (context.globalStep == stopsBefore)
      context.requestStop();
    return status;
  }
  Status beforeAfterStep(SessionRunContext &context) override {
    return recordsBetween ? record("between", context) : Status::ok();
  }
  Status beforeRecovery() override { return record("lost"); }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override {
    summaries += values.summaries.scalars().size();
    Status status = record("after", context);
    if (context.globalStep == failsAt)
      return Status(std::exchange(failure, StatusCode::Internal), "as told");
    if (context.globalStep == stopsAt)
      context.requestStop();
    return status;
  }
  Status end(SessionRunContext &context) override {
    return record("end", context);
  }

  int64_t failsAt = -1, stopsAt = -1, stopsBefore = -1;
  StatusCode failure = StatusCode::Internal;
  std::vector<std::string> fetches;
  std::vector<SessionRunArgs::PlaceholderValue> feeds;
  bool wantsSummaries = false, recordsBetween = false;
  /// The entry that the hook runs in place of the step, from global step
  /// `replacesFrom` on.
  const ingot_entry *entry = nullptr;
  int64_t replacesFrom = 0;
  size_t summaries = 0;

private:
  Status record(const std::string &call) {
    transcript.push_back(label + " " + call);
    return Status::ok();
  }
  Status record(const std::string &call, const SessionRunContext &context) {
    return record(call + " " + std::to_string(context.globalStep));
  }

  std::string label;
  HookPriority order;
  Transcript &transcript;
};

class TrainingLoopTest : public testing::Test {
protected:
  void start(const ingot_program &counter) {
    program = counter;
    auto created = Session::create(program, oneThread());
    ASSERT_TRUE(created) << created.status().message();
    session = std::move(*created);
    manager = std::make_unique<SessionManager>(SessionStateSource(), reporter);
    loop = std::make_unique<TrainingLoop>(*session, *manager,
                                          *findEntry(program, INGOT_ROLE_STEP));
  }
  RecordingHook &add(const std::string &label,
                     HookPriority order = HookPriority::Observer) {
    auto hook = std::make_unique<RecordingHook>(label, order, transcript);
    RecordingHook &result = *hook;
    loop->addHook(std::move(hook));
    return result;
  }

  ingot_program program;
  SessionLogger reporter;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionManager> manager;
  std::unique_ptr<TrainingLoop> loop;
  Transcript transcript;
};

TEST_F(TrainingLoopTest, RequestedStopCallsEnd) {
  start(counterProgram());
  add("a").stopsAt = 2;
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 1",
                        "a before 1", "a after 2", "a end 2"}));
}

TEST_F(TrainingLoopTest, HooksRunByPrioritySaversLast) {
  start(counterProgram());
  add("saver", HookPriority::Saver);
  add("control", HookPriority::Control);
  add("first");
  add("second");
  loop->addHook(StopAtStepHook::atStep(1));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(
      transcript,
      (Transcript{"first begin",       "second begin",     "control begin",
                  "saver begin",       "first created 0",  "second created 0",
                  "control created 0", "saver created 0",  "first before 0",
                  "second before 0",   "control before 0", "saver before 0",
                  "first after 1",     "second after 1",   "control after 1",
                  "saver after 1",     "first end 1",      "second end 1",
                  "control end 1",     "saver end 1"}));
}

TEST_F(TrainingLoopTest, EndOfInputSkipsAfterRun) {
  start(counterProgram(1));
  add("a");
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), counterRange);
  ASSERT_GE(transcript.size(), 3u);
  Transcript last(transcript.end() - 3, transcript.end());
  EXPECT_EQ(last, (Transcript{"a after 40", "a before 40", "a end 40"}));
}

TEST_F(TrainingLoopTest, FailedStepSkipsEndAndIsNamed) {
  start(counterProgram());
  add("a");
  ::setenv("COUNTER_FAIL_AT", "2", 1);
  Status status = loop->run();
  ::unsetenv("COUNTER_FAIL_AT");
  EXPECT_FALSE(status.isOk());
  EXPECT_TRUE(status.message().starts_with("step 2: ")) << status.message();
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a before 0",
                                    "a after 1", "a before 1"}));
}

TEST_F(TrainingLoopTest, FailedHookStopsRunBeforeLaterHooks) {
  start(counterProgram());
  add("saver", HookPriority::Saver);
  add("a").failsAt = 1;
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(transcript, (Transcript{"a begin", "saver begin", "a created 0",
                                    "saver created 0", "a before 0",
                                    "saver before 0", "a after 1"}));
}

TEST_F(TrainingLoopTest, FailedInitializationSkipsHooks) {
  ingot_program broken = counterProgram();
  std::vector<ingot_entry> entries(broken.entries,
                                   broken.entries + broken.num_entries);
  entries[0].num_assigned = 0;
  broken.entries = entries.data();
  start(broken);
  add("a");
  EXPECT_FALSE(loop->run().isOk());
  EXPECT_EQ(transcript, (Transcript{"a begin"}));
}

TEST_F(TrainingLoopTest, SessionAtLastStepRunsNone) {
  start(counterProgram());
  add("a");
  loop->addHook(StopAtStepHook::atStep(0));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a end 0"}));
}

TEST_F(TrainingLoopTest, StepsCountFromFirstStep) {
  start(counterProgram());
  loop->addHook(StopAtStepHook::after(7));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), 7);
}

TEST_F(TrainingLoopTest, SummariesAreCollectedOnRequest) {
  start(counterProgram());
  RecordingHook &hook = add("a");
  hook.wantsSummaries = true;
  loop->addHook(StopAtStepHook::after(3));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(hook.summaries, 3u);

  start(counterProgram());
  RecordingHook &indifferent = add("a");
  loop->addHook(StopAtStepHook::after(3));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(indifferent.summaries, 0u);
}

TEST_F(TrainingLoopTest, RunsAreCountedWithoutGlobalStep) {
  ingot_program counter = counterProgram();
  counter.global_step = -1;
  start(counter);
  loop->addHook(StopAtStepHook::atStep(4));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), 4);
}

TEST_F(TrainingLoopTest, StopBeforeStepLetsItRun) {
  start(counterProgram());
  add("a").stopsBefore = 1;
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 1",
                        "a before 1", "a after 2", "a end 2"}));
}

TEST_F(TrainingLoopTest, OutOfRangeOfHookCallsEnd) {
  start(counterProgram());
  RecordingHook &hook = add("a");
  hook.failsAt = 1;
  hook.failure = StatusCode::OutOfRange;
  add("b");
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript, (Transcript{"a begin", "b begin", "a created 0",
                                    "b created 0", "a before 0", "b before 0",
                                    "a after 1", "a end 1", "b end 1"}));
}

TEST_F(TrainingLoopTest, RecoveredSessionHasNewestState) {
  start(counterProgram());
  add("a").stopsAt = 2;
  ::setenv("COUNTER_ABORT_AT", "2", 1);
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  // There is no checkpoint, so the second session begins with the initial
  // state. begin() is not called again.
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 1",
                        "a before 1", "a lost", "a created 0", "a before 0",
                        "a after 1", "a before 1", "a after 2", "a end 2"}));
}

TEST_F(TrainingLoopTest, UnavailableHookIsRecovered) {
  start(counterProgram());
  add("b");
  RecordingHook &hook = add("a", HookPriority::Check);
  hook.failsAt = 1;
  hook.failure = StatusCode::Unavailable;
  Status status = loop->run();
  // The failure after the first recovery.
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_EQ(transcript,
            (Transcript{"b begin", "a begin", "b created 0", "a created 0",
                        "b before 0", "a before 0", "b after 1", "a after 1",
                        "b lost", "a lost", "b created 0", "a created 0",
                        "b before 0", "a before 0", "b after 1", "a after 1"}));
}

TEST_F(TrainingLoopTest, SessionWithoutProgressIsGivenUp) {
  start(counterProgram());
  add("a");
  ::setenv("COUNTER_ABORT_AT", "1", 1);
  ::setenv("COUNTER_ABORT_ALWAYS", "1", 1);
  Status status = loop->run();
  ::unsetenv("COUNTER_ABORT_AT");
  ::unsetenv("COUNTER_ABORT_ALWAYS");
  EXPECT_EQ(status.code(), StatusCode::Aborted);
  EXPECT_TRUE(status.message().starts_with("step 1: ")) << status.message();
  EXPECT_EQ(std::count(transcript.begin(), transcript.end(), "a lost"), 4);
  EXPECT_EQ(std::count(transcript.begin(), transcript.end(), "a end 0"), 0);
}

TEST_F(TrainingLoopTest, UnknownFetchIsNamed) {
  start(counterProgram());
  RecordingHook &hook = add("a");
  hook.stopsAt = 1;
  hook.fetches = {"loss", "element:0"};
  EXPECT_TRUE(loop->run().isOk());
  start(counterProgram());
  add("a").fetches = {"hidden:0"};
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("'hidden:0'"), std::string::npos);
}

/// Adds the feeds to the global step.
int32_t runFedStep(ingot_context *, uint8_t *, void *const *variables,
                   const ingot_tensor *feeds, ingot_tensor *) {
  *static_cast<int64_t *>(variables[CounterStep]) +=
      *static_cast<const int64_t *>(feeds[0].data);
  return 0;
}

class FedStepTest : public TrainingLoopTest {
protected:
  void SetUp() override {
    static const uint32_t assigned[] = {CounterStep};
    static const ingot_tensor_spec feeds[] = {
        {"by:0", INGOT_INT64, 0, nullptr}};
    ingot_program counter = counterProgram();
    entries.assign(counter.entries, counter.entries + counter.num_entries);
    *std::find_if(entries.begin(), entries.end(),
                  [](const ingot_entry &entry) {
                    return entry.role == INGOT_ROLE_STEP;
                  }) =
        test::entryOf("step", INGOT_ROLE_STEP, runFedStep, feeds, {}, assigned);
    counter.entries = entries.data();
    start(counter);
  }
  SessionRunArgs::PlaceholderValue feed(const std::string &name) {
    return {name, {&three, nullptr, 0, INGOT_INT64}};
  }
  std::vector<ingot_entry> entries;
  int64_t three = 3;
};

TEST_F(FedStepTest, HooksFeedTheStep) {
  RecordingHook &hook = add("a");
  hook.feeds = {feed("by")};
  hook.stopsAt = 6;
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript.back(), "a end 6");
}

TEST_F(FedStepTest, MissingUnknownAndDuplicateFeedsAreNamed) {
  add("a");
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("'by:0' int64[]"), std::string::npos)
      << status.message();

  SetUp();
  add("a").feeds = {feed("by"), feed("x:0")};
  EXPECT_NE(loop->run().message().find("'x:0'"), std::string::npos);

  SetUp();
  add("a").feeds = {feed("by")};
  add("b").feeds = {feed("by:0")};
  EXPECT_NE(loop->run().message().find("fed by two hooks"), std::string::npos);
}

/// Starts a thread in every session.
class ThreadHook final : public SessionRunHook {
public:
  explicit ThreadHook(Status result) : result(std::move(result)) {}
  const char *name() const override { return "Thread"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override {
    context.coordinator.start("worker", [this, &context] {
      while (result.isOk() && !context.coordinator.waitForStop(1))
        ;
      return result;
    });
    return Status::ok();
  }

private:
  Status result;
};

TEST_F(TrainingLoopTest, ThreadFailureStopsRun) {
  start(counterProgram());
  add("a");
  loop->addHook(std::make_unique<ThreadHook>(
      Status(StatusCode::Internal, "something is wrong")));
  Status status = loop->run();
  EXPECT_EQ(status.message(), "thread 'worker': something is wrong");
  // As in TensorFlow, whose MonitoredSession calls the end() of hooks before it
  // raises the Coordinator's exception: the steps so far are saved.
  EXPECT_TRUE(transcript.back().starts_with("a end ")) << transcript.back();
}

/// Requests stops from the coordinator after the first step.
class StoppingHook final : public SessionRunHook {
public:
  explicit StoppingHook(std::vector<Status> reasons)
      : reasons(std::move(reasons)) {}
  const char *name() const override { return "Stopping"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &) override {
    for (Status &reason : std::exchange(reasons, {}))
      context.coordinator.requestStop(std::move(reason));
    return Status::ok();
  }

private:
  std::vector<Status> reasons;
};

TEST_F(TrainingLoopTest, CoordinatorsFirstRequestCounts) {
  start(counterProgram());
  add("a");
  std::vector<Status> reasons;
  reasons.push_back(Status::ok());
  reasons.push_back(Status(StatusCode::Internal, "too late"));
  loop->addHook(std::make_unique<StoppingHook>(std::move(reasons)));
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a before 0",
                                    "a after 1", "a end 1"}));
}

TEST_F(TrainingLoopTest, CoordinatorsFailureEndsHooksFirst) {
  start(counterProgram());
  add("a");
  std::vector<Status> reasons;
  reasons.push_back(Status(StatusCode::Internal, "broken"));
  reasons.push_back(Status(StatusCode::Internal, "too late"));
  loop->addHook(std::make_unique<StoppingHook>(std::move(reasons)));
  EXPECT_EQ(loop->run().message(), "broken");
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a before 0",
                                    "a after 1", "a end 1"}));
}

TEST_F(TrainingLoopTest, CoordinatorsAbortedIsRecovered) {
  start(counterProgram());
  add("a").stopsAt = 2;
  std::vector<Status> reasons;
  reasons.push_back(Status(StatusCode::Aborted, "gone"));
  loop->addHook(std::make_unique<StoppingHook>(std::move(reasons)));
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 1",
                        "a lost", "a created 0", "a before 0", "a after 1",
                        "a before 1", "a after 2", "a end 2"}));
}

TEST_F(TrainingLoopTest, ThreadsEndWithTheirSession) {
  start(counterProgram());
  add("a").stopsAt = 2;
  loop->addHook(std::make_unique<ThreadHook>(Status::ok()));
  ::setenv("COUNTER_ABORT_AT", "2", 1);
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript.back(), "a end 2");
}

/// Increments the global step once more, as AdaNet's graphs do.
int32_t skipOne(ingot_context *, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *) {
  ++*static_cast<int64_t *>(variables[CounterStep]);
  return 0;
}

TEST_F(TrainingLoopTest, AfterStepRunsBeforeHooks) {
  static const uint32_t assigned[] = {CounterStep};
  ingot_program counter = counterProgram();
  std::vector<ingot_entry> entries(counter.entries,
                                   counter.entries + counter.num_entries);
  entries.push_back(test::entryOf("after_step", INGOT_ROLE_AFTER_STEP, skipOne,
                                  {}, {}, assigned));
  counter.entries = entries.data();
  counter.num_entries = static_cast<uint32_t>(entries.size());
  start(counter);
  add("a");
  loop->addHook(StopAtStepHook::atStep(4));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 2",
                        "a before 2", "a after 4", "a end 4"}));
}

TEST_F(TrainingLoopTest, BeforeAfterStepHooksSeePreviousStep) {
  static const uint32_t assigned[] = {CounterStep};
  ingot_program counter = counterProgram();
  std::vector<ingot_entry> entries(counter.entries,
                                   counter.entries + counter.num_entries);
  entries.push_back(test::entryOf("after_step", INGOT_ROLE_AFTER_STEP, skipOne,
                                  {}, {}, assigned));
  counter.entries = entries.data();
  counter.num_entries = static_cast<uint32_t>(entries.size());
  start(counter);
  add("a").recordsBetween = true;
  loop->addHook(StopAtStepHook::atStep(2));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a before 0",
                                    "a between 0", "a after 2", "a end 2"}));
}

TEST_F(TrainingLoopTest, WithoutAfterStepNoCallInBetween) {
  start(counterProgram());
  RecordingHook &hook = add("a");
  hook.recordsBetween = true;
  hook.stopsAt = 1;
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(std::count(transcript.begin(), transcript.end(), "a between 0"), 0);
}

/// A step that adds its feed to the global step.
int32_t runOtherStep(ingot_context *, uint8_t *, void *const *variables,
                     const ingot_tensor *feeds, ingot_tensor *) {
  *static_cast<int64_t *>(variables[CounterStep]) +=
      *static_cast<const int64_t *>(feeds[0].data);
  return 0;
}

class OtherStepTest : public TrainingLoopTest {
protected:
  void SetUp() override {
    static const uint32_t assigned[] = {CounterStep};
    static const ingot_tensor_spec feeds[] = {
        {"trains/t1_a", INGOT_INT64, 0, nullptr}};
    ingot_program counter = counterProgram();
    entries.assign(counter.entries, counter.entries + counter.num_entries);
    entries.push_back(test::entryOf("some", INGOT_ROLE_OTHER, runOtherStep,
                                    feeds, {}, assigned));
    counter.entries = entries.data();
    counter.num_entries = static_cast<uint32_t>(entries.size());
    start(counter);
  }
  std::vector<ingot_entry> entries;
  int64_t three = 3;
};

TEST_F(OtherStepTest, HookReplacesStep) {
  RecordingHook &hook = add("a");
  hook.entry = &entries.back();
  hook.feeds = {{"trains/t1_a", {&three, nullptr, 0, INGOT_INT64}}};
  hook.stopsAt = 6;
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript,
            (Transcript{"a begin", "a created 0", "a before 0", "a after 3",
                        "a before 3", "a after 6", "a end 6"}));
}

TEST_F(OtherStepTest, LastHooksEntryPrevails) {
  RecordingHook &first = add("a");
  first.entry = findEntry(session->program(), INGOT_ROLE_STEP);
  RecordingHook &second = add("b");
  second.entry = &entries.back();
  second.feeds = {{"trains/t1_a", {&three, nullptr, 0, INGOT_INT64}}};
  second.stopsAt = 3;
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(transcript.back(), "b end 3");
}

TEST_F(OtherStepTest, StepRunsUntilReplaced) {
  RecordingHook &hook = add("a");
  hook.entry = &entries.back();
  hook.replacesFrom = 2;
  // Feeds are checked against the entry that runs in place of the step.
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("'trains/t1_a' int64[]"), std::string::npos)
      << status.message();
  EXPECT_EQ(transcript.back(), "a before 2");
}

// The number of steps since the last change of the global step, and the number
// of all steps.
int64_t idle, stepsRun;

/// A step that increments the global step every `every`-th time; -1: never.
template <int64_t every>
int32_t rarelyCounted(ingot_context *, uint8_t *, void *const *variables,
                      const ingot_tensor *, ingot_tensor *) {
  ++stepsRun;
  if (++idle == every) {
    idle = 0;
    ++*static_cast<int64_t *>(variables[CounterStep]);
  }
  return 0;
}

/// The counter program with another step, which returns nothing.
ingot_program programOfStep(ingot_code run) {
  static std::vector<ingot_entry> entries;
  ingot_program counter = counterProgram();
  entries.assign(counter.entries, counter.entries + counter.num_entries);
  for (ingot_entry &entry : entries)
    if (entry.role == INGOT_ROLE_STEP)
      entry = test::entryOf("step", INGOT_ROLE_STEP, run, {}, {}, {});
  counter.entries = entries.data();
  idle = stepsRun = 0;
  return counter;
}

// In AdaNet's graphs, another entry increments the global step. Without that
// entry, a run to step 10 would never end.
TEST_F(TrainingLoopTest, StuckGlobalStepEndsRun) {
  start(programOfStep(rarelyCounted<-1>));
  RecordingHook &hook = add("a");
  loop->addHook(StopAtStepHook::atStep(10));
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("'global_step', has not changed from 0 in "
                                  "1000 steps: entry 'step' does not "
                                  "increment it"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(stepsRun, 1000);
  EXPECT_EQ(hook.summaries, 0u);
  EXPECT_NE(transcript.back(), "a end 0");
}

TEST_F(TrainingLoopTest, RarelyAdvancingGlobalStepDoesNot) {
  start(programOfStep(rarelyCounted<999>));
  loop->addHook(StopAtStepHook::atStep(3));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(stepsRun, 3 * 999);
}

// The program has no global step, so the session counts steps itself.
TEST_F(TrainingLoopTest, RunContinuesWithoutGlobalStep) {
  ingot_program counter = programOfStep(rarelyCounted<-1>);
  counter.global_step = -1;
  start(counter);
  loop->addHook(StopAtStepHook::atStep(1500));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(stepsRun, 1500);
}

} // namespace
