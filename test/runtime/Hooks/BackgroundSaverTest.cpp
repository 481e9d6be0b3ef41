//===- BackgroundSaverTest.cpp - What a step waits for in a save ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/BackgroundSaver.h"

#include "runtime/ABI/Tensor.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace ingot;
using namespace ingot::test;

namespace {

/// A state of variables with four floats each, and the saver that writes it.
class BackgroundSaverTest : public testing::Test {
protected:
  BackgroundSaverTest()
      : files({".", "run"}), checkpoints(files, optionsOf("run")) {}

  static CheckpointManagerOptions optionsOf(const std::string &directory) {
    CheckpointManagerOptions options;
    options.directory = directory;
    return options;
  }

  void add(const std::string &key, uint32_t shard = 0) {
    TensorToSave item;
    item.key = key;
    item.dtype = INGOT_FLOAT;
    item.shape = {4};
    item.shard = shard;
    variables.emplace_back(4, static_cast<float>(variables.size()));
    item.data = variables.back().data();
    state.items.push_back(std::move(item));
  }

  /// Returns for each item whether it is read from its variable.
  std::vector<bool> inPlace() {
    std::vector<bool> found;
    for (size_t i = 0; i < state.items.size(); ++i)
      found.push_back(state.items[i].data == variables[i].data());
    return found;
  }

  FaultFileSystem files;
  CheckpointManager checkpoints;
  std::deque<std::vector<float>> variables;
  StateToSave state;
};

TEST_F(BackgroundSaverTest, CopiesOfEachShardWhatIsWrittenLast) {
  for (uint32_t i = 0; i < 8; ++i)
    add("v" + std::to_string(i), i % 2);
  ASSERT_TRUE(detachState(state, {}, 1, 5 * 16).isOk());
  // 40 bytes for each of both shards: two of its four variables.
  EXPECT_EQ(inPlace(), (std::vector<bool>{true, true, true, true, false, false,
                                          false, false}));
  EXPECT_NE(state.pendingReads, nullptr);
  for (size_t i = 4; i < 8; ++i)
    EXPECT_EQ(*static_cast<const float *>(state.items[i].data),
              static_cast<float>(i));
}

TEST_F(BackgroundSaverTest, CopiesAllThatFits) {
  for (const char *key : {"a", "b", "c"})
    add(key);
  ASSERT_TRUE(detachState(state, {}, 1, 3 * 16).isOk());
  EXPECT_EQ(inPlace(), (std::vector<bool>(3, false)));
  EXPECT_EQ(state.pendingReads, nullptr);
}

TEST_F(BackgroundSaverTest, StartWaitsForVariablesAndNotForCopies) {
  for (const char *key : {"a", "b", "c", "d"})
    add(key);
  ASSERT_TRUE(detachState(state, {}, 1, 2 * 16).isOk());
  EXPECT_EQ(inPlace(), (std::vector<bool>{true, true, false, false}));
  auto loadAfter = [](const TensorToSave &item, auto wait) {
    return [wait, data = item.data]() -> Expected<TensorData> {
      wait();
      TensorData loaded;
      loaded.bytes.assign(static_cast<const char *>(data), 16);
      return loaded;
    };
  };
  std::atomic<bool> isRead = false;
  std::promise<void> goOn;
  state.items[1].load = loadAfter(state.items[1], [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    isRead = true;
  });
  state.items[3].load = loadAfter(
      state.items[3], [going = goOn.get_future().share()] { going.wait(); });
  BackgroundSaver saver(checkpoints);
  saver.start(1, std::move(state));
  EXPECT_TRUE(isRead);
  EXPECT_FALSE(saver.isDone());
  // As the next step does.
  for (std::vector<float> &variable : variables)
    variable.assign(4, -1);
  goOn.set_value();
  auto finished = saver.finish(/*wait=*/true);
  ASSERT_TRUE(finished && finished->prefix);
  std::string data = files.get("run/model.ckpt-1.data-00000-of-00001");
  std::vector<float> saved(16), expected;
  ASSERT_EQ(data.size(), saved.size() * sizeof(float));
  std::memcpy(saved.data(), data.data(), data.size());
  for (int i = 0; i < 4; ++i)
    expected.insert(expected.end(), 4, static_cast<float>(i));
  EXPECT_EQ(saved, expected);
}

TEST_F(BackgroundSaverTest, AFailedSaveDoesNotHoldTheStep) {
  for (size_t call = 0; call < 3; ++call) {
    add("a");
    ASSERT_TRUE(detachState(state, {}, 1, 0).isOk());
    files.failCall(files.calls() + call, StatusCode::ResourceExhausted);
    BackgroundSaver saver(checkpoints);
    saver.start(1, std::exchange(state, {}));
    auto finished = saver.finish(/*wait=*/true);
    ASSERT_TRUE(finished);
    EXPECT_FALSE(finished->prefix);
  }
}

} // namespace
