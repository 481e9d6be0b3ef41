//===- RestoreTest.cpp - Restoring, and what is said when it can't be -----===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNameMap.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Restores a checkpoint "c" of a few tensors.
class Restore : public testing::Test {
protected:
  void SetUp() override {
    std::vector<std::string> text = {"vocabulary"};
    TensorToSave items[] = {
        {"hidden1/kernel", "", INGOT_FLOAT, {2, 3}, numbers, 0},
        {"hidden1/bias", "", INGOT_FLOAT, {3}, numbers, 0},
        {"global_step", "", INGOT_INT64, {}, &step, 0},
        {"words", "", INGOT_STRING, {1}, text.data(), 0}};
    ASSERT_TRUE(writeCheckpoint(disk, "c", 1, false, items).isOk());
  }

  float numbers[6] = {1, 2, 3, 4, 5, 6};
  int64_t step = 77;
  FaultFileSystem disk;

  float kernel[6] = {}, bias[3] = {};
  int64_t readStep = 0;
  std::string words;
  TensorToRestore kernelItem{"hidden1/kernel", "", INGOT_FLOAT, {2, 3}, kernel};
  TensorToRestore biasItem{"hidden1/bias", "", INGOT_FLOAT, {3}, bias};
  TensorToRestore stepItem{"global_step", "", INGOT_INT64, {}, &readStep};
  TensorToRestore wordsItem{"words", "", INGOT_STRING, {1}, &words};
};

TEST_F(Restore, FillsEveryItem) {
  TensorToRestore items[] = {wordsItem, stepItem, kernelItem, biasItem};
  auto report = restoreCheckpoint(disk, "c", items);
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(kernel[5], 6);
  EXPECT_EQ(bias[2], 3);
  EXPECT_EQ(readStep, 77);
  EXPECT_EQ(words, "vocabulary");
  EXPECT_TRUE(report->missing.empty() && report->unused.empty() &&
              report->notes.empty());
}

// Several threads read tensors into the same destination.
TEST_F(Restore, ItemsMayShareADestination) {
  std::vector<TensorToRestore> items(64, wordsItem);
  RestoreOptions options;
  options.allowUnused = true;
  options.threads = 8;
  for (int i = 0; i < 50; ++i) {
    auto report = restoreCheckpoint(disk, "c", items, options);
    ASSERT_TRUE(report) << report.status().message();
    EXPECT_EQ(words, "vocabulary");
  }
}

// tf.train.Saver(reshape=True): "allows restoring parameters from a checkpoint
// where the variables have a different shape".
TEST_F(Restore, ReshapesOnDemand) {
  TensorToRestore flat{"hidden1/kernel", "", INGOT_FLOAT, {3, 2}, kernel};
  TensorToRestore items[] = {flat, biasItem, stepItem, wordsItem};
  EXPECT_FALSE(restoreCheckpoint(disk, "c", items));
  for (bool all : {false, true}) {
    std::fill(std::begin(kernel), std::end(kernel), 0.0f);
    items[0].reshape = !all;
    RestoreOptions options;
    options.reshape = all;
    auto report = restoreCheckpoint(disk, "c", items, options);
    ASSERT_TRUE(report) << report.status().message();
    EXPECT_TRUE(std::equal(kernel, kernel + 6, numbers));
  }
  items[0].shape = {5};
  auto report = restoreCheckpoint(disk, "c", items);
  ASSERT_FALSE(report);
  EXPECT_NE(report.status().message().find("[2,3]"), std::string::npos)
      << report.status().message();
}

TEST_F(Restore, ReportsAllMismatchesAndRestoresNothing) {
  TensorToRestore lost{"hidden1/kernle", "", INGOT_FLOAT, {2, 3}, kernel};
  TensorToRestore strange{"zzz", "", INGOT_FLOAT, {2, 3}, kernel};
  TensorToRestore wide{"hidden1/bias", "", INGOT_FLOAT, {4}, bias};
  TensorToRestore typed{"global_step", "", INGOT_INT32, {}, &readStep};
  TensorToRestore items[] = {lost, strange, wide, typed};
  auto report = restoreCheckpoint(disk, "c", items);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code(), StatusCode::NotFound);
  EXPECT_EQ(report.status().message(),
            "cannot restore 'c': Restoring from checkpoint failed. This is "
            "most likely due to a Variable name or other graph key that is "
            "missing from the checkpoint. Please ensure that you have not "
            "altered the graph expected based on the checkpoint. Original "
            "error:\n\nKey hidden1/kernle not found in checkpoint\n"
            "  not in the checkpoint:\n"
            "    'hidden1/kernle', nearest: 'hidden1/kernel', "
            "'hidden1/bias'\n"
            "    'zzz'\n"
            "  with another type or shape in the checkpoint:\n"
            "    'hidden1/bias': has shape [3], expected [4]\n"
            "    'global_step': has type int64, expected int32\n"
            "  in the checkpoint, but not in the program:\n"
            "    'hidden1/kernel'\n"
            "    'words'");
  EXPECT_EQ(kernel[5], 0);
}

TEST_F(Restore, PartialRestoresWorkWhenAllowed) {
  TensorToRestore lost{"hidden2/kernel", "", INGOT_FLOAT, {2, 3}, kernel};
  TensorToRestore items[] = {biasItem, lost};
  RestoreOptions options;
  options.allowMissing = true;
  EXPECT_FALSE(restoreCheckpoint(disk, "c", items, options));
  options.allowUnused = true;
  auto report = restoreCheckpoint(disk, "c", items, options);
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(report->missing, std::vector<size_t>{1});
  EXPECT_EQ(report->unused, (std::vector<std::string>{
                                "global_step", "hidden1/kernel", "words"}));
  EXPECT_EQ(bias[0], 1);
  EXPECT_EQ(kernel[0], 0);
}

TEST_F(Restore, AnotherShapeIsNeverAllowed) {
  TensorToRestore wide{"hidden1/bias", "", INGOT_FLOAT, {4}, bias};
  TensorToRestore items[] = {wide};
  RestoreOptions options;
  options.allowMissing = options.allowUnused = true;
  auto report = restoreCheckpoint(disk, "c", items, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code(), StatusCode::InvalidArgument);
}

TEST_F(Restore, RenamesGoFromTheGraphsNamesToTheCheckpoints) {
  TensorToRestore renamed{
      "tower/layer_1/kernel", "", INGOT_FLOAT, {2, 3}, kernel};
  TensorToRestore items[] = {renamed};
  RestoreOptions options;
  options.allowUnused = true;
  options.renames = {{"^tower/", ""}, {"layer_([0-9]+)", "hidden\\1"}};
  auto report = restoreCheckpoint(disk, "c", items, options);
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(kernel[5], 6);

  options.renames = {{"layer_", "depth"}};
  report = restoreCheckpoint(disk, "c", items, options);
  ASSERT_FALSE(report);
  EXPECT_NE(report.status().message().find(
                "'tower/depth1/kernel' (for 'tower/layer_1/kernel')"),
            std::string::npos)
      << report.status().message();

  options.renames = {{"(", ""}};
  report = restoreCheckpoint(disk, "c", items, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code(), StatusCode::InvalidArgument);
}

TEST_F(Restore, DamagedTensorIsNamed) {
  std::string path = "c.data-00000-of-00001", bytes = disk.get(path);
  bytes[30] ^= 1; // in hidden1/bias, which begins at byte 24
  disk.put(path, bytes);
  TensorToRestore items[] = {wordsItem, stepItem, kernelItem, biasItem};
  auto report = restoreCheckpoint(disk, "c", items);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code(), StatusCode::DataLoss);
  EXPECT_NE(report.status().message().find("'hidden1/bias'"),
            std::string::npos);
}

/// Restores `items` of a checkpoint, which may contain other tensors too, and
/// returns the error message.
std::string refusal(FileSystem &files, const std::string &prefix,
                    std::vector<TensorToRestore> items) {
  std::vector<std::string> room(items.size(), std::string(1024, 0));
  for (size_t i = 0; i < items.size(); ++i)
    items[i].data = room[i].data();
  RestoreOptions options;
  options.allowUnused = true;
  options.threads = 1;
  auto report = restoreCheckpoint(files, prefix, items, options);
  EXPECT_FALSE(report) << prefix;
  return report ? "" : report.status().message();
}

TensorToRestore item(const char *key, int32_t dtype, Shape shape,
                     const char *slice = "") {
  return {key, slice, dtype, std::move(shape), nullptr};
}

void expectSentence(const std::string &message, const std::string &sentence) {
  EXPECT_NE(message.find(sentence), std::string::npos)
      << message << "\nlacks: " << sentence;
}

// The expected messages are those of TensorFlow 2.15's Saver.restore, for
// checkpoints with w [2,3] and b [3] of floats, and p [6,2] in two parts.
TEST(RestoreMessages, MismatchesAreSaidInTensorFlowsWords) {
  FaultFileSystem disk;
  float numbers[12] = {};
  TensorToSave items[] = {{"b", "", INGOT_FLOAT, {3}, numbers},
                          {"p", "6 2 0,3:-", INGOT_FLOAT, {3, 2}, numbers},
                          {"p", "6 2 3,3:-", INGOT_FLOAT, {3, 2}, numbers},
                          {"w", "", INGOT_FLOAT, {2, 3}, numbers}};
  ASSERT_TRUE(writeCheckpoint(disk, "v2", 1, false, items).isOk());
  ASSERT_TRUE(writeV1Checkpoint(disk, "v1", 1, false, items));
  TensorToRestore zz = item("zz", INGOT_FLOAT, {3}),
                  yy = item("yy", INGOT_INT32, {}),
                  w = item("w", INGOT_FLOAT, {2, 3}),
                  wide = item("w", INGOT_DOUBLE, {2, 3}),
                  whole = item("b", INGOT_INT32, {3}),
                  turned = item("w", INGOT_FLOAT, {3, 2}),
                  scalar = item("w", INGOT_FLOAT, {});
  // What Saver.restore puts before the op's own sentence.
  const std::string before = "Restoring from checkpoint failed. This is most "
                             "likely due to ",
                    after = " from the checkpoint. Please ensure that you have "
                            "not altered the graph expected based on the "
                            "checkpoint. Original error:\n\n";
  expectSentence(refusal(disk, "v2", {zz}),
                 before + "a Variable name or other graph key that is missing" +
                     after + "Key zz not found in checkpoint\n");
  expectSentence(refusal(disk, "v1", {zz}),
                 before + "a Variable name or other graph key that is missing" +
                     after + "Tensor name \"zz\"");
  expectSentence(refusal(disk, "v2", {turned}),
                 before + "a mismatch between the current graph and the graph" +
                     after + "Assign requires");
  // One missing tensor is named, whatever else is wrong.
  expectSentence(refusal(disk, "v2", {w, zz, yy}),
                 "Key yy not found in checkpoint\n");
  expectSentence(refusal(disk, "v2", {wide, zz}),
                 "Key zz not found in checkpoint\n");
  expectSentence(refusal(disk, "v1", {w, zz, yy}),
                 "Tensor name \"yy\" not found in checkpoint files v1\n");
  expectSentence(
      refusal(disk, "v2", {wide, whole, turned}),
      "tensor_name = b; expected dtype int32 does not equal original "
      "dtype float\n"
      "tensor_name = w; expected dtype double does not equal "
      "original dtype float\n");
  expectSentence(refusal(disk, "v1", {wide}),
                 "Expected to restore a tensor of type double, got a tensor of "
                 "type float instead: tensor_name = w\n");
  for (const char *prefix : {"v1", "v2"}) {
    expectSentence(refusal(disk, prefix, {turned}),
                   "Assign requires shapes of both tensors to match. lhs "
                   "shape= [3,2] rhs shape= [2,3]\n");
    expectSentence(refusal(disk, prefix, {scalar}),
                   "Assign requires shapes of both tensors to match. lhs "
                   "shape= [] rhs shape= [2,3]\n");
  }
  TensorToRestore reshaped = item("w", INGOT_FLOAT, {7});
  reshaped.reshape = true;
  expectSentence(
      refusal(disk, "v2", {reshaped}),
      "Input to reshape is a tensor with 6 values, but the requested "
      "shape has 7\n");
  expectSentence(
      refusal(disk, "v2", {item("p", INGOT_FLOAT, {4, 2}, "7 2 0,4:-")}),
      "tensor_name = p; shape in shape_and_slice spec [7,2] does not match the "
      "shape stored in checkpoint: [6,2]\n");
  expectSentence(
      refusal(FileSystem::posix(), zooPath("object_based-1"), {zz, yy}),
      "Existing variables not in the checkpoint: yy, zz\n\nVariables names "
      "when this checkpoint was written which don't exist now: ");
  expectSentence(
      refusal(FileSystem::posix(), zooPath("object_based-1"), {zz, yy}),
      "\n\n(0 variable name(s) did match)\n");
  expectSentence(refusal(disk, "errs/none", {w}),
                 "The passed save_path is not a valid checkpoint: errs/none");
}

// The message for v2_single of checkpoint_zoo with its byte 3 changed has the
// same checksums as that of TensorFlow.
TEST(RestoreMessages, DamageIsSaidInTensorFlowsWords) {
  auto take = [](const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string index = take(zooPath("v2_single") + ".index"),
                    data = take(zooPath("v2_single") + ".data-00000-of-00001");
  ASSERT_EQ(index.size(), 169u);
  ASSERT_EQ(data.size(), 108u);
  const std::string shard = "fl/v.data-00000-of-00001";
  FaultFileSystem disk({".", "fl"});
  auto said = [&](const std::string &newIndex, const std::string *newData) {
    disk.put("fl/v.index", newIndex);
    if (newData)
      disk.put(shard, *newData);
    return refusal(disk, "fl/v",
                   {item("layer0/kernel", INGOT_FLOAT, {4, 3}),
                    item("layer1/kernel", INGOT_FLOAT, {5, 3})});
  };
  auto flipped = [](std::string bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  expectSentence(said(index, nullptr),
                 "fl/v.data-00000-of-00001; No such file or directory: ");
  std::string first = flipped(data, 3), second = flipped(data, 60);
  expectSentence(said(index, &first),
                 "TensorBundle at fl/v shard 0 (48 bytes): Checksum does not "
                 "match: stored 817563388 vs. calculated on the restored bytes "
                 "1579885133: '" +
                     shard + "': tensor 'layer0/kernel'");
  expectSentence(said(index, &second),
                 "TensorBundle at fl/v shard 0 (60 bytes): Checksum does not "
                 "match: stored 2170083926 vs. calculated on the restored "
                 "bytes 2641479506: ");
  std::string cut = data.substr(0, 100);
  expectSentence(said(index, &cut), "Read less bytes than requested: ");
  expectSentence(said(index.substr(0, 47), &data),
                 "file is too short to be an sstable: ");
  expectSentence(said(index.substr(0, 48), &data),
                 "not an sstable (bad magic number): ");
  expectSentence(said(flipped(index, 168), &data),
                 "not an sstable (bad magic number): ");
  for (size_t at : {0, 88, 102, 124})
    expectSentence(said(flipped(index, at), &data),
                   "block checksum mismatch: ");
  expectSentence(said(flipped(index, 40), &data),
                 "Unable to read file (fl/v.index). Perhaps the file is "
                 "corrupt or was produced by a newer version of TensorFlow "
                 "with format changes (failed to seek to header entry): block "
                 "checksum mismatch: ");
}

/// Returns the value of line `name` in /proc/self/status, in bytes.
uint64_t memory(const char *name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name))
      return std::stoull(line.substr(line.find(':') + 1)) * 1024;
  return 0;
}

// The memory is independent of the size of the variables: these are 128 MiB in
// 8 variables and 4 shards, written whole, and read whole and in slices.
TEST(RestoreMemory, IsAtMost64MegabytesBesidesTheVariables) {
  constexpr int64_t rows = 16, columns = 256 * 1024;
  std::string prefix = scratchDirectory() + "/c";
  std::vector<std::vector<float>> variables(
      8, std::vector<float>(rows * columns, 1.5f));
  std::vector<std::vector<float>> slices(8, std::vector<float>(8 * 99));
  std::vector<TensorToSave> saved;
  std::vector<TensorToRestore> items;
  for (size_t i = 0; i < variables.size(); ++i) {
    std::string key = "v" + std::to_string(i);
    saved.push_back(
        {key, "", INGOT_FLOAT, {rows, columns}, variables[i].data(), 0});
    saved.back().shard = static_cast<uint32_t>(i % 4);
    std::string spec =
        std::to_string(rows) + " " + std::to_string(columns) + " ";
    items.push_back(
        {key, "", INGOT_FLOAT, {rows, columns}, variables[i].data()});
    items.push_back(
        {key, spec + "1,8:2,99", INGOT_FLOAT, {8, 99}, slices[i].data()});
  }
  ASSERT_TRUE(
      writeCheckpoint(FileSystem::posix(), prefix, 4, true, saved).isOk());
  for (std::vector<float> &variable : variables)
    std::fill(variable.begin(), variable.end(), 0.0f);
  // Resets the peak of resident memory.
  std::ofstream("/proc/self/clear_refs") << "5";
  uint64_t before = memory("VmRSS");
  RestoreOptions options;
  options.threads = 8;
  auto report = restoreCheckpoint(FileSystem::posix(), prefix, items, options);
  ASSERT_TRUE(report) << report.status().message();
  uint64_t peak = memory("VmHWM");
  for (const std::vector<float> &variable : variables)
    EXPECT_EQ(variable.back(), 1.5f);
  for (const std::vector<float> &slice : slices)
    EXPECT_EQ(slice.back(), 1.5f);
  ASSERT_GT(before, 128u << 20);
  EXPECT_LE(peak, before + (64 << 20));
  std::printf("%llu KiB beside the variables\n",
              static_cast<unsigned long long>((peak - before) / 1024));
  ASSERT_TRUE(removeCheckpoint(FileSystem::posix(), prefix).isOk());
}

// The iterator in the reference run's checkpoint is a variant tensor of
// TensorFlow, which Ingot cannot restore.
TEST(RestoreOfTensorFlow, SkipsItsIteratorWithANote) {
  std::string prefix = std::string(INGOT_TEST_DATA) + "/mlp_adam/model.ckpt-60";
  auto reader = BundleReader::open(FileSystem::posix(), prefix);
  ASSERT_TRUE(reader) << reader.status().message();
  std::vector<TensorToRestore> items;
  std::vector<std::unique_ptr<TensorValue>> values;
  for (const std::string &key : (*reader)->keys()) {
    const BundleEntry &entry = *(*reader)->find(key);
    if (entry.dtype == INGOT_VARIANT)
      continue;
    values.push_back(
        std::make_unique<TensorValue>(makeValue(entry.dtype, entry.shape)));
    items.push_back(
        {key, "", entry.dtype, entry.shape, values.back()->data(entry.dtype)});
  }
  std::string state;
  items.push_back(
      {"iterator_of_ours", "", INGOT_STRING, {}, &state, /*optional=*/true});
  auto report = restoreCheckpoint(FileSystem::posix(), prefix, items);
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(report->missing, std::vector<size_t>{items.size() - 1});
  EXPECT_TRUE(report->unused.empty());
  ASSERT_FALSE(report->notes.empty());
  EXPECT_NE(report->notes[0].find("variant"), std::string::npos);
}

TEST(CheckpointNameMap, ReplacesEveryMatchAndItsGroups) {
  std::vector<std::pair<std::string, std::string>> renames = {
      {"a(b+)", "<\\1|\\0>"}, {"x*$", "!"}, {"\\\\", "/"}};
  auto map = CheckpointNameMap::create(renames);
  ASSERT_TRUE(map) << map.status().message();
  EXPECT_EQ(map->apply("ab-abb"), "<b|ab>-<bb|abb>!");
  EXPECT_EQ(map->apply("c\\d"), "c/d!");
}

TEST(NearestNames, RanksByEditDistance) {
  std::vector<std::string> names = {"dense/kernel", "dense/bias",
                                    "dense_1/kernel", "global_step"};
  EXPECT_EQ(nearestNames("dense_2/kernel", names, 2),
            (std::vector<std::string>{"dense_1/kernel", "dense/kernel"}));
  EXPECT_TRUE(nearestNames("q", names).empty());
}

} // namespace
