//===- ParseFeatures.cpp - Parses features of Examples --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/ParseExample.h"
#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

/// Calls `function.operator()<T>()` with the C++ type of a feature's values:
/// float, int64 or string.
template <typename FunctionT>
static Status visitFeature(int32_t dtype, FunctionT function) {
  if (dtype == INGOT_FLOAT)
    return function.template operator()<float>();
  if (dtype == INGOT_INT64)
    return function.template operator()<int64_t>();
  return function.template operator()<ingot_string>();
}

namespace {

/// A dense feature, with the shape of its values in one Example.
struct DenseFeature {
  std::vector<int64_t> shape; // shape per Example; first dimension -1: dynamic
  int64_t elements;           // number of elements of the static dimensions
  VarLenFeature open;
};

/// One call of the op `parse_features`. Its outputs are those of the sparse
/// features (three each), then those of the dense ones from index `firstDense`
/// on, then those of the ragged ones from index `firstRagged` on.
class FeatureParser {
public:
  explicit FeatureParser(OpKernelContext &op)
      : op(op), serialized(op.input(0)), isBatch(serialized.rank() == 1),
        sparseKeys(op.texts("sparse_keys")), denseKeys(op.texts("dense_keys")),
        raggedKeys(op.texts("ragged_keys")), sparse(sparseKeys.size()),
        dense(denseKeys.size()), ragged(raggedKeys.size()),
        firstDense(3 * sparse.size()), firstRagged(firstDense + dense.size()) {}

  Status run();

private:
  Status addDense(size_t i, FeatureToParse &wanted);
  Status writeSparse(size_t i);
  Status writeOpen(size_t i);
  Status writeRagged(size_t i);
  Status writeValues(size_t output, VarLenFeature &open);

  OpKernelContext &op;
  OpInput serialized;
  bool isBatch;
  std::span<const ingot_string> sparseKeys, denseKeys, raggedKeys;
  std::vector<VarLenFeature> sparse;
  std::vector<DenseFeature> dense;
  std::vector<VarLenFeature> ragged;
  size_t firstDense, firstRagged;
};

} // namespace

Status FeatureParser::addDense(size_t i, FeatureToParse &wanted) {
  DenseFeature &feature = dense[i];
  size_t output = firstDense + i;
  wanted.key = view(denseKeys[i]);
  wanted.dtype = op.outputType(output);
  wanted.shape = feature.shape;
  OpInput byDefault = op.input(1 + i);
  if (!feature.shape.empty() && feature.shape[0] < 0) {
    if (byDefault.numElements() != 1)
      return op.invalid("the default of feature '" + std::string(wanted.key) +
                        "', which has a variable length, must be one element, "
                        "but has shape " +
                        dimsText(byDefault.dims()));
    wanted.open = &feature.open;
    return Status::ok();
  }
  if (byDefault.numElements() != 0) {
    if (!std::ranges::equal(byDefault.dims(), feature.shape))
      return op.invalid("the default of feature '" + std::string(wanted.key) +
                        "' has shape " + dimsText(byDefault.dims()) +
                        ", but the feature has shape " +
                        dimsText(feature.shape));
    wanted.byDefault = byDefault.data();
  }
  std::vector<int64_t> dims(serialized.dims().begin(), serialized.dims().end());
  dims.insert(dims.end(), feature.shape.begin(), feature.shape.end());
  INGOT_ASSIGN_OR_RETURN(wanted.output, op.allocate(output, dims));
  return Status::ok();
}

Status FeatureParser::run() {
  std::vector<FeatureToParse> wanted;
  auto addOpen = [&](std::span<const ingot_string> keys,
                     std::vector<VarLenFeature> &features, size_t firstValues) {
    for (size_t i = 0; i < keys.size(); ++i) {
      FeatureToParse &feature = wanted.emplace_back();
      feature.key = view(keys[i]);
      feature.dtype = op.outputType(firstValues + i);
      feature.open = &features[i];
    }
  };
  addOpen(sparseKeys, sparse, sparse.size());
  std::span<const int64_t> dims = op.integers("dense_shapes");
  for (size_t i = 0; i < dense.size(); ++i) {
    size_t rank = op.outputRank(firstDense + i) - isBatch;
    dense[i].shape.assign(dims.begin(), dims.begin() + rank);
    dims = dims.subspan(rank);
    dense[i].elements = 1;
    for (int64_t dim : dense[i].shape)
      dense[i].elements *= dim < 0 ? 1 : dim;
    INGOT_RETURN_IF_ERROR(addDense(i, wanted.emplace_back()));
  }
  addOpen(raggedKeys, ragged, firstRagged);

  INGOT_RETURN_IF_ERROR(parseExamples(op.node(), wanted,
                                      serialized.as<ingot_string>().data(),
                                      serialized.numElements()));
  for (size_t i = 0; i < sparse.size(); ++i)
    INGOT_RETURN_IF_ERROR(writeSparse(i));
  for (size_t i = 0; i < dense.size(); ++i)
    if (!dense[i].shape.empty() && dense[i].shape[0] < 0)
      INGOT_RETURN_IF_ERROR(writeOpen(i));
  for (size_t i = 0; i < ragged.size(); ++i)
    INGOT_RETURN_IF_ERROR(writeRagged(i));
  return Status::ok();
}

/// Writes the values of one feature to an output: those of the first Example,
/// followed by those of the next one, and so on.
Status FeatureParser::writeValues(size_t output, VarLenFeature &open) {
  return visitFeature(op.outputType(output), [&]<typename T>() {
    const std::vector<T> &values = open.of<T>();
    INGOT_ASSIGN_OR_RETURN(
        auto out, op.output<T>(output, {static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), out.begin());
    return Status::ok();
  });
}

// Writes a sparse feature. The row of an element is the index of its Example,
// and its column is its index among the Example's values.
Status FeatureParser::writeSparse(size_t i) {
  const std::vector<int64_t> &ends = sparse[i].ends;
  int64_t rank = isBatch ? 2 : 1;
  int64_t count = ends.empty() ? 0 : ends.back();
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(i, {count, rank}));
  int64_t longest = 0, begin = 0;
  auto next = indices.begin();
  for (size_t row = 0; row < ends.size(); ++row) {
    int64_t size = ends[row] - begin;
    for (int64_t column = 0; column < size; ++column) {
      if (isBatch)
        *next++ = static_cast<int64_t>(row);
      *next++ = column;
    }
    longest = std::max(longest, size);
    begin = ends[row];
  }
  INGOT_RETURN_IF_ERROR(writeValues(sparse.size() + i, sparse[i]));
  INGOT_ASSIGN_OR_RETURN(auto shape,
                         op.output<int64_t>(2 * sparse.size() + i, {rank}));
  if (isBatch)
    shape[0] = serialized.numElements();
  shape[static_cast<size_t>(rank) - 1] = longest;
  return Status::ok();
}

// Writes a dense feature of dynamic shape. Examples may have different numbers
// of values, so all are padded to the largest number. A single Example needs no
// padding.
Status FeatureParser::writeOpen(size_t i) {
  DenseFeature &feature = dense[i];
  int64_t longest = 0, begin = 0;
  for (int64_t end : feature.open.ends) {
    longest = std::max(longest, end - begin);
    begin = end;
  }
  std::vector<int64_t> dims(serialized.dims().begin(), serialized.dims().end());
  dims.insert(dims.end(), feature.shape.begin(), feature.shape.end());
  dims[isBatch] = feature.elements ? longest / feature.elements : 0;
  size_t output = firstDense + i;
  return visitFeature(op.outputType(output), [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(output, dims));
    const std::vector<T> &values = feature.open.of<T>();
    std::fill(out.begin(), out.end(), op.input(1 + i).as<T>()[0]);
    auto row = out.begin();
    int64_t begin = 0;
    for (int64_t end : feature.open.ends) {
      std::copy(values.begin() + begin, values.begin() + end, row);
      row += longest;
      begin = end;
    }
    return Status::ok();
  });
}

// Writes a ragged feature: the values, and the row splits, which a single
// Example does not have.
Status FeatureParser::writeRagged(size_t i) {
  INGOT_RETURN_IF_ERROR(writeValues(firstRagged + i, ragged[i]));
  size_t output = firstRagged + ragged.size() + i;
  const std::vector<int64_t> &ends = ragged[i].ends;
  auto write = [&]<typename T>() {
    int64_t size = isBatch ? serialized.numElements() + 1 : 0;
    INGOT_ASSIGN_OR_RETURN(auto splits, op.output<T>(output, {size}));
    for (size_t row = 0; row < splits.size(); ++row)
      splits[row] = static_cast<T>(row ? ends[row - 1] : 0);
    return Status::ok();
  };
  return op.outputType(output) == INGOT_INT64
             ? write.template operator()<int64_t>()
             : write.template operator()<int32_t>();
}

INGOT_RUNTIME_OP(parse_features) { return FeatureParser(op).run(); }
