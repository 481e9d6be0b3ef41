//===- BatchSliceAllGather.h - Gathers rows of all slices -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLGATHER_H
#define INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLGATHER_H

#include "runtime/Collective/BatchSliceReductionTree.h"
#include "runtime/Collective/Collective.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// An all-gather of data that each slice of the batch computes, such as rows of
/// a tensor: all ranks receive the bytes of all slices, in the order of slices.
class BatchSliceAllGather {
public:
  /// `sizes` has the number of bytes of each slice, and is the same on all
  /// ranks. `result` has room for the bytes of all slices, and must stay valid
  /// until finish() returns.
  BatchSliceAllGather(const BatchSliceReductionTree &tree,
                      std::vector<size_t> sizes, Collective::Bytes result);

  /// Returns the range of `result` for the bytes of a slice.
  Collective::Bytes placeOf(uint64_t slice) const;
  /// Copies the bytes of a slice from `data` to the slice's range of `result`.
  void add(uint64_t slice, const void *data);

  Status finish(Collective &collective);

  /// Gathers one number per slice, such as a size that depends on data. `mine`
  /// are the numbers of the slices of this rank.
  static Expected<std::vector<size_t>>
  gatherNumbers(const BatchSliceReductionTree &tree, Collective &collective,
                std::span<const size_t> mine);

private:
  BatchSliceReductionTree tree;
  std::vector<size_t> offsets; // each slice's offset in `result`; last: the end
  Collective::Bytes result;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLGATHER_H
