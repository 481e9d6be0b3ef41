//===- ConsoleTest.cpp - Messages, log and progress on a terminal ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Console.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

TEST(FitProgressTest, BarFillsTheLine) {
  std::string where = "150/300  loss 0.5", speed = "  10 steps/s  0:15 left";
  EXPECT_EQ(fitProgress(0.5, where, speed, 80), "[" + std::string(15, '#') +
                                                    std::string(15, '.') +
                                                    "] " + where + speed);
  EXPECT_EQ(fitProgress(0.5, where, speed, 59), "[" + std::string(7, '#') +
                                                    std::string(8, '.') + "] " +
                                                    where + speed);
  EXPECT_EQ(fitProgress(-1, where, speed, 80), where + speed);
}

TEST(FitProgressTest, LinesFitAndValuesAreWhole) {
  std::string where = "123456789/200000000  loss 0.123456  accuracy 0.98765  "
                      "learning_rate 0.000123  norm 12345.6",
              speed = "  1234567 steps/s  1:02:03 left";
  for (size_t columns = 2; columns < 200; ++columns) {
    std::string line = fitProgress(0.6, where, speed, columns);
    EXPECT_LT(line.size(), columns);
    if (columns < 80)
      continue;
    EXPECT_NE(line.find(speed), std::string::npos) << line;
    EXPECT_NE(line.find("loss 0.123456 "), std::string::npos) << line;
    std::string shown = line.substr(0, line.find(speed));
    shown = shown.substr(shown.find("123456789"));
    EXPECT_TRUE(where == shown || where.substr(shown.size(), 2) == "  ")
        << line;
  }
}

} // namespace
