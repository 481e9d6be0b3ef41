//===- RankGroupTest.cpp - Steps of several ranks in lock-step
//----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/RankGroup.h"

#include "../Collective/FakeCollective.h"
#include "CounterProgram.h"

#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

std::vector<std::string> hostsOf(unsigned ranks) {
  std::vector<std::string> hosts;
  for (unsigned r = 0; r < ranks; ++r)
    hosts.push_back("node" + std::to_string(r));
  return hosts;
}

/// The bytes of all variables, and the iterator's position.
std::string stateOf(Session &session) {
  ingot_context &context = session.context();
  std::string state;
  for (uint32_t i = 0; i < context.program->num_variables; ++i) {
    const ingot_variable &variable = context.program->variables[i];
    auto *data = static_cast<const char *>(context.variables[i]);
    if (variable.spec.dtype == INGOT_STRING) {
      auto *text = static_cast<const ingot_string *>(context.variables[i]);
      state.append(text->data, text->size);
    } else {
      state.append(data, variable.byte_size);
    }
    state += context.initialized[i] ? '1' : '0';
  }
  auto position = context.iterators[0].iterator->save();
  return state + (position ? *position : position.status().message());
}

/// Ends the input after five steps.
class EndingHook final : public SessionRunHook {
public:
  const char *name() const override { return "Ending"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context, SessionRunArgs &) override {
    return context.globalStep < 5 ? Status::ok()
                                  : Status(StatusCode::OutOfRange, "ended");
  }
};

/// What each rank does before the loop, and after its end.
struct Behaviour {
  std::function<void(Session &, RankGroup &, TrainingLoop &)> prepare;
  int64_t passes = -1;
};

class RankGroupTest : public testing::Test {
protected:
  /// Runs a training loop in each rank.
  std::vector<Status> train(FakeCollectives &all, unsigned size,
                            const Behaviour &behaviour) {
    states.assign(size, "");
    steps.assign(size, -1);
    signals.assign(size, 0);
    return all.run([&](Collective &collective) -> Status {
      RankGroup ranks(collective, hostsOf(size));
      ingot_program program = counterProgram(behaviour.passes);
      INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                             Session::create(program, oneThread()));
      SessionStateSource source;
      source.ranks = &ranks;
      SessionLogger reporter;
      SessionManager manager(source, reporter);
      TrainingLoop loop(*session, manager,
                        *findEntry(program, INGOT_ROLE_STEP));
      loop.trainWith(ranks);
      if (behaviour.prepare)
        behaviour.prepare(*session, ranks, loop);
      Status status = loop.run();
      unsigned rank = collective.rank();
      if (status.isOk())
        states[rank] = stateOf(*session);
      steps[rank] = session->globalStep();
      signals[rank] = ranks.signal();
      return status;
    });
  }

  std::vector<std::string> states;
  std::vector<int64_t> steps;
  std::vector<int> signals;
};

/// Stops rank 0's run, of which the others know nothing.
void stopFirstAt(int64_t step, RankGroup &ranks, TrainingLoop &loop) {
  if (ranks.isFirst())
    loop.addHook(StopAtStepHook::atStep(step, nullptr));
}

} // namespace

TEST_F(RankGroupTest, all_ranks_make_the_steps_of_rank_0) {
  FakeCollectives alone(1);
  Behaviour seven{[](Session &, RankGroup &ranks, TrainingLoop &loop) {
    stopFirstAt(7, ranks, loop);
  }};
  ASSERT_TRUE(train(alone, 1, seven)[0].isOk());
  const std::string expected = states[0];
  for (unsigned size : {2u, 3u, 5u}) {
    FakeCollectives all(size);
    all.delayCalls(size);
    for (const Status &status : train(all, size, seven))
      ASSERT_TRUE(status.isOk()) << status.message();
    for (unsigned rank = 0; rank < size; ++rank) {
      EXPECT_EQ(steps[rank], 7) << rank;
      EXPECT_EQ(states[rank], expected) << rank;
    }
  }
}

TEST_F(RankGroupTest, all_end_where_the_input_ends) {
  FakeCollectives all(3);
  for (const Status &status : train(all, 3, {nullptr, 1}))
    EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(steps, std::vector<int64_t>(3, counterRange));
}

TEST_F(RankGroupTest, input_that_ends_on_some_ranks_is_a_failure) {
  for (unsigned shorter : {0u, 1u}) {
    FakeCollectives all(3);
    Behaviour behaviour{[=](Session &, RankGroup &ranks, TrainingLoop &loop) {
      if (ranks.rank() == shorter)
        loop.addHook(std::make_unique<EndingHook>());
    }};
    // The message names the first rank that differs from rank 0.
    std::string ended = "rank " + std::to_string(shorter) + " (node" +
                        std::to_string(shorter) + ")";
    std::string other = shorter == 0 ? "rank 1 (node1)" : "rank 0 (node0)";
    for (const Status &status : train(all, 3, behaviour))
      EXPECT_EQ(status.message(), "the input of " + ended +
                                      " has ended at step 5, that of " + other +
                                      " has not: all ranks have to read the "
                                      "same data");
  }
}

TEST_F(RankGroupTest, every_call_may_fail) {
  // Every message that a rank sends, of its state and between steps.
  Behaviour three{[](Session &, RankGroup &ranks, TrainingLoop &loop) {
    stopFirstAt(3, ranks, loop);
  }};
  FakeCollectives whole(3);
  for (const Status &status : train(whole, 3, three))
    ASSERT_TRUE(status.isOk()) << status.message();
  ASSERT_GT(whole.calls(0), 10u);
  for (unsigned failing = 0; failing < 3; ++failing)
    for (size_t call = 0; call < whole.calls(failing); ++call) {
      FakeCollectives all(3);
      all.failAt(failing, call);
      // No recovery: the failure is Unavailable.
      for (const Status &status : train(all, 3, three))
        EXPECT_EQ(status.message(),
                  "rank " + std::to_string(failing) + " fails")
            << "call " << call;
    }
}

TEST_F(RankGroupTest, a_stop_of_any_rank_stops_all) {
  FakeCollectives all(3);
  auto statuses = all.run([&](Collective &collective) -> Status {
    RankGroup ranks(collective, hostsOf(3));
    for (int64_t step = 0; step < 5; ++step) {
      RankStopVote word;
      word.step = step;
      word.stops = step == 4 && collective.rank() == 2;
      INGOT_ASSIGN_OR_RETURN(bool stops, ranks.stopsAny(word));
      EXPECT_EQ(stops, step == 4);
      EXPECT_EQ(ranks.lastStep(), step);
    }
    EXPECT_EQ(ranks.signal(), 0);
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(RankGroupTest, the_first_signal_is_known_to_all) {
  FakeCollectives all(3);
  auto statuses = all.run([&](Collective &collective) -> Status {
    RankGroup ranks(collective, hostsOf(3));
    RankStopVote word;
    word.step = int64_t(1) << 50;
    word.signal = collective.rank() == 0 ? 0 : SIGTERM;
    INGOT_ASSIGN_OR_RETURN(bool stops, ranks.stopsAny(word));
    EXPECT_TRUE(stops);
    EXPECT_EQ(ranks.signal(), SIGTERM);
    EXPECT_EQ(ranks.nameOf(ranks.signalled()), "rank 1 (node1)");
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(RankGroupTest, ranks_at_other_steps_are_a_failure) {
  FakeCollectives all(3);
  auto statuses = all.run([&](Collective &collective) {
    RankGroup ranks(collective, hostsOf(3));
    RankStopVote word;
    word.step = collective.rank() == 2 ? 8 : 9;
    return ranks.stopsAny(word).takeStatus();
  });
  for (const Status &status : statuses)
    EXPECT_EQ(status.message(),
              "rank 2 (node2) is at step 8, but rank 0 (node0) at step 9: "
              "start all ranks again, with the same checkpoint");
}

TEST_F(RankGroupTest, texts_come_back_as_they_were_packed) {
  std::vector<std::string> texts = {"", std::string("a\0b", 3), "long enough"};
  auto unpacked = unpackTexts(packTexts(texts));
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(*unpacked, texts);
  std::string packed = packTexts(texts);
  for (size_t length = 1; length < packed.size(); ++length)
    if (auto cut = unpackTexts(packed.substr(0, length)))
      EXPECT_LT(cut->size(), texts.size()) << length;
}
