//===- LossesFileHookTest.cpp - A JSON line for every step ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/LossesFileHook.h"

#include "runtime/ABI/Calls.h"
#include "runtime/Hooks/LoggingHook.h"

#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

constexpr std::string_view twoLines = "{\"step\":1,\"loss\":2}\n"
                                      "{\"step\":2,\"loss\":\"NaN\"}\n";

Expected<uint64_t> upTo(std::string_view contents, int64_t step) {
  FaultFileSystem files;
  files.put("losses", std::string(contents));
  auto file = files.openForReading("losses");
  EXPECT_TRUE(file);
  auto kept = lossesUpTo(**file, step, 1);
  if (!kept)
    return kept.takeStatus();
  return kept->bytes;
}

TEST(LossesUpToTest, KeepsWholeLinesUpToTheStep) {
  auto kept = [](std::string_view contents, int64_t step) {
    auto size = upTo(contents, step);
    return size ? std::string(contents.substr(0, *size)) : "refused";
  };
  std::string one(twoLines.substr(0, twoLines.find('\n') + 1));
  EXPECT_EQ(kept(twoLines, 2), twoLines);
  EXPECT_EQ(kept(twoLines, 7), twoLines);
  EXPECT_EQ(kept(twoLines, 1), one);
  EXPECT_EQ(kept(twoLines, 0), "");
  EXPECT_EQ(kept("", 5), "");
}

TEST(LossesUpToTest, KeepsTheAskedNumberOfLinesOfTheStep) {
  const std::string_view contents = "{\"step\":1}\n{\"step\":1}\n"
                                    "{\"step\":2}\n{\"step\":2}\n";
  size_t size = contents.size() / 4;
  FaultFileSystem files;
  files.put("losses", std::string(contents));
  auto file = files.openForReading("losses");
  ASSERT_TRUE(file);
  auto expect = [&](int64_t step, uint64_t asked, size_t all, uint64_t own) {
    auto kept = lossesUpTo(**file, step, asked);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->bytes, all * size) << step << ' ' << asked;
    EXPECT_EQ(kept->lines, own) << step << ' ' << asked;
  };
  expect(0, 1, 0, 0);
  expect(1, 0, 0, 0);
  expect(1, 1, 1, 1);
  expect(1, 7, 2, 2);
  expect(2, 0, 2, 0);
  expect(2, 1, 3, 1);
  expect(2, 2, 4, 2);
  expect(3, 1, 4, 0);
}

TEST(LossesUpToTest, TruncatedLineIsDropped) {
  std::string one(twoLines.substr(0, twoLines.find('\n') + 1));
  for (size_t size = one.size(); size < twoLines.size(); ++size) {
    auto kept = upTo(twoLines.substr(0, size), 100);
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, one.size()) << size;
  }
}

TEST(LossesUpToTest, RejectsOtherFiles) {
  for (std::string_view contents : {"step,loss\n1,2\n", "{\"loss\":1}\n",
                                    "{\"step\":x}\n", "{\"step\":1\n", "\n"}) {
    auto kept = upTo(contents, 5);
    ASSERT_FALSE(kept) << contents;
    EXPECT_NE(kept.status().message().find("at byte 0"), std::string::npos);
  }
}

TEST(LossesUpToTest, EveryStepOfALongFileIsFound) {
  std::string contents;
  std::vector<size_t> ends = {0};
  for (int step = 1; step <= 500; ++step) {
    // Some lines are longer than the buffer with which the file is read.
    std::string value(step % 50 == 0 ? 10000 : step % 7, '1');
    contents +=
        "{\"step\":" + std::to_string(step) + ",\"x:0\":\"" + value + "\"}\n";
    ends.push_back(contents.size());
  }
  for (int step = 0; step <= 500; ++step) {
    auto kept = upTo(contents, step);
    ASSERT_TRUE(kept);
    ASSERT_EQ(*kept, ends[static_cast<size_t>(step)]) << step;
  }
}

class LossesFileHookTest : public testing::Test {
protected:
  /// Runs `steps` steps of a new session with the hook.
  Status run(int steps) {
    auto session = Session::create(program, oneThread());
    EXPECT_TRUE(session);
    Session &live = **session;
    for (const char *entry : {"init", "local_init"})
      EXPECT_TRUE(live.runOnce(*findEntry(program, entry)).isOk());
    live.context().deferIterators = false;
    auto bound = live.bind(*findEntry(program, INGOT_ROLE_STEP));
    LossesFileHook hook(files, "losses",
                        {{"loss", 0}, {"element:0", 1}, {"v:0", 2}});
    Coordinator coordinator;
    SessionRunContext context(live, 0, false, coordinator);
    INGOT_RETURN_IF_ERROR(hook.afterCreateSession(context));
    SummaryCollector summaries;
    for (int i = 0; i < steps; ++i) {
      INGOT_RETURN_IF_ERROR(live.run(*bound));
      context.globalStep = live.globalStep();
      INGOT_RETURN_IF_ERROR(hook.afterRun(context, {*bound, summaries}));
    }
    return hook.end(context);
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
};

TEST_F(LossesFileHookTest, LinesHaveExactValues) {
  ASSERT_TRUE(run(1).isOk());
  // The expected values are w = 0.9f * 0.5f as a double, and v = 1 + (i + 1) w;
  // both are computed in float32.
  EXPECT_EQ(files.get("losses"),
            "{\"step\":1,\"loss\":0.44999998807907104,\"element:0\":0,"
            "\"v:0\":[1.4500000476837158,1.899999976158142,"
            "2.3499999046325684,2.799999952316284]}\n");
}

TEST_F(LossesFileHookTest, RunFromStartReplacesLines) {
  ASSERT_TRUE(run(3).isOk());
  std::string first = files.get("losses");
  ASSERT_TRUE(run(3).isOk());
  EXPECT_EQ(files.get("losses"), first);
}

/// An entry whose fetch has one element more in each run.
int32_t grow(ingot_context *context, uint8_t *, void *const *,
             const ingot_tensor *, ingot_tensor *fetches) {
  static int64_t count = 0;
  ++count;
  auto *elements = static_cast<float *>(
      ingot_rt_allocate(context, count * int64_t(sizeof(float))));
  for (int64_t i = 0; i < count; ++i)
    elements[i] = static_cast<float>(10 * count + i);
  fetches[0].data = elements;
  fetches[0].dims[0] = count;
  return 0;
}

TEST_F(LossesFileHookTest, DynamicFetchHasShapeOfItsRun) {
  static constexpr int64_t open[] = {-1};
  static constexpr ingot_tensor_spec fetch = {"x:0", INGOT_FLOAT, 1, open};
  ingot_entry entry{};
  entry.name = "grow";
  entry.role = INGOT_ROLE_OTHER;
  entry.run = grow;
  entry.num_fetches = 1;
  entry.fetches = &fetch;
  auto session = Session::create(program, oneThread());
  ASSERT_TRUE(session);
  Session &live = **session;
  // `other` stands for the after-step entry, which runs before hooks are called
  // for the step.
  auto bound = live.bind(entry), other = live.bind(entry);
  LossesFileHook hook(files, "losses", {{"x:0", 0}});
  LoggingHook::LabeledFetch watched = {"x", 0};
  Coordinator coordinator;
  SessionRunContext context(live, 0, false, coordinator);
  ASSERT_TRUE(hook.afterCreateSession(context).isOk());
  SummaryCollector summaries;
  std::string logged;
  for (context.globalStep = 1; context.globalStep <= 2; ++context.globalStep) {
    ASSERT_TRUE(live.run(*bound).isOk());
    ASSERT_TRUE(live.run(*other).isOk());
    ASSERT_TRUE(hook.afterRun(context, {*bound, summaries}).isOk());
    logged += formatWatched({watched}, *bound);
  }
  EXPECT_EQ(files.get("losses"), "{\"step\":1,\"x:0\":[10]}\n"
                                 "{\"step\":2,\"x:0\":[30,31,32]}\n");
  EXPECT_EQ(logged, "  x 10  x 30 31 32");
}

TEST_F(LossesFileHookTest, RunsThatKeepTheStepAreCounted) {
  // Step 5 had three lines when the checkpoint was saved, two more runs had
  // ended when the run was killed.
  std::string before = "{\"step\":4}\n", own = "{\"step\":5}\n";
  files.put("losses", before + own + own + own + own + own);
  auto session = Session::create(program, oneThread());
  ASSERT_TRUE(session);
  LossesFileHook hook(files, "losses", {});
  Coordinator coordinator;
  SessionRunContext context(**session, 5, true, coordinator);
  ASSERT_TRUE(hook.restoreState("3").isOk());
  ASSERT_TRUE(hook.afterCreateSession(context).isOk());
  EXPECT_EQ(files.get("losses"), before + own + own + own);
  EXPECT_EQ(*hook.saveState(), "3");
  EXPECT_EQ(hook.restoreState("3 lines").code(), StatusCode::DataLoss);
  // Without a state only the line of the run that reached the step remains.
  ASSERT_TRUE(hook.afterCreateSession(context).isOk());
  EXPECT_EQ(files.get("losses"), before + own);
  EXPECT_EQ(*hook.saveState(), "");
}

TEST_F(LossesFileHookTest, OtherFileIsNotChanged) {
  files.put("losses", "my thesis\n");
  Status status = run(1);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("'losses'"), std::string::npos);
  EXPECT_EQ(files.get("losses"), "my thesis\n");
}

TEST_F(LossesFileHookTest, NonRegularFileIsOnlyWritten) {
  files.put("losses", "a device's");
  files.setKind("losses", FileKind::Other);
  ASSERT_TRUE(run(1).isOk());
  EXPECT_TRUE(files.get("losses").starts_with("a device's{\"step\":1,"));
}

TEST_F(LossesFileHookTest, FullDiskFailsRunWithPath) {
  ASSERT_TRUE(run(0).isOk());
  size_t calls = files.calls();
  ASSERT_TRUE(run(0).isOk());
  size_t before = files.calls() - calls;
  // The first call after those that open the file: it writes the first line.
  files.failCall(files.calls() + before - 1, StatusCode::ResourceExhausted);
  Status status = run(2);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find("losses"), std::string::npos);
}

} // namespace
