//===- SummarySaverHookTest.cpp - Summaries into an event file ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/SummarySaverHook.h"

#include "proto/Event.pb.h"
#include "runtime/Hooks/EventFileHook.h"
#include "runtime/Hooks/NanTensorHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class HooksTest : public testing::Test {
protected:
  HooksTest() : files({".", "run"}) {
    auto created = Session::create(program, oneThread());
    EXPECT_TRUE(created);
    session = std::move(*created);
  }

  std::vector<proto::Event> events() {
    std::vector<proto::Event> result;
    for (const std::string &path : files.paths()) {
      std::string contents = files.get(path);
      for (size_t at = 0; at < contents.size();) {
        uint64_t length;
        std::memcpy(&length, contents.data() + at, sizeof(length));
        EXPECT_TRUE(result.emplace_back().ParseFromString(
            contents.substr(at + 12, length)));
        at += length + 16;
      }
    }
    return result;
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  SessionLogger reporter;
  std::unique_ptr<Session> session;
};

TEST_F(HooksTest, FirstAndEveryNthStepAreSummarized) {
  SessionManager manager({}, reporter);
  TrainingLoop loop(*session, manager, *findEntry(program, INGOT_ROLE_STEP));
  auto clock = [] { return 1.7e9; };
  auto file = std::make_unique<EventFileHook>(files, "run", clock);
  auto writer = [hook = file.get()] { return hook->events(); };
  loop.addHook(std::move(file));
  loop.addHook(std::make_unique<SummarySaverHook>(
      SecondOrStepTimer(10, 0, clock), writer));
  loop.addHook(StopAtStepHook::atStep(25));
  ASSERT_TRUE(loop.run().isOk());
  std::vector<int64_t> steps;
  for (const proto::Event &event : events())
    if (event.has_summary()) {
      steps.push_back(event.step());
      EXPECT_EQ(event.summary().value(0).tag(), "loss_1");
    }
  EXPECT_EQ(steps, (std::vector<int64_t>{1, 11, 21}));
  ASSERT_GE(events().size(), 2u);
  EXPECT_EQ(events()[1].session_log().status(), proto::SessionLog::START);
  EXPECT_EQ(events()[1].step(), 1);
}

TEST_F(HooksTest, NanLossFailsRunAndNamesStepAndTensor) {
  SessionManager manager({}, reporter);
  TrainingLoop loop(*session, manager, *findEntry(program, INGOT_ROLE_STEP));
  loop.addHook(std::make_unique<NanTensorHook>(0, /*failsRun=*/true, reporter));
  loop.addHook(StopAtStepHook::atStep(25));
  ::setenv("COUNTER_NAN_AT", "4", 1);
  Status status = loop.run();
  ::unsetenv("COUNTER_NAN_AT");
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("'loss:0' is NaN at step 4"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(session->globalStep(), 4);
}

} // namespace
