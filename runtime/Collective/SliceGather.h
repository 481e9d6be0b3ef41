//===- SliceGather.h - Gathers rows of all slices ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_SLICEGATHER_H
#define INGOT_RUNTIME_COLLECTIVE_SLICEGATHER_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/SliceTree.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// Gathers bytes of all slices, on all ranks, one after another in order of
/// slices: the rows of a tensor, say.
class SliceGather {
public:
  /// `sizes` has the number of bytes of each slice, the same on all ranks.
  /// `result`, of as many bytes together, is written until finish() returns.
  SliceGather(const SliceTree &tree, std::vector<size_t> sizes,
              Collective::Bytes result);

  /// Returns where the bytes of a slice belong.
  Collective::Bytes placeOf(uint64_t slice) const;
  /// Copies them there, from `data`.
  void add(uint64_t slice, const void *data);

  Status finish(Collective &collective);

  /// Gathers one number of each slice, such as its size, where these depend on
  /// data. `mine` are those of this rank's run.
  static Expected<std::vector<size_t>>
  gatherNumbers(const SliceTree &tree, Collective &collective,
                std::span<const size_t> mine);

private:
  SliceTree tree;
  std::vector<size_t> offsets; // of each slice, and of the end
  Collective::Bytes result;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_SLICEGATHER_H
