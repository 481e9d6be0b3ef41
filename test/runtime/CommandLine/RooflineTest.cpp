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
