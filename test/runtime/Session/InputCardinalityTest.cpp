//===- InputCardinalityTest.cpp - Entries that never run out of input -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Program.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

using namespace ingot;

namespace {

/// Tests with a program's datasets; a dataset's inputs are datasets added
/// before it.
class InputCardinalityTest : public ::testing::Test {
protected:
  uint32_t add(const char *op, std::vector<uint32_t> from,
               std::optional<int64_t> count = std::nullopt) {
    ingot_dataset dataset = {};
    dataset.op = op;
    dataset.inputs = inputs.emplace_back(std::move(from)).data();
    dataset.num_inputs = static_cast<uint32_t>(inputs.back().size());
    if (count) {
      constants.push_back({});
      constants.back().data = &counts.emplace_back(*count);
      operands.push_back({});
      operands.back().constant = &constants.back();
      dataset.operands = &operands.back();
      dataset.num_operands = 1;
    }
    datasets.push_back(dataset);
    return static_cast<uint32_t>(datasets.size() - 1);
  }

  uint32_t addRange(int64_t start, int64_t stop, int64_t step) {
    uint32_t range = add("RangeDataset", {});
    auto &three = ranges.emplace_back();
    for (auto [i, value] : {std::pair(0u, start), {1u, stop}, {2u, step}}) {
      constants.push_back({});
      constants.back().data = &counts.emplace_back(value);
      three[i] = {};
      three[i].constant = &constants.back();
    }
    datasets[range].operands = three.data();
    datasets[range].num_operands = 3;
    return range;
  }

  bool isEndless(std::vector<uint32_t> read) {
    std::vector<ingot_iterator> iterators(read.size());
    std::vector<uint32_t> indices;
    for (uint32_t i = 0; i < read.size(); ++i) {
      iterators[i].dataset = read[i];
      indices.push_back(i);
    }
    ingot_program program = {};
    program.datasets = datasets.data();
    program.num_datasets = static_cast<uint32_t>(datasets.size());
    program.iterators = iterators.data();
    program.num_iterators = static_cast<uint32_t>(iterators.size());
    ingot_entry entry = {};
    entry.iterators = indices.data();
    entry.num_iterators = static_cast<uint32_t>(indices.size());
    return neverEnds(program, entry);
  }

  std::vector<ingot_dataset> datasets;
  std::deque<std::vector<uint32_t>> inputs;
  std::deque<ingot_constant> constants;
  std::deque<ingot_dataset_operand> operands;
  std::deque<int64_t> counts;
  std::deque<std::array<ingot_dataset_operand, 3>> ranges;
};

TEST_F(InputCardinalityTest, DatasetsEndAsTheirOpsSay) {
  uint32_t rows = add("RangeDataset", {}, 10);
  uint32_t endless = add("RepeatDataset", {rows}, -1);
  uint32_t batches = add("BatchDatasetV2", {endless}, 4);
  EXPECT_FALSE(isEndless({rows}));
  EXPECT_TRUE(isEndless({endless}));
  EXPECT_TRUE(isEndless({batches}));
  EXPECT_FALSE(isEndless({add("RepeatDataset", {rows}, 3)}));
  EXPECT_TRUE(isEndless({add("RepeatDataset", {endless}, 3)}));
  EXPECT_FALSE(isEndless({add("TakeDataset", {batches}, 100)}));
  EXPECT_TRUE(isEndless({add("TakeDataset", {batches}, -1)}));
  EXPECT_FALSE(isEndless({add("TakeWhileDataset", {batches})}));
  EXPECT_TRUE(isEndless({add("SkipDataset", {batches}, 100)}));
  EXPECT_FALSE(isEndless({add("SkipDataset", {batches}, -1)}));
  // A zip ends when its first input ends, a concatenation with its last input.
  EXPECT_FALSE(isEndless({add("ZipDataset", {rows, endless})}));
  EXPECT_TRUE(isEndless({add("ZipDataset", {batches, endless})}));
  EXPECT_TRUE(isEndless({add("ConcatenateDataset", {rows, endless})}));
}

// As tf.data's cardinality() of these datasets in TensorFlow 2.15, which is 0
// for each: a repeat of nothing ends at once.
TEST_F(InputCardinalityTest, RepeatsOfNothingEnd) {
  auto forEver = [&](uint32_t dataset) {
    return isEndless({add("RepeatDataset", {dataset}, -1)});
  };
  uint32_t rows = add("TensorDataset", {});
  EXPECT_TRUE(forEver(rows));
  EXPECT_FALSE(forEver(add("TakeDataset", {rows}, 0)));
  EXPECT_FALSE(forEver(add("RepeatDataset", {rows}, 0)));
  EXPECT_FALSE(forEver(add("SkipDataset", {rows}, -1)));
  uint32_t endless = add("RepeatDataset", {rows}, -1);
  uint32_t nothing = add("TakeDataset", {endless}, 0);
  EXPECT_FALSE(forEver(nothing));
  EXPECT_FALSE(forEver(add("MapDataset", {nothing})));
  EXPECT_FALSE(forEver(add("ZipDataset", {rows, nothing})));
  EXPECT_FALSE(forEver(add("ConcatenateDataset", {nothing, nothing})));
  EXPECT_TRUE(forEver(add("ConcatenateDataset", {nothing, rows})));
  EXPECT_FALSE(isEndless({add("ConcatenateDataset", {nothing, rows})}));
  // Ranges and slices tell by their operands.
  EXPECT_TRUE(forEver(addRange(0, 3, 1)));
  EXPECT_FALSE(forEver(addRange(3, 3, 1)));
  EXPECT_FALSE(forEver(addRange(0, 3, -1)));
  EXPECT_TRUE(forEver(addRange(3, 0, -1)));
  EXPECT_TRUE(forEver(addRange(INT64_MIN, INT64_MAX, 1)));
  static const int64_t none[] = {0, 2}, some[] = {1, 2};
  uint32_t slices = add("TensorSliceDataset", {}, 0);
  ingot_constant &data = constants.back();
  data.spec = {"", INGOT_FLOAT, 2, none};
  EXPECT_FALSE(forEver(slices));
  data.spec.dims = some;
  EXPECT_TRUE(forEver(slices));
}

TEST_F(InputCardinalityTest, EntriesEndWithTheFirstOfTheirIterators) {
  uint32_t rows = add("RangeDataset", {}, 10);
  uint32_t endless = add("RepeatDataset", {rows}, -1);
  EXPECT_FALSE(isEndless({endless, rows}));
  EXPECT_TRUE(isEndless({endless, endless}));
  EXPECT_TRUE(isEndless({}));
}

} // namespace
