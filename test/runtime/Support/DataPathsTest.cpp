//===- DataPathsTest.cpp - Names of files find their place ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/DataPaths.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

TEST(DataPaths, RelativeNamesStartInTheDirectory) {
  EXPECT_EQ(resolveDataPath("", {}, "data/a"), "data/a");
  EXPECT_EQ(resolveDataPath("/d", {}, "data/a"), "/d/data/a");
  EXPECT_EQ(resolveDataPath("/d/", {}, "data/a"), "/d/data/a");
  EXPECT_EQ(resolveDataPath("/d", {}, "/data/a"), "/data/a");
}

TEST(DataPaths, FirstMatchingMappingApplies) {
  DataMap map = {{"gs://bucket/train", "/mnt/train"},
                 {"gs://bucket", "copies"},
                 {"/old/", "/new/"}};
  EXPECT_EQ(resolveDataPath("/d", map, "gs://bucket/train/a"), "/mnt/train/a");
  EXPECT_EQ(resolveDataPath("/d", map, "gs://bucket/train"), "/mnt/train");
  // A relative path in the map is relative to the directory.
  EXPECT_EQ(resolveDataPath("/d", map, "gs://bucket/test"), "/d/copies/test");
  EXPECT_EQ(resolveDataPath("/d", map, "/old/a"), "/new/a");
  // A prefix matches only whole names of folders.
  EXPECT_EQ(resolveDataPath("/d", map, "/older/a"), "/older/a");
  EXPECT_EQ(resolveDataPath("", map, "gs://bucket/training/a"),
            "copies/training/a");
}

TEST(DataPaths, MappingNeedsFromAndEqualsSign) {
  EXPECT_EQ(parseDataMapping("a=b=c"), (DataMap::value_type("a", "b=c")));
  EXPECT_EQ(parseDataMapping("a="), (DataMap::value_type("a", "")));
  EXPECT_FALSE(parseDataMapping("=b"));
  EXPECT_FALSE(parseDataMapping("ab"));
}

} // namespace
