//===- InputCardinalityTest.cpp - Entries that never run out of input -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Program.h"

#include <gtest/gtest.h>

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

TEST_F(InputCardinalityTest, EntriesEndWithTheFirstOfTheirIterators) {
  uint32_t rows = add("RangeDataset", {}, 10);
  uint32_t endless = add("RepeatDataset", {rows}, -1);
  EXPECT_FALSE(isEndless({endless, rows}));
  EXPECT_TRUE(isEndless({endless, endless}));
  EXPECT_TRUE(isEndless({}));
}

} // namespace
