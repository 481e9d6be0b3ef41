//===- MatchFilesTest.cpp - Patterns find files ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/MatchFiles.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

class MatchFilesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/match-XXXXXX";
    folder = std::string(mkdtemp(pattern.data())) + "/";
    ASSERT_TRUE(files.createDirectories(folder + "e/f").isOk());
    for (const char *name :
         {"a1.txt", "a2.txt", "b1.txt", "e/a3.txt", "e/f/a4.txt"}) {
      auto file = files.create(folder + name);
      ASSERT_TRUE(bool(file));
      ASSERT_TRUE((*file)->close().isOk());
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::vector<std::string> match(const std::vector<std::string> &patterns) {
    auto found = matchFiles(files, patterns, [&](const std::string &name) {
      return name.starts_with('/') ? name : folder + name;
    });
    EXPECT_TRUE(bool(found));
    return found ? *found : std::vector<std::string>();
  }

  FileSystem &files = FileSystem::posix();
  std::string folder;
};

using Names = std::vector<std::string>;

TEST_F(MatchFilesTest, NamesBeginAsThePatternDoes) {
  EXPECT_EQ(match({"a*.txt"}), (Names{"./a1.txt", "./a2.txt"}));
  EXPECT_EQ(match({"./a?.txt"}), (Names{"./a1.txt", "./a2.txt"}));
  EXPECT_EQ(match({"*/a*"}), (Names{"./e/a3.txt"}));
  EXPECT_EQ(match({"e/*/a*"}), (Names{"e/f/a4.txt"}));
  EXPECT_EQ(match({folder + "[ab]1.txt"}),
            (Names{folder + "a1.txt", folder + "b1.txt"}));
}

TEST_F(MatchFilesTest, NamesOfAllPatternsAreSorted) {
  EXPECT_EQ(match({"b*", "a1*", "*1.txt"}),
            (Names{"./a1.txt", "./a1.txt", "./b1.txt", "./b1.txt"}));
}

TEST_F(MatchFilesTest, WhatIsNotThereIsNoError) {
  EXPECT_EQ(match({"none*", "no/folder/*", "a1.txt/*", "a[", "a*/", "e//a*"}),
            Names());
}

TEST_F(MatchFilesTest, AVeryLongPatternTakesNoStack) {
  std::string pattern;
  for (int i = 0; i < 1'000'000; ++i)
    pattern += "a/";
  EXPECT_EQ(match({pattern + "a", "none*/" + pattern + "a"}), Names());
}

} // namespace
