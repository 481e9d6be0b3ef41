//===- FeedBatchesTest.cpp - Fed arrays, cut into batches -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedBatches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace ingot;

namespace {

class FeedBatchesTest : public testing::Test {
protected:
  /// Makes batches from `count` examples of x [?,2], whose row i is (i, -i),
  /// and a rate that is the same for each batch.
  Expected<FeedBatches> make(int64_t count, FeedBatchOptions options,
                             int64_t fixed = -1) {
    xDims = {count, 2};
    specDims = {fixed, 2};
    x.clear();
    for (int64_t i = 0; i < count; ++i)
      x.insert(x.end(), {static_cast<float>(i), -static_cast<float>(i)});
    specs = {{"x:0", INGOT_FLOAT, 2, specDims.data()},
             {"rate:0", INGOT_FLOAT, 0, nullptr}};
    return FeedBatches::create(specs,
                               {{x.data(), xDims.data(), 2, INGOT_FLOAT},
                                {&rate, nullptr, 0, INGOT_FLOAT}},
                               options);
  }

  /// Takes up to `most` batches, and returns the examples of each.
  std::vector<std::vector<int64_t>> take(FeedBatches &batches, int most = 99) {
    std::vector<std::vector<int64_t>> taken;
    while (most-- > 0) {
      auto batch = batches.batch();
      EXPECT_TRUE(batch);
      if (batch->empty())
        break;
      EXPECT_EQ((*batch)[1].data, &rate);
      const ingot_tensor &tensor = (*batch)[0];
      EXPECT_EQ(tensor.dims[1], 2);
      auto *data = static_cast<const float *>(tensor.data);
      std::vector<int64_t> &examples = taken.emplace_back();
      for (int64_t i = 0; i < tensor.dims[0]; ++i) {
        examples.push_back(static_cast<int64_t>(data[2 * i]));
        EXPECT_EQ(data[2 * i + 1], -data[2 * i]);
      }
      batches.advance();
    }
    return taken;
  }

  std::vector<int64_t> xDims, specDims;
  std::vector<float> x;
  std::vector<ingot_tensor_spec> specs;
  float rate = 0.5f;
};

using Batches = std::vector<std::vector<int64_t>>;

TEST_F(FeedBatchesTest, LastBatchHasRemainder) {
  auto batches = make(5, {2, std::nullopt, 2});
  ASSERT_TRUE(batches);
  EXPECT_EQ(take(*batches),
            (Batches{{0, 1}, {2, 3}, {4}, {0, 1}, {2, 3}, {4}}));
  batches = make(5, {0, std::nullopt, 1});
  EXPECT_EQ(take(*batches), (Batches{{0, 1, 2, 3, 4}}));
}

TEST_F(FeedBatchesTest, FixedBatchesDropRemainder) {
  auto batches = make(5, {2, std::nullopt, 2}, 2);
  ASSERT_TRUE(batches);
  EXPECT_EQ(take(*batches), (Batches{{0, 1}, {2, 3}, {0, 1}, {2, 3}}));
  EXPECT_FALSE(make(5, {3, std::nullopt, 1}, 2));
  EXPECT_FALSE(make(1, {2, std::nullopt, 1}, 2));
  // The feed has the size that the entry states, so it is not cut, and there is
  // nothing to batch.
  EXPECT_FALSE(make(2, {2, std::nullopt, 1}, 2));
}

TEST_F(FeedBatchesTest, EachEpochIsShuffledAnew) {
  auto batches = make(50, {7, 3, 3});
  ASSERT_TRUE(batches);
  Batches taken = take(*batches);
  ASSERT_EQ(taken.size(), 24u);
  std::vector<std::vector<int64_t>> epochs(3);
  for (size_t i = 0; i < taken.size(); ++i)
    epochs[i / 8].insert(epochs[i / 8].end(), taken[i].begin(), taken[i].end());
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
  for (std::vector<int64_t> &epoch : epochs) {
    EXPECT_FALSE(std::is_sorted(epoch.begin(), epoch.end()));
    std::sort(epoch.begin(), epoch.end());
    std::vector<int64_t> all(50);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(epoch, all);
  }
  auto again = make(50, {7, 3, 3});
  EXPECT_EQ(take(*again), taken);
  auto other = make(50, {7, 4, 3});
  EXPECT_NE(take(*other), taken);
}

TEST_F(FeedBatchesTest, PositionIsRestored) {
  for (std::optional<int64_t> seed : {std::optional<int64_t>(), {11}}) {
    auto whole = make(10, {3, seed, 0});
    Batches expected = take(*whole, 30);
    for (int taken = 0; taken < 12; ++taken) {
      auto before = make(10, {3, seed, 0});
      take(*before, taken);
      auto after = make(10, {3, seed, 0});
      ASSERT_TRUE(after->restore(before->state()));
      EXPECT_EQ(take(*after, 5), Batches(expected.begin() + taken,
                                         expected.begin() + taken + 5));
    }
  }
}

TEST_F(FeedBatchesTest, PositionInOtherExamplesIsRejected) {
  auto batches = make(10, {3, std::nullopt, 0});
  take(*batches, 2);
  std::string state = batches->state();
  auto fewer = make(9, {3, std::nullopt, 0});
  EXPECT_FALSE(fewer->restore(state));
  EXPECT_EQ(take(*fewer, 1), (Batches{{0, 1, 2}}));
  auto shuffled = make(10, {3, 1, 0});
  EXPECT_FALSE(shuffled->restore(state));
  for (const char *damaged : {"", "x", "0", "0 -1 of 10 ordered 0",
                              "0 10 of 10 ordered 0", "-1 3 of 10 ordered 0"})
    EXPECT_FALSE(make(10, {3, std::nullopt, 0})->restore(damaged)) << damaged;
}

TEST_F(FeedBatchesTest, NoExamplesGiveNoBatch) {
  auto batches = make(0, {3, 5, 0});
  ASSERT_TRUE(batches);
  EXPECT_EQ(take(*batches), Batches());
}

} // namespace
