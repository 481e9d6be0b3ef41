//===- TensorSliceTest.cpp - Slices as text, as keys, as boxes ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TensorSlice.h"
#include "runtime/Checkpoint/CheckpointNames.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

std::string hex(const std::string &bytes) {
  std::string text;
  for (char c : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

TEST(TensorSlice, TextIsParsedAsTensorFlowWritesIt) {
  auto parsed = parseShapeAndSlice("10 4 0,4:-");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->fullShape, (Shape{10, 4}));
  ASSERT_EQ(parsed->slice.extents.size(), 2u);
  EXPECT_EQ(parsed->slice.extents[0], (TensorSlice::Extent{0, 4}));
  EXPECT_TRUE(parsed->slice.extents[1].isFull());
  EXPECT_EQ(parsed->slice.text(), "0,4:-");
  auto box = parsed->slice.within(parsed->fullShape);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->shape(), (Shape{4, 4}));
}

TEST(TensorSlice, MalformedTextIsQuoted) {
  for (const char *text :
       {"", "10", "10 4", "10 4 0,4", "10 4 0,4:-:-", "x 4 0,4:-", "10 4 4:-",
        "10 4 0,:-", "10 4 -1,4:-", "10 4 8,4:-", "10 4 0,4:",
        "99999999999999999999 0,1", "10 4 9999999999999999,9999999999999:-"}) {
    auto parsed = parseShapeAndSlice(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(parsed.status().message().find("'" + std::string(text) + "'"),
              std::string::npos);
  }
}

// The expected keys are those of TensorFlow's EncodeTensorNameSlice: from index
// files and, for larger numbers, from the definition of its ordered code.
TEST(TensorSlice, KeysAreTensorFlows) {
  TensorSlice slice{{{0, 6}, {3, 2}}};
  EXPECT_EQ(hex(encodeSliceKey("part/cols", slice)),
            "00706172742f636f6c7300010102808683"
            "82");
  TensorSlice full{{{0, TensorSlice::Extent::full}}};
  EXPECT_EQ(hex(encodeSliceKey("w", full)), "0077000101"
                                            "01"
                                            "807f");
  TensorSlice large{{{63, 64}, {8191, 8192}}};
  EXPECT_EQ(hex(encodeSliceKey("w", large)), "0077000101"
                                             "02"
                                             "bf"
                                             "c040"
                                             "dfff"
                                             "e02000");
  EXPECT_EQ(hex(encodeSliceKey(std::string("\0\xff", 2), TensorSlice())), "00"
                                                                          "00ff"
                                                                          "ff00"
                                                                          "0001"
                                                                          "00");
}

// The purpose of the encoding is that keys sort in the order of the numbers in
// them.
TEST(TensorSlice, KeysSortByPosition) {
  std::string previous;
  for (int64_t start = 0; start < (int64_t(1) << 62); start = start * 3 + 1) {
    std::string key = encodeSliceKey("w", {{{start, 1}}});
    EXPECT_LT(previous, key);
    previous = key;
  }
}

TEST(TensorSlice, CountsElementsWithoutOverflow) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({3, 0, 5}), 0);
  EXPECT_EQ(elementCount({3, 4, 5}), 60);
  EXPECT_FALSE(elementCount({-1}));
  EXPECT_FALSE(elementCount({int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_FALSE(elementCount({int64_t(1) << 40, int64_t(1) << 40, 0}));
}

TEST(TensorSlice, OverlapsAreFound) {
  std::vector<TensorSlice> tiles;
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 4; ++column)
      tiles.push_back({{{row * 2, 2}, {column * 3, 3}}});
  EXPECT_FALSE(findOverlap(tiles));
  tiles.push_back({{{7, 2}, {11, 1}}});
  auto overlap = findOverlap(tiles);
  ASSERT_TRUE(overlap);
  EXPECT_EQ(*overlap, (std::pair<size_t, size_t>{15, 16}));
}

TEST(CheckpointNames, AreParsedAsTheyWereMade) {
  struct Case {
    std::string path;
    FileRole role;
  };
  for (const Case &made :
       {Case{indexPath("m-1"), FileRole::Index},
        Case{shardPath("m-1", 3, 10), FileRole::Data},
        Case{temporaryIndexPath("m-1"), FileRole::TemporaryIndex},
        Case{temporaryShardPath("m-1", 0, 1, ""), FileRole::TemporaryData},
        Case{partDirectory("m-1", newSaveId()), FileRole::PartDirectory},
        Case{metaGraphPath("m-1"), FileRole::MetaGraph},
        Case{temporaryMetaGraphPath("m-1"), FileRole::TemporaryMetaGraph}}) {
    auto parsed = parseFileName(made.path);
    ASSERT_TRUE(parsed) << made.path;
    EXPECT_EQ(parsed->base, "m-1");
    EXPECT_EQ(parsed->role, made.role);
  }
  EXPECT_EQ(shardPath("m-1", 3, 10), "m-1.data-00003-of-00010");
  EXPECT_EQ(temporaryShardPath("d/m-1", 2, 4, partDirectory("d/m-1", "7f")),
            "d/m-1_temp_7f/part-00002-of-00004.data-00000-of-00001");
  EXPECT_EQ(newSaveId().size(), 32u);
  EXPECT_NE(newSaveId(), newSaveId());
  EXPECT_EQ(stepName("model.ckpt", 60, false), "model.ckpt-60");
  EXPECT_EQ(stepName("model.ckpt", 60, true), "model.ckpt-00000060");
  EXPECT_EQ(stepName("model.ckpt", 1234567890, true), "model.ckpt-1234567890");
  for (const char *name : {"checkpoint", ".index", "m-1.data-x-of-00001",
                           "m-1.index.tempstatex", "m_temporary", "_temp"})
    EXPECT_FALSE(parseFileName(name)) << name;
}

TEST(CheckpointNames, GiveTheStep) {
  EXPECT_EQ(stepOf("run-7/model.ckpt-60"), 60);
  EXPECT_EQ(stepOf("model.ckpt"), std::nullopt);
  EXPECT_EQ(stepOf("model.ckpt-6x"), std::nullopt);
  EXPECT_EQ(stepOf("model.ckpt-99999999999999999999"), std::nullopt);
}

} // namespace
