//===- FlagSetTest.cpp - Flags that are said once -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/FlagSet.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

struct SomeFlags : FlagSet {
  Flag<int64_t> count{this, "--count", "N", "take N", 100, 1};
  Flag<double> seconds{this, "--secs", "S", "wait S seconds", 0.5};
  Flag<std::string> color{this, "--color", "red|blue", "which", "red"};
  Flag<bool> fast{this, "--fast", nullptr, "hurry"};
  Flag<std::vector<std::string>> names{this, "--name", "NAME", "who"};
  UntypedFlag other{this, "--other", "X", "of others"};
};

std::optional<UsageError> readAll(SomeFlags &flags,
                                  std::vector<std::string> arguments) {
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  ParsedFlags parsed;
  if (auto error = parseFlags(flags.specs(), pointers, parsed))
    return error;
  return flags.read(parsed);
}

TEST(FlagSetTest, FlagsHaveTheirDefaultsWhereTheyAreNotGiven) {
  SomeFlags flags;
  ASSERT_FALSE(readAll(flags, {}));
  EXPECT_EQ(flags.count, 100);
  EXPECT_EQ(flags.seconds, 0.5);
  EXPECT_EQ(flags.color.get(), "red");
  EXPECT_FALSE(flags.fast);
  EXPECT_TRUE(flags.names->empty());
  EXPECT_FALSE(flags.count.isGiven());
}

TEST(FlagSetTest, FlagsTakeGivenValues) {
  SomeFlags flags;
  ASSERT_FALSE(
      readAll(flags, {"--count", "7", "--secs=2.5", "--color=blue", "--fast",
                      "--name", "a", "--name", "b", "--other", "x"}));
  EXPECT_EQ(flags.count, 7);
  EXPECT_EQ(flags.seconds, 2.5);
  EXPECT_EQ(flags.color.get(), "blue");
  EXPECT_TRUE(flags.fast);
  EXPECT_EQ(flags.names.get(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(flags.count.isGiven());
  EXPECT_TRUE(flags.other.isGiven());
}

TEST(FlagSetTest, FirstWrongValueIsReported) {
  SomeFlags flags;
  auto error = readAll(flags, {"--secs", "-1", "--count", "0"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "--count: expected a whole number of at least 1, found '0'");
}

TEST(FlagSetTest, HelpSaysDefaultsInTheOrderOfDeclarations) {
  SomeFlags flags;
  std::string help = flagHelp(flags.specs());
  size_t at = 0;
  for (const char *text : {"--count N", "take N (default: 100)", "--secs S",
                           "wait S seconds (default: 0.5)", "--color red|blue",
                           "which (default: red)", "--fast", "hurry\n",
                           "--name NAME ...", "--other X"}) {
    size_t found = help.find(text, at);
    ASSERT_NE(found, std::string::npos) << text << " in\n" << help;
    at = found;
  }
}

TEST(FlagSetTest, HeadingsStandAboveTheirFlagsAndAreNoFlags) {
  struct GroupedFlags : FlagSet {
    FlagHeading first{this, "Most used"};
    Flag<bool> fast{this, "--fast", nullptr, "hurry"};
    FlagHeading second{this, "Others"};
    Flag<bool> slow{this, "--slow", nullptr, "wait"};
  } flags;
  std::vector<FlagSpec> specs = flags.specs();
  std::string help = flagHelp(specs);
  EXPECT_EQ(help.substr(0, 18), "Most used:\n  --fas");
  EXPECT_LT(help.find("--fast"), help.find("\n\nOthers:\n  --slow"));
  ParsedFlags parsed;
  for (std::string argument : {"--Others", "Others", "--most-used"}) {
    char *pointer = argument.data();
    auto error = parseFlags(specs, {&pointer, 1}, parsed);
    // A word without dashes is an argument, which the verb refuses or takes.
    EXPECT_EQ(error.has_value(), argument.front() == '-') << argument;
    if (error)
      EXPECT_EQ(error->hint, "--help lists the flags");
  }
}

} // namespace
