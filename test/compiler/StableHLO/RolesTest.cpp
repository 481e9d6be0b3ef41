//===- RolesTest.cpp - The file of roles ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Roles.h"
#include <gtest/gtest.h>

using namespace ingot::stablehlo;

TEST(RolesTest, HaveDefaults) {
  std::vector<std::string> problems;
  Roles roles = parseRoles(
      R"({"state": ["w", {"name": "n", "result": 3, "initial": 2.5, "trainable": false}],
          "outputs": ["loss"], "data": {"records": "examples"}})",
      problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(roles.state.size(), 2u);
  EXPECT_EQ(roles.function, "main");
  EXPECT_EQ(roles.state[0].result, -1);
  EXPECT_FALSE(roles.state[0].initial);
  EXPECT_TRUE(roles.state[0].isTrainable);
  EXPECT_EQ(roles.state[1].result, 3);
  EXPECT_EQ(roles.state[1].initial, 2.5);
  EXPECT_FALSE(roles.state[1].isTrainable);
  EXPECT_TRUE(roles.data.shuffles);
  EXPECT_FALSE(roles.data.seed);
  EXPECT_EQ(roles.maxToKeep, 5);
}

TEST(RolesTest, NeverCrash) {
  std::string text =
      R"({"state": ["w", {"name": "n", "result": 3}], "batch": ["x"],
      "entries": {"all": {"file": "f", "inputs": ["x"], "outputs": ["y"]}}})";
  for (size_t at = 0; at < text.size(); ++at)
    for (char c : {'"', '{', '}', '[', ']', ',', ':', '0', 'x', '\\'}) {
      std::vector<std::string> problems;
      std::string damaged = text;
      damaged[at] = c;
      parseRoles(damaged, problems);
      parseRoles(text.substr(0, at), problems);
      EXPECT_FALSE(problems.empty());
    }
  std::vector<std::string> problems;
  parseRoles(std::string(100000, '['), problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "the JSON is nested too deeply");
}
