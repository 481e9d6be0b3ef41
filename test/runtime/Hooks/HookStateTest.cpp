//===- HookStateTest.cpp - Hooks that go on where they stood --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Session/TrainingLoop.h"
#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Counts all steps, also those before a restart, with a saved state.
class CountingHook final : public SessionRunHook {
public:
  explicit CountingHook(std::vector<std::string> &restored)
      : restored(restored) {}
  const char *name() const override { return "counting"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterRun(SessionRunContext &, const SessionRunValues &) override {
    ++seen;
    return Status::ok();
  }
  Expected<std::string> saveState() override { return std::to_string(seen); }
  Status restoreState(std::string_view state) override {
    restored.emplace_back(state);
    seen = std::stoi(restored.back());
    return Status::ok();
  }

private:
  std::vector<std::string> &restored;
  int seen = 0;
};

class HookStateTest : public testing::Test {
protected:
  HookStateTest() : files({".", "run"}) { options.directory = "run"; }

  /// Trains to `lastStep` with `numHooks` counting hooks, and notes the states
  /// that were restored.
  Status train(int64_t lastStep, int numHooks = 1) {
    restored.clear();
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session);
    CheckpointManager checkpoints(files, options);
    SessionStateSource source;
    source.checkpoints = &checkpoints;
    source.writes = true;
    SessionManager manager(source, reporter);
    TrainingLoop loop(**session, manager, *findEntry(program, INGOT_ROLE_STEP));
    loop.addHook(StopAtStepHook::atStep(lastStep));
    for (int i = 0; i < numHooks; ++i)
      loop.addHook(std::make_unique<CountingHook>(restored));
    loop.addHook(std::make_unique<CheckpointSaverHook>(
        checkpoints, SecondOrStepTimer(5, 0, [] { return 0.0; }), reporter,
        [] { return nullptr; }));
    return loop.run();
  }

  /// Makes checkpoint `to` from `from`, with the hook's state from checkpoint
  /// `other`.
  void mix(const std::string &from, const std::string &other,
           const std::string &to) {
    auto reader = CheckpointReader::open(files, from);
    auto others = CheckpointReader::open(files, other);
    ASSERT_TRUE(reader && others);
    std::vector<TensorToSave> items;
    for (const std::string &key : (*reader)->keys()) {
      TensorToSave item;
      item.key = key;
      item.dtype = (*reader)->find(key)->dtype;
      item.shape = (*reader)->find(key)->shape;
      const CheckpointReader &source =
          key.starts_with("ingot/hook/") ? **others : **reader;
      item.load = [&source, key] { return readTensor(source, key); };
      items.push_back(std::move(item));
    }
    Status status = writeCheckpoint(files, to, 1, false, items);
    ASSERT_TRUE(status.isOk()) << status.message();
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  CheckpointManagerOptions options;
  SessionLogger reporter;
  std::vector<std::string> restored;
};

TEST_F(HookStateTest, IsSavedWithTheModelAndRestored) {
  ASSERT_TRUE(train(10).isOk());
  EXPECT_TRUE(restored.empty());
  ASSERT_TRUE(train(12).isOk());
  EXPECT_EQ(restored, std::vector<std::string>{"10"});
  auto reader = CheckpointReader::open(files, "run/model.ckpt-12");
  ASSERT_TRUE(reader);
  EXPECT_TRUE((*reader)->find("ingot/hook/counting"));
}

TEST_F(HookStateTest, HooksOfOneNameKeepTheirOwnState) {
  ASSERT_TRUE(train(5, 2).isOk());
  ASSERT_TRUE(train(7, 2).isOk());
  EXPECT_EQ(restored, (std::vector<std::string>{"5", "5"}));
  // The checkpoint has the state of a hook that was removed: it is ignored.
  ASSERT_TRUE(train(8, 0).isOk());
  Status status = train(9, 1);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(restored.empty());
}

TEST_F(HookStateTest, StateOfAnotherStepIsRejected) {
  ASSERT_TRUE(train(10).isOk());
  mix("run/model.ckpt-10", "run/model.ckpt-5", "run/model.ckpt-20");
  for (const char *suffix : {".index", ".data-00000-of-00001"})
    ASSERT_TRUE(files
                    .rename(std::string("run/model.ckpt-20") + suffix,
                            std::string("run/model.ckpt-10") + suffix)
                    .isOk());
  Status status = train(12);
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_NE(status.message().find("tensor 'ingot/set' is of step 10, the state "
                                  "of hook 'counting' is of step 5"),
            std::string::npos)
      << status.message();
  EXPECT_TRUE(restored.empty());
}

} // namespace
