//===- AlternativesTest.cpp - An iterator over several datasets -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "Pipelines.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class Alternatives : public testing::Test {
protected:
  void SetUp() override {
    uint32_t train = builder.shuffle(builder.range(6), 3, 42, 7);
    index = builder.iterator(train);
    builder.alternative(index,
                        builder.unary("SkipDataset", builder.range(9), 6));
    iterator = create();
  }

  std::unique_ptr<Iterator> create() {
    auto created = Iterator::create(builder.program(), index, {});
    EXPECT_TRUE(created) << created.status().message();
    return std::move(*created);
  }

  ProgramBuilder builder;
  uint32_t index = 0;
  std::unique_ptr<Iterator> iterator;
};

TEST_F(Alternatives, EachCanMakeTheIterator) {
  ASSERT_TRUE(iterator->make(1).isOk());
  EXPECT_EQ(take(*iterator, 5).values, (std::vector<int64_t>{6, 7, 8}));
  ASSERT_TRUE(iterator->make(0).isOk());
  EXPECT_EQ(take(*iterator, 9).values.size(), 6u);
  EXPECT_EQ(iterator->make(2).code(), StatusCode::InvalidArgument);
}

TEST_F(Alternatives, AreRestoredFromTheirOwnState) {
  for (uint32_t pipeline : {0u, 1u}) {
    ASSERT_TRUE(iterator->make(pipeline).isOk());
    take(*iterator, 1);
    std::string state = *iterator->save();
    std::vector<int64_t> rest = take(*iterator, 9).values;
    auto other = create();
    ASSERT_TRUE(other->make(1 - pipeline).isOk());
    take(*other, 2);
    ASSERT_TRUE(other->restore(state).isOk());
    EXPECT_EQ(take(*other, 9).values, rest);
  }
}

TEST_F(Alternatives, MissingAlternativeRejectsState) {
  ASSERT_TRUE(iterator->make(1).isOk());
  std::string state = *iterator->save();
  ProgramBuilder other;
  other.iterator(other.shuffle(other.range(6), 3, 42, 7));
  auto lone = Iterator::create(other.program(), 0, {});
  ASSERT_TRUE(lone);
  Status status = (*lone)->restore(state);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find(
                "has no pipeline 1: pipelines are numbered from 0, and their "
                "count is 1"),
            std::string::npos)
      << status.message();
}

} // namespace
