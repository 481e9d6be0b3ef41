//===- StoppedReadTest.cpp - Reads that a stop ends -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The input is a pipe without a writer. A read that waits for the pipe must end
// when the program is asked to stop.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "runtime/Input/Iterator.h"
#include "runtime/Support/RunArena.h"
#include "runtime/Support/ThreadStopRequest.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ingot;
using namespace ingot::test;

namespace {

class StoppedRead : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    pipe = directory + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  }
  void TearDown() override {
    ::unlink(pipe.c_str());
    ::rmdir(directory.c_str());
  }

  /// Requests the first element of `dataset` after the stop. The iterator's
  /// position must not change.
  void expectStop(uint32_t dataset) {
    uint32_t index = builder.iterator(dataset);
    InputPipelineOptions options;
    options.stopped = [] { return true; };
    auto created = Iterator::create(builder.program(), index, options);
    ASSERT_TRUE(created) << created.status().message();
    Iterator &iterator = **created;
    ASSERT_TRUE(iterator.make(0).isOk());
    auto before = iterator.save();
    ASSERT_TRUE(before) << before.status().message();
    RunArena memory;
    RunArena::ArenaRunScope scope(memory);
    const void *components[1];
    EXPECT_EQ(iterator.next(components).code(), StatusCode::Cancelled);
    iterator.rewind();
    auto after = iterator.save();
    ASSERT_TRUE(after) << after.status().message();
    EXPECT_EQ(*after, *before);
  }

  ProgramBuilder builder;
  std::string directory = testing::TempDir() + "stopped-XXXXXX";
  std::string pipe;
};

TEST_F(StoppedRead, RecordsStopReading) {
  expectStop(builder.records(builder.strings({pipe})));
}

TEST_F(StoppedRead, CsvRowsStopReading) {
  expectStop(builder.dataset("CSVDatasetV2", {},
                             {builder.int64s({0}, {1}), builder.strings({pipe}),
                              builder.string(""), builder.scalar(4096),
                              builder.boolean(false), builder.string(","),
                              builder.boolean(true), builder.string(""),
                              builder.int64s({}, {0}), builder.int64s({}, {0})},
                             {builder.spec(INGOT_INT64)}));
}

// Two threads wait for a pipe without a writer: the inner one for bytes, the
// outer one for the inner one. Destroying the iterator must wait for both.
TEST_F(StoppedRead, PrefetchThreadEndsWithIterator) {
  uint32_t lines = builder.dataset(
      "TextLineDataset", {},
      {builder.strings({pipe}), builder.string(""), builder.scalar(4096)},
      {builder.spec(INGOT_STRING)});
  uint32_t index =
      builder.iterator(builder.prefetch(builder.prefetch(lines, 8), 8));
  InputPipelineOptions options;
  options.stopped = [] { return ThreadStopRequest::requested(); };
  // The iterator is destroyed, restarted or restored while a read waits.
  for (int way = 0; way < 3; ++way) {
    // An abandoned read may still consume bytes of the old pipe, so a new pipe
    // is made.
    ::unlink(pipe.c_str());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    int writer = ::open(pipe.c_str(), O_RDWR);
    ASSERT_GE(writer, 0);
    auto created = Iterator::create(builder.program(), index, options);
    ASSERT_TRUE(created) << created.status().message();
    ASSERT_TRUE((*created)->make(0).isOk());
    auto state = (*created)->save();
    ASSERT_TRUE(state);
    ASSERT_EQ(::write(writer, "a\nb\n", 4), 4);
    const void *components[1];
    ASSERT_TRUE((*created)->next(components).isOk());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Status again = way == 1   ? (*created)->make(0)
                   : way == 2 ? (*created)->restore(*state)
                              : Status::ok();
    EXPECT_TRUE(again.isOk()) << again.message();
    created->reset();
    ::close(writer);
  }
}

TEST_F(StoppedRead, IsNotIgnored) {
  uint32_t records = builder.records(builder.strings({pipe}));
  expectStop(builder.dataset("IgnoreErrorsDataset", {records}, {},
                             {builder.spec(INGOT_STRING)}));
}

} // namespace
