//===- CheckpointSaveIdTest.cpp - Stamps of what was saved together -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointSaveId.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

TEST(CheckpointSaveId, RoundTrips) {
  CheckpointSaveId stamp{60, 0x0123abcd, 2, 0xffffffff};
  EXPECT_EQ(stamp.text(), "step 60, id 0123abcd, random ffffffff of 2");
  auto parsed = CheckpointSaveId::parse(stamp.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->text(), stamp.text());
  for (const char *text :
       {"", "step 60", "step x, id 0123abcd, random ffffffff of 2",
        "step 60, id 0123abcd, random ffffffff of 2 ",
        "step 060, id 0123abcd, random ffffffff of 2"})
    EXPECT_FALSE(CheckpointSaveId::parse(text)) << text;
}

TEST(CheckpointSaveId, IsRemovedFromState) {
  for (std::string state : {std::string(), std::string("state\0state", 11)}) {
    std::string stamped = withStamp(state, {-1, 7, 0, 0});
    EXPECT_EQ(stamped.size(), state.size() + 20);
    auto stamp = takeStamp(stamped);
    ASSERT_TRUE(stamp);
    EXPECT_EQ(stamp->step, -1);
    EXPECT_EQ(stamp->id, 7u);
    EXPECT_EQ(stamped, state);
    EXPECT_FALSE(takeStamp(stamped));
    EXPECT_EQ(stamped, state);
  }
}

} // namespace
