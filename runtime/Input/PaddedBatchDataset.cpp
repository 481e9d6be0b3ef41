//===- PaddedBatchDataset.cpp - Pads and batches elements -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// PaddedBatchDatasetV2: batch_size consecutive elements become one. Each
// component is padded to a given shape, in which an unknown dimension is as
// large as that of the batch's largest element. Operands: a shape for each
// component, a padding value for each component, the batch size, and whether
// short batches are dropped.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

namespace {

/// The padding of one component.
struct ComponentPadding {
  std::vector<int64_t> shape; // -1: as large as the largest element
  Tensor value;
};

class PaddedBatchIterator final : public SingleInputIterator {
public:
  PaddedBatchIterator(TensorMemoryPool &pool,
                      std::unique_ptr<DatasetIterator> input,
                      std::vector<ComponentPadding> paddings,
                      uint64_t batchSize, bool dropRemainder, std::string name)
      : SingleInputIterator(std::move(input)), pool(pool),
        paddings(std::move(paddings)), batchSize(batchSize),
        dropRemainder(dropRemainder), name(std::move(name)) {}

  Status next(Element &element, bool &end) override {
    std::vector<Element> rows;
    bool inputEnd = false;
    while (rows.size() < batchSize) {
      Element row;
      INGOT_RETURN_IF_ERROR(input->next(row, inputEnd));
      if (inputEnd)
        break;
      if (row.size() != paddings.size())
        return Status(StatusCode::InvalidArgument,
                      name + ": an element has " + std::to_string(row.size()) +
                          " components, expected " +
                          std::to_string(paddings.size()));
      rows.push_back(std::move(row));
    }
    end = rows.empty() || (rows.size() < batchSize && dropRemainder);
    if (end)
      return Status::ok();
    element.resize(paddings.size());
    for (size_t i = 0; i < paddings.size(); ++i)
      INGOT_RETURN_IF_ERROR(batchComponent(rows, i, element[i]));
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return skipBatches(*input, batchSize, dropRemainder, count, skipped);
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"PaddedBatchV2", "PaddedBatch"}));
    return exchangeUnlessEmpty(*input, node, "exhausted");
  }

private:
  Status batchComponent(const std::vector<Element> &rows, size_t component,
                        Tensor &batch) {
    const ComponentPadding &padding = paddings[component];
    std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
    for (int64_t dim : padding.shape)
      shape.push_back(std::max<int64_t>(dim, 0));
    for (const Element &row : rows) {
      const Tensor &tensor = row[component];
      if (tensor.dtype() != padding.value.dtype() ||
          tensor.shape().size() != padding.shape.size())
        return mismatch(component, tensor);
      for (size_t axis = 0; axis < padding.shape.size(); ++axis) {
        if (padding.shape[axis] >= 0 &&
            tensor.shape()[axis] > padding.shape[axis])
          return mismatch(component, tensor);
        shape[axis + 1] = std::max(shape[axis + 1], tensor.shape()[axis]);
      }
    }
    int64_t count = 0;
    if (!countElements(shape, count))
      return Status(
          StatusCode::ResourceExhausted,
          name + ": a batch of shape " + shapeText(shape) +
              " is too large for memory: choose a smaller batch_size");
    batch = Tensor::allocate(pool, padding.value.dtype(), shape);
    fill(batch, padding.value);
    size_t rowBytes = batch.byteSize() / rows.size();
    for (size_t i = 0; i < rows.size(); ++i)
      copyInto(static_cast<char *>(batch.mutableData()) + i * rowBytes,
               Shape(shape).subspan(1), rows[i][component]);
    // Strings of the batch refer to bytes in the rows: copy them before the
    // rows are freed.
    if (batch.dtype() == INGOT_STRING)
      batch = Tensor::copy(pool, INGOT_STRING, batch.shape(), batch.data());
    return Status::ok();
  }

  Status mismatch(size_t component, const Tensor &tensor) const {
    return Status(StatusCode::InvalidArgument,
                  name + ": component " + std::to_string(component) +
                      " of an element is " + dtypeName(tensor.dtype()) +
                      shapeText(tensor.shape()) +
                      ", which cannot be padded to " +
                      dtypeName(paddings[component].value.dtype()) +
                      shapeText(paddings[component].shape));
  }

  static void fill(Tensor &tensor, const Tensor &value) {
    size_t size = elementSize(tensor.dtype());
    char *to = static_cast<char *>(tensor.mutableData());
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      std::memcpy(to + static_cast<size_t>(i) * size, value.data(), size);
  }

  /// Copies a tensor into a larger one of shape `shape`, at index 0 of every
  /// dimension.
  static void copyInto(char *to, Shape shape, const Tensor &tensor) {
    size_t size = elementSize(tensor.dtype());
    if (tensor.numElements() == 0)
      return;
    if (shape.empty()) {
      std::memcpy(to, tensor.data(), size);
      return;
    }
    size_t rank = shape.size();
    size_t line = static_cast<size_t>(tensor.shape()[rank - 1]) * size;
    std::vector<int64_t> at(rank, 0);
    const char *from = static_cast<const char *>(tensor.data());
    for (bool more = true; more; from += line) {
      size_t offset = 0;
      for (size_t axis = 0; axis < rank; ++axis)
        offset = offset * static_cast<size_t>(shape[axis]) +
                 static_cast<size_t>(at[axis]);
      std::memcpy(to + offset * size, from, line);
      more = false;
      for (size_t axis = rank - 1; axis-- > 0 && !more;) {
        more = ++at[axis] < tensor.shape()[axis];
        if (!more)
          at[axis] = 0;
      }
    }
  }

  TensorMemoryPool &pool;
  std::vector<ComponentPadding> paddings;
  uint64_t batchSize;
  bool dropRemainder;
  std::string name;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makePaddedBatchDataset(const DatasetContext &context) {
  uint32_t named = 2;
  uint32_t components = (context.dataset().num_operands - named) / 2;
  if (context.dataset().num_operands != named + 2 * components)
    return Status(StatusCode::InvalidArgument,
                  context.name() +
                      ": expected one padded shape and one padding value for "
                      "each component, but together they are " +
                      std::to_string(context.dataset().num_operands - named) +
                      " operands, an odd number");
  TensorMemoryPool &pool = context.env().pool;
  std::vector<ComponentPadding> paddings;
  for (uint32_t i = 0; i < components; ++i) {
    INGOT_ASSIGN_OR_RETURN(DatasetOperand shape, context.operand(i, 0, 1));
    INGOT_ASSIGN_OR_RETURN(DatasetOperand value,
                           context.operand(components + i, 0, 0));
    if (shape.dtype != INGOT_INT64)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": a padded shape is " +
                        dtypeName(shape.dtype) + ", expected int64");
    const auto *dims = static_cast<const int64_t *>(shape.data);
    paddings.push_back({{dims, dims + shape.numElements()},
                        Tensor::copy(pool, value.dtype, {}, value.data)});
  }
  INGOT_ASSIGN_OR_RETURN(int64_t batchSize, context.integer(2 * components));
  INGOT_ASSIGN_OR_RETURN(bool drop, context.boolean(2 * components + 1));
  if (batchSize <= 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": batch_size is " +
                      std::to_string(batchSize) +
                      ", expected greater than zero");
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<PaddedBatchIterator>(
      pool, std::move(input), std::move(paddings),
      static_cast<uint64_t>(batchSize), drop, context.name())};
}

static constexpr DatasetOperandConstraint batchOperands[] = {

    {"batch_size", INGOT_INT64, 0, true, 1}, {"drop_remainder", INGOT_BOOL}};
INGOT_DATASET(padded_batch_dataset) = {.make = makePaddedBatchDataset,
                                       .variadic = true,
                                       .operands = batchOperands,
                                       .traits = ReadsElementsOnce | Exchanges};

} // namespace ingot::input
