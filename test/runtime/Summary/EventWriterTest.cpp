//===- EventWriterTest.cpp - TensorBoard's event files --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventWriter.h"

#include "proto/Event.pb.h"
#include "runtime/ABI/Tensor.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Returns the bytes that hexadecimal digits stand for.
std::string bytes(std::string_view hex) {
  std::string result;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    result += static_cast<char>(
        std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return result;
}

TEST(FrameRecordTest, FramesAsTensorFlowDoes) {
  // The expected bytes were written by TensorFlow 2.15's tf.io.TFRecordWriter.
  EXPECT_EQ(frameRecord("hello"),
            bytes("0500000000000000eab2043e68656c6c6fbb1f1c19"));
  EXPECT_EQ(frameRecord(""), bytes("000000000000000029039807d8ea82a2"));
}

class EventWriterTest : public testing::Test {
protected:
  EventWriterTest() : files({".", "run"}) {}

  std::unique_ptr<EventWriter> create() {
    auto writer = EventWriter::create(files, "run", [this] { return time; });
    EXPECT_TRUE(writer) << writer.status().message();
    return std::move(*writer);
  }

  /// Returns the events of a file, whose records must all be complete.
  std::vector<proto::Event> read(const std::string &path) {
    std::string contents = files.get(path);
    std::vector<proto::Event> events;
    size_t at = 0;
    while (at < contents.size()) {
      uint64_t length;
      std::memcpy(&length, contents.data() + at, sizeof(length));
      std::string data = contents.substr(at + 12, length);
      EXPECT_EQ(contents.substr(at, length + 16), frameRecord(data));
      EXPECT_TRUE(events.emplace_back().ParseFromString(data));
      at += length + 16;
    }
    return events;
  }

  FaultFileSystem files;
  double time = 1700000000.25;
};

TEST_F(EventWriterTest, BeginsWithTheVersionThatTensorBoardLooksFor) {
  auto writer = create();
  EXPECT_TRUE(writer->path().starts_with("run/events.out.tfevents.1700000000."))
      << writer->path();
  auto events = read(writer->path());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[0].wall_time(), 1700000000.25);
}

TEST_F(EventWriterTest, ScalarsOfAStepAreOneEvent) {
  auto writer = create();
  SummaryCollector collector;
  float loss = 0.5f;
  int64_t count = 3;
  uint16_t half = 0x3e00; // the float16 number 1.5
  collector.addScalar("loss", INGOT_FLOAT, &loss);
  collector.addScalar("count", INGOT_INT64, &count);
  collector.addScalar("half", INGOT_HALF, &half);
  time += 1;
  ASSERT_TRUE(writer->addScalars(7, collector.scalars()).isOk());
  auto events = read(writer->path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].step(), 7);
  EXPECT_EQ(events[1].wall_time(), 1700000001.25);
  ASSERT_EQ(events[1].summary().value_size(), 3);
  EXPECT_EQ(events[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 0.5f);
  EXPECT_EQ(events[1].summary().value(1).simple_value(), 3.0f);
  EXPECT_EQ(events[1].summary().value(2).simple_value(), 1.5f);
}

TEST_F(EventWriterTest, StartEventMakesTensorBoardDropLaterSteps) {
  auto writer = create();
  ASSERT_TRUE(writer->addStart(61).isOk());
  ASSERT_TRUE(writer->addCheckpoint(60, "run/model.ckpt-60").isOk());
  auto events = read(writer->path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].step(), 61);
  EXPECT_EQ(events[1].session_log().status(), proto::SessionLog::START);
  EXPECT_EQ(events[2].session_log().status(), proto::SessionLog::CHECKPOINT);
  EXPECT_EQ(events[2].session_log().checkpoint_path(), "run/model.ckpt-60");
}

TEST_F(EventWriterTest, RestartInSameSecondSortsAfter) {
  auto first = create();
  std::string before = files.get(first->path());
  auto second = create();
  auto third = create();
  EXPECT_LT(first->path(), second->path());
  EXPECT_LT(second->path(), third->path());
  EXPECT_EQ(files.get(first->path()), before);
}

TEST_F(EventWriterTest, EventsAreWrittenBeforeReturn) {
  auto writer = create();
  std::string path = writer->path();
  ASSERT_TRUE(writer->addStart(1).isOk());
  // The writer was neither closed nor synced, as after kill -9.
  EXPECT_EQ(read(path).size(), 2u);
}

TEST_F(EventWriterTest, FullDiskIsReportedWithPath) {
  auto writer = create();
  std::string path = writer->path();
  files.failCall(files.calls(), StatusCode::ResourceExhausted);
  Status status = writer->addStart(1);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find(path), std::string::npos);
}

} // namespace
