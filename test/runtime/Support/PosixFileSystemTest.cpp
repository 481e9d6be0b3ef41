//===- PosixFileSystemTest.cpp - Files that are ours alone ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/FileSystem.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ingot;

namespace {

class PosixFileSystemTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(directory.data()), nullptr);
    path = directory + "/file";
    victim = directory + "/victim";
    write(victim, "letters");
  }
  void TearDown() override {
    auto names = files.list(directory);
    for (const std::string &name : *names)
      if (::unlink((directory + "/" + name).c_str()) != 0)
        ::rmdir((directory + "/" + name).c_str());
    ::rmdir(directory.c_str());
  }

  void write(const std::string &to, const std::string &bytes) {
    auto file = files.create(to);
    ASSERT_TRUE(file && (*file)->append(bytes).isOk() &&
                (*file)->close().isOk());
  }
  std::string read(const std::string &from) {
    auto file = files.openForReading(from);
    if (!file)
      return "none";
    std::string bytes((*file)->size(), '\0');
    EXPECT_TRUE((*file)->read(0, bytes.size(), bytes.data()));
    return bytes;
  }

  FileSystem &files = FileSystem::posix();
  std::string directory = testing::TempDir() + "ingot-files-XXXXXX";
  std::string path, victim;
};

TEST_F(PosixFileSystemTest, KindsDoNotFollowLinks) {
  EXPECT_EQ(files.kindOf(path), FileKind::None);
  EXPECT_EQ(files.kindOf(victim), FileKind::Regular);
  EXPECT_EQ(files.kindOf(directory), FileKind::Directory);
  ASSERT_EQ(::symlink(directory.c_str(), path.c_str()), 0);
  EXPECT_EQ(files.kindOf(path), FileKind::Link);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", path.c_str()), 0);
  EXPECT_EQ(files.kindOf(path), FileKind::Link);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(files.kindOf(path), FileKind::Other);
}

TEST_F(PosixFileSystemTest, CreateNewFailsForExistingFile) {
  ASSERT_TRUE(files.createNew(path));
  for (const char *target : {victim.c_str(), "nowhere"}) {
    ASSERT_EQ(::unlink(path.c_str()), 0);
    ASSERT_EQ(::symlink(target, path.c_str()), 0);
    EXPECT_EQ(files.createNew(path).status().code(), StatusCode::AlreadyExists);
  }
  EXPECT_EQ(files.createNew(victim).status().code(), StatusCode::AlreadyExists);
  EXPECT_EQ(read(victim), "letters");
  EXPECT_EQ(read(directory + "/nowhere"), "none");
}

TEST_F(PosixFileSystemTest, TemporaryReplacesOnlyKilledProcessFiles) {
  write(path, "what a kill has left");
  ASSERT_TRUE(createTemporary(files, path));
  EXPECT_EQ(read(path), "");
  // If the path is a hard link to another file, only the name is removed.
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::link(victim.c_str(), path.c_str()), 0);
  ASSERT_TRUE(createTemporary(files, path));
  EXPECT_EQ(read(victim), "letters");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::symlink(victim.c_str(), path.c_str()), 0);
  auto file = createTemporary(files, path);
  EXPECT_EQ(file.status().code(), StatusCode::AlreadyExists);
  EXPECT_NE(file.status().message().find("it is a link"), std::string::npos);
  EXPECT_EQ(files.kindOf(path), FileKind::Link);
  EXPECT_EQ(read(victim), "letters");
}

TEST_F(PosixFileSystemTest, MoveAsideReplacesNothing) {
  for (const char *aside : {".aside", ".aside-2"}) {
    ASSERT_EQ(::symlink(victim.c_str(), path.c_str()), 0);
    auto moved = moveAside(files, path);
    ASSERT_TRUE(moved) << moved.status().message();
    EXPECT_EQ(*moved, path + aside);
    EXPECT_EQ(files.kindOf(*moved), FileKind::Link);
  }
  EXPECT_EQ(read(victim), "letters");
}

} // namespace
