//===- ScheduleTraceTest.cpp - Schedules in traces ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Hooks/TraceHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ingot;
using namespace ingot::test;
using Json = nlohmann::json;

namespace {

/// A recorder whose clock advances by a second with each reading.
class ScheduleTraceTest : public testing::Test {
protected:
  /// Returns the events of category "schedule".
  std::vector<Json> events() const {
    Json parsed =
        Json::parse("[" + trace.events(1, "", 0) + "]", nullptr, false);
    std::vector<Json> found;
    for (const Json &event : parsed)
      if (event.value("cat", "") == "schedule")
        found.push_back(event);
    return found;
  }

  /// Reports that a trial has chosen `kind` for sequence `sequence`.
  void chose(ScheduleKind kind, uint32_t sequence = 40) {
    outcome.chosen = kind;
    trace.chose({.launches = {"step", sequence, "MatMul", 12},
                 .threads = 4,
                 .outcome = &outcome,
                 .onOneThread = OneThreadPart{3, 1500},
                 .predicted = {{1, 20'000}, {8, 4'500}}});
  }

  double time = 0;
  TraceRecorder trace{[this] { return ++time; }};
  TrialOutcome outcome = {.reason = TrialReason::Drift,
                          .candidates = {{ScheduleKind::OneThread, 20'000},
                                         {ScheduleKind::SharedGrids, INT64_MAX},
                                         {ScheduleKind::CutGrids, 7'250}},
                          .chosen = ScheduleKind::CutGrids,
                          .previous = ScheduleKind::OneThread};
};

TEST_F(ScheduleTraceTest, ChoiceHasItsCandidatesAndReason) {
  chose(ScheduleKind::CutGrids);
  ASSERT_EQ(events().size(), 1u);
  Json event = events().front();
  EXPECT_EQ(event["name"], "schedule of MatMul");
  EXPECT_EQ(event["ph"], "i");
  EXPECT_EQ(event["ts"], 1e6);
  EXPECT_EQ(event["args"], Json::parse(R"({
    "entry": "step", "sequence": 40, "launches": 12, "threads": 4,
    "chosen": "cut grids", "previous": "one thread", "why": "drift",
    "least_us": {"one thread": 20.0, "cut grids": 7.25},
    "launches_on_one_thread": 3, "us_on_one_thread": 1.5,
    "predicted_us": {"1": 20.0, "8": 4.5}})"));
}

TEST_F(ScheduleTraceTest, AbandonedTrialsAndEntriesAreTold) {
  outcome = {.reason = TrialReason::FirstRuns,
             .candidates = {},
             .previous = std::nullopt,
             .isAbandoned = true};
  chose(ScheduleKind::SharedGrids);
  outcome = {.reason = TrialReason::Recheck,
             .candidates = {{ScheduleKind::OneThread, 9'000},
                            {ScheduleKind::SharedGrids, 8'000}},
             .previous = ScheduleKind::OneThread};
  outcome.chosen = ScheduleKind::SharedGrids;
  trace.chose({.launches = {"step", std::nullopt, "step"},
               .threads = 2,
               .outcome = &outcome,
               .onOneThread = std::nullopt,
               .predicted = {}});
  ASSERT_EQ(events().size(), 2u);
  EXPECT_EQ(events()[0]["args"]["abandoned"], "sizes differ");
  EXPECT_EQ(events()[0]["args"]["why"], "first runs");
  EXPECT_FALSE(events()[0]["args"].contains("least_us"));
  EXPECT_EQ(events()[1]["args"], Json::parse(R"({
    "entry": "step", "threads": 2, "chosen": "by sequence",
    "previous": "one thread", "why": "recheck",
    "least_us": {"one thread": 9.0, "by sequence": 8.0}})"));
}

TEST_F(ScheduleTraceTest, ContentionHasBothTimes) {
  trace.rests({"step", 40, "Mat\"Mul", 12}, 90'000, 30'500);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0]["name"], "contention at Mat\"Mul");
  EXPECT_EQ(events()[0]["args"], Json::parse(R"({
    "entry": "step", "sequence": 40, "launches": 12, "chosen": "one thread",
    "why": "contention",
    "mean_us": {"several threads": 90.0, "one thread": 30.5}})"));
}

// The file of a long run stays small, and still has the last schedule of each
// sequence.
TEST_F(ScheduleTraceTest, LongRunsKeepTheLastSchedules) {
  for (int i = 0; i < 15'000; ++i)
    chose(i % 2 == 0 ? ScheduleKind::OneThread : ScheduleKind::CutGrids);
  chose(ScheduleKind::SharedGrids);
  chose(ScheduleKind::OneThread, /*sequence=*/50);
  std::vector<Json> found = events();
  EXPECT_EQ(found.size(), 10'001u);
  EXPECT_EQ(found[9'999]["args"]["chosen"], "shared grids");
  EXPECT_EQ(found[10'000]["args"]["sequence"], 50);
  EXPECT_EQ(trace.numScheduleEvents(), 15'002u);
}

TEST_F(ScheduleTraceTest, KernelsNameTheirSequence) {
  trace.entered("MatMul");
  trace.measures(10, 20);
  trace.isLaunchOf("step", 40);
  trace.entered("Less"); // takes no arithmetic
  trace.isLaunchOf("step", 50);
  trace.entered("Unique");
  trace.left();
  Json parsed = Json::parse("[" + trace.events(1, "", 0) + "]");
  ASSERT_EQ(parsed.size(), 4u);
  EXPECT_EQ(parsed[1]["args"]["entry"], "step");
  EXPECT_EQ(parsed[1]["args"]["sequence"], 40);
  EXPECT_EQ(parsed[1]["args"]["bytes"], 20);
  EXPECT_EQ(parsed[2]["args"]["sequence"], 50);
  EXPECT_EQ(parsed[2]["args"]["operations"], 0);
  EXPECT_FALSE(parsed[3].contains("args"));
}

// Schedules are chosen only after the traced steps; the file has them at the
// end of the run. Which one is chosen depends on the machine.
TEST(ScheduleTrace, FileHasSchedulesOfLaterSteps) {
  ingot_program program = counterProgram();
  FaultFileSystem files;
  SessionOptions options = oneThread(files);
  options.threads = 2;
  auto session = Session::create(program, options);
  ASSERT_TRUE(session);
  SessionLogger silent;
  SessionManager manager(SessionStateSource(), silent);
  TrainingLoop loop(**session, manager, *findEntry(program, INGOT_ROLE_STEP));
  double time = 0;
  loop.addHook(std::make_unique<TraceHook>(files, "trace.json", 2,
                                           [&] { return time += 1e-3; }));
  loop.addHook(StopAtStepHook::atStep(200));
  Status status = loop.run();
  ASSERT_TRUE(status.isOk()) << status.message();
  Json trace = Json::parse(files.get("trace.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  std::vector<Json> schedules;
  Json kernel;
  int numSteps = 0;
  for (const Json &event : trace["traceEvents"]) {
    std::string category = event.value("cat", "");
    numSteps += category == "step";
    if (category == "schedule")
      schedules.push_back(event["args"]);
    if (event["name"] == "mix")
      kernel = event["args"];
  }
  EXPECT_EQ(numSteps, 2);
  ASSERT_FALSE(schedules.empty());
  const Json &first = schedules.front();
  EXPECT_EQ(first["why"], "first runs");
  EXPECT_EQ(first["launches"], 1);
  EXPECT_EQ(first["threads"], 2);
  EXPECT_TRUE(first["least_us"].contains("one thread"));
  EXPECT_TRUE(first["least_us"].contains("shared grids"));
  EXPECT_TRUE(first["predicted_us"].contains("64"));
  EXPECT_EQ(first["entry"], kernel["entry"]);
  EXPECT_EQ(first["sequence"], kernel["sequence"]);
}

} // namespace
