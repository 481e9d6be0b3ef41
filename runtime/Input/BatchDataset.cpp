//===- BatchDataset.cpp - Elements put together -----------------*- C++ -*-===//
//
// BatchDataset and BatchDatasetV2 (batch_size consecutive elements become one,
// with a dimension in front), and ZipDataset (an element of each input).
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/Registry.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ingot::input {

namespace {

/// One component of a batch, as it grows.
class ComponentBatch {
public:
  /// Makes room for the first of about `capacity` tensors like `first`.
  void begin(BlockPool &pool, const Tensor &first, uint64_t capacity) {
    dtype = first.dtype();
    shape.assign(1, static_cast<int64_t>(capacity));
    shape.insert(shape.end(), first.shape().begin(), first.shape().end());
    rowSize = first.byteSize();
    batch = Tensor::allocate(pool, dtype, shape);
    kept.clear();
  }

  bool accepts(const Tensor &tensor) const {
    return tensor.dtype() == dtype &&
           fits(tensor.shape(), Shape(shape).subspan(1));
  }
  Shape elementShape() const { return Shape(shape).subspan(1); }

  void append(BlockPool &pool, uint64_t index, const Tensor &tensor) {
    if (index == static_cast<uint64_t>(shape[0])) {
      shape[0] *= 2;
      Tensor larger = Tensor::allocate(pool, dtype, shape);
      std::memcpy(larger.mutableData(), batch.data(), batch.byteSize());
      batch = std::move(larger);
    }
    if (rowSize)
      std::memcpy(static_cast<char *>(batch.mutableData()) + index * rowSize,
                  tensor.data(), rowSize);
    // A string's bytes lie in its tensor until finish() copies them.
    if (dtype == INGOT_STRING)
      kept.push_back(tensor);
  }

  Tensor finish(BlockPool &pool, uint64_t count) {
    batch.shrinkFirstDimension(static_cast<int64_t>(count));
    if (dtype == INGOT_STRING)
      batch = Tensor::copy(pool, dtype, batch.shape(), batch.data());
    kept.clear();
    return std::move(batch);
  }

private:
  int32_t dtype = 0;
  std::vector<int64_t> shape; // of `batch`, with room for shape[0] rows
  size_t rowSize = 0;
  Tensor batch;
  Element kept;
};

class BatchIterator final : public DatasetIterator {
public:
  BatchIterator(BlockPool &pool, std::unique_ptr<DatasetIterator> input,
                uint64_t batchSize, bool dropRemainder, std::string name)
      : pool(pool), input(std::move(input)), batchSize(batchSize),
        dropRemainder(dropRemainder), name(std::move(name)),
        capacity(std::min<uint64_t>(batchSize, 256)) {}

  Status start() override { return input->start(); }

  Status next(Element &element, bool &end) override {
    uint64_t count = 0;
    bool inputEnd = false;
    while (count < batchSize && !inputEnd) {
      size_t numRows = 0;
      INGOT_RETURN_IF_ERROR(
          readRows(std::min<uint64_t>(rows.size(), batchSize - count), numRows,
                   inputEnd));
      if (count == 0 && numRows)
        begin(rows[0]);
      for (size_t i = 0; i < numRows; ++i)
        INGOT_RETURN_IF_ERROR(append(rows[i], count++));
    }
    end = count == 0 || (count < batchSize && dropRemainder);
    if (end)
      return Status::ok();
    // A batch size may mean "all there is"; the next batch has room for as
    // many as this one had.
    capacity = count;
    element.resize(components.size());
    for (size_t i = 0; i < components.size(); ++i)
      element[i] = components[i].finish(pool, count);
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    for (skipped = 0; skipped < count; ++skipped) {
      uint64_t rows = 0;
      INGOT_RETURN_IF_ERROR(input->skip(batchSize, rows));
      if (rows == 0 || (rows < batchSize && dropRemainder))
        break;
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    return restoreInput(*input, state);
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  /// Up to `wanted` elements. Behind a shuffle each lies anywhere in memory:
  /// while one is asked for, those before it come closer.
  Status readRows(size_t wanted, size_t &numRows, bool &end) {
    for (; numRows < wanted; ++numRows) {
      INGOT_RETURN_IF_ERROR(input->next(rows[numRows], end));
      if (end)
        break;
      for (const Tensor &tensor : rows[numRows])
        tensor.prefetch();
    }
    return Status::ok();
  }

  void begin(const Element &row) {
    components.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i)
      components[i].begin(pool, row[i], capacity);
  }

  Status append(const Element &row, uint64_t index) {
    for (size_t i = 0; i < components.size(); ++i) {
      if (row.size() != components.size() || !components[i].accepts(row[i]))
        return Status(
            StatusCode::InvalidArgument,
            name +
                ": cannot batch tensors with different shapes in component " +
                std::to_string(i) + ": the first element has shape " +
                shapeText(components[i].elementShape()) + ", element " +
                std::to_string(index) + " has " +
                (i < row.size()
                     ? dtypeName(row[i].dtype()) + shapeText(row[i].shape())
                     : "no such component"));
      components[i].append(pool, index, row[i]);
    }
    return Status::ok();
  }

  BlockPool &pool;
  std::unique_ptr<DatasetIterator> input;
  uint64_t batchSize;
  bool dropRemainder;
  std::string name;
  uint64_t capacity;
  std::array<Element, 16> rows; // read, but not yet in the batch
  std::vector<ComponentBatch> components;
};

class ZipIterator final : public DatasetIterator {
public:
  explicit ZipIterator(std::vector<std::unique_ptr<DatasetIterator>> inputs)
      : inputs(std::move(inputs)), parts(this->inputs.size()) {}

  Status start() override {
    ended = false;
    for (auto &input : inputs)
      INGOT_RETURN_IF_ERROR(input->start());
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    element.clear();
    for (size_t i = 0; i < inputs.size() && !ended; ++i) {
      INGOT_RETURN_IF_ERROR(inputs[i]->next(parts[i], ended));
      if (!ended)
        element.insert(element.end(), parts[i].begin(), parts[i].end());
    }
    end = ended;
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    skipped = ended ? 0 : count;
    if (ended)
      return Status::ok();
    for (auto &input : inputs) {
      uint64_t part = 0;
      INGOT_RETURN_IF_ERROR(input->skip(skipped, part));
      ended = ended || part < count;
      skipped = std::min(skipped, part);
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_ended(ended);
    for (const auto &input : inputs)
      input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    if (static_cast<size_t>(state.inputs_size()) != inputs.size())
      return badState("has " + std::to_string(state.inputs_size()) +
                      " inputs, expected " + std::to_string(inputs.size()));
    ended = state.ended();
    for (size_t i = 0; i < inputs.size(); ++i)
      INGOT_RETURN_IF_ERROR(
          inputs[i]->restore(state.inputs(static_cast<int>(i))));
    return Status::ok();
  }

private:
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  std::vector<Element> parts;
  bool ended = false;
};

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeBatchDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t batchSize, context.integer(0));
  if (batchSize <= 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": batch_size is " +
                      std::to_string(batchSize) +
                      ", expected greater than zero");
  bool dropRemainder = false;
  if (context.dataset().num_operands > 1) {
    INGOT_ASSIGN_OR_RETURN(dropRemainder, context.boolean(1));
  }
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<BatchIterator>(context.env().pool, std::move(input),
                                          static_cast<uint64_t>(batchSize),
                                          dropRemainder, context.name())};
}

Expected<std::unique_ptr<DatasetIterator>>
makeZipDataset(const DatasetContext &context) {
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  for (uint32_t i = 0; i < context.dataset().num_inputs; ++i) {
    INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(i));
    inputs.push_back(std::move(input));
  }
  return {std::make_unique<ZipIterator>(std::move(inputs))};
}

} // namespace ingot::input
