//===- StoppedReadTest.cpp - Reads that a stop ends -----------------------===//
//
// A pipe whose writer never comes, and a program that is told to stop.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "runtime/Input/Iterator.h"
#include "runtime/Support/RunMemory.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
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

  /// The first element of `dataset` is asked for when the stop has come; then
  /// the iterator stands where it did before.
  void expectStop(uint32_t dataset) {
    uint32_t index = builder.iterator(dataset);
    InputOptions options;
    options.stopped = [] { return true; };
    auto created = Iterator::create(builder.program(), index, options);
    ASSERT_TRUE(created) << created.status().message();
    Iterator &iterator = **created;
    ASSERT_TRUE(iterator.make(0).isOk());
    auto before = iterator.save();
    ASSERT_TRUE(before) << before.status().message();
    RunMemory memory;
    RunMemory::Scope scope(memory);
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

TEST_F(StoppedRead, OfRecords) {
  expectStop(builder.records(builder.strings({pipe})));
}

TEST_F(StoppedRead, OfRowsOfCsv) {
  expectStop(builder.dataset("CSVDatasetV2", {},
                             {builder.int64s({0}, {1}), builder.strings({pipe}),
                              builder.string(""), builder.scalar(4096),
                              builder.boolean(false), builder.string(","),
                              builder.boolean(true), builder.string(""),
                              builder.int64s({}, {0}), builder.int64s({}, {0})},
                             {builder.spec(INGOT_INT64)}));
}

TEST_F(StoppedRead, IsNoErrorToIgnore) {
  uint32_t records = builder.records(builder.strings({pipe}));
  expectStop(builder.dataset("IgnoreErrorsDataset", {records}, {},
                             {builder.spec(INGOT_STRING)}));
}

} // namespace
