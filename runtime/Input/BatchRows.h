//===- BatchRows.h - Writes the rows of a batch in place --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// If the input of a batch is a map, the batch runs the map's function, which
// writes its results directly into the batch's rows, so that nothing is copied.
// Elements, their order, failures and states are those of the two separate
// datasets.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_BATCHROWS_H
#define INGOT_RUNTIME_INPUT_BATCHROWS_H

#include "runtime/Input/Dataset.h"

namespace ingot::input {

/// A component of a batch that rows are added to.
class BatchComponentBuilder {
public:
  /// Begins a batch with room for `capacity` rows of shape `element`. The batch
  /// grows if more rows are added.
  void begin(TensorMemoryPool &pool, int32_t dtype, Shape element,
             uint64_t capacity);

  bool accepts(const Tensor &tensor) const {
    return tensor.dtype() == dtype && fits(tensor.shape(), elementShape());
  }
  int32_t elementType() const { return dtype; }
  Shape elementShape() const { return Shape(shape).subspan(1); }
  bool hasStrings() const { return dtype == INGOT_STRING; }

  /// Returns the address to which the caller has to write row `index` of the
  /// batch. Rows must be added in order.
  void *row(TensorMemoryPool &pool, uint64_t index);
  void append(TensorMemoryPool &pool, uint64_t index, const Tensor &tensor);
  /// Keeps `tensor`, whose memory contains the bytes of strings in the batch,
  /// alive as long as the batch.
  void keep(const Tensor &tensor) { kept.push_back(tensor); }

  /// Returns the batch of the first `count` rows. The strings of the batch
  /// refer to the tensors passed to keep(), which stay alive with the batch.
  /// But if the strings have fewer than `leastSize` bytes on average, their
  /// bytes are copied into the batch, and these tensors are released.
  Tensor finish(TensorMemoryPool &pool, uint64_t count, size_t leastSize);

private:
  int32_t dtype = 0;
  std::vector<int64_t> shape; // shape of `batch`; shape[0] is its capacity
  size_t rowSize = 0;
  Tensor batch;
  Element kept;
};

/// Calls the function of a map, and writes its results into rows of a batch.
class BatchRowWriter {
public:
  virtual ~BatchRowWriter() = default;

  /// Returns the types and shapes of the function's results.
  virtual std::span<const ingot_tensor_spec> outputs() const = 0;
  /// Calls the function on `element`, which `input` returned last, and writes
  /// the results to row `index` of `components`. Sets `end` if the function
  /// fails with OutOfRange, which ends the map's elements.
  virtual Status append(const Element &element, uint64_t index,
                        std::vector<BatchComponentBuilder> &components,
                        const DatasetIterator &input, bool &end) = 0;
};

/// Returns the map whose function a batch over dataset `input` can run in the
/// map's place, or a result with `dataset` -1 if there is no such map. Between
/// the map and the batch there must only be datasets that pass elements
/// through, and the function's results must have static shapes.
MapDatasetFusedIntoBatch findDeferredMap(const ingot_program &program,
                                         uint32_t input);

/// Makes a BatchRowWriter for dataset `batch` from the function of `map`, which
/// findDeferredMap() has returned.
Expected<std::unique_ptr<BatchRowWriter>>
makeBatchRowWriter(const DatasetContext &batch, MapDatasetFusedIntoBatch map);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BATCHROWS_H
