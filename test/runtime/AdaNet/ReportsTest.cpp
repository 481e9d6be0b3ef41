//===- ReportsTest.cpp - report/iteration_reports.json --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Reports.h"

#include "test/runtime/Support/FaultFileSystem.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

// Reports as the accessor of adanet 0.9.0 writes them, with a NaN (AN-193,
// AN-194, AN-200).
const std::string adanets =
    R"([{"iteration_number": 0, "subnetwork_reports": [{"name": "linear", )"
    R"("hparams": {"b": 1, "a": 0.1, "on": true, "text": "x\"y"}, )"
    R"("attributes": {"num_layers": 0, "c": 1e-30}, )"
    R"("metrics": {"adanet_loss": NaN, "acc": 100.0}, )"
    R"("included_in_final_ensemble": true}]}, {"iteration_number": 1, )"
    R"("subnetwork_reports": [{"name": "previous_ensemble", "hparams": {}, )"
    R"("attributes": {}, "metrics": {"m": -Infinity}, )"
    R"("included_in_final_ensemble": false}]}])";

std::string withNull(std::string text) {
  for (std::string_view word : {"NaN", "-Infinity"})
    if (size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), "null");
  return text;
}

TEST(ReportsTest, RoundTripsAdaNetsReports) {
  FaultFileSystem files({".", "report"});
  files.put("report/iteration_reports.json", adanets);
  auto reports = readReports(files, "report");
  ASSERT_TRUE(reports) << reports.status().message();
  ASSERT_EQ(reports->size(), 2u);
  const SubnetworkReport &linear = (*reports)[0].subnetworks[0];
  EXPECT_EQ(linear.name, "linear");
  EXPECT_TRUE(linear.isIncluded);
  // Values keep their types and the order of the file (AN-196).
  EXPECT_EQ(linear.hparams, (ReportValues{{"b", int64_t(1)},
                                          {"a", 0.1},
                                          {"on", true},
                                          {"text", std::string("x\"y")}}));
  EXPECT_EQ(linear.attributes,
            (ReportValues{{"num_layers", int64_t(0)}, {"c", 1e-30}}));
  EXPECT_TRUE(std::isnan(std::get<double>(linear.metrics[0].second)));
  EXPECT_FALSE((*reports)[1].subnetworks[0].isIncluded);
  EXPECT_EQ(printReports(*reports), withNull(adanets));
}

TEST(ReportsTest, PrintsNumbersAsPython) {
  const std::pair<double, const char *> numbers[] = {
      {0, "0.0"},
      {-0.5, "-0.5"},
      {0.1, "0.1"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1e100, "1e+100"},
      {123456.789, "123456.789"},
      {1.0 / 3, "0.3333333333333333"}};
  for (auto [number, text] : numbers)
    EXPECT_EQ(printReportValue(number), text);
  EXPECT_EQ(printReportValue(INFINITY), "null");
}

IterationReport reportOf(int64_t iteration, double loss) {
  return {iteration, {{"linear", {}, {}, {{"loss", loss}}, true}}};
}

TEST(ReportsTest, EntriesAreReplacedByNumber) {
  FaultFileSystem files;
  EXPECT_EQ(readReports(files, "run/report")->size(), 0u);
  for (int64_t iteration : {1, 0, 2, 1})
    ASSERT_TRUE(writeReport(files, "run/report",
                            reportOf(iteration, static_cast<double>(iteration)))
                    .isOk());
  // Reports are in the order of their iterations, one for each (AN-199).
  std::string text = files.get("run/report/iteration_reports.json");
  EXPECT_EQ(text,
            printReports({reportOf(0, 0), reportOf(1, 1), reportOf(2, 2)}));
  ASSERT_TRUE(writeReport(files, "run/report", reportOf(1, 7)).isOk());
  EXPECT_EQ(files.get("run/report/iteration_reports.json"),
            printReports({reportOf(0, 0), reportOf(1, 7), reportOf(2, 2)}));
  // A crash of AdaNet can leave two reports of an iteration: the later one
  // counts.
  files.put("run/report/iteration_reports.json",
            printReports({reportOf(0, 0), reportOf(0, 5), reportOf(1, 1)}));
  auto reports = readReports(files, "run/report");
  ASSERT_TRUE(reports);
  EXPECT_EQ(printReports(*reports),
            printReports({reportOf(0, 5), reportOf(1, 1)}));
}

TEST(ReportsTest, CrashLeavesOldOrNewReports) {
  // A crash leaves the old file or the new one (AN-067, AN-200).
  std::string before = printReports({reportOf(0, 1)}),
              after = printReports({reportOf(0, 1), reportOf(1, 2)});
  for (Crash crash :
       {Crash::KeepsAll, Crash::DropsUnsynced, Crash::Tears, Crash::Reorders})
    for (size_t call = 0;; ++call) {
      FaultFileSystem files({".", "report"});
      files.put("report/iteration_reports.json", before);
      files.crashAtCall(call);
      bool written = writeReport(files, "report", reportOf(1, 2)).isOk();
      files.restart(crash, static_cast<uint32_t>(call));
      std::string found = files.get("report/iteration_reports.json");
      EXPECT_TRUE(found == after || (!written && found == before)) << found;
      ASSERT_TRUE(writeReport(files, "report", reportOf(1, 2)).isOk());
      EXPECT_EQ(files.get("report/iteration_reports.json"), after);
      if (written)
        break;
    }
}

TEST(ReportsTest, DamageIsReportedWithOffset) {
  // A damaged file is an error, never replaced by a new one (AN-248).
  for (size_t size = 0; size < adanets.size(); ++size) {
    FaultFileSystem files({".", "report"});
    files.put("report/iteration_reports.json", adanets.substr(0, size));
    auto read = readReports(files, "report");
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.status().code(), StatusCode::DataLoss);
    EXPECT_FALSE(writeReport(files, "report", reportOf(3, 1)).isOk());
    EXPECT_EQ(files.get("report/iteration_reports.json"),
              adanets.substr(0, size));
  }
  size_t second = adanets.find("{\"iteration_number\": 1");
  const std::pair<std::string, std::string> changes[] = {
      {"\"iteration_number\": 1", "\"iteration_number\": -1"},
      {"\"iteration_number\": 1", "\"iteration_numbr\": 1"},
      {"\"m\": -Infinity", "\"m\": [1]"},
      {"\"hparams\": {}", "\"hparams\": 1"},
      {"\"previous_ensemble\"", "7"},
      {"ensemble\": false", "ensemble\": 0"}};
  for (const auto &[from, to] : changes) {
    std::string text = adanets;
    text.replace(text.find(from, second), from.size(), to);
    FaultFileSystem files({".", "report"});
    files.put("report/iteration_reports.json", text);
    auto read = readReports(files, "report");
    ASSERT_FALSE(read) << to;
    EXPECT_TRUE(read.status().message().starts_with(
        "'report/iteration_reports.json', offset " + std::to_string(second) +
        ": in the report that starts here, "))
        << read.status().message();
  }
  for (const char *other : {"{}", "[1]", "[{}, 2]", "7", "[[]]"}) {
    FaultFileSystem files({".", "report"});
    files.put("report/iteration_reports.json", other);
    EXPECT_EQ(readReports(files, "report").status().code(),
              StatusCode::DataLoss)
        << other;
  }
}

} // namespace
