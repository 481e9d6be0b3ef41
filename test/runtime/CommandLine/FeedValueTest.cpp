//===- FeedValueTest.cpp - Tensors given on the command line --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedValue.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ingot;

namespace {

const int64_t dims2x2[] = {2, 2}, dims2[] = {2}, dims0[] = {0};

std::string parse(FeedValue &value, const std::string &text,
                  const ingot_tensor_spec &spec) {
  return value.parse(text, spec).message();
}

TEST(FeedValueTest, ReadsScalarsAndNestedLists) {
  FeedValue value;
  EXPECT_EQ(parse(value, "-2.5", {"x", INGOT_FLOAT, 0, nullptr}), "");
  EXPECT_EQ(*static_cast<float *>(value.data()), -2.5f);
  EXPECT_EQ(parse(value, "[[1, 2],[3,-4]]", {"x", INGOT_INT32, 2, dims2x2}),
            "");
  auto *integers = static_cast<int32_t *>(value.data());
  EXPECT_EQ(std::vector<int32_t>(integers, integers + 4),
            (std::vector<int32_t>{1, 2, 3, -4}));
  EXPECT_EQ(parse(value, "[true,0]", {"x", INGOT_BOOL, 1, dims2}), "");
  EXPECT_EQ(static_cast<uint8_t *>(value.data())[0], 1);
  EXPECT_EQ(parse(value, "[]", {"x", INGOT_FLOAT, 1, dims0}), "");
}

TEST(FeedValueTest, ReadsStrings) {
  auto text = [](const FeedValue &value, size_t i) {
    auto &element = static_cast<const ingot_string *>(value.data())[i];
    return std::string(element.data, element.size);
  };
  FeedValue value;
  EXPECT_EQ(parse(value, "[a, b", {"x", INGOT_STRING, 0, nullptr}), "");
  EXPECT_EQ(text(value, 0), "[a, b");
  EXPECT_EQ(parse(value, R"(["a,\"]", plain])", {"x", INGOT_STRING, 1, dims2}),
            "");
  EXPECT_EQ(text(value, 0), "a,\"]");
  EXPECT_EQ(text(value, 1), "plain");
}

TEST(FeedValueTest, MistakesAreReportedWithPosition) {
  FeedValue value;
  for (const char *bad : {"", "1", "[1]", "[1,2", "[1,2,3]", "[1,x]", "[1,2] 3",
                          "[[1,2]]", "[300000000000,1]"}) {
    std::string message = parse(value, bad, {"x:0", INGOT_INT32, 1, dims2});
    EXPECT_NE(message.find("feed 'x:0', int32[2]: at character"),
              std::string::npos)
        << bad << ": " << message;
  }
  EXPECT_NE(parse(value, "[\"a", {"x", INGOT_STRING, 1, dims2}), "");
}

TEST(FeedValueTest, FirstListSizesDynamicDimension) {
  const int64_t open[] = {-1, -1}, rows[] = {-1, 2};
  FeedValue value;
  auto shape = [&] {
    ingot_tensor tensor = value.tensor();
    return std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank);
  };
  EXPECT_EQ(parse(value, "[[1,2,3],[4,5,6]]", {"x", INGOT_INT32, 2, open}), "");
  EXPECT_EQ(shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(static_cast<int32_t *>(value.data())[5], 6);
  EXPECT_EQ(parse(value, "[ [1, 2] ]", {"x", INGOT_FLOAT, 2, rows}), "");
  EXPECT_EQ(shape(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(parse(value, "[]", {"x", INGOT_FLOAT, 2, rows}), "");
  EXPECT_EQ(shape(), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(
      parse(value, R"([["a,]", b], ["", c]])", {"x", INGOT_STRING, 2, open}),
      "");
  EXPECT_EQ(shape(), (std::vector<int64_t>{2, 2}));
  // Rows of different lengths are an error, and so is a missing bracket.
  EXPECT_NE(parse(value, "[[1,2],[3]]", {"x", INGOT_INT32, 2, open}), "");
  EXPECT_NE(parse(value, "[[1,2],[3,4]", {"x", INGOT_INT32, 2, open}), "");
}

TEST(FeedValueTest, WrongRankIsReportedWithDynamicShape) {
  const int64_t open[] = {-1, 3, 1};
  FeedValue value;
  Status status =
      value.read(FileSystem::posix(), INGOT_TEST_DATA "/npy/float32_2x3.npy",
                 {"x", INGOT_FLOAT, 3, open}, /*dynamicBatch=*/false);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("found '<f4' of shape (2,3), expected '<f4' "
                                  "of shape (?,3,1) for 'x'"),
            std::string::npos)
      << status.message();
}

} // namespace
