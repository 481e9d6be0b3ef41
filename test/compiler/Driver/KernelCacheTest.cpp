//===- KernelCacheTest.cpp - The cache of compiled kernels ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/KernelCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace ingot;
using namespace ingot::driver;
using namespace llvm;

namespace {

class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("ingot-kernels", folder));
    Expected<KernelCache> opened = KernelCache::open(folder);
    ASSERT_TRUE(bool(opened));
    cache = *opened;
  }
  void TearDown() override { (void)sys::fs::remove_directories(folder); }

  std::string pathOf(StringRef key) {
    SmallString<128> path(folder);
    sys::path::append(path, "llvmcache-" + key);
    return path.str().str();
  }
  bool has(StringRef key) { return sys::fs::exists(pathOf(key)); }

  /// Adds a sparse file of `bytes` bytes, last used `age` ago.
  void put(StringRef key, uint64_t bytes, std::chrono::hours age) {
    int file = 0;
    ASSERT_FALSE(sys::fs::openFileForWrite(pathOf(key), file));
    ASSERT_FALSE(sys::fs::resize_file_sparse(file, bytes));
    auto used = std::chrono::system_clock::now() - age;
    ASSERT_FALSE(sys::fs::setLastAccessAndModificationTime(file, used, used));
    (void)sys::fs::closeFile(file);
  }

  SmallString<128> folder;
  KernelCache cache;
};

TEST_F(KernelCacheTest, WhatIsStoredIsFound) {
  codegen::CompiledKernelImage code;
  code.image = "object file";
  code.facts.grid.base = 7;
  code.facts.grid.terms.push_back({3, -2});
  code.facts.threadsPerBlock = 256;
  code.facts.sharedBytes = 1024;
  code.facts.dynamicSharedBytes = 99;
  code.facts.isPersistent = true;
  code.facts.maps.push_back({2, 4, {{-1, 3, 64}, {70, 0, 8}}});
  code.reason = "too much of it";
  code.function = "a function";
  code.apart = "it is large";
  cache.store("a", code);
  std::optional<codegen::CompiledKernelImage> found = cache.find("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, "object file");
  EXPECT_EQ(found->reason, "too much of it");
  EXPECT_EQ(found->facts, code.facts);
  EXPECT_EQ(found->function, "a function");
  EXPECT_EQ(found->apart, "it is large");
  EXPECT_EQ(found->facts.threadsPerBlock, 256);
  EXPECT_EQ(found->facts.sharedBytes, 1024);
  EXPECT_EQ(found->facts.grid.base, 7);
  ASSERT_EQ(found->facts.grid.terms.size(), 1u);
  EXPECT_EQ(found->facts.grid.terms[0].coefficient, -2);
  EXPECT_FALSE(cache.find("b"));
  // prune() keeps small files that were used recently.
  cache.prune();
  EXPECT_TRUE(cache.find("a"));
}

// docs/guide/kernel-cache.md states the limits: 1 GiB in total, and 30 days
// since the last use.
TEST_F(KernelCacheTest, IsPrunedToAGibibyteOfWhatWasUsedLast) {
  using hours = std::chrono::hours;
  constexpr uint64_t mebibyte = 1 << 20;
  for (int i = 0; i < 5; ++i)
    put("k" + std::to_string(i), 300 * mebibyte, hours(i + 1));
  put("old", 1, hours(31 * 24));
  put("not so old", 1, hours(29 * 24));
  SmallString<128> other(folder);
  sys::path::append(other, "somebody's");
  int file = 0;
  ASSERT_FALSE(sys::fs::openFileForWrite(other, file));
  (void)sys::fs::closeFile(file);
  cache.prune();
  EXPECT_FALSE(has("old"));
  // The cache holds 1500 MiB: prune() removes the least recently used files
  // until 1024 MiB are left.
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(has("k" + std::to_string(i))) << i;
  EXPECT_FALSE(has("k3"));
  EXPECT_FALSE(has("k4"));
  EXPECT_TRUE(sys::fs::exists(other));
}

} // namespace
