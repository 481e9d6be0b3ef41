//===- StaticLaunchSchedulesTest.cpp - Small launches side by side --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/StaticLaunchSchedules.h"

#include <gtest/gtest.h>
#include <set>

using namespace ingot;

namespace {

/// A kernel that adds 1 to numbers.
void addOne(void *const *arguments, int64_t begin, int64_t end) {
  const auto *input = static_cast<const float *>(arguments[0]);
  auto *output = static_cast<float *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    output[i] = input[i] + 1;
}

/// A kernel that adds two arrays.
void addUp(void *const *arguments, int64_t begin, int64_t end) {
  const auto *a = static_cast<const float *>(arguments[0]);
  const auto *b = static_cast<const float *>(arguments[1]);
  auto *output = static_cast<float *>(arguments[2]);
  for (int64_t i = begin; i < end; ++i)
    output[i] = a[i] + b[i];
}

constexpr int64_t length = 64;

/// Tests with an entry whose buffers are arrays of numbers; buffer 0 is fed.
class LaunchGroups : public testing::Test {
protected:
  LaunchGroups() : buffers(16, std::vector<float>(length)) {
    program.num_kernels = 7;
    program.kernels = kernels;
  }

  static ingot_kernel_code codeOf(ingot_kernel run, int64_t flops) {
    return {.run = run,
            .grid_base = length,
            .grid_step = 1,
            .num_terms = 0,
            .terms = nullptr,
            .scratch_size = 0,
            .flops = flops,
            .bytes = 0,
            .num_strides = 0,
            .strides = nullptr};
  }
  /// A kernel whose iterations each write elements of their own.
  static ingot_kernel_code rowsOf(ingot_kernel run) {
    static constexpr int64_t strides[2] = {sizeof(float), sizeof(float)};
    ingot_kernel_code code = codeOf(run, 10);
    code.num_strides = 2;
    code.strides = strides;
    return code;
  }

  /// A kernel whose iterations read all of the input, and each write elements
  /// of their own.
  static ingot_kernel_code outputRowsOf(ingot_kernel run) {
    static constexpr int64_t strides[2] = {0, sizeof(float)};
    ingot_kernel_code code = codeOf(run, 10);
    code.num_strides = 2;
    code.strides = strides;
    return code;
  }

  void launch(uint32_t kernel, std::initializer_list<uint32_t> operands) {
    rows.push_back({kernel, static_cast<uint32_t>(slots.size()), 0, 1});
    for (uint32_t buffer : operands) {
      auto slot = static_cast<uint32_t>(slots.size());
      if (buffer != 0)
        fixed.push_back({slot, INGOT_ARGUMENT_ARENA, 0});
      slots.push_back(buffers[buffer].data());
    }
  }

  void schedule(unsigned threads = 2,
                const LaunchScheduleOptions &options = {}) {
    plans = planKernels(program, 0, threads);
    MeasuredLaunchTimes times(rows.size());
    for (size_t row = 0; row < rows.size(); ++row)
      times.add(row, nanoseconds[rows[row].kernel]);
    result = scheduleLaunches(program, 0, plans, threads, slots.data(), fixed,
                              rows, times, options);
  }

  /// Returns the phase in which row `row` runs; -1 if there are no phases.
  int phaseOf(uint32_t row) const {
    for (size_t i = 0; i < result.phases.size(); ++i)
      if (result.phases[i].group ? !listsOf(i, row).empty()
                                 : result.phases[i].row == row)
        return i;
    return -1;
  }

  /// Returns the threads whose lists contain row `row`.
  std::set<size_t> threadsOf(uint32_t row) const {
    int phase = phaseOf(row);
    return phase < 0 || !result.phases[phase].group ? std::set<size_t>()
                                                    : listsOf(phase, row);
  }

  std::set<size_t> listsOf(size_t phase, uint32_t row) const {
    const ConcurrentLaunchGroup &group = *result.phases[phase].group;
    std::set<size_t> found;
    for (size_t thread = 0; thread < group.lists.size(); ++thread)
      for (uint32_t task : group.lists[thread])
        if (group.tasks[task].row == row)
          found.insert(thread);
    return found;
  }

  void run() {
    for (const LaunchesBetweenBarriers &phase : result.phases)
      if (phase.group)
        runGroup(*phase.group, plans, slots.data(), rows.data());
      else
        plans[rows[phase.row].kernel].run(
            slots.data() + rows[phase.row].arguments, 0, length);
  }

  const int64_t dims[1] = {length};
  const int64_t open[1] = {-1};
  const ingot_tensor_spec unary[2] = {{"", INGOT_FLOAT, 1, dims},
                                      {"", INGOT_FLOAT, 1, dims}};
  const int64_t manyDims[1] = {16 * 1024};
  const ingot_tensor_spec heavy[2] = {{"", INGOT_FLOAT, 1, manyDims},
                                      {"", INGOT_FLOAT, 1, manyDims}};
  const ingot_tensor_spec binary[3] = {{"", INGOT_FLOAT, 1, dims},
                                       {"", INGOT_FLOAT, 1, dims},
                                       {"", INGOT_FLOAT, 1, dims}};
  const ingot_kernel_code codes[7] = {
      codeOf(addOne, 10),        codeOf(addUp, 10),  codeOf(addOne, 10),
      codeOf(addOne, 1'000'000), codeOf(addOne, 10), rowsOf(addOne),
      outputRowsOf(addOne)};
  static constexpr int64_t nanoseconds[7] = {8000, 8000, 10,  500'000,
                                             5000, 8000, 8000};
  const ingot_kernel_info kernels[7] = {
      {"one", &codes[0], 2, unary, 1},        {"up", &codes[1], 3, binary, 2},
      {"little", &codes[2], 2, unary, 1},     {"large", &codes[3], 2, unary, 1},
      {"heavy", &codes[4], 2, heavy, 1},      {"rows", &codes[5], 2, unary, 1},
      {"output rows", &codes[6], 2, unary, 1}};
  ingot_program program = {};
  std::vector<std::vector<float>> buffers;
  std::vector<void *> slots;
  std::vector<ingot_argument> fixed;
  std::vector<ingot_launch> rows;
  std::vector<CpuKernel> plans;
  LaunchSchedule result;
};

// Two members of two layers each run on two threads; the last launch adds their
// results.
TEST_F(LaunchGroups, MembersRunOnSeparateThreads) {
  launch(0, {0, 1});
  launch(0, {0, 2});
  launch(0, {1, 3});
  launch(0, {2, 4});
  launch(1, {3, 4, 5});
  schedule();
  EXPECT_EQ(threadsOf(0), threadsOf(2));
  EXPECT_EQ(threadsOf(1), threadsOf(3));
  EXPECT_NE(threadsOf(0), threadsOf(1));
  EXPECT_EQ(phaseOf(0), phaseOf(4));
  // The address of a fed buffer is set in each run.
  std::set<uint32_t> open;
  for (const DynamicArgumentSlot &slot : result.dynamicSlots)
    open.insert(slot.slot);
  EXPECT_EQ(open, (std::set<uint32_t>{0, 2}));
  run();
  EXPECT_EQ(buffers[5], std::vector<float>(length, 4));
}

// Launches on the critical path are scheduled before others.
TEST_F(LaunchGroups, CriticalPathIsScheduledFirst) {
  for (uint32_t i = 1; i < 5; ++i)
    launch(0, {0, i});
  for (uint32_t i = 5; i < 9; ++i)
    launch(0, {i == 5 ? 0 : i - 1, i});
  schedule();
  size_t thread = *threadsOf(4).begin();
  const ConcurrentLaunchGroup &group = *result.phases[0].group;
  EXPECT_EQ(group.tasks[group.lists[thread][0]].row, 4u);
  EXPECT_EQ(threadsOf(5), threadsOf(4));
  EXPECT_NE(threadsOf(0), threadsOf(4));
}

// The buffer is written again after a launch has read it, so that all launches
// form one chain.
TEST_F(LaunchGroups, OneChainIsNotWorthSeveralThreads) {
  launch(0, {0, 1});
  launch(0, {1, 2});
  launch(0, {3, 1});
  launch(0, {1, 4});
  schedule();
  EXPECT_TRUE(result.phases.empty());
}

// Fetches have memory of their own; if a fetch overlaps other memory, the
// schedule is not valid.
TEST_F(LaunchGroups, FetchesRunBesideOtherLaunches) {
  for (uint32_t i = 1; i < 5; ++i)
    launch(0, {i, i + 5});
  launch(0, {5, 0});
  for (uint32_t i = 1; i < 5; ++i)
    launch(0, {i, i + 10});
  schedule();
  EXPECT_EQ(threadsOf(4).size(), 1u);
  EXPECT_EQ(result.phases.size(), 1u);
  ASSERT_EQ(result.dynamicSlots.size(), 1u);
  EXPECT_TRUE(
      pointToDisjoint(result.dynamicSlots, result.fixedMemory, slots.data()));
  std::vector<DynamicArgumentSlot> open = {
      {0, 256, false, 0}, {1, 256, true, 1}, {2, 256, false, 0}};
  std::vector<char> memory(1024);
  auto lead = [&](size_t a, size_t b, size_t c) {
    void *to[] = {&memory[a], &memory[b], &memory[c]};
    return pointToDisjoint(open, {}, to);
  };
  EXPECT_TRUE(lead(0, 256, 0));
  EXPECT_FALSE(lead(0, 256, 512));
  EXPECT_FALSE(lead(0, 255, 0));
}

// The rows of a loop are in the entry's memory, at another place in each
// iteration. The schedule is valid unless another slot points to the same
// place.
TEST_F(LaunchGroups, LoopRowsMayMoveToDisjointMemory) {
  std::vector<char> memory(1024);
  auto address = [&](size_t at) {
    return reinterpret_cast<uintptr_t>(&memory[at]);
  };
  StaticArgumentMemoryRanges fixed;
  fixed.add(address(512), address(640), /*isWritten=*/true);
  fixed.add(address(256), address(384), /*isWritten=*/false);
  fixed.add(address(384), address(448), /*isWritten=*/false);
  fixed.sort();
  auto lead = [&](size_t at, bool isWritten) {
    std::vector<DynamicArgumentSlot> open = {{0, 64, isWritten, 0}};
    void *to[] = {&memory[at]};
    return pointToDisjoint(open, fixed, to);
  };
  for (bool isWritten : {false, true})
    for (size_t at : {0, 192, 448, 640, 960})
      EXPECT_TRUE(lead(at, isWritten)) << at;
  for (size_t at : {193, 256, 320, 400, 447}) {
    EXPECT_TRUE(lead(at, false)) << at;
    EXPECT_FALSE(lead(at, true)) << at;
  }
  for (size_t at : {449, 512, 639}) {
    EXPECT_FALSE(lead(at, false)) << at;
    EXPECT_FALSE(lead(at, true)) << at;
  }
}

// The members share the input of a layer, but not its weights. Launches stay on
// the core that has their weights, although moving them would end the run
// slightly sooner.
TEST_F(LaunchGroups, LaunchesKeepAffinity) {
  buffers.assign(16, std::vector<float>(16 * 1024));
  for (int round = 0; round < 3; ++round)
    for (uint32_t member = 1; member < 5; ++member)
      launch(4, {member, member + 4});
  schedule();
  for (uint32_t row = 4; row < 12; ++row)
    EXPECT_EQ(threadsOf(row), threadsOf(row % 4)) << row;
}

TEST(MeasuredLaunchTimes, MinimumCounts) {
  MeasuredLaunchTimes times(3);
  for (int64_t time : {5000, 2000, 3000, 4000}) {
    times.add(1, time);
    times.add(1, 3 * time, /*isShared=*/true);
    times.add(2, 3 * time);
    times.add(2, time, /*isShared=*/true);
  }
  EXPECT_EQ(times.of(1), 2000);
  EXPECT_FALSE(times.isFasterShared(1));
  EXPECT_EQ(times.ofShared(2, 2), 2000);
  EXPECT_TRUE(times.isFasterShared(2));
  EXPECT_TRUE(times.gainsByMixing());
}

// A launch that is slower on several threads runs on one thread, while other
// threads run other launches.
TEST_F(LaunchGroups, LaunchesSlowerOnThreadsAreNotShared) {
  launch(3, {0, 1});
  launch(3, {1, 2});
  plans = planKernels(program, 0, 2);
  MeasuredLaunchTimes times(rows.size());
  for (bool isShared : {false, true}) {
    times.add(0, isShared ? 900'000 : 500'000, isShared);
    times.add(1, isShared ? 300'000 : 500'000, isShared);
  }
  LaunchSchedule schedule =
      scheduleLaunches(program, 0, plans, 2, slots.data(), fixed, rows, times,
                       {.runsConcurrently = false});
  ASSERT_EQ(schedule.phases.size(), 2u);
  EXPECT_FALSE(schedule.phases[0].isShared);
  EXPECT_TRUE(schedule.phases[1].isShared);
}

TEST_F(LaunchGroups, SmallGroupsRunOnOneThread) {
  for (uint32_t i = 1; i < 9; ++i)
    launch(2, {0, i});
  schedule();
  EXPECT_TRUE(result.phases.empty());
}

// A large launch is worth several threads; the launches before and after it are
// not.
TEST_F(LaunchGroups, LargeGridIsShared) {
  launch(0, {0, 1});
  launch(0, {0, 2});
  launch(3, {1, 3});
  launch(1, {2, 3, 4});
  launch(0, {2, 5});
  schedule();
  EXPECT_EQ(threadsOf(2), (std::set<size_t>{0, 1}));
  run();
  EXPECT_EQ(buffers[4], std::vector<float>(length, 3));
}

// Launches that each work on rows: a thread keeps its rows and does not wait
// for other threads. Only the launch that reads all rows waits for both
// threads.
TEST_F(LaunchGroups, ThreadsKeepTheirRows) {
  launch(5, {1, 2});
  launch(5, {2, 3});
  launch(5, {3, 4});
  launch(2, {4, 5});
  schedule(2, {.isCut = true});
  ASSERT_EQ(result.phases.size(), 1u);
  const ConcurrentLaunchGroup &group = *result.phases[0].group;
  ASSERT_EQ(group.tasks.size(), 7u);
  for (size_t thread = 0; thread < 2; ++thread) {
    uint32_t last = group.lists[thread][0];
    EXPECT_TRUE(group.tasks[last].before.empty());
    for (size_t i = 1; i < 3; ++i) {
      uint32_t task = group.lists[thread][i];
      EXPECT_EQ(group.tasks[task].before, std::vector<uint32_t>{last});
      EXPECT_EQ(group.tasks[task].begin, group.tasks[last].begin);
      EXPECT_EQ(group.tasks[task].end, group.tasks[last].end);
      last = task;
    }
  }
  EXPECT_EQ(group.tasks[6].before.size(), 2u);
  run();
  EXPECT_EQ(buffers[5], std::vector<float>(length, 4));
}

// The gradient of a layer's weights reads all rows of the batch, and each
// iteration writes rows of its own.
TEST_F(LaunchGroups, GridsThatWriteTheirRowsAreCut) {
  launch(6, {1, 2});
  launch(6, {2, 3});
  schedule(2, {.isCut = true});
  ASSERT_EQ(result.phases.size(), 1u);
  for (uint32_t row : {0, 1})
    EXPECT_EQ(threadsOf(row), (std::set<size_t>{0, 1})) << row;
  // The second launch reads what both threads have written.
  const ConcurrentLaunchGroup &group = *result.phases[0].group;
  EXPECT_EQ(group.tasks[2].before, (std::vector<uint32_t>{1, 0}));
  run();
  EXPECT_EQ(buffers[3], std::vector<float>(length, 2));
}

// Another core reads the 64 KB that a launch of 5 us has written in 2 us, so
// that two threads gain.
TEST_F(LaunchGroups, MovedDataDoesNotKeepLaunchesOnOneThread) {
  buffers.assign(16, std::vector<float>(16 * 1024));
  launch(4, {0, 1});
  launch(4, {1, 2});
  launch(4, {1, 3});
  schedule();
  ASSERT_FALSE(result.phases.empty());
  EXPECT_NE(threadsOf(1), threadsOf(2));
}

// With many threads, the parts of a launch of 8 us take 500 ns or more, and
// threads without a part do not join.
TEST_F(LaunchGroups, ManyThreadsGetNoTinyParts) {
  launch(5, {1, 2});
  launch(5, {2, 3});
  for (unsigned threads : {2, 8, 16, 64, 200}) {
    schedule(threads, {.isCut = true});
    ASSERT_EQ(result.phases.size(), 1u) << threads;
    size_t used = result.phases[0].group->lists.size();
    EXPECT_GE(used, 2u) << threads;
    EXPECT_LE(used, std::min(threads, 16u)) << threads;
  }
  run();
  EXPECT_EQ(buffers[3], std::vector<float>(length, 2));
}

// Two launches of 64 KB each, which depend on one: more threads than two would
// only have to be waited for.
TEST_F(LaunchGroups, PlansUseNoMoreThreadsThanHelp) {
  buffers.assign(16, std::vector<float>(16 * 1024));
  launch(4, {0, 1});
  launch(4, {1, 2});
  launch(4, {1, 3});
  int64_t last = INT64_MAX;
  for (unsigned threads : {2, 4, 16, 64}) {
    schedule(threads);
    ASSERT_EQ(result.phases.size(), 1u);
    EXPECT_LE(result.phases[0].group->lists.size(), 2u) << threads;
    EXPECT_LE(result.time, last) << threads;
    last = result.time;
  }
}

// A trace says what one thread does by itself: the launch of 8 us before two
// that run concurrently.
TEST_F(LaunchGroups, TimeOfOneThreadIsKnown) {
  launch(0, {0, 1});
  launch(0, {1, 2});
  launch(0, {1, 3});
  launch(0, {2, 4});
  launch(0, {3, 5});
  schedule();
  ASSERT_FALSE(result.phases.empty());
  EXPECT_EQ(result.onOneThread.launches, 5u);
  // Costs of crossing to another thread and of claiming tasks come on top.
  EXPECT_NEAR(result.onOneThread.nanoseconds, 8000, 1000);
  EXPECT_NEAR(result.time, 24'000, 2000);
}

TEST(MeasuredLaunchTimes, OverheadStaysForOtherNumbersOfThreads) {
  MeasuredLaunchTimes times(3);
  for (size_t launch : {0, 1, 2})
    times.add(launch, 64'000);
  for (size_t launch : {0, 1})
    times.add(launch, 34'000, /*isShared=*/true);
  const int64_t iterations[] = {1000, 4, 1000};
  MeasuredLaunchTimes scaled = times.forThreads(16, 2, iterations);
  EXPECT_EQ(scaled.ofShared(0, 16), 4'000 + 2'000);
  EXPECT_EQ(scaled.ofShared(1, 16), 16'000 + 2'000);
  // Without a measured time, the launch is taken to divide evenly.
  EXPECT_EQ(scaled.ofShared(2, 16), 4'000);
}

// Without trying to cut small grids, the same launches are one chain.
TEST_F(LaunchGroups, SmallGridsAreCutWhereThatIsTried) {
  launch(5, {1, 2});
  launch(5, {2, 3});
  schedule();
  EXPECT_TRUE(result.phases.empty());
}

// Chains that share memory run repeatedly: the results must not depend on which
// thread runs which launch.
TEST_F(LaunchGroups, EveryRunHasEqualResults) {
  auto fill = [&] {
    for (size_t i = 0; i < buffers.size(); ++i)
      buffers[i].assign(length, static_cast<float>(i));
  };
  for (uint32_t round = 0; round < 12; ++round)
    for (uint32_t i = 1; i < 9; ++i)
      launch(1, {i, 1 + (i * 3 + round) % 8, 1 + (i + 1 + round) % 8});
  launch(3, {1, 9});
  fill();
  for (const ingot_launch &row : rows)
    kernels[row.kernel].code->run(slots.data() + row.arguments, 0, length);
  std::vector<std::vector<float>> expected = buffers;
  schedule();
  ASSERT_FALSE(result.phases.empty());
  for (int i = 0; i < 300; ++i) {
    fill();
    run();
    ASSERT_EQ(buffers, expected) << i;
  }
}

// More threads than cores spin twenty times before they sleep: no thread may
// stay asleep when the others end the run.
TEST_F(LaunchGroups, NoThreadSleepsThroughTheEnd) {
  for (uint32_t chain = 1; chain < 5; ++chain)
    for (uint32_t i = 0; i < 3; ++i)
      launch(0, {i == 0 ? 0 : chain, chain});
  schedule(4 * availableCores());
  ASSERT_FALSE(result.phases.empty());
  for (int i = 0; i < 200'000; ++i)
    run();
  EXPECT_EQ(buffers[4], std::vector<float>(length, 3));
}

} // namespace
