//===- ExchangeTable.cpp - info's table of exchanges ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ProgramInfo.h"

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/Collective/BucketLayout.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace ingot;

using Exchanges = std::span<const ingot_exchange>;

static Exchanges exchangesOf(const ingot_entry &entry) {
  return {entry.exchanges, entry.num_exchanges};
}

std::string ingot::exchangeKindName(uint32_t kind) {
  std::string_view text =
      exchangeKindText(static_cast<ingot_exchange_kind>(kind));
  return text.empty() ? std::to_string(kind) : std::string(text);
}

/// Returns the number of elements of an exchanged value, as "512", or
/// "512 a row" if it is gathered from batches of any size.
static std::string elementsText(const ingot_exchange &exchange) {
  return exchange.elements >= 0
             ? std::to_string(exchange.elements)
             : std::to_string(exchange.row_elements) + " a row";
}

/// Returns the number of parts of a value that ranks divide among them.
static uint32_t numPartsOf(const ingot_exchange &exchange) {
  return static_cast<uint32_t>(exchange.elements / exchange.row_elements);
}

namespace {
/// A bucket of values that are summed; `shards` as in BucketLayout.
struct SummedBucket {
  size_t elements = 0, width = 0;
  uint32_t shards = 0;
};
} // namespace

uint64_t ingot::mostBytesSent(const ingot_entry &entry, uint32_t slices,
                              unsigned ranks) {
  BatchSliceReductionTree tree(slices, ranks);
  uint64_t most = 0;
  std::map<uint32_t, SummedBucket> buckets;
  for (const ingot_exchange &exchange : exchangesOf(entry))
    if (exchange.kind != INGOT_EXCHANGE_GATHER &&
        exchange.kind != INGOT_EXCHANGE_GATHER_IN_PLACE) {
      SummedBucket &bucket = buckets[exchange.bucket];
      bucket.elements += static_cast<size_t>(exchange.elements);
      bucket.width = dtypeSize(exchange.dtype);
      if (exchange.kind == INGOT_EXCHANGE_REDUCE_SCATTER)
        bucket.shards = numPartsOf(exchange);
    }
  for (unsigned rank = 0; rank < ranks; ++rank) {
    uint64_t bytes = 0;
    for (auto &[number, bucket] : buckets)
      bytes += BucketLayout(tree, bucket.elements, bucket.width,
                            BucketLayout::defaultSmallBytes, bucket.shards)
                   .bytesSent(rank);
    for (const ingot_exchange &exchange : exchangesOf(entry))
      if (exchange.kind == INGOT_EXCHANGE_GATHER_IN_PLACE) {
        bytes += (ranks - 1) *
                 BatchSliceReductionTree(numPartsOf(exchange), ranks)
                     .runOf(rank)
                     .size() *
                 static_cast<uint64_t>(exchange.row_elements) *
                 dtypeSize(exchange.dtype);
      } else if (exchange.kind == INGOT_EXCHANGE_GATHER &&
                 exchange.elements > 0) {
        auto rows =
            static_cast<uint64_t>(exchange.elements / exchange.row_elements);
        BatchSliceRange run = tree.runOf(rank);
        uint64_t own = tree.rowsOf(run.last - 1, rows).last -
                       tree.rowsOf(run.first, rows).first;
        bytes += (ranks - 1) * own *
                 static_cast<uint64_t>(exchange.row_elements) *
                 dtypeSize(exchange.dtype);
      }
    most = std::max(most, bytes);
  }
  return most;
}

/// Returns the line about a run with `ranks` ranks. The time in this line is
/// the number of bytes divided by the bandwidth: it includes no latencies, and
/// ignores that a part of the transfers overlaps with the backward pass.
static std::string bytesLine(const ingot_entry &entry, uint32_t slices,
                             unsigned ranks, double gigabits) {
  uint64_t bytes = mostBytesSent(entry, slices, ranks);
  std::string line = "  " + std::to_string(ranks) +
                     " ranks: each sends up to " + std::to_string(bytes) +
                     " bytes in a call";
  if (gigabits > 0) {
    char time[64];
    std::snprintf(time, sizeof time, ", %.3g ms at %g Gbit/s",
                  static_cast<double>(bytes) * 8e-6 / gigabits, gigabits);
    line += time;
  }
  return line + "\n";
}

/// Returns the lines about one entry: each value, with the bucket by which it
/// is exchanged, and the bytes that ranks send.
static std::string entryTable(const ingot_entry &entry, uint32_t slices,
                              double gigabits) {
  uint32_t numBuckets = 0, last = UINT32_MAX;
  for (const ingot_exchange &exchange : exchangesOf(entry)) {
    numBuckets += exchange.bucket != last;
    last = exchange.bucket;
  }
  std::string text = std::string(entry.name) + ": " +
                     std::to_string(entry.num_exchanges) + " values in " +
                     std::to_string(numBuckets) + " buckets\n" +
                     "  bucket  kind            type      elements      node\n";
  for (const ingot_exchange &exchange : exchangesOf(entry)) {
    char line[96];
    std::snprintf(line, sizeof line, "  %-6u%s %-15s %-9s %-13s ",
                  exchange.bucket, exchange.starts_in_loop ? "*" : " ",
                  exchangeKindName(exchange.kind).c_str(),
                  dtypeName(exchange.dtype).c_str(),
                  elementsText(exchange).c_str());
    text += line + std::string(exchange.node) + "\n";
  }
  text += "  * may be exchanged while later values are computed\n";
  for (unsigned ranks = 2; ranks <= slices && ranks <= 64; ranks *= 2)
    text += bytesLine(entry, slices, ranks, gigabits);
  return text;
}

std::string ingot::exchangeTable(const ingot_program &program,
                                 double gigabits) {
  if (program.slices == 0)
    return "the program is for a single process: it exchanges nothing (compile "
           "it with --parallel)\n";
  std::string text;
  for (uint32_t i = 0; i < program.num_entries; ++i)
    if (program.entries[i].num_exchanges > 0)
      text += (text.empty() ? "" : "\n") +
              entryTable(program.entries[i], program.slices, gigabits);
  return text.empty() ? "no entry exchanges anything: each process computes "
                        "the whole batch\n"
                      : text;
}
