//===- FaultFileSystemTest.cpp - The disk that fails, itself tested -------===//
// SPDX-License-Identifier: Apache-2.0

#include "FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

void write(FaultFileSystem &disk, const std::string &path,
           const std::string &bytes, bool sync) {
  auto file = disk.create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(bytes).isOk());
  if (sync) {
    ASSERT_TRUE((*file)->sync().isOk());
  }
  ASSERT_TRUE((*file)->close().isOk());
}

TEST(FaultFileSystem, CrashDropsUnsyncedData) {
  FaultFileSystem disk;
  write(disk, "a", "synced", true);
  ASSERT_TRUE(disk.syncDirectory(".").isOk());
  write(disk, "a", "newer", false);
  write(disk, "b", "no name", true);
  disk.restart(Crash::DropsUnsynced);
  EXPECT_EQ(disk.get("a"), "synced");
  EXPECT_FALSE(disk.exists("b"));
}

TEST(FaultFileSystem, RenameIsDurableAfterDirectorySync) {
  for (bool sync : {false, true}) {
    FaultFileSystem disk;
    disk.put("old", "old");
    write(disk, "new", "new", true);
    ASSERT_TRUE(disk.syncDirectory(".").isOk());
    ASSERT_TRUE(disk.rename("new", "old").isOk());
    if (sync) {
      ASSERT_TRUE(disk.syncDirectory(".").isOk());
    }
    disk.restart(Crash::DropsUnsynced);
    EXPECT_EQ(disk.get("old"), sync ? "new" : "old");
    EXPECT_EQ(disk.exists("new"), !sync);
  }
}

TEST(FaultFileSystem, OneCallFailsAndTheMachineMayGoDown) {
  FaultFileSystem disk;
  disk.put("a", "bytes");
  disk.failCall(1, StatusCode::ResourceExhausted);
  EXPECT_TRUE(disk.openForReading("a"));
  EXPECT_EQ(disk.remove("a").code(), StatusCode::ResourceExhausted);
  EXPECT_TRUE(disk.exists("a"));
  disk.crashAtCall(disk.calls() + 1);
  EXPECT_TRUE(disk.openForReading("a"));
  EXPECT_FALSE(disk.openForReading("a"));
  EXPECT_FALSE(disk.remove("a").isOk());
  disk.restart(Crash::KeepsAll);
  EXPECT_EQ(disk.get("a"), "bytes");
}

} // namespace
