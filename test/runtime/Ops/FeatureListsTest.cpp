//===- FeatureListsTest.cpp - Damaged SequenceExamples --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Ops/OpCall.h"

#include "gtest/gtest.h"

using namespace ingot;
using namespace ingot::test;

extern "C" {
int32_t ingot_op_parse_feature_lists(ingot_context *, const ingot_op *,
                                     const ingot_tensor *, ingot_tensor *);
}

namespace {

/// A field of a message, of fewer than 128 bytes.
std::string field(char number, const std::string &bytes) {
  return std::string{static_cast<char>(number << 3 | 2),
                     static_cast<char>(bytes.size())} +
         bytes;
}

/// A SequenceExample with the int64 list "v", whose rows are bytes of varints.
std::string sequence(const std::vector<std::string> &rows) {
  std::string features;
  for (const std::string &row : rows)
    features += field(1, field(3, field(1, row)));
  return field(2, field(1, field(1, "v") + field(2, features)));
}

/// Parses the list "v", sparse or dense with two values in each row.
Status parse(OpCall &call, const std::string &bytes, bool isDense) {
  call.texts({1}, {bytes});
  if (isDense) {
    call.input<bool>({1}, {false});
    call.attribute("dense_keys", std::vector<std::string>{"v"});
    call.attribute("dense_shapes", std::vector<int64_t>{2});
    call.output(INGOT_INT64, 3u).output(INGOT_INT64, 1u);
  } else {
    call.input<bool>({0}, {});
    call.attribute("sparse_keys", std::vector<std::string>{"v"});
    call.output(INGOT_INT64, 2u).output(INGOT_INT64, 1u);
    call.output(INGOT_INT64, 1u);
  }
  return call.run(ingot_op_parse_feature_lists);
}

TEST(FeatureListsTest, RowsAreThoseOfTheList) {
  OpCall sparse, dense;
  ASSERT_TRUE(parse(sparse, sequence({"\x05", "", "\x06\x07"}), false).isOk());
  EXPECT_EQ(sparse.values<int64_t>(0),
            (std::vector<int64_t>{0, 0, 0, 0, 2, 0, 0, 2, 1}));
  EXPECT_EQ(sparse.values<int64_t>(1), (std::vector<int64_t>{5, 6, 7}));
  EXPECT_EQ(sparse.values<int64_t>(2), (std::vector<int64_t>{1, 3, 2}));
  ASSERT_TRUE(parse(dense, sequence({"\x05\x06", "\x07\x08"}), true).isOk());
  EXPECT_EQ(dense.values<int64_t>(0), (std::vector<int64_t>{5, 6, 7, 8}));
  EXPECT_EQ(dense.values<int64_t>(1), (std::vector<int64_t>{2}));
}

TEST(FeatureListsTest, DamagedBytesAreRefusedOrRead) {
  std::string bytes = sequence({"\x05\x06", "\x07\x08"});
  for (bool isDense : {false, true}) {
    auto check = [&](const std::string &damaged) {
      OpCall call;
      Status status = parse(call, damaged, isDense);
      EXPECT_TRUE(status.isOk() || status.code() == StatusCode::InvalidArgument)
          << status.message();
    };
    for (size_t size = 0; size < bytes.size(); ++size)
      check(bytes.substr(0, size));
    for (size_t i = 0; i < bytes.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
        check(damaged);
      }
  }
}

} // namespace
