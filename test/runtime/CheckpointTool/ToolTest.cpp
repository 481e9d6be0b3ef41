//===- ToolTest.cpp - ingot-ckpt as users type it -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "test/runtime/Checkpoint/Zoo.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointState.h"
#include "runtime/Support/Crc32c.h"

#include "proto/IteratorState.pb.h"
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace ingot;
using namespace ingot::test;
using nlohmann::json;

namespace {

FileSystem &files() { return FileSystem::posix(); }

struct Outcome {
  int code;
  std::string out, err;

  bool says(const std::string &text) const {
    return err.find(text) != std::string::npos;
  }
};

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ingot-ckpt");
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int code =
      ckpt::toolMain(static_cast<int>(argv.size()), argv.data(), files());
  Outcome outcome{code, testing::internal::GetCapturedStdout(),
                  testing::internal::GetCapturedStderr()};
  return outcome;
}

/// Runs a command that must succeed, and returns its output.
std::string must(std::vector<std::string> arguments) {
  Outcome outcome = run(std::move(arguments));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

void expectSame(const std::string &a, const std::string &b) {
  Outcome outcome = run({"diff", a, b});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

/// Writes a checkpoint of floats "w" [2,2] and an int64 "global_step".
void writeSmall(const std::string &prefix, std::vector<float> w, int64_t step) {
  TensorToSave items[] = {{"global_step", "", INGOT_INT64, {}, &step},
                          {"w", "", INGOT_FLOAT, {2, 2}, w.data()}};
  ASSERT_TRUE(writeCheckpoint(files(), prefix, 1, false, items).isOk());
}

/// Returns the text of a file.
std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path) << text;
}

TEST(Ls, ListsTypesSlicesShardsAndBytes) {
  std::string out = must({"ls", zooPath("v2_slices"), "--slices"});
  EXPECT_NE(out.find("part/cols      float32[6,9]        4           216"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("\n  0,6:3,2 "), std::string::npos) << out;
  EXPECT_NE(out.find("V2, 6 tensors, 640 bytes, 3 shards"), std::string::npos)
      << out;
}

TEST(Ls, JsonHasWhatTheIndexHas) {
  json list = json::parse(must({"ls", zooPath("v2_slices"), "--json"}));
  EXPECT_EQ(list["format"], "V2");
  EXPECT_EQ(list["shards"].size(), 3u);
  ASSERT_EQ(list["tensors"].size(), 6u);
  EXPECT_EQ(list["tensors"][1]["name"], "layer1/kernel");
  EXPECT_EQ(list["tensors"][1]["shape"], (json{5, 3}));
  EXPECT_EQ(list["tensors"][1]["bytes"], 60);
  EXPECT_EQ(list["tensors"][4]["slices"][1]["slice"], "0,6:3,2");
  list = json::parse(must({"ls", zooPath("keras-1"), "--json"}));
  EXPECT_EQ(list["tensors"][1]["variable"], "first/bias");
}

TEST(Cat, PrintsWhatTensorFlowSaved) {
  json found = json::parse(
      must({"cat", zooPath("v2_dtypes"), "strings", "t/int8", "--json"}));
  for (const ExpectedTensor &tensor : expectedTensors("v2_dtypes"))
    if (tensor.key == "t/int8") {
      std::vector<std::string> elements;
      for (const json &row : found["t/int8"]["values"])
        for (const json &element : row)
          elements.push_back(element.dump());
      EXPECT_EQ(elements, tensor.elements);
    }
  EXPECT_EQ(found["strings"]["values"][0][1], "abc");
  EXPECT_EQ(found["strings"]["shape"], (json{2, 2}));
}

TEST(Cat, CutsSlicesAndLimits) {
  json whole =
      json::parse(must({"cat", zooPath("v2_slices"), "part/cols", "--json"}));
  json part = json::parse(must({"cat", zooPath("v2_slices"), "part/cols",
                                "--slice", "1,2:4,3", "--json"}));
  for (size_t r = 0; r < 2; ++r)
    for (size_t c = 0; c < 3; ++c)
      EXPECT_EQ(part["part/cols"]["values"][r][c],
                whole["part/cols"]["values"][1 + r][4 + c]);
  std::string out =
      must({"cat", zooPath("v2_slices"), "part/cols", "--limit", "3"});
  EXPECT_NE(out.find("...]"), std::string::npos) << out;
  EXPECT_EQ(
      run({"cat", zooPath("v2_slices"), "part/cols", "--slice", "9,9:-"}).code,
      2);
}

TEST(Cat, NamesTheNearestTensor) {
  Outcome outcome = run({"cat", zooPath("v2_single"), "layer0/kernle"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("nearest: 'layer0/kernel'")) << outcome.err;
}

TEST(Diff, TellsValuesTypesAndNamesApart) {
  std::string folder = scratchDirectory();
  writeSmall(folder + "/a", {1, 2, 3, 4}, 5);
  writeSmall(folder + "/b", {1, 2, 3.5, 4}, 5);
  Outcome outcome = run({"diff", folder + "/a", folder + "/b"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "'w': 1 of 4 elements differ, the first at [1,0]: 3 "
                         "and 3.5; largest difference 0.5\n"
                         "1 of 2 tensors differ\n");
  EXPECT_EQ(run({"diff", folder + "/a", folder + "/b", "--atol", "0.5"}).code,
            0);
  EXPECT_EQ(run({"diff", folder + "/a", folder + "/b", "--rtol", "0.1"}).code,
            1);
  json differences = json::parse(
      run({"diff", folder + "/a", zooPath("v2_single"), "--json"}).out);
  EXPECT_EQ(differences.size(), 4u);
  EXPECT_EQ(differences[0]["kind"], "only_in_first");
}

TEST(Diff, NaNEqualsItself) {
  EXPECT_EQ(run({"diff", zooPath("v2_dtypes"), zooPath("v2_dtypes")}).code, 0);
}

TEST(Verify, NamesFileTensorAndOffsetOfEachDamage) {
  std::string folder = scratchDirectory();
  must({"reshard", zooPath("v2_single"), "--shards", "1", "-o", folder + "/c"});
  EXPECT_NE(must({"verify", folder + "/c"}).find("every checksum is right"),
            std::string::npos);
  std::string data = folder + "/c.data-00000-of-00001";
  std::string bytes = fileBytes(files(), data);
  bytes[5] ^= 1;
  bytes[60] ^= 1;
  auto file = files().create(data);
  ASSERT_TRUE(file && (*file)->append(bytes).isOk() && (*file)->close().isOk());
  Outcome outcome = run({"verify", folder + "/c"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(outcome.says("c.data-00000-of-00001': tensor 'layer0/kernel' (48 "
                           "bytes at offset 0)"))
      << outcome.err;
  EXPECT_TRUE(outcome.says("tensor 'layer1/kernel' (60 bytes at offset 48)"))
      << outcome.err;
  json result = json::parse(run({"verify", folder + "/c", "--json"}).out);
  EXPECT_EQ(result[0]["ok"], false);
  EXPECT_EQ(result[0]["problems"].size(), 2u);
}

TEST(Verify, MissingCheckpointIsExitCode4) {
  EXPECT_EQ(run({"verify", zooPath("nothing")}).code, 4);
}

class ConvertedToV2 : public testing::TestWithParam<const char *> {};

TEST_P(ConvertedToV2, IsTheSame) {
  std::string folder = scratchDirectory();
  must({"convert", zooPath(GetParam()), "--to", "v2", "-o", folder + "/c"});
  expectSame(zooPath(GetParam()), folder + "/c");
  EXPECT_EQ(run({"verify", folder + "/c"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(Zoo, ConvertedToV2,
                         testing::Values("v1_single", "v1_sharded2",
                                         "v1_dtypes", "v2_dtypes", "v2_slices",
                                         "v2_many_keys", "keras-1"));

// The converted files have the same bytes, as the Saver's shards and order are
// kept.
TEST(Convert, V2ToV2IsIdentity) {
  std::string folder = scratchDirectory();
  must({"convert", zooPath("v2_many_keys"), "--to", "v2", "-o", folder + "/c"});
  for (const char *suffix : {".index", ".data-00000-of-00001"})
    EXPECT_EQ(fileBytes(files(), folder + "/c" + suffix),
              fileBytes(files(), zooPath("v2_many_keys") + suffix));
}

TEST(Convert, ToSafetensorsAndBackKeepsWhatFits) {
  std::string folder = scratchDirectory();
  Outcome outcome = run({"convert", zooPath("v2_dtypes"), "--to", "safetensors",
                         "-o", folder + "/m.safetensors"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.says("'strings' is string[2,2], which safetensors files "
                           "cannot hold; left out"))
      << outcome.err;
  must({"convert", folder + "/m", "--to", "v2", "-o", folder + "/c"});
  must({"strip", zooPath("v2_dtypes"), "--drop", "^strings$", "--drop",
        "complex128", "-o", folder + "/expected"});
  expectSame(folder + "/expected", folder + "/c");
}

TEST(Convert, RefusesVariablesNamesOfOtherCheckpoints) {
  std::string folder = scratchDirectory();
  Outcome outcome = run({"convert", zooPath("v2_single"), "--to", "v2",
                         "--variable-names", "-o", folder + "/c"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(outcome.says("--variable-names: the checkpoint is not "
                           "object-based"))
      << outcome.err;
}

TEST(Convert, UsesVariablesNamesOfObjectBasedCheckpoints) {
  std::string folder = scratchDirectory();
  must({"convert", zooPath("keras-1"), "--to", "v2", "--variable-names", "-o",
        folder + "/c"});
  auto reader = CheckpointReader::open(files(), folder + "/c");
  ASSERT_TRUE(reader);
  for (const ExpectedTensor &tensor : expectedTensors("keras-1")) {
    auto value = readTensor(**reader, tensor.key);
    ASSERT_TRUE(value) << value.status().message();
    EXPECT_EQ(elementTexts(tensor.dtype, {value->bytes, value->strings}),
              tensor.elements);
  }
}

TEST(Convert, ToV1KeepsValues) {
  std::string folder = scratchDirectory();
  for (const char *name : {"v2_single", "v2_slices", "v1_dtypes"})
    for (const char *shards : {"1", "2"}) {
      std::string made = folder + "/" + name + shards, back = made + "-back";
      must({"convert", zooPath(name), "--to", "v1", "--shards", shards, "-o",
            made});
      bool isSharded = std::string(shards) == "2";
      std::string prefix =
          isSharded ? v1ShardPath(made, std::nullopt, 2) : made;
      auto reader = CheckpointReader::open(files(), prefix);
      ASSERT_TRUE(reader) << reader.status().message();
      EXPECT_EQ((*reader)->format(), CheckpointReader::Format::V1);
      EXPECT_TRUE((*reader)->verify().isOk());
      for (const ExpectedTensor &tensor : expectedTensors(name)) {
        if (!tensor.slice.empty())
          continue;
        auto value = readTensor(**reader, tensor.key);
        ASSERT_TRUE(value) << tensor.key << value.status().message();
        EXPECT_EQ(elementTexts(tensor.dtype, {value->bytes, value->strings}),
                  tensor.elements)
            << tensor.key;
      }
    }
}

TEST(Output, IsNeverReplacedWithoutForce) {
  std::string folder = scratchDirectory();
  writeSmall(folder + "/c", {1, 2, 3, 4}, 5);
  std::string before = fileBytes(files(), folder + "/c.index");
  Outcome outcome = run(
      {"reshard", zooPath("v2_single"), "--shards", "2", "-o", folder + "/c"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("c.index' exists; --force replaces it"));
  EXPECT_EQ(fileBytes(files(), folder + "/c.index"), before);
  must({"reshard", zooPath("v2_single"), "--shards", "2", "-o", folder + "/c",
        "--force"});
  expectSame(zooPath("v2_single"), folder + "/c");
  // A checkpoint can replace itself: the new files are complete before the old
  // ones are removed.
  must({"reshard", folder + "/c", "--shards", "1", "-o", folder + "/c",
        "--force"});
  expectSame(zooPath("v2_single"), folder + "/c");
  EXPECT_EQ(files().list(folder)->size(), 2u);
}

TEST(Convert, KeepsStringsWhereNumPyGivesThemBack) {
  std::string folder = scratchDirectory();
  std::vector<std::string> kept = {"a", "bcd", "", std::string("e\0f", 3)};
  std::vector<std::string> cut = {"x", std::string("y\0", 2)};
  std::vector<std::string> wide(40, "z");
  wide[7] = std::string(32 << 20, 'z');
  TensorToSave items[] = {{"cut", "", INGOT_STRING, {2}, cut.data()},
                          {"kept", "", INGOT_STRING, {2, 2}, kept.data()},
                          {"wide", "", INGOT_STRING, {40}, wide.data()}};
  ASSERT_TRUE(writeCheckpoint(files(), folder + "/c", 1, false, items).isOk());
  Outcome outcome =
      run({"convert", folder + "/c", "--to", "npz", "-o", folder + "/c.npz"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("c.npz: 1 tensor\n"), std::string::npos);
  EXPECT_TRUE(outcome.says(
      "'cut' cannot be written to a .npy file: an element ends in a zero byte, "
      "which NumPy would drop; left out"))
      << outcome.err;
  EXPECT_TRUE(outcome.says("'wide' would take more than 1 GiB")) << outcome.err;
  must({"cat", folder + "/c", "kept", "-o", folder + "/kept.npy"});
  std::string bytes = fileBytes(files(), folder + "/kept.npy");
  EXPECT_NE(bytes.find("{'descr': '|S3', 'fortran_order': False, 'shape': (2,2)"
                       ", }"),
            std::string::npos);
  EXPECT_EQ(bytes.substr(128), std::string("a\0\0bcd\0\0\0e\0f", 12));
  EXPECT_EQ(run({"cat", folder + "/c", "cut", "-o", folder + "/cut.npy"}).code,
            1);
}

TEST(Output, DamagedInputWritesNoOutput) {
  std::string folder = scratchDirectory();
  writeSmall(folder + "/c", {1, 2, 3, 4}, 5);
  std::string data = folder + "/c.data-00000-of-00001";
  std::string bytes = fileBytes(files(), data);
  bytes.back() ^= 1;
  auto file = files().create(data);
  ASSERT_TRUE(file && (*file)->append(bytes).isOk() && (*file)->close().isOk());
  for (const char *format : {"v2", "npz", "safetensors"})
    EXPECT_EQ(
        run({"convert", folder + "/c", "--to", format, "-o", folder + "/out"})
            .code,
        4);
  EXPECT_EQ(files().list(folder)->size(), 2u);
}

TEST(Reshard, BalancesBytes) {
  std::string folder = scratchDirectory();
  must({"reshard", zooPath("v2_many_keys"), "--shards", "4", "-o",
        folder + "/c"});
  expectSame(zooPath("v2_many_keys"), folder + "/c");
  for (uint32_t shard = 0; shard < 4; ++shard) {
    size_t size = fileBytes(files(), folder + "/c.data-0000" +
                                         std::to_string(shard) + "-of-00004")
                      .size();
    EXPECT_NEAR(static_cast<double>(size), 9600 / 4, 20);
  }
  EXPECT_EQ(run({"reshard", zooPath("v2_single"), "-o", folder + "/d"}).code,
            2);
}

TEST(Merge, RejectsDuplicatesWithoutPrefer) {
  std::string folder = scratchDirectory();
  writeSmall(folder + "/a", {1, 2, 3, 4}, 5);
  writeSmall(folder + "/b", {5, 6, 7, 8}, 9);
  must({"merge", folder + "/a", zooPath("v2_slices"), "-o", folder + "/c"});
  json list = json::parse(must({"ls", folder + "/c", "--json"}));
  EXPECT_EQ(list["tensors"].size(), 8u);
  Outcome outcome =
      run({"merge", folder + "/a", folder + "/b", "-o", folder + "/d"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("'global_step', in")) << outcome.err;
  EXPECT_TRUE(outcome.says("'w', in")) << outcome.err;
  must({"merge", folder + "/a", folder + "/b", "-o", folder + "/d", "--prefer",
        "last"});
  expectSame(folder + "/b", folder + "/d");
}

TEST(Rename, FollowsExpressionsAndRefusesCollisions) {
  std::string folder = scratchDirectory();
  must({"rename", zooPath("v2_slices"), "--map", "layer([0-9])/=depth\\1/",
        "--map", "^part/=", "-o", folder + "/c"});
  auto reader = CheckpointReader::open(files(), folder + "/c");
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->keys(), (std::vector<std::string>{
                                   "cols", "depth0/kernel", "depth1/kernel",
                                   "depth2/kernel", "depth3/kernel", "rows"}));
  EXPECT_EQ((*reader)->find("cols")->slices.size(), 4u);
  Outcome outcome = run({"rename", zooPath("v2_slices"), "--map",
                         "layer[0-9]=x", "-o", folder + "/d"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("'x/kernel' would be the name of 'layer0/kernel'"))
      << outcome.err;
  EXPECT_EQ(
      run({"rename", zooPath("v2_slices"), "--map", "(=x", "-o", folder + "/d"})
          .code,
      2);
}

TEST(Strip, RemovesSlotsAndIterators) {
  std::string folder = scratchDirectory();
  must({"strip", std::string(INGOT_TEST_DATA) + "/mlp_adam/model.ckpt-60",
        "--optimizer-slots", "--iterators", "-o", folder + "/c"});
  auto reader = CheckpointReader::open(files(), folder + "/c");
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->keys(),
            (std::vector<std::string>{
                "global_step", "hidden1/bias", "hidden1/kernel", "hidden2/bias",
                "hidden2/kernel", "logits/bias", "logits/kernel"}));
}

// Positions of iterators in TensorFlow's form: two variants.
TEST(Variants, AreCarriedOverToV2) {
  std::string folder = scratchDirectory(), input = folder + "/a";
  const std::string key = "IteratorV2:0_STATE";
  std::vector<std::string> states = {"\x0a\x01x", std::string(300, 'y')};
  float w = 2;
  TensorToSave items[] = {{key, "", INGOT_VARIANT, {2}, states.data()},
                          {"w", "", INGOT_FLOAT, {}, &w}};
  ASSERT_TRUE(writeCheckpoint(files(), input, 1, false, items).isOk());
  auto statesIn = [&](const std::string &prefix, const std::string &name) {
    std::vector<std::string> found(2);
    auto reader = CheckpointReader::open(files(), prefix);
    EXPECT_TRUE(reader) << reader.status().message();
    Status status = (*reader)->read(name, "", INGOT_VARIANT, {2}, found.data());
    EXPECT_TRUE(status.isOk()) << prefix << ": " << status.message();
    return found;
  };
  writeSmall(folder + "/b", {1, 2, 3, 4}, 5);
  int made = 0;
  for (std::vector<std::string> words :
       {std::vector<std::string>{"merge", input, folder + "/b", "--prefer",
                                 "last"},
        {"rename", input, "--map", "^w$=v"},
        {"strip", input, "--drop", "^w$"},
        {"reshard", input, "--shards", "2"},
        {"convert", input, "--to", "v2"},
        {"average", input, input}}) {
    std::string output = folder + "/out-" + std::to_string(made++);
    words.insert(words.end(), {"-o", output});
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << words[0] << outcome.err;
    EXPECT_FALSE(outcome.says("'" + key + "' is")) << outcome.err;
    EXPECT_EQ(statesIn(output, key), states) << words[0];
  }
  must({"rename", input, "--map", "^IteratorV2=Other", "-o", folder + "/c"});
  EXPECT_EQ(statesIn(folder + "/c", "Other:0_STATE"), states);
  // Two of one name are a conflict, as of any tensor.
  Outcome twice = run({"merge", input, folder + "/out-2", "-o", folder + "/d"});
  EXPECT_EQ(twice.code, 1);
  EXPECT_TRUE(twice.says("'" + key + "', in")) << twice.err;
  must({"strip", input, "--iterators", "-o", folder + "/e"});
  EXPECT_EQ((*CheckpointReader::open(files(), folder + "/e"))->keys(),
            std::vector<std::string>{"w"});
  // Other formats have no variants.
  for (std::string to : {"v1", "npz", "safetensors"}) {
    Outcome outcome =
        run({"convert", input, "--to", to, "-o", folder + "/f." + to});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.says("'" + key + "' is variant[2]")) << outcome.err;
  }
}

TEST(Variants, DamageIsFound) {
  std::string folder = scratchDirectory(), input = folder + "/a";
  std::vector<std::string> states = {std::string(40, 'y')};
  TensorToSave item = {"s", "", INGOT_VARIANT, {1}, states.data()};
  ASSERT_TRUE(writeCheckpoint(files(), input, 1, false, {&item, 1}).isOk());
  std::string data = input + ".data-00000-of-00001", bytes = textOf(data);
  bytes[20] ^= 1;
  writeText(data, bytes);
  Outcome outcome =
      run({"reshard", input, "--shards", "1", "-o", folder + "/b"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(outcome.says("'s'")) << outcome.err;
  EXPECT_FALSE(files().exists(folder + "/b.index"));
}

TEST(Average, IsTheMeanInDoublePrecisionAndTheLastOfIntegers) {
  std::string folder = scratchDirectory();
  // The average is computed in double: a float32 sum with 1e8 would lose the
  // ones.
  writeSmall(folder + "/a", {1, 2, 1e8f, 0}, 5);
  writeSmall(folder + "/b", {3, 4, 1, 0}, 6);
  writeSmall(folder + "/c", {8, 0, -1e8f, 9}, 7);
  must({"average", folder + "/a", folder + "/b", folder + "/c", "-o",
        folder + "/d"});
  json found =
      json::parse(must({"cat", folder + "/d", "w", "global_step", "--json"}));
  EXPECT_EQ(
      found["w"]["values"],
      json::parse("[[4, 2], [" + json(double(1.0f / 3)).dump() + ", 3]]"));
  EXPECT_EQ(found["global_step"]["values"], 7);
  Outcome outcome = run(
      {"average", folder + "/a", zooPath("v2_single"), "-o", folder + "/e"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.says("'w' is not in")) << outcome.err;
  EXPECT_TRUE(outcome.says("'layer0/kernel' is not in")) << outcome.err;
}

TEST(Prune, KeepsTheNewestAndTheStateFileAgrees) {
  std::string folder = scratchDirectory();
  CheckpointState state;
  for (int64_t step : {0, 20, 40, 100}) {
    writeSmall(folder + "/model.ckpt-" + std::to_string(step), {1, 2, 3, 4},
               step);
    state.allModelCheckpointPaths.push_back("model.ckpt-" +
                                            std::to_string(step));
  }
  state.modelCheckpointPath = "model.ckpt-100";
  ASSERT_TRUE(writeCheckpointState(files(), folder, state).isOk());
  must({"prune", folder, "--keep-checkpoint-max", "2", "--dry-run"});
  EXPECT_EQ(files().list(folder)->size(), 9u);
  must({"prune", folder, "--keep-checkpoint-max", "2"});
  auto after = readCheckpointState(files(), folder);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->allModelCheckpointPaths,
            (std::vector<std::string>{"model.ckpt-40", "model.ckpt-100"}));
  EXPECT_EQ(after->modelCheckpointPath, "model.ckpt-100");
  EXPECT_EQ(files().list(folder)->size(), 5u);
}

TEST(Prune, IgnoresDamagedCheckpoints) {
  std::string folder = scratchDirectory();
  for (int64_t step : {1, 2, 3})
    writeSmall(folder + "/m-" + std::to_string(step), {1, 2, 3, 4}, step);
  ASSERT_TRUE(files().remove(folder + "/m-3.data-00000-of-00001").isOk());
  Outcome outcome = run({"prune", folder, "--keep-checkpoint-max", "1"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.says("warning: checkpoint skipped")) << outcome.err;
  EXPECT_TRUE(files().exists(folder + "/m-2.index"));
  EXPECT_TRUE(files().exists(folder + "/m-3.index"));
  EXPECT_FALSE(files().exists(folder + "/m-1.index"));
}

// A link to a checkpoint in another folder: prune removes neither the link nor
// the checkpoint.
TEST(Prune, LeavesLinksAlone) {
  std::string folder = scratchDirectory(), other = folder + "/other";
  ASSERT_TRUE(files().createDirectories(other).isOk());
  writeSmall(other + "/m-1", {1, 2, 3, 4}, 1);
  for (const char *suffix : {".index", ".data-00000-of-00001"})
    ASSERT_EQ(::symlink((other + "/m-1" + suffix).c_str(),
                        (folder + "/m-1" + suffix).c_str()),
              0);
  for (int64_t step : {2, 3})
    writeSmall(folder + "/m-" + std::to_string(step), {1, 2, 3, 4}, step);
  Outcome outcome = run({"prune", folder, "--keep-checkpoint-max", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.says("m-1.data-00000-of-00001' is a link"))
      << outcome.err;
  EXPECT_EQ(files().kindOf(folder + "/m-1.index"), FileKind::Link);
  EXPECT_TRUE(files().exists(other + "/m-1.index"));
  EXPECT_FALSE(files().exists(folder + "/m-2.index"));
  EXPECT_TRUE(files().exists(folder + "/m-3.index"));
}

TEST(Iterator, PrintsPosition) {
  std::string folder = scratchDirectory();
  proto::IteratorState state;
  state.set_version(1);
  state.set_iterator("IteratorV2_0");
  state.set_elements(4);
  state.add_pipeline("ShuffleDataset(buffer_size=6)");
  state.mutable_root()->set_seed(42);
  state.mutable_root()->add_inputs()->set_position(9);
  std::string bytes = state.SerializeAsString();
  uint32_t crc = maskCrc32c(crc32c(0, bytes.data(), bytes.size()));
  bytes += char(15 << 3 | 5);
  bytes.append(reinterpret_cast<const char *>(&crc), 4);
  TensorToSave item = {
      "ingot/iterator/IteratorV2_0", "", INGOT_STRING, {}, &bytes};
  ASSERT_TRUE(
      writeCheckpoint(files(), folder + "/c", 1, false, {&item, 1}).isOk());
  std::string out = must({"iterator", folder + "/c"});
  EXPECT_EQ(out, "iterator 'IteratorV2_0', version 1, 4 elements handed out\n"
                 "  ShuffleDataset(buffer_size=6)\n"
                 "state\n"
                 "  seed 42\n"
                 "    position 9\n");
  json list = json::parse(must({"iterator", folder + "/c", "--json"}));
  EXPECT_EQ(list[0]["state"]["inputs"][0]["position"], 9);

  // A trainer saves the iterator's state with a stamp, here of step 60.
  bytes = withStamp(bytes, {60, 1, 0, 0});
  ASSERT_TRUE(
      writeCheckpoint(files(), folder + "/c", 1, false, {&item, 1}).isOk());
  out = must({"iterator", folder + "/c"});
  EXPECT_TRUE(out.starts_with("iterator 'IteratorV2_0', version 1, saved at "
                              "step 60, 4 elements handed out\n"))
      << out;
  list = json::parse(must({"iterator", folder + "/c", "--json"}));
  EXPECT_EQ(list[0]["step"], 60);

  bytes[3] ^= 1;
  ASSERT_TRUE(
      writeCheckpoint(files(), folder + "/c", 1, false, {&item, 1}).isOk());
  Outcome outcome = run({"iterator", folder + "/c"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(outcome.says("checksum")) << outcome.err;
}

TEST(CommandLine, MistakesAreExitCode2WithHint) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_TRUE(run({"verfy", "x"}).says("did you mean 'verify'?"));
  EXPECT_EQ(run({"verfy", "x"}).code, 2);
  EXPECT_EQ(run({"ls"}).code, 2);
  EXPECT_EQ(run({"ls", "a", "b"}).code, 2);
  EXPECT_EQ(run({"ls", "a", "--jsn"}).code, 2);
  EXPECT_EQ(run({"convert", "a", "--to", "v3", "-o", "b"}).code, 2);
  EXPECT_EQ(run({"convert", "a", "--to", "v2"}).code, 2);
  EXPECT_EQ(run({"reshard", "a", "--shards", "0", "-o", "b"}).code, 2);
  EXPECT_EQ(run({"prune", "a", "--keep-checkpoint-max", "x"}).code, 2);
}

TEST(CommandLine, EveryVerbHasHelpWithAnExample) {
  for (const char *verb :
       {"ls", "cat", "diff", "verify", "convert", "merge", "reshard", "rename",
        "strip", "average", "prune", "iterator"}) {
    std::string out = must({verb, "--help"});
    EXPECT_NE(out.find(std::string("example: ingot-ckpt ") + verb),
              std::string::npos)
        << out;
    EXPECT_NE(must({"--help"}).find(std::string("\n  ") + verb + " "),
              std::string::npos);
  }
  EXPECT_NE(must({"--help"}).find("\n  set-last-checkpoints-with-time  the "),
            std::string::npos);
  EXPECT_NE(must({"--version"}).find("ingot-ckpt "), std::string::npos);
}

// The expected results are those of TensorFlow 2.15's
// tf.train.latest_checkpoint for the same files.
TEST(Management, LatestIsWhatTheStateFileNames) {
  std::string folder = scratchDirectory();
  writeSmall(folder + "/v2", {1, 2, 3, 4}, 1);
  EXPECT_EQ(run({"latest-checkpoint", folder}).code, 4);
  EXPECT_EQ(run({"latest-checkpoint", folder + "/nowhere"}).code, 4);
  std::string state = folder + "/checkpoint";
  writeText(state, "model_checkpoint_path: \"v2\"\n");
  EXPECT_EQ(must({"latest-checkpoint", folder}), folder + "/v2\n");
  EXPECT_EQ(must({"latest-checkpoint", folder + "/"}), folder + "/v2\n");
  // If the named checkpoint does not exist, those in the list are not tried.
  writeText(state, "model_checkpoint_path: \"gone\"\n"
                   "all_model_checkpoint_paths: \"v2\"\n");
  Outcome gone = run({"latest-checkpoint", folder});
  EXPECT_EQ(gone.code, 4);
  EXPECT_TRUE(
      gone.says("Couldn't match files for checkpoint " + folder + "/gone"))
      << gone.err;
  writeText(state, "model_checkpoint_path: \"" + folder + "/v2\"\n");
  EXPECT_EQ(must({"latest-checkpoint", folder}), folder + "/v2\n");
  for (const char *text :
       {"", "garbage", "all_model_checkpoint_paths: \"v2\""}) {
    writeText(state, text);
    EXPECT_EQ(run({"latest-checkpoint", folder}).code, 1) << text;
  }
  writeText(folder + "/other", "model_checkpoint_path: \"v2\"\n");
  EXPECT_EQ(must({"latest-checkpoint", folder, "--latest-filename", "other"}),
            folder + "/v2\n");
}

// The state is what TensorFlow 2.15's tf.train.get_checkpoint_state reads of
// the same file, and the list what Saver.last_checkpoints gives after
// recover_last_checkpoints: without those that are gone.
TEST(Management, StateAndListAreTheStateFiles) {
  std::string folder = scratchDirectory();
  EXPECT_EQ(run({"get-checkpoint-state", folder}).code, 4);
  EXPECT_EQ(run({"last-checkpoints", folder}).code, 4);
  for (const char *name : {"/m-1", "/m-3"})
    writeSmall(folder + name, {1, 2, 3, 4}, 1);
  writeText(folder + "/checkpoint",
            "model_checkpoint_path: \"m-3\"\n"
            "all_model_checkpoint_paths: \"m-1\"\n"
            "all_model_checkpoint_paths: \"/gone/m-2\"\n"
            "all_model_checkpoint_paths: \"m-3\"\n"
            "all_model_checkpoint_timestamps: 10.5\n"
            "all_model_checkpoint_timestamps: 20.0\n"
            "all_model_checkpoint_timestamps: inf\n"
            "last_preserved_timestamp: 5.25\n");
  EXPECT_EQ(must({"get-checkpoint-state", folder + "/"}),
            "model_checkpoint_path: \"" + folder +
                "/m-3\"\n"
                "all_model_checkpoint_paths: \"" +
                folder +
                "/m-1\"\n"
                "all_model_checkpoint_paths: \"/gone/m-2\"\n"
                "all_model_checkpoint_paths: \"" +
                folder +
                "/m-3\"\n"
                "all_model_checkpoint_timestamps: 10.5\n"
                "all_model_checkpoint_timestamps: 20.0\n"
                "all_model_checkpoint_timestamps: inf\n"
                "last_preserved_timestamp: 5.25\n");
  EXPECT_EQ(must({"last-checkpoints", folder}),
            folder + "/m-1\n" + folder + "/m-3\n");
  EXPECT_EQ(must({"last-checkpoints", folder, "--times"}),
            "10.5 " + folder + "/m-1\ninf " + folder + "/m-3\n");
  // A state file without times, which older versions wrote: those of the files.
  writeText(folder + "/other", "model_checkpoint_path: \"m-1\"\n"
                               "all_model_checkpoint_paths: \"m-1\"\n");
  timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/m-1.index").c_str(), times, 0),
            0);
  EXPECT_EQ(must({"last-checkpoints", folder, "--times", "--latest-filename",
                  "other"}),
            "1000000000 " + folder + "/m-1\n");
  writeText(folder + "/checkpoint", "garbage");
  EXPECT_EQ(run({"get-checkpoint-state", folder}).code, 1);
  EXPECT_EQ(run({"last-checkpoints", folder}).code, 1);
}

// As tf.train.get_checkpoint_mtimes, the command prints times in whole seconds,
// of the checkpoints that exist.
TEST(Management, TimesAreThoseOfTheIndexInWholeSeconds) {
  std::string folder = scratchDirectory(), prefix = folder + "/v2";
  writeSmall(prefix, {1, 2, 3, 4}, 1);
  timespec times[2] = {{1000000000, 500000000}, {1000000000, 250000000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (prefix + ".index").c_str(), times, 0), 0);
  EXPECT_EQ(must({"get-checkpoint-mtimes", folder + "/none", prefix}),
            "1000000000\n");
  EXPECT_EQ(must({"get-checkpoint-mtimes", folder + "/none"}), "");
}

// As tf.train.remove_checkpoint, the command removes index, data and meta
// graph, but not the state file; a missing file is no error.
TEST(Management, RemovalLeavesTheStateFile) {
  std::string folder = scratchDirectory(), prefix = folder + "/v2";
  writeSmall(prefix, {1, 2, 3, 4}, 1);
  writeText(prefix + ".meta", "graph");
  writeText(prefix + ".other", "graph");
  std::string state = "model_checkpoint_path: \"v2\"\n";
  writeText(folder + "/checkpoint", state);
  EXPECT_EQ(must({"remove-checkpoint", prefix}), "");
  for (const char *suffix : {".index", ".data-00000-of-00001", ".meta"})
    EXPECT_FALSE(files().exists(prefix + suffix)) << suffix;
  EXPECT_EQ(textOf(folder + "/checkpoint"), state);
  EXPECT_EQ(textOf(prefix + ".other"), "graph");
  must({"remove-checkpoint", prefix, "--meta-graph-suffix", "other"});
  EXPECT_FALSE(files().exists(prefix + ".other"));
  // A file that is not a checkpoint is not removed.
  writeText(folder + "/note", "text");
  EXPECT_NE(run({"remove-checkpoint", folder + "/note"}).code, 0);
  EXPECT_EQ(textOf(folder + "/note"), "text");
}

// After Saver.set_last_checkpoints, checkpoints that leave the list keep their
// files, as in TensorFlow 2.15 with max_to_keep=2: m-0 and m-1 stay, and m-2 is
// removed at the third save.
TEST(Management, AListWithoutTimesKeepsItsFiles) {
  std::string folder = scratchDirectory();
  CheckpointManagerOptions options;
  options.directory = folder;
  options.basename = "m";
  options.maxToKeep = 2;
  float value = 1;
  TensorToSave items[] = {{"w", "", INGOT_FLOAT, {}, &value}};
  auto indices = [&] {
    std::vector<int> steps;
    for (int step = 0; step < 10; ++step)
      if (files().exists(folder + "/m-" + std::to_string(step) + ".index"))
        steps.push_back(step);
    return steps;
  };
  {
    CheckpointManager first(files(), options);
    for (int step : {0, 1})
      ASSERT_TRUE(first.save(step, items));
  }
  must({"set-last-checkpoints", folder, folder + "/m-0", folder + "/m-1"});
  EXPECT_EQ(textOf(folder + "/checkpoint"),
            "model_checkpoint_path: \"m-1\"\n"
            "all_model_checkpoint_paths: \"m-0\"\n"
            "all_model_checkpoint_paths: \"m-1\"\n"
            "all_model_checkpoint_timestamps: inf\n"
            "all_model_checkpoint_timestamps: inf\n");
  CheckpointManager second(files(), options);
  ASSERT_TRUE(second.recover());
  const std::vector<std::vector<int>> expected = {
      {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 3, 4}};
  for (int step : {2, 3, 4}) {
    ASSERT_TRUE(second.save(step, items));
    EXPECT_EQ(indices(), expected[static_cast<size_t>(step - 2)]) << step;
  }
  // With times, the files are removed too: first m-3, then m-4.
  must({"set-last-checkpoints-with-time", folder, folder + "/m-3", "5",
        folder + "/m-4", "6"});
  CheckpointManager third(files(), options);
  ASSERT_TRUE(third.recover());
  const std::vector<std::vector<int>> later = {{0, 1, 4, 5}, {0, 1, 5, 6}};
  for (int step : {5, 6}) {
    ASSERT_TRUE(third.save(step, items));
    EXPECT_EQ(indices(), later[static_cast<size_t>(step - 5)]) << step;
  }
}

TEST(Management, ListsAreChecked) {
  std::string folder = scratchDirectory();
  EXPECT_EQ(run({"set-last-checkpoints", folder}).code, 1);
  EXPECT_EQ(run({"set-last-checkpoints-with-time", folder, "m-1"}).code, 2);
  EXPECT_EQ(run({"set-last-checkpoints-with-time", folder, "m-1", "x"}).code,
            2);
  // As with TensorFlow's Saver, the checkpoint in the list need not exist.
  Outcome absent = run({"set-last-checkpoints", folder, folder + "/nothere"});
  EXPECT_EQ(absent.code, 0);
  EXPECT_TRUE(absent.says("there is no checkpoint '" + folder + "/nothere'"));
  writeText(folder + "/checkpoint", "garbage");
  EXPECT_EQ(run({"set-last-checkpoints", folder, folder + "/m-1"}).code, 1);
  EXPECT_EQ(textOf(folder + "/checkpoint"), "garbage");
}

} // namespace
