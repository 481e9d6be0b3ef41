//===- EventFilesTest.cpp - Reading and cutting event files ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"

#include "runtime/Summary/EventWriter.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class EventFilesTest : public testing::Test {
protected:
  EventFilesTest() : files({".", "run"}) {}

  /// Writes an event file with one scalar for each step, and returns its path.
  std::string write(std::initializer_list<int64_t> steps, double time) {
    auto writer = EventWriter::create(files, "run", [=] { return time; });
    EXPECT_TRUE(writer);
    EXPECT_TRUE((*writer)->addStart(*steps.begin()).isOk());
    for (int64_t step : steps) {
      ScalarSummary scalar{"loss", static_cast<float>(step) / 2};
      EXPECT_TRUE((*writer)->addScalars(step, {&scalar, 1}).isOk());
    }
    EXPECT_TRUE((*writer)->close().isOk());
    return (*writer)->path();
  }
  std::vector<int64_t> steps() {
    auto scalars = readScalars(files, "run");
    EXPECT_TRUE(scalars) << scalars.status().message();
    std::vector<int64_t> result;
    for (const auto &[step, values] : *scalars) {
      result.push_back(step);
      EXPECT_EQ(values.at("loss"), static_cast<double>(step) / 2);
    }
    return result;
  }

  FaultFileSystem files;
};

using Steps = std::vector<int64_t>;

TEST_F(EventFilesTest, EventsOfLaterStepsAreRemoved) {
  std::string first = write({1, 11, 21}, 1e9);
  std::string second = write({31, 41, 51}, 2e9);
  std::string untouched = files.get(first);
  ASSERT_TRUE(dropEventsAfter(files, "run", 40).isOk());
  EXPECT_EQ(steps(), (Steps{1, 11, 21, 31}));
  EXPECT_EQ(files.get(first), untouched);
  ASSERT_TRUE(dropEventsAfter(files, "run", 0).isOk());
  EXPECT_EQ(steps(), Steps());
  // The first record, the version, is kept, so that the file is still an event
  // file.
  EXPECT_FALSE(files.get(second).empty());
}

TEST_F(EventFilesTest, CutRecordIsRemoved) {
  std::string path = write({1, 11}, 1e9);
  std::string whole = files.get(path);
  files.put(path, whole + whole.substr(whole.size() - 20, 13));
  ASSERT_TRUE(dropEventsAfter(files, "run", 11).isOk());
  EXPECT_EQ(files.get(path), whole);
  for (size_t size = 0; size < whole.size(); ++size) {
    files.put(path, whole.substr(0, size));
    EXPECT_TRUE(dropEventsAfter(files, "run", 11).isOk());
    EXPECT_TRUE(readScalars(files, "run"));
  }
}

TEST_F(EventFilesTest, OnlyTheEndOfALongFileIsReadAndNothingIsCopied) {
  auto writer = EventWriter::create(files, "run", [] { return 1e9; });
  ASSERT_TRUE(writer);
  constexpr int64_t last = 200000;
  for (int64_t step = 1; step <= last; ++step) {
    ScalarSummary scalar{"loss", static_cast<float>(step) / 2};
    ASSERT_TRUE((*writer)->addScalars(step, {&scalar, 1}).isOk());
  }
  ASSERT_TRUE((*writer)->addCheckpoint(last - 100, "run/model.ckpt-1").isOk());
  ASSERT_TRUE((*writer)->close().isOk());
  std::string whole = files.get((*writer)->path());
  size_t before = files.calls();
  ASSERT_TRUE(dropEventsAfter(files, "run", last - 50).isOk());
  // A record takes two calls: of the 200,000 records, only some hundreds are
  // read.
  EXPECT_LT(files.calls() - before, 10000u);
  std::string cut = files.get((*writer)->path());
  EXPECT_EQ(files.paths().size(), 3u); // ".", "run" and the file
  EXPECT_LT(cut.size(), whole.size());
  // The last record, which names the checkpoint, is written again.
  constexpr size_t note = 40;
  EXPECT_EQ(cut.substr(cut.size() - note), whole.substr(whole.size() - note));
  EXPECT_EQ(cut.substr(0, cut.size() / 2), whole.substr(0, cut.size() / 2));
  std::vector<int64_t> left = steps();
  EXPECT_EQ(left.size(), static_cast<size_t>(last - 50));
  EXPECT_EQ(left.back(), last - 50);
}

TEST_F(EventFilesTest, FileIsCutAtAnyStep) {
  auto writer = EventWriter::create(files, "run", [] { return 1e9; });
  ASSERT_TRUE(writer);
  // Records have many sizes, and some are larger than the buffer for reading.
  for (int64_t step = 1; step <= 60; ++step) {
    std::vector<ScalarSummary> scalars(
        step % 20 == 0 ? 9000 : static_cast<size_t>(step),
        {"loss", static_cast<float>(step) / 2});
    ASSERT_TRUE((*writer)->addScalars(step, scalars).isOk());
  }
  ASSERT_TRUE((*writer)->close().isOk());
  for (int64_t step = 60; step >= 0; --step) {
    ASSERT_TRUE(dropEventsAfter(files, "run", step).isOk());
    ASSERT_EQ(steps().size(), static_cast<size_t>(step));
  }
}

TEST_F(EventFilesTest, OneStepIsRemovedAlone) {
  write({10, 20, 30}, 1e9);
  ASSERT_TRUE(dropEventsOf(files, "run", 20).isOk());
  EXPECT_EQ(steps(), (Steps{10, 30}));
}

TEST_F(EventFilesTest, OtherFilesAreNotTouched) {
  files.put("run/notes.txt", "step 99");
  files.put("run/events.out.tfevents.1.foreign", "no events");
  ASSERT_TRUE(dropEventsAfter(files, "run", 0).isOk());
  EXPECT_EQ(files.get("run/notes.txt"), "step 99");
  EXPECT_EQ(files.get("run/events.out.tfevents.1.foreign"), "no events");
  EXPECT_TRUE(dropEventsAfter(files, "nowhere", 0).isOk());
  EXPECT_TRUE(readScalars(files, "nowhere"));
}

} // namespace
