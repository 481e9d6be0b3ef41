//===- BatchSliceAllGather.cpp - Gathers rows of all slices ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceAllGather.h"

#include <cassert>
#include <cstring>

using namespace ingot;

BatchSliceAllGather::BatchSliceAllGather(const BatchSliceReductionTree &tree,
                                         std::vector<size_t> sizes,
                                         Collective::Bytes result)
    : tree(tree), result(result) {
  assert(sizes.size() == tree.slices() && "one size a slice");
  offsets.push_back(0);
  for (size_t size : sizes)
    offsets.push_back(offsets.back() + size);
  assert(offsets.back() == result.size() && "sizes of another result");
}

Collective::Bytes BatchSliceAllGather::placeOf(uint64_t slice) const {
  return result.subspan(offsets[slice], offsets[slice + 1] - offsets[slice]);
}

void BatchSliceAllGather::add(uint64_t slice, const void *data) {
  Collective::Bytes place = placeOf(slice);
  if (!place.empty())
    std::memcpy(place.data(), data, place.size());
}

Status BatchSliceAllGather::finish(Collective &collective) {
  std::vector<size_t> sizes;
  for (unsigned r = 0; r < tree.ranks(); ++r) {
    BatchSliceRange run = tree.runOf(r);
    sizes.push_back(offsets[run.last] - offsets[run.first]);
  }
  return collective.gather(result, sizes);
}

Expected<std::vector<size_t>>
BatchSliceAllGather::gatherNumbers(const BatchSliceReductionTree &tree,
                                   Collective &collective,
                                   std::span<const size_t> mine) {
  std::vector<size_t> numbers(tree.slices());
  BatchSliceAllGather gather(tree,
                             std::vector<size_t>(tree.slices(), sizeof(size_t)),
                             std::as_writable_bytes(std::span(numbers)));
  uint64_t first = tree.runOf(collective.rank()).first;
  for (size_t i = 0; i < mine.size(); ++i)
    gather.add(first + i, &mine[i]);
  INGOT_RETURN_IF_ERROR(gather.finish(collective));
  return numbers;
}
