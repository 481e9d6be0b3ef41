//===- Ragged.h - Row splits of ragged tensors ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_RAGGED_H
#define INGOT_RUNTIME_OPS_RAGGED_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// The inputs of an op that are a ragged tensor: row splits, the outermost
/// first, then values.
class RaggedInput {
public:
  RaggedInput(const OpKernelContext &op, size_t numSplits)
      : values(op.input(numSplits)) {
    for (size_t level = 0; level < numSplits; ++level)
      splits.push_back(op.input(level).integers());
  }

  size_t raggedRank() const { return splits.size(); }
  /// Returns how many rows ragged dimension `level` has; those of level
  /// raggedRank() are the rows of the values.
  int64_t numRows(size_t level) const {
    return level < splits.size()
               ? static_cast<int64_t>(splits[level].size()) - 1
               : values.dim(0);
  }
  /// Returns how many bytes a row of the values has.
  size_t rowBytes() const;
  /// Checks that the splits of each level begin at 0, do not decrease, and end
  /// at the number of rows of the next level. If `isPrefix`, the next level may
  /// have more rows.
  Status check(const OpKernelContext &op, bool isPrefix = false) const;

  std::vector<std::vector<int64_t>> splits;
  OpInput values;
};

/// Writes row splits to output `i`, an int32 or int64 tensor.
Status writeSplits(OpKernelContext &op, size_t i,
                   const std::vector<int64_t> &splits);

/// Returns the row splits of `rows` rows of `size` elements each.
std::vector<int64_t> uniformSplits(int64_t rows, int64_t size);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_RAGGED_H
