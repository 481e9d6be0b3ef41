//===- TrainingLoopTest.cpp - The order in which hooks are called ---------===//

#include "CounterProgram.h"

#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

using Transcript = std::vector<std::string>;

/// Writes down each call.
class RecordingHook final : public SessionRunHook {
public:
  RecordingHook(std::string label, HookPriority order, Transcript &transcript)
      : label(std::move(label)), order(order), transcript(transcript) {}

  const char *name() const override { return label.c_str(); }
  HookPriority priority() const override { return order; }
  Status begin(Session &) override { return record("begin"); }
  Status afterCreateSession(RunContext &context) override {
    return record("created", context);
  }
  Status beforeRun(RunContext &context, RunRequest &request) override {
    request.summaries |= wantsSummaries;
    return record("before", context);
  }
  Status afterRun(RunContext &context, const RunValues &values) override {
    summaries += values.summaries.scalars().size();
    Status status = record("after", context);
    if (context.globalStep == failsAt)
      return Status(StatusCode::Aborted, "as told");
    if (context.globalStep == stopsAt)
      context.requestStop();
    return status;
  }
  Status end(RunContext &context) override { return record("end", context); }

  int64_t failsAt = -1, stopsAt = -1;
  bool wantsSummaries = false;
  size_t summaries = 0;

private:
  Status record(const std::string &call) {
    transcript.push_back(label + " " + call);
    return Status::ok();
  }
  Status record(const std::string &call, const RunContext &context) {
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
    manager = std::make_unique<SessionManager>(StateSource(), reporter);
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
  Reporter reporter;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionManager> manager;
  std::unique_ptr<TrainingLoop> loop;
  Transcript transcript;
};

TEST_F(TrainingLoopTest, ARequestedStopEndsTheRunThroughEnd) {
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

TEST_F(TrainingLoopTest, TheEndOfTheInputEndsTheRunWithoutAfterRun) {
  start(counterProgram(1));
  add("a");
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), counterRange);
  ASSERT_GE(transcript.size(), 3u);
  Transcript last(transcript.end() - 3, transcript.end());
  EXPECT_EQ(last, (Transcript{"a after 40", "a before 40", "a end 40"}));
}

TEST_F(TrainingLoopTest, AFailingStepSkipsEndAndIsNamed) {
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

TEST_F(TrainingLoopTest, AFailingHookStopsTheRunBeforeLaterHooks) {
  start(counterProgram());
  add("saver", HookPriority::Saver);
  add("a").failsAt = 1;
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::Aborted);
  EXPECT_EQ(transcript, (Transcript{"a begin", "saver begin", "a created 0",
                                    "saver created 0", "a before 0",
                                    "saver before 0", "a after 1"}));
}

TEST_F(TrainingLoopTest, AFailedInitializationIsBeforeAllButBegin) {
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

TEST_F(TrainingLoopTest, ASessionThatIsAtItsLastStepRunsNone) {
  start(counterProgram());
  add("a");
  loop->addHook(StopAtStepHook::atStep(0));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(transcript, (Transcript{"a begin", "a created 0", "a end 0"}));
}

TEST_F(TrainingLoopTest, StepsAreCountedFromWhereTheRunBegan) {
  start(counterProgram());
  loop->addHook(StopAtStepHook::after(7));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), 7);
}

TEST_F(TrainingLoopTest, SummariesAreCollectedOnlyWhereAHookWantsThem) {
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

TEST_F(TrainingLoopTest, AProgramWithoutGlobalStepCountsItsRuns) {
  ingot_program counter = counterProgram();
  counter.global_step = -1;
  start(counter);
  loop->addHook(StopAtStepHook::atStep(4));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(session->globalStep(), 4);
}

/// Sets the global step ahead, as AdaNet's graphs do.
int32_t skipOne(ingot_context *, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *) {
  ++*static_cast<int64_t *>(variables[CounterStep]);
  return 0;
}

TEST_F(TrainingLoopTest, WhatRunsAfterAStepIsDoneBeforeHooksSeeIt) {
  static const ingot_code code[] = {skipOne, nullptr};
  static const uint32_t assigned[] = {CounterStep};
  ingot_program counter = counterProgram();
  std::vector<ingot_entry> entries(counter.entries,
                                   counter.entries + counter.num_entries);
  entries.push_back({"after_step", INGOT_ROLE_AFTER_STEP, code, 0, 0, nullptr,
                     0, nullptr, 1, assigned});
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

} // namespace
