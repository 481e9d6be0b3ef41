//===- WatchHooksTest.cpp - Hooks that look at how steps run --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/FinalOpsHook.h"
#include "runtime/Hooks/GlobalStepWaiterHook.h"
#include "runtime/Hooks/NanFinder.h"
#include "runtime/Hooks/NanTensorHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Hooks/TraceHook.h"
#include "runtime/Hooks/WatchdogHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class WarningReporter final : public SessionLogger {
public:
  void warning(const std::string &message) override { last = message; }
  void note(const std::string &message) override {
    if (message.starts_with("Waiting for "))
      waits.push_back(message);
  }
  std::string last;
  std::vector<std::string> waits;
};

class WatchHooksTest : public testing::Test {
protected:
  void SetUp() override {
    auto created = Session::create(program, oneThread(files));
    ASSERT_TRUE(created);
    session = std::move(*created);
    manager = std::make_unique<SessionManager>(SessionStateSource(), reporter);
    loop = std::make_unique<TrainingLoop>(*session, *manager,
                                          *findEntry(program, INGOT_ROLE_STEP));
  }
  void TearDown() override {
    ::unsetenv("COUNTER_NAN_AT");
    ::unsetenv("COUNTER_STEP_USEC");
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  WarningReporter reporter;
  std::unique_ptr<Session> session;
  std::unique_ptr<SessionManager> manager;
  std::unique_ptr<TrainingLoop> loop;
};

TEST(NanFinderTest, FindsNaNsNotInfinities) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(1000, 1.0f);
  values[10] = infinity;
  values[20] = -infinity;
  EXPECT_EQ(findNan(INGOT_FLOAT, values.data(), 1000), -1);
  values[999] = std::nanf("");
  EXPECT_EQ(findNan(INGOT_FLOAT, values.data(), 1000), 999);
  EXPECT_EQ(findNan(INGOT_FLOAT, values.data(), 999), -1);
  const double doubles[] = {1, std::nan(""), std::nan("")};
  EXPECT_EQ(findNan(INGOT_DOUBLE, doubles, 3), 1);
  const uint16_t halves[] = {0x3c00, 0x7c00, 0x7e00}; // 1, inf, NaN
  EXPECT_EQ(findNan(INGOT_HALF, halves, 2), -1);
  EXPECT_EQ(findNan(INGOT_HALF, halves, 3), 2);
  const uint16_t brains[] = {0x3f80, 0x7f80, 0x7fc0}; // 1, inf, NaN
  EXPECT_EQ(findNan(INGOT_BFLOAT16, brains, 3), 2);
}

TEST_F(WatchHooksTest, CheckNumericsNamesTheFirstNodeWithANaN) {
  loop->addHook(std::make_unique<CheckNumericsHook>());
  loop->addHook(StopAtStepHook::atStep(9));
  ::setenv("COUNTER_NAN_AT", "3", 1);
  Status status = loop->run();
  EXPECT_EQ(status.message(),
            "NaN at step 3; node 'mix' produced it: element 0 of 1");
}

TEST_F(WatchHooksTest, NaNLossNamesItsOrigin) {
  loop->addHook(std::make_unique<NanTensorHook>(
      0, /*failsRun=*/true, reporter, [](int64_t step) {
        return "the origin in step " + std::to_string(step);
      }));
  ::setenv("COUNTER_NAN_AT", "2", 1);
  EXPECT_EQ(loop->run().message(),
            "the loss 'loss:0' is NaN at step 2; the origin in step 2; "
            "earlier checkpoints are unchanged");
}

TEST_F(WatchHooksTest, NanLossStopsRunIfRequested) {
  loop->addHook(
      std::make_unique<NanTensorHook>(0, /*failsRun=*/false, reporter));
  loop->addHook(StopAtStepHook::atStep(9));
  ::setenv("COUNTER_NAN_AT", "2", 1);
  Status status = loop->run();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(session->globalStep(), 2);
  EXPECT_EQ(reporter.last,
            "the loss 'loss:0' is NaN at step 2; stopping the run");
}

TEST_F(WatchHooksTest, TraceHasEventPerStepAndNode) {
  double time = 0;
  loop->addHook(std::make_unique<TraceHook>(files, "trace.json", 2,
                                            [&] { return time += 1e-3; }));
  loop->addHook(StopAtStepHook::atStep(4));
  Status status = loop->run();
  ASSERT_TRUE(status.isOk()) << status.message();
  auto trace = nlohmann::json::parse(files.get("trace.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object()) << files.get("trace.json");
  std::map<std::string, int> counts, hooks;
  std::vector<nlohmann::json> names;
  for (const auto &event : trace["traceEvents"]) {
    std::string name = event["name"].get<std::string>();
    if (event["ph"] == "M") {
      EXPECT_EQ(name, "thread_name");
      names.push_back(event["args"]["name"]);
      continue;
    }
    ++(event["cat"] == "hook" ? hooks : counts)[name];
    EXPECT_EQ(event["ph"], "X");
    // Each reading of the clock advances it by a millisecond; times in the
    // trace are in microseconds.
    EXPECT_GE(event["dur"].get<double>(), 1000);
    EXPECT_GT(event["ts"].get<double>(), 0);
  }
  EXPECT_EQ(counts,
            (std::map<std::string, int>{
                {"IteratorV2", 2}, {"mix", 2}, {"step 1", 1}, {"step 2", 1}}));
  // The hook is called at the start and around each step; the trace has only
  // half of the calls of its own hook.
  EXPECT_EQ(hooks["StopAtStep"], 4);
  EXPECT_EQ(names, (std::vector<nlohmann::json>{"steps"}));
}

TEST_F(WatchHooksTest, WatchdogNamesHangingNode) {
  std::string message;
  loop->addHook(
      std::make_unique<WatchdogHook>(0.1, [&](const std::string &text) {
        message += text;
        ::unsetenv("COUNTER_STEP_USEC");
      }));
  loop->addHook(StopAtStepHook::atStep(2));
  ::setenv("COUNTER_STEP_USEC", "400000", 1);
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_NE(message.find("no progress for 0.1 s after step 0:"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("thread " + std::to_string(::getpid()) + " ("),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("sleeping, computes 'mix'"), std::string::npos)
      << message;
}

TEST_F(WatchHooksTest, WatchdogRunsUntilLastHookEnds) {
  /// Does not return from end() for long, like a save on a disk that does not
  /// answer.
  class SlowEnd final : public SessionRunHook {
  public:
    const char *name() const override { return "SlowEnd"; }
    HookPriority priority() const override { return HookPriority::Saver; }
    Status end(SessionRunContext &) override {
      ::usleep(400000);
      return Status::ok();
    }
  };
  std::string message;
  loop->addHook(std::make_unique<WatchdogHook>(
      0.1, [&](const std::string &text) { message = text; }));
  loop->addHook(std::make_unique<SlowEnd>());
  loop->addHook(StopAtStepHook::atStep(2));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_NE(message.find("is in hook 'SlowEnd'"), std::string::npos) << message;
}

TEST_F(WatchHooksTest, WatchdogIsQuietWhileFileGrows) {
  /// Its save takes longer than the watchdog's limit, but ends.
  class LongSave final : public SessionRunHook {
  public:
    const char *name() const override { return "LongSave"; }
    HookPriority priority() const override { return HookPriority::Saver; }
    Status end(SessionRunContext &) override {
      auto file = FileSystem::posix().create("/dev/null");
      for (int i = 0; i < 10 && file; ++i) {
        ::usleep(50000);
        (void)(*file)->append("some of it");
        (void)(*file)->flush();
      }
      return Status::ok();
    }
  };
  std::string message;
  loop->addHook(std::make_unique<WatchdogHook>(
      0.2, [&](const std::string &text) { message = text; }));
  loop->addHook(std::make_unique<LongSave>());
  loop->addHook(StopAtStepHook::atStep(2));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(message, "");
}

TEST_F(WatchHooksTest, WaitForStuckTrainingTimesOut) {
  loop->addHook(std::make_unique<GlobalStepWaiterHook>(
      30, [&]() -> Expected<int64_t> { return 7; }, 0.01, 0.1, "worker 1",
      reporter));
  Status status = loop->run();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_TRUE(
      status.message().starts_with("worker 1 waits for step 30: training is at "
                                   "step 7, without progress for"))
      << status.message();
}

TEST_F(WatchHooksTest, WatchdogIsQuietWhileStepsFinish) {
  std::string message;
  loop->addHook(std::make_unique<WatchdogHook>(
      0.2, [&](const std::string &text) { message += text; }));
  loop->addHook(StopAtStepHook::atStep(10));
  ::setenv("COUNTER_STEP_USEC", "50000", 1);
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(message, "");
}

TEST_F(WatchHooksTest, FinalEntryRunsOnceAfterLastStep) {
  ingot_code code = [](ingot_context *, uint8_t *, void *const *variables,
                       const ingot_tensor *, ingot_tensor *fetches) -> int32_t {
    *static_cast<int64_t *>(fetches[0].data) =
        *static_cast<int64_t *>(variables[CounterStep]);
    return 0;
  };
  static const ingot_tensor_spec fetches[] = {
      {"steps:0", INGOT_INT64, 0, nullptr}};
  ingot_entry entry =
      test::entryOf("final", INGOT_ROLE_OTHER, code, {}, fetches, {});
  std::vector<int64_t> seen;
  loop->addHook(std::make_unique<FinalOpsHook>(
      entry, reporter, [&](const BoundEntryPoint &bound) {
        seen.push_back(*static_cast<const int64_t *>(bound.fetch(0)));
        return Status::ok();
      }));
  loop->addHook(StopAtStepHook::atStep(3));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(seen, (std::vector<int64_t>{3}));
}

TEST_F(WatchHooksTest, NoStepRunsBeforeAwaitedStep) {
  std::vector<int64_t> asked;
  loop->addHook(std::make_unique<GlobalStepWaiterHook>(
      30,
      [&]() -> Expected<int64_t> {
        asked.push_back(session->globalStep());
        return static_cast<int64_t>(asked.size() * 10);
      },
      0.01, 60, "worker 1", reporter));
  loop->addHook(StopAtStepHook::atStep(2));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(asked, (std::vector<int64_t>{0, 0, 0}));
}

// While it waits, it logs every thousand steps, in the words of TensorFlow's
// GlobalStepWaiterHook.
TEST_F(WatchHooksTest, WaitForStepIsLoggedAsInTensorFlow) {
  int64_t step = 0;
  loop->addHook(std::make_unique<GlobalStepWaiterHook>(
      3000, [&]() -> Expected<int64_t> { return step += 600; }, 0.001, 60,
      "worker 1", reporter));
  loop->addHook(StopAtStepHook::atStep(2));
  EXPECT_TRUE(loop->run().isOk());
  EXPECT_EQ(reporter.waits,
            (std::vector<std::string>{
                "Waiting for global step 3000 before starting training.",
                "Waiting for global step 3000 before starting training. "
                "Current step is 1200.",
                "Waiting for global step 3000 before starting training. "
                "Current step is 2400."}));
}

} // namespace
