//===- ReplaceFileTest.cpp - Files that appear whole or not at all --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ReplaceFile.h"

#include "FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

constexpr const char *path = "file", *temporary = "file.tmp";

/// Appends in two calls, so that the second one can fail.
Status twoParts(WritableFile &file) {
  INGOT_RETURN_IF_ERROR(file.append("new "));
  return file.append("bytes");
}

TEST(ReplaceFile, FailureOfAnyCallKeepsFile) {
  FaultFileSystem counted;
  ASSERT_TRUE(replaceFile(counted, path, temporary, twoParts).isOk());
  ASSERT_EQ(counted.get(path), "new bytes");
  EXPECT_FALSE(counted.exists(temporary));
  ASSERT_GT(counted.calls(), 4u);
  for (size_t call = 0; call < counted.calls(); ++call) {
    FaultFileSystem disk;
    disk.put(path, "old bytes");
    disk.failCall(call, StatusCode::ResourceExhausted);
    Status status = replaceFile(disk, path, temporary, twoParts);
    EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << call;
    EXPECT_EQ(disk.get(path), "old bytes") << call;
    EXPECT_FALSE(disk.exists(temporary)) << call;
  }
}

TEST(ReplaceFile, CrashLeavesOldOrNewFile) {
  FaultFileSystem counted;
  counted.put(path, "old bytes");
  ASSERT_TRUE(replaceFile(counted, path, temporary, twoParts).isOk());
  for (Crash crash :
       {Crash::KeepsAll, Crash::DropsUnsynced, Crash::Tears, Crash::Reorders})
    for (size_t call = 0; call <= counted.calls(); ++call) {
      FaultFileSystem disk;
      disk.put(path, "old bytes");
      disk.crashAtCall(call);
      (void)replaceFile(disk, path, temporary, twoParts);
      disk.restart(crash, static_cast<uint32_t>(call));
      std::string bytes = disk.get(path);
      EXPECT_TRUE(bytes == "old bytes" || bytes == "new bytes")
          << "crash before call " << call << " left '" << bytes << "'";
    }
}

TEST(ReplaceFile, FileOfKilledProcessIsReplaced) {
  FaultFileSystem disk;
  disk.put(temporary, "half of something");
  ASSERT_TRUE(
      replaceFile(disk, path, temporary, contentsOf("all of it")).isOk());
  EXPECT_EQ(disk.get(path), "all of it");
}

TEST(ReplaceFile, LinkAtTemporaryPathIsNotFollowed) {
  FaultFileSystem disk;
  disk.put(path, "old bytes");
  disk.put(temporary, "somebody's");
  disk.setKind(temporary, FileKind::Link);
  Status status = replaceFile(disk, path, temporary, twoParts);
  EXPECT_EQ(status.code(), StatusCode::AlreadyExists);
  EXPECT_NE(status.message().find("is a link"), std::string::npos);
  EXPECT_EQ(disk.get(path), "old bytes");
  EXPECT_EQ(disk.get(temporary), "somebody's");
}

} // namespace
