//===- DescriptionTest.cpp - Descriptions of libraries --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FedProgram.h"

#include "runtime/Embedding/ProgramDescription.h"

using namespace ingot;
using namespace ingot::test;

TEST(Description, ListsEntriesFeedsFetchesAndVariables) {
  static const ingot_program program = fedProgram();
  const ingot_trainer_program &shown = embedding::describeProgram(program);
  EXPECT_EQ(&shown, &embedding::describeProgram(program));
  ASSERT_EQ(shown.num_variables, 6u);
  EXPECT_STREQ(shown.variables[CounterV0].name, "v/part_0");
  EXPECT_EQ(shown.variables[CounterV0].size, 8u);
  EXPECT_EQ(shown.variables[CounterV0].data, nullptr);
  const ingot_trainer_entry *step = nullptr;
  for (size_t i = 0; i < shown.num_entries; ++i)
    if (std::string(shown.entries[i].role) == "step")
      step = &shown.entries[i];
  ASSERT_TRUE(step);
  EXPECT_STREQ(step->name, "step");
  ASSERT_EQ(step->num_feeds, 4u);
  EXPECT_STREQ(step->feeds[1].name, "x:0");
  EXPECT_EQ(step->feeds[1].rank, 2u);
  EXPECT_EQ(step->feeds[1].dims[0], -1);
  ASSERT_EQ(step->num_fetches, 1u);
  EXPECT_STREQ(step->fetches[0].name, "loss:0");
}

TEST(Description, OtherBytesHaveNoDescription) {
  static const ingot_program program = {};
  const ingot_trainer_program &shown = embedding::describeProgram(program);
  EXPECT_EQ(shown.num_entries, 0u);
  EXPECT_STREQ(shown.source, "");
}
