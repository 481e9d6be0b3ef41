//===- RankReportsTest.cpp - Where each rank of a training is -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/RankReports.h"

#include "../Collective/FakeCollective.h"
#include "test/runtime/Session/TrainerProcess.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class RankReportsTest : public testing::Test {
protected:
  void report(unsigned rank, int64_t step, const std::string &phase,
              const std::string &doing, double time) {
    (void)files.createDirectories(folder);
    auto file = files.create(folder + "/" + std::to_string(rank) + ".json");
    ASSERT_TRUE(file);
    std::string text = R"({"host": "node)" + std::to_string(rank) +
                       R"(", "step": )" + std::to_string(step) +
                       R"(, "phase": ")" + phase + R"(", "doing": ")" + doing +
                       R"(", "time": )" + std::to_string(time) + "}";
    ASSERT_TRUE((*file)->append(text).isOk());
    ASSERT_TRUE((*file)->close().isOk());
  }
  std::string late(unsigned ranks) {
    return reader.describeLate(/*self=*/0, ranks, /*now=*/1000);
  }

  FileSystem &files = FileSystem::posix();
  TemporaryDirectory directory;
  std::string folder = directory / "ranks";
  RankReportReader reader{files, folder, /*secondsBetween=*/10};
};

} // namespace

TEST_F(RankReportsTest, a_rank_that_no_longer_reports_is_late) {
  report(1, 811, "waiting", "waits for other ranks", 998);
  report(2, 811, "step", "computes", 698);
  report(3, 811, "waiting", "waits for other ranks", 995);
  EXPECT_EQ(
      late(4),
      "rank 2 (node2) was last at step 811, where it computes, 302 s ago");
}

TEST_F(RankReportsTest, a_rank_that_does_not_wait_itself_is_late) {
  report(1, 812, "waiting", "waits for other ranks", 998);
  report(2, 812, "step", "reads 'input.csv'", 997);
  EXPECT_EQ(late(3), "rank 2 (node2) was last at step 812, where it reads "
                     "'input.csv', 3 s ago");
}

TEST_F(RankReportsTest, rank_0_may_take_its_time_between_steps) {
  EXPECT_FALSE(reader.isFirstBetweenSteps(1000));
  report(0, 812, "between steps", "evaluates", 990);
  EXPECT_TRUE(reader.isFirstBetweenSteps(1000));
  // Not if it no longer reports, makes a step, or waits itself.
  EXPECT_FALSE(reader.isFirstBetweenSteps(1020));
  report(0, 812, "step", "computes", 998);
  EXPECT_FALSE(reader.isFirstBetweenSteps(1000));
  report(0, 812, "waiting", "waits for other ranks", 998);
  EXPECT_FALSE(reader.isFirstBetweenSteps(1000));
}

TEST_F(RankReportsTest, rank_0_is_alive_as_long_as_it_reports) {
  EXPECT_FALSE(reader.isFirstAlive(1000));
  report(0, 812, "waiting", "waits for other ranks", 990);
  EXPECT_TRUE(reader.isFirstAlive(1000));
  EXPECT_FALSE(reader.isFirstAlive(1020));
}

TEST_F(RankReportsTest, damaged_or_missing_reports_say_nothing) {
  EXPECT_EQ(late(3), "");
  report(1, 812, "waiting", "waits for other ranks", 998);
  auto file = files.create(folder + "/2.json");
  ASSERT_TRUE((*file)->append("{\"host\": 7").isOk());
  ASSERT_TRUE((*file)->close().isOk());
  EXPECT_EQ(late(3), "");
}

TEST_F(RankReportsTest, reports_come_and_go_with_the_rank) {
  // A killed run of more ranks has left its own; other files stay.
  report(7, 3, "step", "computes", 1);
  auto mine = files.create(folder + "/mine.json");
  ASSERT_TRUE((*mine)->close().isOk());
  FakeCollectives all(2);
  RankGroup first(all[0], {"node0", "node1"}),
      second(all[1], {"node0", "node1"});
  {
    RankReportWriter own({files, folder, 0.01}, first, "node0");
    RankReportWriter other({files, folder, 0.01}, second, "node1");
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!files.exists(folder + "/1.json") ||
           !files.exists(folder + "/0.json"))
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  auto left = files.list(folder);
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, std::vector<std::string>{"mine.json"});
}
