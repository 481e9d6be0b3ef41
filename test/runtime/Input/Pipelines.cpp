//===- Pipelines.cpp - The pipelines of test/data/input/orders.txt --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Names, seeds and structure must agree with make_orders.py, which is in the
// folder of orders.txt.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace ingot::test {

static std::vector<int64_t> numbers(const std::string &text) {
  std::istringstream stream(text);
  std::vector<int64_t> values;
  for (int64_t value; stream >> value;)
    values.push_back(value);
  return values;
}

static std::vector<Order> readOrders() {
  std::vector<Order> result;
  std::ifstream file(INGOT_TEST_DATA "/input/orders.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream stream(line);
    std::string name, seeds, batchSizes, elements;
    std::getline(stream, name, '|');
    std::getline(stream, seeds, '|');
    std::getline(stream, batchSizes, '|');
    std::getline(stream, elements, '|');
    name.erase(name.find(' '));
    result.push_back(
        {name, numbers(seeds), numbers(batchSizes), numbers(elements)});
  }
  return result;
}

const std::vector<Order> &orders() {
  static const std::vector<Order> all = readOrders();
  return all;
}

static int32_t isOneOfThree(ingot_context *, uint8_t *, void *const *,
                            const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<bool *>(fetches[0].data) =
      *static_cast<const int64_t *>(feeds[0].data) % 3 == 1;
  return 0;
}

static int64_t number(const ingot_tensor *feeds, size_t index) {
  return *static_cast<const int64_t *>(feeds[index].data);
}

static int32_t isBelowSeven(ingot_context *, uint8_t *, void *const *,
                            const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<bool *>(fetches[0].data) = number(feeds, 0) < 7;
  return 0;
}

// (s, x) -> (s + x, 100 * s + x)
static int32_t accumulate(ingot_context *, uint8_t *, void *const *,
                          const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t state = number(feeds, 0), x = number(feeds, 1);
  *static_cast<int64_t *>(fetches[0].data) = state + x;
  *static_cast<int64_t *>(fetches[1].data) = 100 * state + x;
  return 0;
}

static int32_t tenfold(ingot_context *, uint8_t *, void *const *,
                       const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<int64_t *>(fetches[0].data) = 10 * number(feeds, 0);
  return 0;
}

// (i, x) -> 100 * i + x
static int32_t numbered(ingot_context *, uint8_t *, void *const *,
                        const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<int64_t *>(fetches[0].data) =
      100 * number(feeds, 0) + number(feeds, 1);
  return 0;
}

static int32_t choose(ingot_context *, uint8_t *, void *const *,
                      const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t x = number(feeds, 0);
  *static_cast<int64_t *>(fetches[0].data) = x < 6 ? x * x % 3 : x % 3;
  return 0;
}

/// Returns for each i below `count` where run i of make_orders.py begins and
/// ends.
static uint32_t bounds(ProgramBuilder &b, int64_t count) {
  std::vector<int64_t> from, to;
  for (int64_t i = 0; i < count; ++i) {
    from.push_back(10 * i);
    to.push_back(10 * i + i * 7 % 5);
  }
  return b.dataset("TensorSliceDataset", {},
                   {b.int64s(from, {count}), b.int64s(to, {count})},
                   {b.spec(INGOT_INT64), b.spec(INGOT_INT64)});
}

uint32_t buildPipeline(ProgramBuilder &b, const Order &order) {
  const std::vector<int64_t> &s = order.seeds;
  auto shuffled = [&](int64_t n, int64_t buffer, size_t which = 0) {
    return b.shuffle(b.range(n), buffer, s[2 * which], s[2 * which + 1]);
  };
  auto again = [&](uint32_t input, int64_t buffer) {
    return b.shuffle(input, buffer, s[2], s[3]);
  };
  auto concatenate = [&](uint32_t first, uint32_t second) {
    return b.dataset("ConcatenateDataset", {first, second}, {},
                     {b.spec(INGOT_INT64)});
  };
  auto cut = [&](int64_t count) {
    return b.unary("TakeDataset",
                   concatenate(shuffled(5, 3), shuffled(4, 2, 1)), count);
  };
  auto runs = [&](uint32_t input, int64_t cycle, int64_t block = 1) {
    uint32_t body = b.dataset(
        "RangeDataset", {},
        {ProgramBuilder::argument(0), ProgramBuilder::argument(1), b.scalar(1)},
        {b.spec(INGOT_INT64)});
    return b.interleave(input, body, cycle, block);
  };
  auto cached = [&](uint32_t input) {
    return b.dataset("CacheDataset", {input}, {b.string("")},
                     {b.spec(INGOT_INT64)});
  };
  auto sharded = [&](uint32_t input, int64_t count, int64_t index) {
    return b.dataset("ShardDataset", {input},
                     {b.scalar(count), b.scalar(index)}, {b.spec(INGOT_INT64)});
  };
  auto unbatched = [&](uint32_t input) {
    return b.dataset("UnbatchDataset", {input}, {}, {b.spec(INGOT_INT64)});
  };
  ingot_tensor_spec scalar = b.spec(INGOT_INT64);
  auto windowElements = [&] {
    return b.dataset("WindowElements", {}, {ProgramBuilder::argument(0)},
                     {scalar});
  };
  auto batched = [&](uint32_t windows, int64_t size) {
    return b.flatMap(windows, b.batch(windowElements(), size));
  };
  auto rebatched = [&](uint32_t input, std::vector<int64_t> sizes,
                       bool drop = false) {
    auto count = static_cast<int64_t>(sizes.size());
    return b.dataset("RebatchDatasetV2", {b.batch(input, 4)},
                     {b.int64s(std::move(sizes), {count}), b.boolean(drop)},
                     {b.spec(INGOT_INT64, {-1})});
  };
  auto rangeFrom = [&](int64_t start, int64_t stop) {
    return b.dataset("RangeDataset", {},
                     {b.scalar(start), b.scalar(stop), b.scalar(1)}, {scalar});
  };
  auto random = [&](bool anew) {
    uint32_t numbers =
        b.dataset("RandomDatasetV2", {}, {b.scalar(s[0]), b.scalar(s[1])},
                  {scalar}, {{"rerandomize_each_iteration", anew, nullptr}});
    return b.unary("TakeDataset", numbers, 6);
  };
  auto chosen = [&](bool stop) {
    uint32_t selector = b.map(b.range(30), choose, {scalar});
    return b.repeat(b.dataset("DirectedInterleaveDataset",
                              {selector, shuffled(4, 3), rangeFrom(10, 14),
                               rangeFrom(20, 26)},
                              {}, {scalar},
                              {{"stop_on_empty_dataset", stop, nullptr}}),
                    2);
  };
  auto lengths = [&](int64_t count) {
    uint32_t body = b.dataset(
        "RangeDataset", {},
        {ProgramBuilder::argument(0), ProgramBuilder::argument(1), b.scalar(1)},
        {scalar});
    return b.flatMap(bounds(b, count), b.batch(body, 10));
  };
  const std::map<std::string, std::function<uint32_t()>> pipelines = {
      {"buffer_4_of_10", [&] { return shuffled(10, 4); }},
      {"buffer_1", [&] { return shuffled(10, 1); }},
      {"buffer_larger_than_input", [&] { return shuffled(10, 100); }},
      {"buffer_equals_input", [&] { return shuffled(10, 10); }},
      {"repeat_3", [&] { return b.repeat(shuffled(10, 4), 3); }},
      {"repeat_forever", [&] { return b.repeat(shuffled(10, 4)); }},
      {"repeat_forever_whole_buffer",
       [&] { return b.repeat(shuffled(23, 1000)); }},
      {"no_reshuffle",
       [&] {
         return b.repeat(b.shuffle(b.range(10), 4, s[0], s[1], false), 3);
       }},
      {"no_seed_but_graph_seed", [&] { return b.repeat(shuffled(12, 5), 2); }},
      {"zero_seeds", [&] { return b.repeat(shuffled(12, 5), 2); }},
      {"repeat_of_repeat",
       [&] { return b.repeat(b.repeat(shuffled(6, 3), 2), 3); }},
      {"repeat_of_repeat_not_fused",
       [&] {
         uint32_t shuffle = b.unary("TakeDataset", shuffled(6, 3), 6);
         return b.repeat(b.repeat(shuffle, 2), 3);
       }},
      {"repeat_not_fused",
       [&] { return b.repeat(b.unary("TakeDataset", shuffled(9, 4), 9), 4); }},
      {"repeat_empty_passes",
       [&] { return b.repeat(b.unary("SkipDataset", shuffled(6, 3), 6), 3); }},
      {"shuffle_of_shuffle",
       [&] { return b.repeat(again(shuffled(12, 4), 6), 3); }},
      {"shuffle_of_repeat",
       [&] { return b.repeat(again(b.repeat(shuffled(7, 3), 2), 5), 3); }},
      {"shuffle_of_shuffle_repeat_of_repeat",
       [&] { return b.repeat(b.repeat(again(shuffled(5, 3), 3), 2), 2); }},
      {"repeat_then_shuffle",
       [&] { return b.shuffle(b.repeat(b.range(9), 3), 8, s[0], s[1]); }},
      {"batch_across_epochs",
       [&] { return b.prefetch(b.batch(b.repeat(shuffled(10, 4)), 4, true)); }},
      {"batch_short_each_epoch",
       [&] { return b.repeat(b.batch(shuffled(10, 4), 4), 3); }},
      {"batch_drop_each_epoch",
       [&] { return b.repeat(b.batch(shuffled(10, 4), 4, true), 3); }},
      {"take_of_shuffle_repeat",
       [&] { return b.repeat(b.unary("TakeDataset", shuffled(10, 4), 6), 4); }},
      {"skip_of_shuffle_repeat",
       [&] { return b.repeat(b.unary("SkipDataset", shuffled(10, 4), 6), 4); }},
      {"concatenate_repeat", [&] { return b.repeat(cut(7), 4); }},
      {"concatenate_cut_before_second",
       [&] { return concatenate(b.repeat(cut(4), 2), b.range(3)); }},
      {"flat_map_of_shuffles",
       [&] {
         uint32_t source = b.dataset("RangeDataset", {},
                                     {b.scalar(3), b.scalar(6), b.scalar(1)},
                                     {b.spec(INGOT_INT64)});
         uint32_t inner =
             b.dataset("RangeDataset", {},
                       {b.scalar(0), ProgramBuilder::argument(0), b.scalar(1)},
                       {b.spec(INGOT_INT64)});
         return b.repeat(b.flatMap(source, b.shuffle(inner, 4, s[0], s[1])), 2);
       }},
      {"repeat_of_repeat_in_function",
       [&] {
         uint32_t body = b.repeat(b.repeat(shuffled(6, 3), 2), 3);
         return b.flatMap(b.range(1), body);
       }},
      {"digits",
       [&] {
         return b.prefetch(b.batch(b.repeat(shuffled(1400, 500)), 64, true));
       }},
      {"interleave_2_1", [&] { return runs(bounds(b, 6), 2); }},
      {"interleave_3_2_repeat",
       [&] { return b.repeat(runs(bounds(b, 9), 3, 2), 2); }},
      {"interleave_more_places_than_inputs",
       [&] { return runs(bounds(b, 5), 8, 3); }},
      {"interleave_parallel", [&] { return runs(bounds(b, 9), 3, 2); }},
      {"interleave_of_shuffles",
       [&] {
         uint32_t source = b.dataset("RangeDataset", {},
                                     {b.scalar(3), b.scalar(7), b.scalar(1)},
                                     {b.spec(INGOT_INT64)});
         uint32_t inner =
             b.dataset("RangeDataset", {},
                       {b.scalar(0), ProgramBuilder::argument(0), b.scalar(1)},
                       {b.spec(INGOT_INT64)});
         uint32_t body = b.shuffle(inner, 4, s[0], s[1]);
         return b.repeat(b.interleave(source, body, 2), 2);
       }},
      {"interleave_of_shuffled",
       [&] {
         return b.repeat(runs(b.shuffle(bounds(b, 7), 4, s[0], s[1]), 3), 2);
       }},
      {"filter_of_shuffle",
       [&] { return b.repeat(b.filter(shuffled(20, 5), isOneOfThree), 3); }},
      {"shard_of_shuffle_repeat",
       [&] { return b.repeat(sharded(shuffled(11, 4), 3, 1), 3); }},
      {"shard_batch", [&] { return b.batch(sharded(b.range(17), 4, 3), 2); }},
      {"cache_of_shuffle", [&] { return b.repeat(cached(shuffled(8, 4)), 3); }},
      {"cache_below_shuffle",
       [&] {
         return b.repeat(b.shuffle(cached(b.range(8)), 4, s[0], s[1]), 3);
       }},
      {"cache_cut_early",
       [&] {
         uint32_t cut = b.unary("TakeDataset", cached(shuffled(8, 4)), 5);
         return b.repeat(cut, 3);
       }},
      {"unbatch_of_batch",
       [&] { return b.repeat(unbatched(b.batch(shuffled(10, 4), 4)), 2); }},
      {"unbatch_shuffle_batch",
       [&] {
         uint32_t rows = unbatched(b.batch(b.range(10), 3));
         uint32_t mixed = b.shuffle(rows, 4, s[0], s[1]);
         return b.repeat(b.batch(mixed, 4), 2);
       }},
      {"window_overlapping",
       [&] {
         return b.repeat(batched(b.window(shuffled(10, 4), 4, 2, 1), 4), 2);
       }},
      {"window_stride_drop",
       [&] { return batched(b.window(b.range(20), 3, 4, 3, true), 3); }},
      {"window_of_all",
       [&] { return batched(b.window(b.range(7), 100, 100, 1), 3); }},
      {"window_gaps",
       [&] {
         return b.flatMap(b.window(b.range(11), 2, 5, 2), windowElements());
       }},
      {"window_shuffled",
       [&] {
         uint32_t windows = b.window(b.range(12), 3, 3, 1);
         return b.repeat(batched(b.shuffle(windows, 3, s[0], s[1]), 2), 2);
       }},
      {"scan_of_shuffle",
       [&] {
         return b.repeat(b.scan(shuffled(6, 3), accumulate, b.scalar(5)), 2);
       }},
      {"take_while_of_shuffle",
       [&] {
         return b.repeat(
             b.filter(shuffled(10, 4), isBelowSeven, "TakeWhileDataset"), 3);
       }},
      {"interleave_legacy_3_2",
       [&] { return b.repeat(runs(bounds(b, 9), 3, 2), 2); }},
      {"interleave_legacy_of_shuffled",
       [&] {
         return b.repeat(runs(b.shuffle(bounds(b, 7), 4, s[0], s[1]), 2), 2);
       }},
      {"map_and_batch",
       [&] {
         return b.repeat(b.batch(b.map(shuffled(10, 4), tenfold, {scalar}), 4),
                         2);
       }},
      {"shuffle_and_repeat",
       [&] { return b.repeat(b.shuffle(b.range(8), 4, s[0], s[1]), 3); }},
      {"rebatch_3",
       [&] { return b.repeat(rebatched(shuffled(10, 4), {3}), 2); }},
      {"rebatch_sizes_drop",
       [&] { return b.repeat(rebatched(b.range(10), {2, 1, 3}, true), 2); }},
      {"rebatch_sizes",
       [&] { return b.repeat(rebatched(b.range(10), {2, 1, 4}), 2); }},
      {"enumerate_of_shuffle",
       [&] {
         uint32_t pairs =
             b.dataset("ZipDataset", {rangeFrom(10, INT64_MAX), shuffled(6, 3)},
                       {}, {scalar, scalar});
         return b.repeat(b.map(pairs, numbered, {scalar}), 2);
       }},
      {"padded_batch",
       [&] {
         return b.repeat(b.dataset("PaddedBatchDatasetV2", {lengths(8)},
                                   {b.int64s({-1}, {1}), b.scalar(-1),
                                    b.scalar(3), b.boolean(false)},
                                   {b.spec(INGOT_INT64, {-1, -1})}),
                         2);
       }},
      {"random_numbers", [&] { return b.repeat(random(false), 2); }},
      {"random_numbers_anew", [&] { return b.repeat(random(true), 3); }},
      {"chosen", [&] { return chosen(false); }},
      {"chosen_until_one_ends", [&] { return chosen(true); }},
      {"large_seeds", [&] { return b.repeat(shuffled(20, 8), 2); }},
  };
  auto found = pipelines.find(order.name);
  EXPECT_NE(found, pipelines.end()) << order.name;
  return found == pipelines.end() ? b.range(0) : found->second();
}

Taken take(Iterator &iterator, size_t limit) {
  Taken taken;
  while (taken.sizes.size() < limit) {
    const void *component = nullptr;
    taken.status = iterator.next(&component);
    if (!taken.status.isOk())
      break;
    int64_t size = 1;
    for (int64_t dim : iterator.shape(0))
      size *= dim;
    const auto *values = static_cast<const int64_t *>(component);
    taken.sizes.push_back(size);
    taken.values.insert(taken.values.end(), values, values + size);
  }
  return taken;
}

} // namespace ingot::test
