//===- BatchRows.h - The rows of a batch, as they are made ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Where the input of a batch is a map, the batch runs the map's function, and
// the function writes its results directly into the batch's rows: nothing is
// copied afterwards. Elements, their order, failures and states are those of
// the two separate datasets.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_BATCHROWS_H
#define INGOT_RUNTIME_INPUT_BATCHROWS_H

#include "runtime/Input/Dataset.h"

namespace ingot::input {

/// One component of a batch, as it grows.
class ComponentBatch {
public:
  /// Makes room for the first of about `capacity` tensors of shape `element`.
  void begin(BlockPool &pool, int32_t dtype, Shape element, uint64_t capacity);

  bool accepts(const Tensor &tensor) const {
    return tensor.dtype() == dtype && fits(tensor.shape(), elementShape());
  }
  Shape elementShape() const { return Shape(shape).subspan(1); }
  bool hasStrings() const { return dtype == INGOT_STRING; }

  /// The address of row `index`, which follows the previous ones.
  void *row(BlockPool &pool, uint64_t index);
  void append(BlockPool &pool, uint64_t index, const Tensor &tensor);
  /// The bytes of strings in the batch are in `tensor`.
  void keep(const Tensor &tensor) { kept.push_back(tensor); }

  /// The batch of the rows so far; strings below `leastSize` on average are
  /// copied rather than held.
  Tensor finish(BlockPool &pool, uint64_t count, size_t leastSize);

private:
  int32_t dtype = 0;
  std::vector<int64_t> shape; // of `batch`, with room for shape[0] rows
  size_t rowSize = 0;
  Tensor batch;
  Element kept;
};

/// A map's function, run to make rows.
class RowFunction {
public:
  virtual ~RowFunction() = default;

  /// The types and shapes of its results.
  virtual std::span<const ingot_tensor_spec> outputs() const = 0;
  /// Runs on `element`, the latest of `input`, for row `index`. Sets `end`
  /// where the function ends its dataset.
  virtual Status append(const Element &element, uint64_t index,
                        std::vector<ComponentBatch> &components,
                        const DatasetIterator &input, bool &end) = 0;
};

/// The map whose function a batch over dataset `input` can run, if any:
/// datasets in between pass elements through, and its function's results have
/// static shapes.
DeferredMap findDeferredMap(const ingot_program &program, uint32_t input);

/// The function of `map`, found by findDeferredMap(), for `batch`.
Expected<std::unique_ptr<RowFunction>>
makeRowFunction(const DatasetContext &batch, DeferredMap map);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BATCHROWS_H
