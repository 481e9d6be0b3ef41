//===- CacheHierarchyTest.cpp - Caches as text, and this machine's --------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/CacheHierarchy.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace ingot::cpu;

namespace {

constexpr int64_t kibi = 1024, mebi = 1024 * kibi;

std::string print(const CacheHierarchy &caches) {
  std::string text;
  llvm::raw_string_ostream(text) << caches;
  return text;
}

TEST(CacheHierarchy, ParsesSizesAndWays) {
  auto caches = parseCaches("32K,512K,16M");
  ASSERT_TRUE(bool(caches)) << llvm::toString(caches.takeError());
  EXPECT_EQ(*caches,
            (CacheHierarchy{{32 * kibi, 8}, {512 * kibi, 8}, 16 * mebi}));
  auto ways = parseCaches("48K,1280K/20,54M");
  ASSERT_TRUE(bool(ways)) << llvm::toString(ways.takeError());
  EXPECT_EQ(*ways,
            (CacheHierarchy{{48 * kibi, 12}, {1280 * kibi, 20}, 54 * mebi}));
  EXPECT_EQ(ways->l1.bytesOfWay(), 4 * kibi);
}

TEST(CacheHierarchy, PrintsWhatItParses) {
  for (const char *text : {"32K/8,512K/8,16M", "48K/12,1280K/20,54M",
                           "4096/1,12345/5,1G", "65536/4,1M/16,300K"}) {
    auto caches = parseCaches(text);
    if (!caches) {
      llvm::consumeError(caches.takeError());
      continue;
    }
    auto again = parseCaches(print(*caches));
    ASSERT_TRUE(bool(again)) << text;
    EXPECT_EQ(*again, *caches) << text;
  }
  EXPECT_EQ(print(CacheHierarchy()), "32K/8,1M/8,32M");
}

TEST(CacheHierarchy, RefusesWhatNoCoreHas) {
  for (const char *text : {"",
                           "32K",
                           "32K,512K",
                           "32K,512K,16M,1G",
                           "32K,512K,",
                           "a,b,c",
                           "-32K,512K,16M",
                           "0,0,0",
                           "32K,16M,512K",
                           "512K,32K,16M",
                           "1K,2K,4K",
                           "32K/0,512K,16M",
                           "32K/,512K,16M",
                           "32K/7,512K,16M",
                           "32K/8/8,512K,16M",
                           "32K,512K/128,16M",
                           "32 K,512K,16M",
                           "32KB,512K,16M",
                           "99999999999999999999M,512K,16M",
                           "32K,512K,9223372036854775807M"})
    if (auto caches = parseCaches(text))
      ADD_FAILURE() << "'" << text << "' is read as " << print(*caches);
    else
      EXPECT_NE(llvm::toString(caches.takeError()).find("three sizes"),
                std::string::npos);
}

TEST(CacheHierarchy, LinesAPowerOfTwoApartEvictEachOther) {
  Cache l1 = {32 * kibi, 8};
  EXPECT_FALSE(l1.evicts(8, 4 * kibi));
  EXPECT_TRUE(l1.evicts(9, 4 * kibi));
  EXPECT_TRUE(l1.evicts(9, 8 * kibi));
  EXPECT_FALSE(l1.evicts(16, 2 * kibi));
  EXPECT_TRUE(l1.evicts(17, 2 * kibi));
  // Rows of 1,000 floats: every 32nd one begins in the same set.
  EXPECT_FALSE(l1.evicts(200, 4000));
  EXPECT_TRUE((Cache{48 * kibi, 12}.evicts(13, 4 * kibi)));
}

TEST(CacheHierarchy, ThisMachineHasOne) {
  CacheHierarchy caches = nativeCaches(CacheHierarchy());
  auto again = parseCaches(print(caches));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(*again, caches);
}

} // namespace
