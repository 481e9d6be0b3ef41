//===- CheckpointStateTest.cpp - The state file, as TensorFlow has it -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointState.h"
#include "Zoo.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

TEST(CheckpointState, RoundTripsTensorFlowsFile) {
  for (std::string path :
       {zooPath("checkpoint"), zooPath("checkpoint_v2_sharded4"),
        std::string(INGOT_TEST_DATA) + "/mlp_adam/checkpoint"}) {
    std::string text = fileBytes(FileSystem::posix(), path);
    auto state = parseCheckpointState(text);
    ASSERT_TRUE(state) << state.status().message();
    EXPECT_EQ(printCheckpointState(*state), text);
  }
  auto state = readCheckpointState(FileSystem::posix(),
                                   std::string(INGOT_TEST_DATA) + "/mlp_adam");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->modelCheckpointPath, "model.ckpt-120");
  EXPECT_EQ(state->allModelCheckpointPaths,
            (std::vector<std::string>{"model.ckpt-0", "model.ckpt-60",
                                      "model.ckpt-120"}));
}

// Values as printed by TensorFlow 2.15's update_checkpoint_state.
TEST(CheckpointState, EscapesAndNumbersMatchTensorFlow) {
  std::string name = "m\xc3\xb6"
                     "del \"x\"'y\\z\n\t\r\x01\x7f.ckpt-1";
  CheckpointState state{
      name, {"a", name}, {1700000000.0, 1700000000.123456}, 1.5e22, {}};
  std::string text =
      R"(model_checkpoint_path: "m\303\266del \"x\"\'y\\z\n\t\r\001\177.ckpt-1"
all_model_checkpoint_paths: "a"
all_model_checkpoint_paths: "m\303\266del \"x\"\'y\\z\n\t\r\001\177.ckpt-1"
all_model_checkpoint_timestamps: 1700000000.0
all_model_checkpoint_timestamps: 1700000000.123456
last_preserved_timestamp: 1.5e+22
)";
  EXPECT_EQ(printCheckpointState(state), text);
  auto parsed = parseCheckpointState(text);
  ASSERT_TRUE(parsed) << parsed.status().message();
  EXPECT_EQ(parsed->modelCheckpointPath, name);
  EXPECT_EQ(parsed->allModelCheckpointPaths, state.allModelCheckpointPaths);
  EXPECT_EQ(parsed->allModelCheckpointTimestamps,
            state.allModelCheckpointTimestamps);
  EXPECT_EQ(parsed->lastPreservedTimestamp, 1.5e22);
}

TEST(CheckpointState, ReadsAllFormsOfTextFormat) {
  auto state = parseCheckpointState(
      "# written by hand\n"
      "model_checkpoint_path:'a' \"b\\x63\" ;\n"
      "all_model_checkpoint_paths: [ \"x\", 'y' ],  # two\n"
      "all_model_checkpoint_timestamps: []\n"
      "last_preserved_timestamp: 3");
  ASSERT_TRUE(state) << state.status().message();
  EXPECT_EQ(state->modelCheckpointPath, "abc");
  EXPECT_EQ(state->allModelCheckpointPaths,
            (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(state->lastPreservedTimestamp, 3);
}

TEST(CheckpointState, ErrorsNameTheLine) {
  struct Case {
    const char *text;
    const char *message;
  };
  for (const Case &bad :
       {Case{"model_checkpoint_path: \"a\"\nbogus: 1", "line 2: 'bogus'"},
        Case{"\n\nmodel_checkpoint_path \"a\"", "line 3: expected ':'"},
        Case{"model_checkpoint_path: a", "line 1: expected a string"},
        Case{"model_checkpoint_path: \"a\n\"", "no closing quote"},
        Case{"model_checkpoint_path: \"a\\", "no closing quote"},
        Case{"model_checkpoint_path: \"\\q\"", "unknown escape"},
        Case{"last_preserved_timestamp: \"x\"", "expected a number"},
        Case{"all_model_checkpoint_paths: [\"a\"", "expected ']'"},
        Case{"\xff\xfe", "expected the name of a field"}}) {
    auto state = parseCheckpointState(bad.text);
    ASSERT_FALSE(state) << bad.text;
    EXPECT_EQ(state.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(state.status().message().find(bad.message), std::string::npos)
        << state.status().message();
  }
}

TEST(CheckpointState, RemovalNotesAreComments) {
  CheckpointState state{"m-2", {"m-1", "m-2"}, {}, 0, {"m \"0\""}};
  std::string text = printCheckpointState(state);
  auto parsed = parseCheckpointState(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->removing, state.removing);
  size_t hash = text.find('#');
  ASSERT_NE(hash, std::string::npos);
  EXPECT_EQ(text[hash - 1], '\n');
}

TEST(CheckpointState, IsReplacedAtomically) {
  CheckpointState before{"m-1", {"m-1"}, {}, 0, {}};
  CheckpointState after{"m-2", {"m-1", "m-2"}, {}, 0, {}};
  FaultFileSystem counting({"d"});
  ASSERT_TRUE(writeCheckpointState(counting, "d", before).isOk());
  for (size_t call = 0; call < counting.calls(); ++call)
    for (Crash crash : {Crash::KeepsAll, Crash::DropsUnsynced, Crash::Tears,
                        Crash::Reorders}) {
      FaultFileSystem disk({"d"});
      ASSERT_TRUE(writeCheckpointState(disk, "d", before).isOk());
      disk.crashAtCall(disk.calls() + call);
      EXPECT_FALSE(writeCheckpointState(disk, "d", after).isOk());
      disk.restart(crash, static_cast<uint32_t>(call));
      auto state = readCheckpointState(disk, "d");
      ASSERT_TRUE(state) << state.status().message();
      EXPECT_TRUE(state->modelCheckpointPath == "m-1" ||
                  state->modelCheckpointPath == "m-2");
    }
}

} // namespace
