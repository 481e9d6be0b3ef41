//===- EditDistance.cpp - Levenshtein distances ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// EditDistance compares the sequences of two sparse tensors. A sequence
// consists of the elements whose coordinates differ only on the last axis.
// Sequences at the same coordinates are compared; a sequence without a
// counterpart is compared with an empty sequence.
//===----------------------------------------------------------------------===//
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Sparse.h"

#include <limits>
#include <numeric>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// Iterates over the sequences of a sparse tensor.
class SparseSequenceIterator {
public:
  explicit SparseSequenceIterator(const SparseInput &sparse) : sparse(sparse) {
    next();
  }

  bool atEnd() const { return begin == sparse.size(); }
  /// Returns the coordinates of the current sequence.
  Dims at() const { return sparse.at(begin).first(sparse.rank() - 1); }
  size_t size() const { return static_cast<size_t>(end - begin); }
  template <typename T> std::span<const T> values() const {
    return sparse.values.as<T>().subspan(static_cast<size_t>(begin), size());
  }
  void next() {
    begin = end;
    while (end < sparse.size() &&
           std::ranges::equal(sparse.at(end).first(sparse.rank() - 1), at()))
      ++end;
  }

private:
  const SparseInput &sparse;
  int64_t begin = 0, end = 0;
};

} // namespace

/// Returns how many elements have to be inserted, deleted or replaced to turn
/// `from` into `to` (Wagner and Fischer's algorithm, with one row of the
/// table).
template <typename T>
static int64_t editDistance(std::span<const T> from, std::span<const T> to) {
  std::vector<int64_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t diagonal = std::exchange(row[0], row[0] + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      int64_t replaced = diagonal + !sameElement(from[i], to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

static Status checkTensor(const OpKernelContext &op, const SparseInput &sparse,
                          const std::string &name) {
  if (sparse.dims().size() != sparse.rank() ||
      sparse.values.dim(0) != sparse.size())
    return op.invalid("Expected " + name + "_shape.NumElements == #cols(" +
                      name + "_indices) and " + name +
                      "_values.NumElements == #rows(" + name +
                      "_indices): " + name + "_shape has shape " +
                      dimsText(sparse.shape.dims()) + ", " + name + "_values " +
                      dimsText(sparse.values.dims()) + ", " + name +
                      "_indices " + dimsText(sparse.indices.dims()));
  if (sparse.rank() < 2)
    return op.invalid("Input SparseTensors must have rank at least 2, but " +
                      name +
                      "_shape rank is: " + std::to_string(sparse.rank()));
  int64_t count = 1;
  for (int64_t dim : sparse.dims())
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return op.invalid(name + "_shape " + dimsText(sparse.dims()) +
                        " has a negative dimension or too many elements");
  return Status::ok();
}

template <typename T>
static Status
writeDistances(const OpKernelContext &op, const SparseInput &hypothesis,
               const SparseInput &truth, Dims dims, std::span<float> out) {
  bool normalize = op.flag("normalize", true);
  SparseSequenceIterator guesses(hypothesis), truths(truth);
  while (!guesses.atEnd() || !truths.atEnd()) {
    auto order = guesses.atEnd() ? std::strong_ordering::greater
                 : truths.atEnd()
                     ? std::strong_ordering::less
                     : std::lexicographical_compare_three_way(
                           guesses.at().begin(), guesses.at().end(),
                           truths.at().begin(), truths.at().end());
    Dims at = order <= 0 ? guesses.at() : truths.at();
    // As in TensorFlow, only the sequence's flat index in the output is
    // checked, not each coordinate. Unsigned arithmetic wraps around on
    // overflow.
    uint64_t place = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      place = place * static_cast<uint64_t>(dims[axis]) +
              static_cast<uint64_t>(at[axis]);
    if (place >= out.size())
      return op.invalid("Got an inner product " +
                        std::to_string(static_cast<int64_t>(place)) +
                        " which would require writing to outside of the "
                        "buffer for the output tensor (max elements " +
                        std::to_string(out.size()) + ")");
    float &distance = out[place];
    if (order == 0) {
      distance = static_cast<float>(
          editDistance(truths.values<T>(), guesses.values<T>()));
      if (normalize)
        distance /= static_cast<float>(truths.size());
    } else if (order < 0) {
      distance = normalize ? std::numeric_limits<float>::infinity()
                           : static_cast<float>(guesses.size());
    } else {
      distance = normalize ? 1 : static_cast<float>(truths.size());
    }
    if (order <= 0)
      guesses.next();
    if (order >= 0)
      truths.next();
  }
  return Status::ok();
}

// Implements EditDistance. Inputs: the hypothesis and the truth, two sparse
// tensors.
INGOT_RUNTIME_OP(edit_distance) {
  SparseInput hypothesis(op.input(0), op.input(1), op.input(2)),
      truth(op.input(3), op.input(4), op.input(5));
  INGOT_RETURN_IF_ERROR(checkTensor(op, hypothesis, "hypothesis"));
  INGOT_RETURN_IF_ERROR(checkTensor(op, truth, "truth"));
  if (hypothesis.rank() != truth.rank())
    return op.invalid("Expected hypothesis and truth to have matching ranks, "
                      "but got " +
                      std::to_string(hypothesis.rank()) + " and " +
                      std::to_string(truth.rank()));
  std::vector<int64_t> dims;
  int64_t count = 1;
  for (size_t axis = 0; axis + 1 < truth.rank(); ++axis) {
    dims.push_back(std::max(hypothesis.dims()[axis], truth.dims()[axis]));
    if (__builtin_mul_overflow(count, dims.back(), &count))
      return op.invalid("Got output shape " + dimsText(dims) +
                        " which has too many elements");
  }
  if (count == 0)
    return op.invalid("Got output shape " + dimsText(dims) +
                      " which has 0 elements");
  INGOT_ASSIGN_OR_RETURN(auto out, op.output<float>(0, dims));
  std::ranges::fill(out, 0.0f);
  return visitElements(truth.values.dtype(), [&]<typename T>() {
    return writeDistances<T>(op, hypothesis, truth, dims, out);
  });
}
