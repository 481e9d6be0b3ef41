//===- ReduceTest.cpp - Reduces two values, element by element ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/Reduce.h"

#include "runtime/ABI/Tensor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace ingot;

template <typename T>
static std::vector<T> reduced(int32_t dtype, Reduction reduction,
                              std::vector<T> left, std::vector<T> right) {
  reduceFunction(dtype, reduction)(left.data(), left.data(), right.data(),
                                   left.size());
  return left;
}

TEST(ReduceTest, numbers_are_added_and_compared_by_element) {
  // More elements than a vector has, and not a multiple of its width.
  std::vector<float> left, right, sum, larger, smaller;
  for (int i = 0; i < 67; ++i) {
    left.push_back(static_cast<float>(i));
    right.push_back(static_cast<float>(40 - i) / 4);
    sum.push_back(left.back() + right.back());
    larger.push_back(std::max(left.back(), right.back()));
    smaller.push_back(std::min(left.back(), right.back()));
  }
  EXPECT_EQ(reduced(INGOT_FLOAT, Reduction::Sum, left, right), sum);
  EXPECT_EQ(reduced(INGOT_FLOAT, Reduction::Max, left, right), larger);
  EXPECT_EQ(reduced(INGOT_FLOAT, Reduction::Min, left, right), smaller);
  EXPECT_EQ(reduced<double>(INGOT_DOUBLE, Reduction::Sum, {0.1}, {0.2}),
            std::vector<double>{0.1 + 0.2});
}

TEST(ReduceTest, integers_wrap) {
  int32_t most = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(reduced<int32_t>(INGOT_INT32, Reduction::Sum, {most, -5}, {1, 7}),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), 2}));
  EXPECT_EQ(reduced<int64_t>(INGOT_INT64, Reduction::Min, {5}, {-7}),
            std::vector<int64_t>{-7});
}

TEST(ReduceTest, the_maximum_of_a_nan_is_a_nan_on_either_side) {
  float nan = std::nanf("");
  for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min}) {
    auto results = reduced<float>(INGOT_FLOAT, reduction, {nan, 1}, {1, nan});
    EXPECT_TRUE(std::isnan(results[0]));
    EXPECT_TRUE(std::isnan(results[1]));
  }
}

TEST(ReduceTest, short_floats_are_rounded_to_nearest_even) {
  // bfloat16: 256 + 1 lies between 256 (0x4380) and 258 (0x4381).
  EXPECT_EQ(
      reduced<uint16_t>(INGOT_BFLOAT16, Reduction::Sum, {0x4380}, {0x3f80}),
      std::vector<uint16_t>{0x4380});
  // float16: 1 + 2 = 3.
  EXPECT_EQ(reduced<uint16_t>(INGOT_HALF, Reduction::Sum, {0x3c00}, {0x4000}),
            std::vector<uint16_t>{0x4200});
}

TEST(ReduceTest, the_neutral_element_changes_nothing) {
  for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min}) {
    std::vector<float> neutral(2);
    fillNeutral(neutral.data(), INGOT_FLOAT, reduction, 2);
    std::vector<float> values{-3, std::numeric_limits<float>::infinity()};
    EXPECT_EQ(reduced(INGOT_FLOAT, reduction, neutral, values), values);
    std::vector<int64_t> whole(1);
    fillNeutral(whole.data(), INGOT_INT64, reduction, 1);
    EXPECT_EQ(reduced<int64_t>(INGOT_INT64, reduction, whole, {-8}),
              std::vector<int64_t>{-8});
  }
}

TEST(ReduceTest, other_types_have_no_function) {
  EXPECT_EQ(reduceFunction(INGOT_STRING, Reduction::Sum), nullptr);
  EXPECT_EQ(reduceFunction(INGOT_BOOL, Reduction::Max), nullptr);
}
