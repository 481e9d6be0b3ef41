//===- RematerializationPlanTest.cpp - Memory of synthetic schedules ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Holds plans to the bounds of Chen et al., "Training Deep Nets with Sublinear
// Memory Cost", 2016, and executes every plan, to see that each op still reads
// what it read before.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/RematerializationPlan.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ingot::hostgen;

namespace {

/// Makes schedules: each op reads some buffers and writes a new one.
class ScheduleBuilder {
public:
  Schedule schedule;

  /// Adds an op that computes a buffer of `bytes`. Returns the buffer.
  unsigned add(llvm::ArrayRef<unsigned> reads, int64_t bytes = 1,
               int64_t cost = 1) {
    auto origin = static_cast<unsigned>(schedule.ops.size());
    auto buffer = static_cast<unsigned>(schedule.buffers.size());
    schedule.buffers.push_back({bytes});
    ScheduledOp op;
    op.origin = origin;
    op.reads.assign(reads.begin(), reads.end());
    op.writes = {buffer};
    op.cost = cost;
    op.lastPlace = always;
    schedule.ops.push_back(op);
    return buffer;
  }
  ScheduledOp &last() { return schedule.ops.back(); }

  static constexpr unsigned always = 1 << 20;
};

/// A chain of layers and its gradients: layer i computes activation i from
/// activation i - 1, and its gradient reads both and the gradient of layer
/// i + 1.
Schedule chain(unsigned layers, int64_t cost = 1) {
  ScheduleBuilder builder;
  std::vector<unsigned> activations = {builder.add({})};
  builder.last().lastPlace = 0; // the input is read from a file
  for (unsigned layer = 0; layer < layers; ++layer)
    activations.push_back(builder.add({activations.back()}, 1, cost));
  unsigned gradient = builder.add({activations.back()});
  for (unsigned layer = layers; layer > 0; --layer)
    gradient = builder.add(
        {gradient, activations[layer], activations[layer - 1]}, 1, cost);
  return builder.schedule;
}

/// Executes a schedule with one number per buffer, which depends on the op and
/// on all that it reads. Returns the numbers that the ops of the schedule
/// compute that are no repetitions, in order of their origins.
std::vector<size_t> execute(const Schedule &schedule) {
  std::vector<size_t> buffers(schedule.buffers.size(), 0), results;
  for (const ScheduledOp &op : schedule.ops) {
    size_t value = op.origin + 1;
    for (unsigned read : op.reads) {
      EXPECT_NE(buffers[read], 0u) << "op " << op.origin << " reads garbage";
      value = value * 1000003 + buffers[read];
    }
    for (unsigned write : op.writes)
      buffers[write] = value;
    if (op.isRepetition)
      continue;
    EXPECT_EQ(op.origin, results.size()) << "ops have to keep their order";
    results.push_back(value);
  }
  return results;
}

/// Plans a schedule and checks that it computes the same.
Schedule plan(const Schedule &schedule, int64_t limit) {
  Schedule planned = rematerialize(schedule, limit);
  EXPECT_EQ(execute(planned), execute(schedule));
  EXPECT_LE(peakOf(planned).bytes, peakOf(schedule).bytes);
  return planned;
}

TEST(RematerializationPlan, PeakCountsWhatLivesAtTheSameTime) {
  // The input, all activations, and two gradients, of which one is computed
  // from the other.
  EXPECT_EQ(peakOf(chain(10)).bytes, 13);
}

TEST(RematerializationPlan, RoomForAllChangesNothing) {
  Schedule schedule = chain(20);
  Schedule planned = plan(schedule, peakOf(schedule).bytes);
  EXPECT_EQ(planned.ops.size(), schedule.ops.size());
  EXPECT_EQ(repetitionCostOf(planned), 0);
}

TEST(RematerializationPlan, ChainsNeedTheSquareRootOfTheirLayers) {
  for (unsigned layers : {16u, 64u, 256u, 1024u}) {
    Schedule planned = plan(chain(layers), 0);
    // The bound of one pass over the chain: sqrt(n) checkpoints and one segment
    // of sqrt(n) layers.
    EXPECT_LE(peakOf(planned).bytes, 2 * std::sqrt(layers) + 4) << layers;
  }
}

TEST(RematerializationPlan, SquareRootCostsOneForwardPass) {
  constexpr unsigned layers = 256;
  auto limit = static_cast<int64_t>(2 * std::sqrt(layers) + 4);
  Schedule planned = plan(chain(layers), limit);
  EXPECT_LE(peakOf(planned).bytes, limit);
  EXPECT_LE(repetitionCostOf(planned), int64_t(layers));
}

TEST(RematerializationPlan, LooserLimitsCostLess) {
  Schedule schedule = chain(100);
  int64_t before = 100;
  for (int64_t limit : {30, 50, 70, 90, 103}) {
    Schedule planned = plan(schedule, limit);
    EXPECT_LE(peakOf(planned).bytes, limit);
    EXPECT_LE(repetitionCostOf(planned), before);
    before = repetitionCostOf(planned);
  }
  EXPECT_EQ(before, 0);
}

TEST(RematerializationPlan, CheapValuesAreRecomputedFirst) {
  // Each layer is a costly op, and a cheap one, whose result its gradient
  // reads.
  ScheduleBuilder builder;
  unsigned value = builder.add({});
  builder.last().lastPlace = 0;
  std::vector<std::pair<unsigned, unsigned>> layers;
  for (int i = 0; i < 10; ++i) {
    unsigned product = builder.add({value}, 1, 1000);
    value = builder.add({product}, 1, 1);
    layers.emplace_back(product, value);
  }
  unsigned gradient = builder.add({value});
  while (!layers.empty()) {
    auto [product, activation] = layers.back();
    layers.pop_back();
    gradient = builder.add({gradient, product, activation});
  }
  int64_t all = peakOf(builder.schedule).bytes;
  Schedule planned = plan(builder.schedule, all - 8);
  EXPECT_LE(peakOf(planned).bytes, all - 8);
  EXPECT_LE(repetitionCostOf(planned), 10);
}

TEST(RematerializationPlan, SkipConnectionsAreKept) {
  // Residual blocks: what a block adds to is read again at its end.
  ScheduleBuilder builder;
  unsigned value = builder.add({});
  builder.last().lastPlace = 0;
  std::vector<unsigned> kept;
  for (int block = 0; block < 36; ++block) {
    unsigned inner = value;
    for (int i = 0; i < 3; ++i)
      kept.push_back(inner = builder.add({inner}));
    kept.push_back(value = builder.add({inner, value}));
  }
  unsigned gradient = builder.add({value});
  while (!kept.empty()) {
    gradient = builder.add({gradient, kept.back()});
    kept.pop_back();
  }
  // 144 values; a segment of some blocks of four, and one value per segment.
  EXPECT_LE(peakOf(plan(builder.schedule, 0)).bytes, 32);
}

TEST(RematerializationPlan, OverwrittenInputsEndTheRecomputation) {
  // Op 1 reads a variable that op 5 overwrites, so that its result has to be
  // kept for op 6.
  ScheduleBuilder builder;
  unsigned input = builder.add({}, 1);
  builder.last().lastPlace = 0;
  unsigned value = builder.add({input}, 100);
  builder.last().lastPlace = 5;
  unsigned other = builder.add({value}, 50);
  unsigned small = builder.add({other}, 1);
  builder.last().lastPlace = 0;
  unsigned large = builder.add({small}, 100);
  builder.last().lastPlace = 0;
  unsigned next = builder.add({large}, 1);
  builder.last().lastPlace = 0;
  builder.add({next, value}, 1);
  Schedule planned = plan(builder.schedule, 0);
  EXPECT_EQ(planned.ops.size(), builder.schedule.ops.size());
  // With the variable unchanged until the end, it is recomputed.
  builder.schedule.ops[1].lastPlace = 6;
  planned = plan(builder.schedule, 0);
  EXPECT_EQ(planned.ops.size(), builder.schedule.ops.size() + 1);
}

TEST(RematerializationPlan, BuffersWithSeveralWritersAreKept) {
  ScheduleBuilder builder;
  unsigned input = builder.add({}, 1);
  builder.last().lastPlace = 0;
  unsigned value = builder.add({input}, 100);
  unsigned added = builder.add({input}, 1);
  builder.last().writes = {value}; // the second half of the same buffer
  unsigned large = builder.add({input}, 100);
  unsigned small = builder.add({large}, 1);
  builder.last().lastPlace = 0;
  builder.add({small, value, added}, 1);
  builder.schedule.ops.back().reads = {small, value};
  Schedule planned = plan(builder.schedule, 0);
  EXPECT_EQ(planned.ops.size(), builder.schedule.ops.size());
}

TEST(RematerializationPlan, BuffersOfOthersAreKept) {
  Schedule schedule = chain(20);
  for (ScheduledBuffer &buffer : schedule.buffers)
    buffer.isLiveThroughout = true;
  EXPECT_EQ(plan(schedule, 0).ops.size(), schedule.ops.size());
}

TEST(RematerializationPlan, TemporariesCountWhereTheyAre) {
  Schedule schedule = chain(10);
  schedule.ops[3].temporaryBytes = 50;
  EXPECT_EQ(peakOf(schedule).op, 3u);
  // Nothing that is live then can be recomputed for less.
  EXPECT_GE(peakOf(plan(schedule, 0)).bytes, 52);
}

TEST(RematerializationPlan, EqualSchedulesHaveEqualPlans) {
  Schedule first = plan(chain(60), 20), second = plan(chain(60), 20);
  ASSERT_EQ(first.ops.size(), second.ops.size());
  for (size_t i = 0; i < first.ops.size(); ++i) {
    EXPECT_EQ(first.ops[i].origin, second.ops[i].origin);
    EXPECT_EQ(first.ops[i].reads, second.ops[i].reads);
  }
}

} // namespace
