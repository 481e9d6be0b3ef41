//===- OrderTest.cpp - Elements come in TensorFlow's order ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// For each line of orders.txt, compares the whole sequence of elements, and the
// rest of it from every position at which an iterator can be saved.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class OrderTest : public testing::TestWithParam<Order> {
protected:
  void SetUp() override {
    builder.iterator(buildPipeline(builder, GetParam()));
    program = &builder.program();
  }

  /// Parallel maps call their functions on three threads, or in order.
  std::unique_ptr<Iterator> create(bool isParallel = false) {
    auto created = Iterator::create(*program, 0, mapOptions(isParallel));
    EXPECT_TRUE(created) << created.status().message();
    return std::move(*created);
  }

  /// The number of calls that the reference covers.
  size_t numCalls() const {
    const Order &order = GetParam();
    return order.batchSizes.empty() ? order.elements.size()
                                    : order.batchSizes.size();
  }

  ProgramBuilder builder;
  const ingot_program *program = nullptr;
};

std::string paramName(const testing::TestParamInfo<Order> &info) {
  return info.param.name;
}

TEST_P(OrderTest, EqualsTensorFlows) {
  auto iterator = create();
  ASSERT_TRUE(iterator->make().isOk());
  Taken taken = take(*iterator, numCalls());
  EXPECT_TRUE(taken.status.isOk()) << taken.status.message();
  EXPECT_EQ(taken.values, GetParam().elements);
  if (!GetParam().batchSizes.empty()) {
    EXPECT_EQ(taken.sizes, GetParam().batchSizes);
  }
}

TEST_P(OrderTest, StartsAgainWhenMadeAgain) {
  auto iterator = create();
  ASSERT_TRUE(iterator->make().isOk());
  take(*iterator, numCalls() / 2 + 1);
  ASSERT_TRUE(iterator->make().isOk());
  EXPECT_EQ(take(*iterator, numCalls()).values, GetParam().elements);
}

TEST_P(OrderTest, EqualsTensorFlowsOnThreads) {
  auto iterator = create(/*isParallel=*/true);
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(iterator->make().isOk());
    take(*iterator, numCalls() / 2 + 1);
    ASSERT_TRUE(iterator->make().isOk());
    EXPECT_EQ(take(*iterator, numCalls()).values, GetParam().elements);
  }
}

TEST_P(OrderTest, ResumesFromEveryState) {
  auto iterator = create(/*isParallel=*/true);
  ASSERT_TRUE(iterator->make().isOk());
  Taken before;
  for (size_t k = 0; k <= numCalls(); ++k) {
    auto state = iterator->save();
    ASSERT_TRUE(state) << state.status().message();
    auto resumed = create();
    Status status = resumed->restore(*state);
    ASSERT_TRUE(status.isOk()) << "after " << k << ": " << status.message();
    EXPECT_TRUE(resumed->isMade());
    // A restored iterator saves the same state.
    auto again = resumed->save();
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *state) << "after " << k;
    Taken rest = take(*resumed, numCalls() - k);
    std::vector<int64_t> all = before.values;
    all.insert(all.end(), rest.values.begin(), rest.values.end());
    ASSERT_EQ(all, GetParam().elements) << "after " << k;
    Taken one = take(*iterator, 1);
    before.values.insert(before.values.end(), one.values.begin(),
                         one.values.end());
  }
}

INSTANTIATE_TEST_SUITE_P(Pipelines, OrderTest, testing::ValuesIn(orders()),
                         paramName);

TEST(OrdersFile, HasEveryPipeline) { EXPECT_EQ(orders().size(), 63u); }

} // namespace
