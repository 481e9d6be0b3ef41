//===- FileLockTest.cpp - A lock on a file --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/FileSystem.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ingot;

namespace {

class FileLockTest : public testing::Test {
protected:
  ~FileLockTest() override { (void)::unlink(path.c_str()); }

  FileSystem &files = FileSystem::posix();
  std::string path =
      testing::TempDir() + "ingot-lock-" + std::to_string(::getpid());
};

TEST_F(FileLockTest, IsHeldByOneAndNamesIt) {
  auto first = files.lock(path, "process 1 on a");
  ASSERT_TRUE(first) << first.status().message();
  auto second = files.lock(path, "process 2 on b");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(second.status().message(), "process 1 on a");
  first->reset();
  EXPECT_FALSE(files.exists(path));
  second = files.lock(path, "process 2 on b");
  EXPECT_TRUE(second) << second.status().message();
}

TEST_F(FileLockTest, LockOfKilledProcessIsReleased) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto lock = files.lock(path, "the child");
    char sign = lock ? 'y' : 'n';
    (void)!::write(ready[1], &sign, 1);
    while (true)
      ::pause();
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  EXPECT_EQ(sign, 'y');
  auto lock = files.lock(path, "the parent");
  EXPECT_FALSE(lock);
  EXPECT_EQ(lock.status().message(), "the child");
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(files.exists(path));
  lock = files.lock(path, "the parent");
  EXPECT_TRUE(lock) << lock.status().message();
  ::close(ready[0]);
  ::close(ready[1]);
}

// If a process waits for the lock of a file that is then removed, it must not
// get a lock of the removed file.
TEST_F(FileLockTest, IsHeldByOneOfMany) {
  std::string counter = path + ".count";
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      for (int taken = 0; taken < 100;) {
        auto lock = files.lock(path, "a child");
        if (!lock)
          continue;
        ++taken;
        // mkdir() fails if another process holds the lock at the same time.
        if (::mkdir(counter.c_str(), 0777) != 0)
          ::_exit(1);
        ::rmdir(counter.c_str());
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(files.exists(path));
  (void)::rmdir(counter.c_str());
}

// Taking the lock empties the file, and releasing it removes the file: that
// must not happen to the target of a link.
TEST_F(FileLockTest, IsRejectedForLinksAndFolders) {
  std::string victim = path + ".victim";
  auto file = files.create(victim);
  ASSERT_TRUE(file && (*file)->append("letters").isOk() &&
              (*file)->close().isOk());
  for (auto [make, part] :
       {std::pair(
            +[](const char *to, const char *at) { return ::symlink(to, at); },
            "is a symbolic link"),
        std::pair(
            +[](const char *to, const char *at) { return ::link(to, at); },
            "has several hard links"),
        std::pair(
            +[](const char *, const char *at) { return ::mkfifo(at, 0666); },
            "is not a file")}) {
    ASSERT_EQ(make(victim.c_str(), path.c_str()), 0);
    FileKind kind = files.kindOf(path);
    auto lock = files.lock(path, "us");
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.status().code(), StatusCode::Unimplemented);
    EXPECT_NE(lock.status().message().find(part), std::string::npos)
        << lock.status().message();
    EXPECT_EQ(files.kindOf(path), kind);
    auto reader = files.openForReading(victim);
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->size(), 7u);
    ASSERT_EQ(::unlink(path.c_str()), 0);
  }
  ASSERT_EQ(::mkdir(path.c_str(), 0777), 0);
  auto lock = files.lock(path, "us");
  EXPECT_EQ(lock.status().code(), StatusCode::Unimplemented);
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  ASSERT_EQ(::unlink(victim.c_str()), 0);
}

TEST_F(FileLockTest, ReportsWhyItFails) {
  auto lock = files.lock("/nonexistent/lock", "nobody");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.status().code(), StatusCode::NotFound);
}

} // namespace
