//===- ProgressTest.cpp - What a long compilation is doing ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Progress.h"

#include <gtest/gtest.h>

using namespace ingot::driver;

namespace {

std::string printedBy(bool isShown, std::chrono::milliseconds delay,
                      std::chrono::milliseconds duration) {
  testing::internal::CaptureStderr();
  {
    Progress progress(isShown, delay);
    progress.begin("importing the graph");
    progress.begin("compiling kernels", 7);
    progress.advance();
    progress.advance();
    std::this_thread::sleep_for(duration);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ProgressTest, SaysWhichPartsOfTheStageAreDone) {
  std::string text = printedBy(true, std::chrono::milliseconds(20),
                               std::chrono::milliseconds(200));
  EXPECT_NE(text.find("progress: 0 s: compiling kernels, 2 of 7\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("importing"), std::string::npos) << text;
}

TEST(ProgressTest, SaysNothingOfAShortCompilation) {
  EXPECT_EQ(printedBy(true, std::chrono::hours(1), {}), "");
}

TEST(ProgressTest, SaysNothingUnlessAsked) {
  EXPECT_EQ(printedBy(false, std::chrono::milliseconds(1),
                      std::chrono::milliseconds(20)),
            "");
}

} // namespace
