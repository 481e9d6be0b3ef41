//===- PosixSequentialFileTest.cpp - Files, front to back -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/FileSystem.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ingot;

namespace {

std::atomic<bool> told = false;
bool isTold() { return told; }

class PosixSequentialFileTest : public testing::Test {
protected:
  PosixSequentialFileTest() : path(testing::TempDir() + "ingot-stream-XXXXXX") {
    told = false;
    int file = ::mkstemp(path.data());
    EXPECT_EQ(::write(file, "0123456789", 10), 10);
    ::close(file);
  }
  ~PosixSequentialFileTest() override { ::unlink(path.c_str()); }

  void makePipe() {
    ::unlink(path.c_str());
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  }
  Expected<std::unique_ptr<SequentialFile>> open() {
    return FileSystem::posix().openStream(path, isTold);
  }
  /// Reads up to `size` bytes, as many as come; returns "!" and the code of a
  /// failure.
  static std::string read(SequentialFile &file, size_t size) {
    std::string bytes(size, '\0');
    auto count = file.read(size, bytes.data());
    if (!count)
      return "!" + std::to_string(static_cast<int>(count.status().code()));
    bytes.resize(*count);
    return bytes;
  }

  std::string path;
};

TEST_F(PosixSequentialFileTest, FileIsReadToEndWithSkips) {
  auto file = open();
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(read(**file, 3), "012");
  EXPECT_EQ((*file)->skip(4), 4u);
  EXPECT_EQ(read(**file, 2), "78");
  EXPECT_EQ((*file)->skip(4), 1u);
  EXPECT_EQ(read(**file, 4), "");
}

TEST_F(PosixSequentialFileTest, AvailableBytesAreReadDespiteStop) {
  told = true;
  auto file = open();
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(read(**file, 99), "0123456789");
}

TEST_F(PosixSequentialFileTest, PipeIsReadWhileWritten) {
  makePipe();
  std::thread writer([this] {
    int end = ::open(path.c_str(), O_WRONLY);
    EXPECT_EQ(::write(end, "ab", 2), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(::write(end, "cd", 2), 2);
    ::close(end);
  });
  auto file = open();
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ((*file)->skip(1), 0u);
  EXPECT_EQ(read(**file, 99), "ab");
  EXPECT_EQ(read(**file, 99), "cd");
  EXPECT_EQ(read(**file, 99), "");
  writer.join();
}

TEST_F(PosixSequentialFileTest, StopEndsWaiting) {
  makePipe();
  auto start = std::chrono::steady_clock::now();
  std::thread teller([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    told = true;
  });
  auto file = open(); // the pipe has no writer
  teller.join();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().code(), StatusCode::Cancelled);
  EXPECT_NE(file.status().message().find(path), std::string::npos);

  told = false;
  int end = ::open(path.c_str(), O_RDWR);
  file = open();
  ASSERT_TRUE(file) << file.status().message();
  told = true;
  EXPECT_EQ(read(**file, 1), "!1");
  ::close(end);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(PosixSequentialFileTest, FoldersAreRejected) {
  ::unlink(path.c_str());
  EXPECT_EQ(open().status().code(), StatusCode::NotFound);
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  EXPECT_NE(open().status().message().find("Is a directory"),
            std::string::npos);
  ::rmdir(path.c_str());
}

} // namespace
