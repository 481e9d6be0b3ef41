//===- SparseCross.cpp - Feature crosses ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Hash.h"
#include "runtime/Ops/Sparse.h"

#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// A column of features: its values, and the index of each row's first value.
class Column {
public:
  Column(const OpInput &values, std::vector<int64_t> starts, bool isSparse)
      : values(values), starts(std::move(starts)), isSparse(isSparse) {}

  size_t numRows() const { return starts.size() - 1; }
  int64_t count(size_t row) const { return starts[row + 1] - starts[row]; }

  uint64_t hash(size_t row, int64_t feature) const {
    auto at = static_cast<size_t>(starts[row] + feature);
    return values.dtype() == INGOT_STRING
               ? farmFingerprint64(values.text(at))
               : static_cast<uint64_t>(values.as<int64_t>()[at]);
  }
  /// Returns the hash of a feature as TensorFlow's op SparseCrossHashed
  /// computes it: for a number in a sparse column, it hashes only the lower
  /// four bytes.
  uint64_t ownHash(size_t row, int64_t feature) const {
    uint64_t value = hash(row, feature);
    if (!isSparse || values.dtype() == INGOT_STRING)
      return value;
    auto low = static_cast<uint32_t>(value);
    return farmFingerprint64(
        {reinterpret_cast<const char *>(&low), sizeof(low)});
  }
  std::string text(size_t row, int64_t feature) const {
    auto at = static_cast<size_t>(starts[row] + feature);
    return values.dtype() == INGOT_STRING
               ? std::string(values.text(at))
               : std::to_string(values.as<int64_t>()[at]);
  }

private:
  OpInput values;
  std::vector<int64_t> starts;
  bool isSparse;
};

} // namespace

/// Makes the column of a sparse tensor. Elements are assigned to rows in
/// ascending order. The first element that is out of order, or whose row does
/// not exist, and all elements after it are ignored.
static Expected<Column> sparseColumn(const SparseInput &sparse) {
  INGOT_RETURN_IF_ERROR(sparse.checkShape());
  std::vector<int64_t> starts = {0};
  int64_t next = 0;
  for (int64_t row = 0; row < sparse.dims()[0]; ++row) {
    while (next < sparse.size() && sparse.at(next)[0] == row)
      ++next;
    starts.push_back(next);
  }
  return Column(sparse.values, std::move(starts), /*isSparse=*/true);
}

static Column denseColumn(const OpInput &dense) {
  std::vector<int64_t> starts;
  for (int64_t row = 0; row <= dense.dim(0); ++row)
    starts.push_back(row * dense.dim(1));
  return Column(dense, std::move(starts), /*isSparse=*/false);
}

/// Combines two fingerprints as TensorFlow's FingerprintCat64 does, with
/// constants of MurmurHash.
static uint64_t concatenate(uint64_t first, uint64_t second) {
  constexpr uint64_t multiplier = 0xc6a4a7935bd1e995;
  auto shiftMix = [](uint64_t value) { return value ^ (value >> 47); };
  uint64_t result = first ^ multiplier;
  result ^= shiftMix(second * multiplier) * multiplier;
  result *= multiplier;
  result = shiftMix(result) * multiplier;
  return shiftMix(result);
}

/// Moves `chosen` to the next combination of a row's features; the last
/// column's feature changes fastest. Returns false after the last combination.
static bool advance(std::vector<int64_t> &chosen,
                    const std::vector<Column> &columns, size_t row) {
  for (size_t i = columns.size(); i-- != 0;) {
    if (++chosen[i] < columns[i].count(row))
      return true;
    chosen[i] = 0;
  }
  return false;
}

// Implements SparseCross and its variants. Inputs: the coordinates, values and
// shapes of `count` sparse columns, then the dense columns. Output: a sparse
// tensor with the combinations of each row's features.
INGOT_RUNTIME_OP(sparse_cross) {
  auto count = static_cast<size_t>(op.integer("count", 0));
  std::vector<Column> columns;
  for (size_t i = 0; i < count; ++i) {
    SparseInput sparse(op.input(i), op.input(count + i),
                       op.input(2 * count + i));
    INGOT_ASSIGN_OR_RETURN(Column column, sparseColumn(sparse));
    columns.push_back(std::move(column));
  }
  for (size_t i = 3 * count; i < op.numInputs(); ++i)
    columns.push_back(denseColumn(op.input(i)));
  size_t numRows = columns.front().numRows();
  int64_t total = 0, most = 0;
  for (const Column &column : columns)
    if (column.numRows() != numRows)
      return op.invalid("columns of " + std::to_string(numRows) + " and " +
                        std::to_string(column.numRows()) +
                        " rows cannot be crossed: all columns must have the "
                        "same number of rows");
  std::vector<int64_t> counts(numRows, 1);
  for (size_t row = 0; row < numRows; ++row) {
    for (const Column &column : columns)
      counts[row] *= column.count(row);
    total += counts[row];
    most = std::max(most, counts[row]);
  }
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(0, {total, 2}));
  INGOT_ASSIGN_OR_RETURN(void *values, op.allocate(1, {&total, 1}));
  INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int64_t>(2, {2}));
  shape[0] = static_cast<int64_t>(numRows);
  shape[1] = most;
  bool isHashed = op.flag("hashed"), hashesFirst = op.flag("hashes_first");
  std::string_view separator = op.text("separator", "_X_");
  auto key = static_cast<uint64_t>(op.integer("hash_key", 0));
  auto buckets = static_cast<uint64_t>(op.integer("num_buckets", 0));
  // num_buckets = 0 means that hashes are not limited. But the output is int64,
  // so the hash is taken modulo INT64_MAX, which makes it non-negative.
  if (buckets == 0)
    buckets = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  size_t next = 0;
  for (size_t row = 0; row < numRows; ++row) {
    std::vector<int64_t> chosen(columns.size());
    for (int64_t i = 0; i < counts[row]; ++i, ++next) {
      indices[2 * next] = static_cast<int64_t>(row);
      indices[2 * next + 1] = i;
      if (isHashed) {
        uint64_t hash = hashesFirst ? columns[0].ownHash(row, chosen[0]) : key;
        for (size_t c = hashesFirst; c < columns.size(); ++c)
          hash =
              concatenate(hash, hashesFirst ? columns[c].ownHash(row, chosen[c])
                                            : columns[c].hash(row, chosen[c]));
        static_cast<int64_t *>(values)[next] =
            static_cast<int64_t>(hash % buckets);
      } else {
        std::string text;
        for (size_t c = 0; c < columns.size(); ++c)
          text.append(c ? separator : "")
              .append(columns[c].text(row, chosen[c]));
        INGOT_ASSIGN_OR_RETURN(static_cast<ingot_string *>(values)[next],
                               op.string(text));
      }
      advance(chosen, columns, row);
    }
  }
  return Status::ok();
}
