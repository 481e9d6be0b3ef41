//===- HostLaunchDependencesTest.cpp - Which launch waits for which -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/HostLaunchDependences.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

using Launches = std::vector<LaunchWithDependences>;
using Numbers = std::vector<uint32_t>;

/// The addresses from 64 * begin to 64 * end.
LaunchMemoryAccess read(uintptr_t begin, uintptr_t end) {
  return {64 * begin, 64 * end, false};
}
LaunchMemoryAccess write(uintptr_t begin, uintptr_t end) {
  return {64 * begin, 64 * end, true};
}

void launch(Launches &launches, std::vector<LaunchMemoryAccess> memory) {
  launches.push_back({.row = static_cast<uint32_t>(launches.size()),
                      .iterations = 1,
                      .begin = 0,
                      .isParallel = false,
                      .isAlone = false,
                      .memory = std::move(memory),
                      .before = {},
                      .after = {}});
}

TEST(HostLaunchDependences, ReadersWaitForWriters) {
  Launches launches;
  launch(launches, {write(0, 1)});
  launch(launches, {write(1, 2)});
  launch(launches, {read(0, 1), write(2, 3)});
  launch(launches, {read(0, 2), write(3, 4)});
  orderLaunches(launches);
  EXPECT_EQ(launches[1].before, Numbers());
  EXPECT_EQ(launches[2].before, Numbers({0}));
  EXPECT_EQ(launches[3].before, Numbers({0, 1}));
  EXPECT_EQ(launches[0].after, Numbers({2, 3}));
  EXPECT_EQ(launches[1].after, Numbers({3}));
}

TEST(HostLaunchDependences, WritersWaitForReaders) {
  Launches launches;
  launch(launches, {write(0, 1)});
  launch(launches, {read(0, 1), write(1, 2)});
  launch(launches, {read(0, 1), write(2, 3)});
  launch(launches, {write(0, 1)});
  launch(launches, {write(0, 1)});
  orderLaunches(launches);
  // Launch 3 depends on launch 0 through launches 1 and 2, so that is not
  // listed.
  EXPECT_EQ(launches[3].before, Numbers({1, 2}));
  EXPECT_EQ(launches[4].before, Numbers({3}));
}

TEST(HostLaunchDependences, BuffersMayOverlapInPart) {
  Launches launches;
  launch(launches, {write(0, 4)});
  launch(launches, {write(2, 3)});
  launch(launches, {read(0, 2), write(8, 9)});
  launch(launches, {read(1, 3), write(9, 10)});
  launch(launches, {read(4, 5), write(10, 11)});
  orderLaunches(launches);
  EXPECT_EQ(launches[1].before, Numbers({0}));
  EXPECT_EQ(launches[2].before, Numbers({0}));
  EXPECT_EQ(launches[3].before, Numbers({0, 1}));
  EXPECT_EQ(launches[4].before, Numbers());
}

// Each part of a launch writes its own rows of a tensor; a launch that reads
// all rows waits for all parts.
TEST(HostLaunchDependences, PartsWaitForTheirRows) {
  auto rows = [](LaunchMemoryAccess memory) {
    memory.stride = 64;
    return memory;
  };
  Launches whole;
  launch(whole, {rows(write(0, 4))});
  launch(whole, {rows(read(0, 4)), rows(write(4, 8))});
  launch(whole, {read(4, 8), rows(write(8, 12))});
  launch(whole, {write(0, 4)});
  Launches parts;
  for (LaunchWithDependences &launch : whole) {
    parts.push_back(partOf(launch, 0, 2));
    parts.push_back(partOf(launch, 2, 4));
  }
  orderLaunches(parts);
  EXPECT_EQ(parts[1].before, Numbers());
  EXPECT_EQ(parts[2].before, Numbers({0}));
  EXPECT_EQ(parts[3].before, Numbers({1}));
  EXPECT_EQ(parts[4].before, Numbers({2, 3}));
  EXPECT_EQ(parts[5].before, Numbers({2, 3}));
  // Parts of one launch do not wait for each other, even if they write the same
  // memory.
  EXPECT_EQ(parts[6].before, Numbers({2, 3}));
  EXPECT_EQ(parts[7].before, Numbers({2, 3}));
}

// An optimizer's update reads and writes the same variable.
TEST(HostLaunchDependences, LaunchDoesNotWaitForItself) {
  Launches launches;
  launch(launches, {read(0, 1), write(0, 1)});
  launch(launches, {read(0, 1), write(0, 1)});
  launch(launches, {read(0, 1), write(1, 2)});
  orderLaunches(launches);
  EXPECT_EQ(launches[0].before, Numbers());
  EXPECT_EQ(launches[1].before, Numbers({0}));
  EXPECT_EQ(launches[2].before, Numbers({1}));
}

} // namespace
