//===- FeedBatches.cpp - Cuts fed arrays into batches ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedBatches.h"

#include "runtime/Session/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

using namespace ingot;

Expected<FeedBatches>
FeedBatches::create(std::span<const ingot_tensor_spec> feeds,
                    std::vector<ingot_tensor> tensors,
                    const FeedBatchOptions &options) {
  auto wrong = [](std::string message) {
    return Status(StatusCode::InvalidArgument, std::move(message));
  };
  FeedBatches batches;
  batches.options = options;
  const char *first = nullptr, *fixed = nullptr;
  int64_t fixedSize = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ingot_tensor_spec &spec = feeds[i];
    const ingot_tensor &tensor = tensors[i];
    bool cut = spec.rank > 0 && tensor.dims[0] != spec.dims[0];
    batches.isCut.push_back(cut);
    batches.dims.emplace_back(tensor.dims, tensor.dims + tensor.rank);
    ingot_tensor_spec all = {spec.name, tensor.dtype, tensor.rank,
                             batches.dims.back().data()};
    int64_t examples = cut ? tensor.dims[0] : 0;
    batches.stride.push_back(
        examples > 0 ? static_cast<uint64_t>(byteSizeOf(all) / examples) : 0);
    if (!cut)
      continue;
    if (first && examples != batches.examples)
      return wrong("'" + std::string(spec.name) + "' is fed " +
                   std::to_string(examples) + " examples, but '" + first +
                   "' " + std::to_string(batches.examples) +
                   ": feeds must have the same number of examples");
    first = spec.name;
    batches.examples = examples;
    if (spec.dims[0] >= 0) {
      fixed = spec.name;
      fixedSize = spec.dims[0];
    }
  }
  if (!first)
    return wrong(
        "no feed can be cut into batches: all have the sizes that the graph "
        "states");
  int64_t &size = batches.options.size;
  if (size <= 0)
    size = fixed ? fixedSize : std::max<int64_t>(batches.examples, 1);
  if (fixed && size != fixedSize)
    return wrong("'" + std::string(fixed) + "' takes batches of " +
                 std::to_string(fixedSize) + ", not of " +
                 std::to_string(size) + ": give --batch " +
                 std::to_string(fixedSize));
  if (fixed && batches.examples < size)
    return wrong("'" + std::string(fixed) + "' is fed " +
                 std::to_string(batches.examples) +
                 " examples, too few for a batch of " + std::to_string(size) +
                 "");
  batches.isFixed = fixed;
  batches.whole = batches.cut = std::move(tensors);
  batches.buffers.resize(batches.whole.size());
  return batches;
}

/// Returns the number of examples in the current batch, or 0 after the last
/// batch of the last epoch.
int64_t FeedBatches::countAt() const {
  if (options.epochs > 0 && epoch >= options.epochs)
    return 0;
  return std::min(options.size, examples - at);
}

/// Shuffles `order` for the current epoch. The order depends on the seed and
/// the epoch only and is the same on every machine. This function implements
/// the Fisher-Yates shuffle itself, because the C++ standard specifies the
/// results of std::mt19937_64, but not those of std::shuffle and of
/// distributions.
void FeedBatches::startEpoch() {
  order.resize(static_cast<size_t>(examples));
  std::iota(order.begin(), order.end(), 0);
  std::seed_seq seeds = {static_cast<uint32_t>(*options.shuffle),
                         static_cast<uint32_t>(*options.shuffle >> 32),
                         static_cast<uint32_t>(epoch),
                         static_cast<uint32_t>(epoch >> 32)};
  std::mt19937_64 random(seeds);
  for (size_t left = order.size(); left > 1; --left) {
    // `drawn % left` is uniform only if the number of possible values of
    // `drawn` is a multiple of `left`. So draw again if `drawn` is not below
    // `most`, the largest such multiple.
    uint64_t most = UINT64_MAX - UINT64_MAX % left;
    uint64_t drawn = random();
    while (drawn >= most)
      drawn = random();
    std::swap(order[left - 1], order[drawn % left]);
  }
}

/// Copies the shuffled examples of the current batch into contiguous buffers.
Status FeedBatches::gather(int64_t count) {
  if (order.empty())
    startEpoch();
  for (size_t i = 0; i < whole.size(); ++i) {
    if (!isCut[i])
      continue;
    if (!buffers[i].data()) {
      INGOT_ASSIGN_OR_RETURN(
          buffers[i],
          AlignedBuffer::allocate(
              stride[i] * static_cast<uint64_t>(options.size), "a batch"));
    }
    auto *to = reinterpret_cast<char *>(buffers[i].data());
    cut[i].data = to;
    for (int64_t row = 0; row < count; ++row, to += stride[i])
      std::memcpy(
          to,
          static_cast<const char *>(whole[i].data) +
              static_cast<uint64_t>(order[static_cast<size_t>(at + row)]) *
                  stride[i],
          stride[i]);
  }
  return Status::ok();
}

Expected<std::span<const ingot_tensor>> FeedBatches::batch() {
  int64_t count = countAt();
  if (count <= 0)
    return std::span<const ingot_tensor>();
  for (size_t i = 0; i < whole.size(); ++i) {
    cut[i].dims = dims[i].data();
    if (!isCut[i])
      continue;
    dims[i][0] = count;
    cut[i].data = static_cast<char *>(whole[i].data) +
                  static_cast<uint64_t>(at) * stride[i];
  }
  if (options.shuffle)
    INGOT_RETURN_IF_ERROR(gather(count));
  return std::span<const ingot_tensor>(cut);
}

void FeedBatches::advance() {
  at += countAt();
  if (examples - at >= (isFixed ? options.size : 1))
    return;
  at = 0;
  ++epoch;
  order.clear();
}

std::string FeedBatches::state() const {
  char text[128];
  std::snprintf(text, sizeof(text), "%lld %lld of %lld %s %lld",
                static_cast<long long>(epoch), static_cast<long long>(at),
                static_cast<long long>(examples),
                options.shuffle ? "shuffled" : "ordered",
                static_cast<long long>(options.shuffle.value_or(0)));
  return text;
}

bool FeedBatches::restore(std::string_view state) {
  long long savedEpoch, savedAt;
  if (std::sscanf(std::string(state).c_str(), "%lld %lld of", &savedEpoch,
                  &savedAt) != 2)
    return false;
  int64_t epochNow = std::exchange(epoch, savedEpoch);
  int64_t atNow = std::exchange(at, savedAt);
  order.clear();
  // The text of a state also has the number of examples, the shuffling and the
  // seed. So it equals `this->state()` at the same position only if all of
  // these are the same as when `state` was written.
  if (epoch >= 0 && at >= 0 && at < std::max<int64_t>(examples, 1) &&
      this->state() == state)
    return true;
  epoch = epochNow;
  at = atNow;
  return false;
}
