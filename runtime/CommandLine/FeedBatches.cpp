//===- FeedBatches.cpp - Fed arrays, cut into batches ---------------------===//

#include "runtime/CommandLine/FeedBatches.h"

#include "runtime/Session/Program.h"

#include <algorithm>

using namespace ingot;

Expected<FeedBatches> FeedBatches::create(const ingot_entry &entry,
                                          std::vector<ingot_tensor> tensors,
                                          int64_t size) {
  FeedBatches batches;
  const char *first = nullptr;
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    const ingot_tensor_spec &spec = entry.feeds[i];
    const ingot_tensor &tensor = tensors[i];
    bool cut = spec.rank > 0 && spec.dims[0] < 0;
    batches.isCut.push_back(cut);
    batches.dims.emplace_back(tensor.dims, tensor.dims + tensor.rank);
    ingot_tensor_spec one = {spec.name, tensor.dtype, tensor.rank,
                             batches.dims.back().data()};
    int64_t bytes = byteSizeOf(one);
    int64_t examples = cut ? tensor.dims[0] : 0;
    batches.stride.push_back(
        examples > 0 ? static_cast<uint64_t>(bytes / examples) : 0);
    if (!cut)
      continue;
    if (first && examples != batches.examples)
      return Status(StatusCode::InvalidArgument,
                    "'" + std::string(spec.name) + "' is fed " +
                        std::to_string(examples) + " examples, '" + first +
                        "' " + std::to_string(batches.examples));
    if (!first) {
      first = spec.name;
      batches.examples = examples;
    }
  }
  if (!first)
    return Status(StatusCode::InvalidArgument,
                  "entry '" + std::string(entry.name) +
                      "' has no feed that could be cut into batches");
  batches.size = size > 0 ? size : std::max<int64_t>(batches.examples, 1);
  batches.whole = batches.batch = std::move(tensors);
  return batches;
}

std::span<const ingot_tensor> FeedBatches::next() {
  if (at >= examples)
    return {};
  int64_t count = std::min(size, examples - at);
  for (size_t i = 0; i < whole.size(); ++i) {
    batch[i].dims = dims[i].data();
    if (!isCut[i])
      continue;
    dims[i][0] = count;
    batch[i].data = static_cast<char *>(whole[i].data) +
                    static_cast<uint64_t>(at) * stride[i];
  }
  at += count;
  return batch;
}
