//===- BatchSliceAllReduceTest.cpp - Sums over slices and ranks -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceAllReduce.h"

#include "FakeCollective.h"
#include "FarMemory.h"
#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

using namespace ingot;

namespace {

/// The value of each slice of a batch; empty ones have none.
using Batch = std::map<uint64_t, std::vector<float>>;

/// What the sums have to be, in a plainly written recursive tree. Returns no
/// elements if all slices are empty.
std::vector<float> treeOf(const Batch &batch, uint64_t first, uint64_t last) {
  if (last - first == 1) {
    auto found = batch.find(first);
    return found == batch.end() ? std::vector<float>() : found->second;
  }
  uint64_t half = 1;
  while (half * 2 < last - first)
    half *= 2;
  std::vector<float> left = treeOf(batch, first, first + half);
  std::vector<float> right = treeOf(batch, first + half, last);
  if (left.empty() || right.empty())
    return left.empty() ? right : left;
  for (size_t i = 0; i < left.size(); ++i)
    left[i] += right[i];
  return left;
}

/// Slices of numbers whose sum depends on the order; each is empty with a
/// probability of `empty` / 4.
Batch makeBatch(unsigned seed, uint64_t slices, size_t elements, int empty) {
  std::mt19937 random(seed);
  Batch batch;
  for (uint64_t slice = 0; slice < slices; ++slice) {
    if (static_cast<int>(random() % 4) < empty)
      continue;
    float scale = slice % 3 == 0 ? 1e4f : 1.0f;
    for (size_t i = 0; i < elements; ++i)
      batch[slice].push_back((static_cast<float>(random() % 20001) - 10000) *
                             1e-4f * scale);
  }
  return batch;
}

std::vector<uint8_t> bytesOf(const std::vector<float> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The numbers of elements of a bucket's values.
using Sizes = std::vector<size_t>;

/// Adds a batch to the values of a bucket, whose elements are those of a
/// slice's value in the batch, and stores their sums in `result`, one after the
/// other.
Status addBatch(BatchSliceAllReduce &sum, const BatchSliceReductionTree &tree,
                Collective &collective, const Batch &batch, const Sizes &sizes,
                std::vector<float> &result, bool inPlace = false) {
  BatchSliceRange run = tree.runOf(collective.rank());
  std::vector<std::vector<float>> places;
  for (size_t size : sizes)
    places.emplace_back(numPlacesOfSlices(tree.slices()) * size, -1);
  auto bytesAt = [](float *at) { return reinterpret_cast<std::byte *>(at); };
  for (uint64_t slice = run.first; slice < run.last; ++slice) {
    auto found = batch.find(slice);
    if (found == batch.end())
      continue;
    const float *from = found->second.data();
    for (size_t i = 0; i < sizes.size(); from += sizes[i++]) {
      if (!inPlace) {
        sum.add(i, slice, from);
        continue;
      }
      std::copy_n(from, sizes[i],
                  places[i].data() + placeOfSlice(slice) * sizes[i]);
      sum.addInPlace(i, slice, bytesAt(places[i].data()));
    }
  }
  INGOT_RETURN_IF_ERROR(sum.exchange(
      collective, inPlace ? bytesAt(places.front().data()) : nullptr));
  float *to = result.data();
  for (size_t i = 0; i < sizes.size(); to += sizes[i++]) {
    if (!inPlace) {
      sum.store(i, to);
      continue;
    }
    sum.store(i, places[i].data());
    std::copy_n(places[i].begin(), sizes[i], to);
  }
  sum.clear();
  return Status::ok();
}

constexpr size_t small = 1 << 20, large = 0;

/// Sums batches on `ranks` ranks and expects the tree's bytes on each. The
/// elements are those of values with `sizes` elements. With `readsInPlace`,
/// ranks read each other's messages in place.
void expectTreeOf(bool readsInPlace, uint32_t slices, unsigned ranks,
                  const std::vector<Batch> &batches, const Sizes &sizes,
                  size_t smallBytes, bool inPlace) {
  SCOPED_TRACE(std::to_string(slices) + " slices on " + std::to_string(ranks) +
               " ranks");
  FakeCollectives all(ranks, readsInPlace);
  BatchSliceReductionTree tree(slices, ranks);
  size_t elements = std::accumulate(sizes.begin(), sizes.end(), size_t(0));
  std::vector<std::vector<std::vector<float>>> results(ranks);
  auto statuses = all.run([&](Collective &collective) {
    BatchSliceAllReduce sum(tree, collective.rank(), INGOT_FLOAT, sizes,
                            Reduction::Sum, smallBytes);
    size_t sent = 0;
    for (const Batch &batch : batches) {
      std::vector<float> result(elements, -1);
      INGOT_RETURN_IF_ERROR(
          addBatch(sum, tree, collective, batch, sizes, result, inPlace));
      results[collective.rank()].push_back(result);
      sent += sum.bytesSent();
    }
    EXPECT_EQ(all.bytesSent(collective.rank()), sent);
    return collective.waitForReaders();
  });
  for (unsigned rank = 0; rank < ranks; ++rank) {
    ASSERT_TRUE(statuses[rank].isOk()) << statuses[rank].message();
    for (size_t i = 0; i < batches.size(); ++i) {
      std::vector<float> expected = treeOf(batches[i], 0, slices);
      if (expected.empty())
        expected.assign(elements, 0);
      EXPECT_EQ(bytesOf(results[rank][i]), bytesOf(expected))
          << "rank " << rank << ", batch " << i;
    }
  }
}

void expectTree(uint32_t slices, unsigned ranks,
                const std::vector<Batch> &batches, const Sizes &sizes,
                size_t smallBytes, bool inPlace = false) {
  for (bool readsInPlace : {false, true})
    expectTreeOf(readsInPlace, slices, ranks, batches, sizes, smallBytes,
                 inPlace);
}

/// Adds a batch whose values are in `memory`, not on the host, and stores their
/// sums in `result`, as addBatch() does.
Status addFarBatch(BatchSliceAllReduce &sum, FarMemory &memory,
                   const BatchSliceReductionTree &tree, Collective &collective,
                   const Batch &batch, const Sizes &sizes,
                   std::vector<float> &result, bool inPlace) {
  BatchSliceRange run = tree.runOf(collective.rank());
  auto bytesAt = [](const float *at) {
    return reinterpret_cast<const std::byte *>(at);
  };
  std::vector<std::shared_ptr<std::byte>> places;
  for (size_t size : sizes)
    places.push_back(memory.allocate(numPlacesOfSlices(tree.slices()) * size *
                                     sizeof(float)));
  for (uint64_t slice = run.first; slice < run.last; ++slice) {
    auto found = batch.find(slice);
    if (found == batch.end())
      continue;
    const float *from = found->second.data();
    for (size_t i = 0; i < sizes.size(); from += sizes[i++]) {
      size_t bytes = sizes[i] * sizeof(float);
      std::byte *place =
          places[i].get() + (inPlace ? placeOfSlice(slice) * bytes : 0);
      memory.put(place, bytesAt(from), bytes);
      if (inPlace)
        sum.addInPlace(i, slice, places[i].get());
      else
        sum.add(i, slice, place);
    }
  }
  bool isFar = &sum.resultMemory() == &memory;
  std::vector<float> near(result.size());
  auto *nearBytes = reinterpret_cast<std::byte *>(near.data());
  INGOT_RETURN_IF_ERROR(sum.exchange(collective, !inPlace ? nullptr
                                                 : isFar  ? places[0].get()
                                                          : nearBytes));
  for (size_t i = 0, begin = 0; i < sizes.size(); begin += sizes[i++]) {
    std::byte *here = nearBytes + begin * sizeof(float);
    std::byte *there = isFar ? places[i].get() : here;
    sum.store(i, there);
    FetchedBytes copy = {here, there, sizes[i] * sizeof(float)};
    if (isFar)
      memory.fetch({&copy, 1});
  }
  result = near;
  sum.clear();
  return Status::ok();
}

/// Like expectTree(), for values in far memory. With `isDirect`, messages are
/// there, too; otherwise they are on the host.
void expectFarTree(uint32_t slices, unsigned ranks, const Batch &batch,
                   const Sizes &sizes, size_t smallBytes, bool inPlace,
                   bool isDirect) {
  SCOPED_TRACE(std::to_string(slices) + " slices on " + std::to_string(ranks) +
               " ranks");
  FakeCollectives all(ranks);
  BatchSliceReductionTree tree(slices, ranks);
  size_t elements = std::accumulate(sizes.begin(), sizes.end(), size_t(0));
  std::vector<float> expected = treeOf(batch, 0, slices);
  if (expected.empty())
    expected.assign(elements, 0);
  auto statuses = all.run([&](Collective &collective) {
    FarMemory memory;
    FarCollective far(collective);
    BatchSliceAllReduce sum(tree, collective.rank(), INGOT_FLOAT, sizes,
                            Reduction::Sum, smallBytes, /*shards=*/0, memory,
                            isDirect ? memory : hostValueMemory());
    // Twice, as memory is used again.
    for (int i = 0; i < 2; ++i) {
      std::vector<float> result(elements, -1);
      INGOT_RETURN_IF_ERROR(
          addFarBatch(sum, memory, tree,
                      isDirect ? static_cast<Collective &>(far) : collective,
                      batch, sizes, result, inPlace));
      EXPECT_EQ(bytesOf(result), bytesOf(expected));
    }
    EXPECT_TRUE(far.isAligned);
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
}

} // namespace

TEST(BatchSliceAllReduceTest, values_of_a_device_have_the_trees_bytes) {
  for (uint32_t slices : {1u, 2u, 7u, 8u, 13u})
    for (unsigned ranks = 1; ranks <= std::min(slices, 6u); ++ranks)
      for (size_t smallBytes : {small, large})
        for (int empty = 0; empty < 4; ++empty)
          for (bool isDirect : {false, true}) {
            Batch batch = makeBatch(slices + ranks, slices, 301, empty);
            expectFarTree(slices, ranks, batch, {301}, smallBytes,
                          /*inPlace=*/empty == 0, isDirect);
            expectFarTree(slices, ranks, batch, {1, 10, 0, 290}, smallBytes,
                          /*inPlace=*/false, isDirect);
          }
}

TEST(BatchSliceAllReduceTest, only_sums_of_nodes_leave_a_device) {
  constexpr size_t elements = 1024;
  for (unsigned ranks : {2u, 4u}) {
    FakeCollectives all(ranks);
    BatchSliceReductionTree tree(16, ranks);
    auto statuses = all.run([&](Collective &collective) {
      FarMemory memory;
      BatchSliceAllReduce sum(tree, collective.rank(), INGOT_FLOAT, {elements},
                              Reduction::Sum, large, /*shards=*/0, memory);
      std::vector<float> result(elements);
      INGOT_RETURN_IF_ERROR(addFarBatch(sum, memory, tree, collective,
                                        makeBatch(5, 16, elements, 0),
                                        {elements}, result, /*inPlace=*/true));
      // A value of one slice, of the 16 / `ranks` that the rank has; and what
      // lies between its blocks.
      size_t bytes = elements * sizeof(float);
      EXPECT_GE(memory.bytesFetched, bytes);
      EXPECT_LE(memory.bytesFetched, bytes + 64 * ranks);
      return Status::ok();
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(BatchSliceAllReduceTest, any_number_of_ranks_gives_the_trees_bytes) {
  for (uint32_t slices = 1; slices <= 17; ++slices)
    for (unsigned ranks = 1; ranks <= slices; ++ranks)
      for (size_t smallBytes : {small, large}) {
        std::vector<Batch> batches;
        for (int empty = 0; empty < 4; ++empty)
          batches.push_back(
              makeBatch(slices * 100 + ranks * 4 + static_cast<unsigned>(empty),
                        slices, 301, empty));
        expectTree(slices, ranks, batches, {301}, smallBytes);
        batches.resize(1); // without empty slices
        expectTree(slices, ranks, batches, {301}, smallBytes, /*inPlace=*/true);
      }
}

TEST(BatchSliceAllReduceTest,
     values_in_a_bucket_have_the_bytes_that_they_have_alone) {
  for (uint32_t slices : {1u, 6u, 8u, 13u})
    for (unsigned ranks = 1; ranks <= std::min(slices, 5u); ++ranks)
      for (size_t smallBytes : {small, large}) {
        std::vector<Batch> batches;
        for (int empty = 0; empty < 4; ++empty)
          batches.push_back(makeBatch(slices + ranks, slices, 500, empty));
        expectTree(slices, ranks, batches, {1, 10, 0, 400, 89}, smallBytes);
        batches.resize(1); // without empty slices
        expectTree(slices, ranks, batches, {1, 10, 0, 400, 89}, smallBytes,
                   /*inPlace=*/true);
      }
}

TEST(BatchSliceAllReduceTest, fewer_elements_than_ranks_leave_parts_empty) {
  for (size_t elements : {1, 64, 65, 200})
    expectTree(16, 7, {makeBatch(1, 16, elements, 1)}, {elements}, large);
}

TEST(BatchSliceAllReduceTest, a_batch_without_rows_is_zero) {
  for (size_t smallBytes : {small, large})
    expectTree(8, 3, {Batch(), makeBatch(2, 8, 100, 1), Batch()}, {100},
               smallBytes);
}

TEST(BatchSliceAllReduceTest, an_empty_slice_is_not_a_zero) {
  // -0 + 0 is 0, but the sum of a single -0 is -0.
  for (unsigned ranks : {1u, 2u, 4u}) {
    Batch batch;
    batch[2] = std::vector<float>(100, -0.0f);
    for (size_t smallBytes : {small, large})
      expectTree(4, ranks, {batch}, {100}, smallBytes);
  }
}

TEST(BatchSliceAllReduceTest, the_order_of_ranks_does_not_matter) {
  BatchSliceReductionTree tree(16, 5);
  Batch batch = makeBatch(9, 16, 1000, 1);
  std::vector<uint8_t> expected = bytesOf(treeOf(batch, 0, 16));
  for (unsigned seed = 1; seed < 20; ++seed) {
    FakeCollectives all(5, /*readsInPlace=*/seed % 2 == 0);
    all.delayCalls(seed);
    auto statuses = all.run([&](Collective &collective) {
      BatchSliceAllReduce sum(tree, collective.rank(), INGOT_FLOAT, {1000},
                              Reduction::Sum, large);
      std::vector<float> result(1000);
      INGOT_RETURN_IF_ERROR(
          addBatch(sum, tree, collective, batch, {1000}, result));
      EXPECT_EQ(bytesOf(result), expected);
      return collective.waitForReaders();
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(BatchSliceAllReduceTest, a_failed_call_fails_on_every_rank) {
  Batch batch = makeBatch(3, 8, 1000, 0);
  for (unsigned failing = 0; failing < 3; ++failing)
    for (size_t call = 0; call < 4; ++call) {
      FakeCollectives all(3, /*readsInPlace=*/call % 2 == 0);
      BatchSliceReductionTree tree(8, 3);
      all.failAt(failing, call);
      // Ranks that have failed keep what others may still read.
      std::deque<BatchSliceAllReduce> sums;
      for (unsigned rank = 0; rank < 3; ++rank)
        sums.emplace_back(tree, rank, INGOT_FLOAT, Sizes{1000}, Reduction::Sum,
                          large);
      auto statuses = all.run([&](Collective &collective) {
        BatchSliceAllReduce &sum = sums[collective.rank()];
        std::vector<float> result(1000);
        // Two calls each.
        INGOT_RETURN_IF_ERROR(
            addBatch(sum, tree, collective, batch, {1000}, result));
        return addBatch(sum, tree, collective, batch, {1000}, result);
      });
      for (const Status &status : statuses)
        EXPECT_EQ(status.message(),
                  "rank " + std::to_string(failing) + " fails");
    }
}

TEST(BatchSliceAllReduceTest, powers_of_two_send_no_more_than_a_ring_does) {
  for (unsigned ranks : {2u, 4u, 8u}) {
    size_t bytes = size_t(4) << 20;
    for (unsigned rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(BatchSliceAllReduce(BatchSliceReductionTree(8, ranks), rank,
                                    INGOT_FLOAT, {bytes / 4}, Reduction::Sum,
                                    large, /*shards=*/8)
                    .bytesSent(),
                (ranks - 1) * bytes / ranks + 8 * (ranks - 1));
    for (unsigned rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(BatchSliceAllReduce(BatchSliceReductionTree(8, ranks), rank,
                                    INGOT_FLOAT, {bytes / 4}, Reduction::Sum)
                    .bytesSent(),
                2 * (ranks - 1) * bytes / ranks + 8 * (ranks - 1));
  }
}

TEST(BatchSliceAllReduceTest,
     a_scattered_sum_has_the_trees_bytes_in_own_parts) {
  for (uint32_t shards : {8u, 9u, 20u})
    for (unsigned ranks = 1; ranks <= 8; ++ranks)
      for (bool inPlace : {false, true}) {
        FakeCollectives all(ranks, /*readsInPlace=*/ranks % 2 == inPlace);
        BatchSliceReductionTree tree(8, ranks);
        size_t elements = shards * 96;
        Batch batch = makeBatch(shards + ranks, 8, elements, inPlace ? 0 : 1);
        std::vector<float> expected = treeOf(batch, 0, 8);
        auto statuses = all.run([&](Collective &collective) {
          BatchSliceAllReduce sum(tree, collective.rank(), INGOT_FLOAT,
                                  {elements}, Reduction::Sum, large, shards);
          std::vector<float> result(elements, -1);
          INGOT_RETURN_IF_ERROR(addBatch(sum, tree, collective, batch,
                                         {elements}, result, inPlace));
          EXPECT_EQ(all.bytesSent(collective.rank()), sum.bytesSent());
          BatchSliceRange own =
              BatchSliceReductionTree(shards, ranks).runOf(collective.rank());
          for (size_t i = own.first * 96; i < own.last * 96; ++i)
            if (std::memcmp(&result[i], &expected[i], sizeof(float)) != 0)
              return Status(StatusCode::Internal,
                            "element " + std::to_string(i) + " of " +
                                std::to_string(shards) + " parts");
          return Status::ok();
        });
        for (const Status &status : statuses)
          EXPECT_TRUE(status.isOk()) << ranks << " ranks: " << status.message();
      }
}

TEST(BatchSliceAllReduceTest, maxima_and_minima_of_other_types) {
  FakeCollectives all(3);
  BatchSliceReductionTree tree(6, 3);
  auto statuses = all.run([&](Collective &collective) {
    BatchSliceAllReduce most(tree, collective.rank(), INGOT_INT64, {1},
                             Reduction::Max);
    BatchSliceAllReduce least(tree, collective.rank(), INGOT_DOUBLE, {1},
                              Reduction::Min);
    BatchSliceRange run = tree.runOf(collective.rank());
    for (uint64_t slice = run.first; slice < run.last; ++slice) {
      int64_t number = 100 - static_cast<int64_t>(slice);
      double fraction = 0.25 * static_cast<double>(slice) + 1;
      most.add(0, slice, &number);
      least.add(0, slice, &fraction);
    }
    int64_t largest = 0;
    double smallest = 0;
    INGOT_RETURN_IF_ERROR(most.exchange(collective, nullptr));
    INGOT_RETURN_IF_ERROR(least.exchange(collective, nullptr));
    most.store(0, &largest);
    least.store(0, &smallest);
    EXPECT_EQ(largest, 100);
    EXPECT_EQ(smallest, 1.0);
    return Status::ok();
  });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.isOk()) << status.message();
}
