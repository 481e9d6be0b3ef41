//===- BatchSliceExchangesTest.cpp - What slices of a batch exchange ------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/BatchSliceExchanges.h"

#include "runtime/ABI/Tensor.h"
#include "test/runtime/Collective/FakeCollective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>

using namespace ingot;

namespace {

constexpr size_t width = 3;

/// Row r of a batch has the elements 3 r, 3 r + 1, 3 r + 2.
std::vector<int32_t> rowsOf(BatchSliceRange rows) {
  std::vector<int32_t> elements(rows.size() * width);
  std::iota(elements.begin(), elements.end(),
            static_cast<int32_t>(rows.first * width));
  return elements;
}

/// The sizes of a gathered row, of a bucket of a scalar, and of one of two.
constexpr int64_t ofRow[] = {width}, ofScalar[] = {1}, ofScalars[] = {1, 1};

/// Exchanges what `slices` slices of a batch of `rows` rows compute, as
/// compiled code does: their rows, the sum and the number of these, and the
/// largest and smallest ones. The first two exchanges may start while the last
/// slice's other values are computed.
Status runStep(BatchSliceExchanges &exchanges, uint32_t slices, size_t rows) {
  ExchangedValue all = {
      "x", 0, 0, INGOT_EXCHANGE_GATHER, slices, INGOT_INT32, ofRow, rows, true};
  ExchangedValue sum = {
      "x", 1, 0, INGOT_EXCHANGE_SUM, slices, INGOT_INT32, ofScalars, 1, false};
  ExchangedValue count = sum;
  count.index = 1;
  count.startsExchange = true;
  ExchangedValue most = {
      "x", 2, 0, INGOT_EXCHANGE_MAX, slices, INGOT_INT32, ofScalar, 1, false};
  ExchangedValue least = {
      "x", 3, 0, INGOT_EXCHANGE_MIN, slices, INGOT_INT32, ofScalar, 1, false};
  BatchSliceRange run = exchanges.begin(slices);
  for (uint64_t slice = run.first; slice < run.last; ++slice) {
    BatchSliceRange own =
        BatchSliceReductionTree(slices, 1).rowsOf(slice, rows);
    if (own.size() == 0)
      continue;
    std::vector<int32_t> part = rowsOf(own);
    int32_t total = std::accumulate(part.begin(), part.end(), 0);
    auto numRows = static_cast<int32_t>(own.size());
    INGOT_RETURN_IF_ERROR(exchanges.add(all, slice, part.data()));
    INGOT_RETURN_IF_ERROR(exchanges.add(sum, slice, &total));
    INGOT_RETURN_IF_ERROR(exchanges.add(count, slice, &numRows));
    INGOT_RETURN_IF_ERROR(exchanges.add(most, slice, &part.back()));
    INGOT_RETURN_IF_ERROR(exchanges.add(least, slice, &part.front()));
  }
  std::vector<int32_t> expected = rowsOf({0, rows}), gathered(rows * width, -1);
  int32_t total = -1, numRows = -1, largest = -1, smallest = -1;
  INGOT_RETURN_IF_ERROR(exchanges.finish(all, gathered.data()));
  INGOT_RETURN_IF_ERROR(exchanges.finish(sum, &total));
  INGOT_RETURN_IF_ERROR(exchanges.finish(count, &numRows));
  INGOT_RETURN_IF_ERROR(exchanges.finish(most, &largest));
  INGOT_RETURN_IF_ERROR(exchanges.finish(least, &smallest));
  EXPECT_EQ(gathered, expected) << rows << " rows";
  EXPECT_EQ(total, std::accumulate(expected.begin(), expected.end(), 0));
  EXPECT_EQ(numRows, static_cast<int32_t>(rows));
  EXPECT_EQ(largest, expected.back());
  EXPECT_EQ(smallest, expected.front());
  return Status::ok();
}

} // namespace

TEST(ExchangesTest, a_process_alone_has_all_slices) {
  BatchSliceExchanges exchanges;
  EXPECT_EQ(exchanges.begin(8), (BatchSliceRange{0, 8}));
  Status status = runStep(exchanges, 8, 64);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(ExchangesTest, what_a_failed_step_has_added_is_dropped) {
  BatchSliceExchanges exchanges;
  uint32_t slices = 8;
  ExchangedValue all = {
      "x", 0, 0, INGOT_EXCHANGE_GATHER, slices, INGOT_INT32, ofRow, 64, false};
  ExchangedValue sum = {
      "x", 1, 0, INGOT_EXCHANGE_SUM, slices, INGOT_INT32, ofScalars, 1, false};
  std::vector<int32_t> part(8 * width, 7);
  EXPECT_EQ(exchanges.begin(slices).size(), 8u);
  for (uint64_t slice : {0, 1, 2, 3, 4}) {
    ASSERT_TRUE(exchanges.add(all, slice, part.data()).isOk());
    ASSERT_TRUE(exchanges.add(sum, slice, part.data()).isOk());
  }
  // The next batch has another size, too.
  Status status = runStep(exchanges, slices, 24);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(ExchangesTest, batches_may_differ_in_size) {
  for (unsigned ranks : {1, 2, 3, 5, 8})
    for (bool overlaps : {false, true}) {
      FakeCollectives all(ranks);
      auto statuses = all.run([&](Collective &collective) {
        BatchSliceExchanges exchanges(&collective, overlaps);
        // Full ones, one that slices do not divide, and one of fewer rows than
        // slices, of which some ranks have none.
        for (size_t rows : {16, 16, 13, 3, 16})
          INGOT_RETURN_IF_ERROR(runStep(exchanges, 8, rows));
        return Status::ok();
      });
      for (const Status &status : statuses)
        EXPECT_TRUE(status.isOk()) << status.message();
    }
}

TEST(ExchangesTest, parts_of_a_value_are_gathered_in_its_memory) {
  constexpr uint32_t parts = 10;
  constexpr int32_t size = 4;
  for (unsigned ranks : {1, 2, 3, 4, 7, 10}) {
    FakeCollectives all(ranks);
    auto statuses = all.run([&](Collective &collective) {
      BatchSliceExchanges exchanges(&collective, /*overlaps=*/true);
      std::vector<int32_t> value(parts * size, -1), expected(parts * size);
      std::iota(expected.begin(), expected.end(), 0);
      BatchSliceRange own = exchanges.begin(parts);
      for (uint64_t i = own.first * size; i < own.last * size; ++i)
        value[i] = expected[i];
      INGOT_RETURN_IF_ERROR(exchanges.gatherInPlace(
          "x", parts, std::as_writable_bytes(std::span(value))));
      EXPECT_EQ(value, expected);
      return Status::ok();
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(ExchangesTest, a_bucket_is_exchanged_while_the_slice_is_computed) {
  FakeCollectives all(2);
  std::atomic<int> numGathered = 0;
  all.afterCalls([&] {
    ++numGathered;
    numGathered.notify_all();
  });
  auto statuses = all.run([&](Collective &collective) {
    BatchSliceExchanges exchanges(&collective, /*overlaps=*/true);
    ExchangedValue sum = {"x",      0, 0,   INGOT_EXCHANGE_SUM, 2, INGOT_INT32,
                          ofScalar, 1, true};
    int32_t value = 3, result = 0;
    uint64_t slice = exchanges.begin(2).first;
    INGOT_RETURN_IF_ERROR(exchanges.add(sum, slice, &value));
    // The step's thread still computes: it makes no call, and the sum is
    // exchanged all the same.
    numGathered.wait(0);
    INGOT_RETURN_IF_ERROR(exchanges.finish(sum, &result));
    EXPECT_EQ(result, 6);
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(numGathered, 1);
}

TEST(ExchangesTest, failures_are_reported) {
  for (size_t call = 0; call < 4; ++call)
    for (bool overlaps : {false, true}) {
      FakeCollectives all(2);
      all.failAt(1, call);
      auto statuses = all.run([&](Collective &collective) {
        BatchSliceExchanges exchanges(&collective, overlaps);
        return runStep(exchanges, 4, 8);
      });
      for (const Status &status : statuses)
        EXPECT_EQ(status.message(), "rank 1 fails") << "call " << call;
    }
}

TEST(ExchangesTest, what_has_no_sum_is_refused) {
  BatchSliceExchanges exchanges;
  bool value = true;
  ExchangedValue sum = {"x",      0, 0,    INGOT_EXCHANGE_SUM, 2, INGOT_BOOL,
                        ofScalar, 1, false};
  EXPECT_EQ(exchanges.add(sum, 0, &value).message(),
            "values of type bool cannot be combined over slices");
}
