//===- RooflineTest.cpp - Tests of info --roofline ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Roofline.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

MachineLimits limits() { return {1, 1e9, {{1 << 14, 10e9}, {64 << 20, 1e9}}}; }

std::string event(const char *category, const char *name, double start,
                  double duration, const std::string &args = "") {
  return "{\"name\":\"" + std::string(name) + "\",\"cat\":\"" + category +
         "\",\"ph\":\"X\",\"ts\":" + std::to_string(start) +
         ",\"dur\":" + std::to_string(duration) + args + "},";
}

/// A step of 100 us at `start`, with two launches of a kernel that computes,
/// a kernel that moves bytes, an op of the runtime, and a hook.
std::string step(double start, double copyTime) {
  std::string computes = ",\"args\":{\"operations\":10000,\"bytes\":100}",
              moves = ",\"args\":{\"operations\":0,\"bytes\":100000}";
  return event("step", "step 1", start, 100) +
         event("kernel", "MatMul", start, 20, computes) +
         event("kernel", "MatMul", start + 20, 20, computes) +
         event("kernel", "Copy", start + 40, copyTime, moves) +
         event("kernel", "Unique", start + 90, 2) +
         event("hook", "Saver", start + 95, 3);
}

testing::AssertionResult contains(const std::string &text, const char *part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << text << " lacks " << part;
}

std::string trace(const std::string &events) {
  return "{\"traceEvents\":[" + events + "{\"ph\":\"M\",\"name\":\"x\"}]}";
}

TEST(Roofline, TracedKernelsAreRankedByTheirLoss) {
  // Kernels between steps belong to none.
  auto found = rooflineOfTrace(trace(step(0, 120) + step(200, 150) +
                                     event("kernel", "Copy", 310, 500) +
                                     step(1000, 130)),
                               "x86-64-v3", limits());
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_EQ(found->kernels.size(), 3u);
  const KernelOnRoofline &copy = found->kernels[0],
                         &product = found->kernels[1],
                         &unique = found->kernels[2];
  EXPECT_EQ(copy.name, "Copy");
  EXPECT_NEAR(*copy.seconds, 130e-6, 1e-12);
  EXPECT_NEAR(copy.bound.seconds, 100e-6, 1e-12);
  EXPECT_FALSE(copy.bound.isByArithmetic);
  EXPECT_EQ(product.name, "MatMul");
  EXPECT_EQ(product.launches, 2);
  EXPECT_EQ(product.flops, 20000);
  EXPECT_NEAR(product.bound.seconds, 20e-6, 1e-12);
  EXPECT_TRUE(product.bound.isByArithmetic);
  EXPECT_EQ(unique.bound.seconds, 0);
  ASSERT_TRUE(found->steps);
  EXPECT_EQ(found->steps->count, 3u);
  EXPECT_NEAR(found->steps->seconds, 100e-6, 1e-12);
  EXPECT_NEAR(found->steps->boundSeconds, 120e-6, 1e-12);
}

TEST(Roofline, TimeOutsideOfKernelsAndHooksIsShown) {
  auto found = rooflineOfTrace(trace(step(0, 30)), "x86-64-v3", limits());
  ASSERT_TRUE(found);
  // 100 us less 40 for MatMul, 30 for Copy, 2 for Unique and 3 in the hook.
  EXPECT_NEAR(found->steps->betweenSeconds, 25e-6, 1e-12);
  std::string table = rooflineTable(*found);
  EXPECT_TRUE(contains(table, "25.0 us in neither kernels nor hooks"));
  EXPECT_TRUE(contains(table, "arithmetic"));
  EXPECT_TRUE(contains(table, "unknown"));
  EXPECT_TRUE(contains(rooflineJson(*found), "\"between_seconds\":2.5"));
}

/// An event of a schedule.
std::string schedule(const std::string &args, const char *entry = "step") {
  return std::string("{\"name\":\"schedule of MatMul\",\"cat\":\"schedule\","
                     "\"ph\":\"i\",\"ts\":900,\"args\":{\"entry\":\"") +
         entry + "\"," + args + "}},";
}

/// A step of 100 us: a sequence of two launches that runs twice, a launch by
/// itself, and an op of the runtime.
std::string scheduledStep() {
  std::string first = ",\"args\":{\"entry\":\"step\",\"sequence\":7,"
                      "\"operations\":1,\"bytes\":1}",
              second = ",\"args\":{\"entry\":\"step\",\"sequence\":9}";
  std::string text = event("step", "step 1", 0, 100);
  for (double start : {0, 10, 20, 30})
    text += event("kernel", "MatMul", start, 10, first);
  return text + event("kernel", "Gather", 40, 8, second) +
         event("kernel", "Unique", 50, 8);
}

constexpr const char *cut =
    "\"sequence\":7,\"launches\":2,\"threads\":2,\"chosen\":\"cut grids\","
    "\"why\":\"drift\",\"least_us\":{\"one thread\":18,\"cut grids\":11},"
    "\"launches_on_one_thread\":1,\"us_on_one_thread\":3";
constexpr const char *undivided =
    "\"sequence\":9,\"launches\":1,\"threads\":2,\"chosen\":\"one thread\","
    "\"why\":\"no launch can be divided\"";

TEST(Roofline, SchedulesSayWhatNoSecondThreadHelps) {
  // The last schedule counts, and contention does not change it.
  std::string events =
      scheduledStep() +
      schedule("\"sequence\":7,\"launches\":2,\"threads\":2,\"chosen\":"
               "\"one thread\",\"why\":\"first runs\"") +
      schedule(undivided) + schedule(cut) + schedule(undivided, "metrics") +
      schedule("\"chosen\":\"one thread\"", "metrics") +
      schedule("\"sequence\":7,\"launches\":2,\"chosen\":\"one thread\","
               "\"why\":\"contention\"");
  auto found = rooflineOfTrace(trace(events), "x86-64-v3", limits());
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_TRUE(found->schedules);
  EXPECT_EQ(found->schedules->threads, 2u);
  EXPECT_EQ(found->schedules->launches, 5);
  // One launch in each run of the sequence, and the one by itself.
  EXPECT_EQ(found->schedules->launchesOnOneThread, 3);
  EXPECT_NEAR(found->schedules->seconds, 2 * 11e-6 + 8e-6, 1e-12);
  EXPECT_NEAR(found->schedules->oneThreadSeconds, 2 * 3e-6 + 8e-6, 1e-12);
  std::string table = rooflineTable(*found);
  EXPECT_TRUE(contains(table, "3 of 5 launches of a step run on one thread"));
  EXPECT_TRUE(contains(table, "14.0 of 30.0 us of launches (47 %)"));
  EXPECT_TRUE(contains(rooflineJson(*found), "\"one_thread_seconds\":1.4"));
  // Schedules change nothing else: there is one step, and three kernels.
  EXPECT_EQ(found->steps->count, 1u);
  EXPECT_EQ(found->kernels.size(), 3u);
}

TEST(Roofline, OneThreadForAnEntryRunsAllOfItsLaunches) {
  auto found = rooflineOfTrace(
      trace(scheduledStep() + schedule(cut) + schedule(undivided) +
            schedule("\"chosen\":\"one thread\",\"why\":\"drift\"")),
      "x86-64-v3", limits());
  ASSERT_TRUE(found && found->schedules);
  EXPECT_EQ(found->schedules->launchesOnOneThread, 5);
  EXPECT_NEAR(found->schedules->seconds, 2 * 18e-6 + 8e-6, 1e-12);
  EXPECT_EQ(found->schedules->oneThreadSeconds, found->schedules->seconds);
}

TEST(Roofline, TracesWithoutSchedulesSayNothingOfThreads) {
  for (const std::string &events :
       {std::string(), schedule("\"sequence\":[],\"chosen\":3"),
        schedule("\"sequence\":7,\"chosen\":{}")}) {
    auto found =
        rooflineOfTrace(trace(scheduledStep() + events), "x86-64-v3", limits());
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->schedules) << events;
  }
}

TEST(Roofline, OtherFilesAreRefused) {
  for (const char *text : {"", "{", "[]", "3", "{\"traceEvents\":3}"})
    EXPECT_TRUE(contains(
        rooflineOfTrace(text, "x86-64-v3", limits()).status().message(),
        "not a trace"))
        << text;
  for (const char *events : {"", "3,", "{\"ph\":3},", "{\"ph\":\"X\"},"})
    EXPECT_TRUE(contains(rooflineOfTrace(trace(events), "x86-64-v3", limits())
                             .status()
                             .message(),
                         "has no steps"))
        << events;
}

TEST(Roofline, FieldsOfOtherTypesCountAsZero) {
  auto found = rooflineOfTrace(
      trace("{\"ph\":\"X\",\"cat\":\"step\",\"ts\":\"a\",\"dur\":10},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":[],\"dur\":2,"
            "\"args\":[]},"),
      "x86-64-v3", limits());
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_EQ(found->kernels.size(), 1u);
  EXPECT_EQ(found->kernels[0].flops, 0);
}

} // namespace
