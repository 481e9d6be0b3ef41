//===- FlagsTest.cpp - Command-line flags from a table --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Flags.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

constexpr FlagSpec specs[] = {
    {"--max-steps", "N", "a number"},
    {"--fetch", "TENSOR", "many", true},
    {"--quiet", nullptr, "a switch"},
    {"--secs", "S", "seconds"},
};

class FlagsTest : public testing::Test {
protected:
  std::optional<UsageError> parse(std::vector<std::string> arguments) {
    std::vector<char *> pointers;
    for (std::string &argument : arguments)
      pointers.push_back(argument.data());
    flags = ParsedFlags();
    return parseFlags(specs, pointers, flags);
  }
  ParsedFlags flags;
};

TEST_F(FlagsTest, ReadsBothFormsOfAValue) {
  ASSERT_FALSE(parse({"--max-steps", "7"}));
  EXPECT_EQ(flags.get("--max-steps"), "7");
  ASSERT_FALSE(parse({"--max-steps=8", "--quiet", "one", "two"}));
  EXPECT_EQ(flags.get("--max-steps"), "8");
  EXPECT_TRUE(flags.has("--quiet"));
  EXPECT_EQ(flags.positionals(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(FlagsTest, ValuesMayHaveEqualsSignsAndDashes) {
  ASSERT_FALSE(parse({"--fetch=a=b", "--fetch", "-1"}));
  EXPECT_EQ(flags.all("--fetch"), (std::vector<std::string>{"a=b", "-1"}));
}

TEST_F(FlagsTest, AfterTwoDashesAllAreArguments) {
  ASSERT_FALSE(parse({"--", "--quiet"}));
  EXPECT_FALSE(flags.has("--quiet"));
  EXPECT_EQ(flags.positionals(), (std::vector<std::string>{"--quiet"}));
}

TEST_F(FlagsTest, UnknownFlagSuggestsNearest) {
  auto error = parse({"--max-step", "7"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "unknown flag '--max-step'");
  EXPECT_EQ(error->hint, "did you mean '--max-steps'?");
  error = parse({"--banana"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "unknown flag '--banana'");
  EXPECT_EQ(error->hint.find("did you mean"), std::string::npos);
}

TEST_F(FlagsTest, MistakesAreNamed) {
  EXPECT_EQ(parse({"--max-steps"})->message,
            "--max-steps needs a value: --max-steps N");
  EXPECT_EQ(parse({"--quiet=yes"})->message, "--quiet takes no value");
  EXPECT_EQ(parse({"--max-steps", "1", "--max-steps", "2"})->message,
            "--max-steps is given twice");
}

TEST_F(FlagsTest, NumbersAreCheckedWhole) {
  for (const char *bad : {"7x", "", "-1", "1.5", "99999999999999999999"}) {
    ASSERT_FALSE(parse({"--max-steps", bad}));
    std::optional<UsageError> error;
    flags.getInteger("--max-steps", 0, 0, error);
    ASSERT_TRUE(error) << bad;
    EXPECT_NE(error->message.find("found '" + std::string(bad) + "'"),
              std::string::npos);
  }
  for (const char *bad : {"0", "-3", "nan", "inf", "1s", ""}) {
    ASSERT_FALSE(parse({"--secs", bad}));
    std::optional<UsageError> error;
    flags.getPositive("--secs", 1, error);
    EXPECT_TRUE(error) << bad;
  }
  ASSERT_FALSE(parse({"--max-steps", "7", "--secs", "0.25"}));
  std::optional<UsageError> error;
  EXPECT_EQ(flags.getInteger("--max-steps", 0, 0, error), 7);
  EXPECT_EQ(flags.getPositive("--secs", 1, error), 0.25);
  EXPECT_EQ(flags.getInteger("--other", 42, 0, error), 42);
  EXPECT_FALSE(error);
}

} // namespace
