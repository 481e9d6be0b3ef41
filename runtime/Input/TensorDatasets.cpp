//===- TensorDatasets.cpp - Elements from operands and ranges -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorDataset (a single element, the operands), TensorSliceDataset (one
// element per row of the operands), RangeDataset, and the dataset of a window's
// elements.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Mutants.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <numeric>

namespace ingot::input {

namespace {

/// A dataset without inputs whose element i can be computed for any i, and
/// whose number of elements is known.
class IndexedDatasetIterator : public DatasetIterator {
public:
  explicit IndexedDatasetIterator(uint64_t numElements)
      : numElements(numElements) {}

  Status start() override {
    position = 0;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    end = position >= numElements;
    if (!end)
      make(position++, element);
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    skipped = std::min(count, numElements - position);
    position += skipped;
    return Status::ok();
  }

  void save(NodeState &state) const override { state.set_position(position); }

  Status restore(const NodeState &state) override {
    if (state.position() > numElements)
      return badState("a dataset of " + std::to_string(numElements) +
                      " elements has returned " +
                      std::to_string(state.position()));
    position = state.position();
    if (INGOT_MUTANT("resumes_one_element_off") && position > 0)
      --position;
    return Status::ok();
  }

protected:
  uint64_t standsAt() const { return position; }

  /// Reads this iterator's position from the tensor `key` of TensorFlow's state
  /// `node`, or writes it there.
  Status exchangePosition(TensorFlowIteratorStateNode &node,
                          const std::string &key) {
    uint64_t value = position;
    INGOT_RETURN_IF_ERROR(node.exchange(key, value));
    return node.isReading() ? moveTo(value) : Status::ok();
  }
  Status moveTo(uint64_t to) {
    NodeState state;
    state.set_position(to);
    return restore(state);
  }

private:
  virtual void make(uint64_t index, Element &element) = 0;

  uint64_t numElements;
  uint64_t position = 0;
};

class TensorIterator final : public IndexedDatasetIterator {
public:
  explicit TensorIterator(Element element)
      : IndexedDatasetIterator(1), whole(std::move(element)) {}

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"FromTensor", "Tensor"}));
    return exchangePosition(node, "produced");
  }

private:
  void make(uint64_t, Element &element) override { element = whole; }
  bool isQuick() const override { return true; }

  Element whole;
};

class TensorSliceIterator final : public IndexedDatasetIterator {
public:
  TensorSliceIterator(TensorMemoryPool &pool, uint64_t rows,
                      std::vector<DatasetOperand> operands)
      : IndexedDatasetIterator(rows), pool(pool),
        operands(std::move(operands)) {}

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"TensorSlice", "FromTensorSlice"}));
    return exchangePosition(
        node,
        node.isReading() && node.state.has(node.name, "i") ? "i" : "index");
  }

  SlicedTensors slicedTensors() const override {
    bool hasStrings = std::any_of(operands.begin(), operands.end(),
                                  [](const DatasetOperand &operand) {
                                    return operand.dtype == INGOT_STRING;
                                  });
    return hasStrings ? SlicedTensors() : SlicedTensors{operands, true};
  }

  Status nextRows(std::span<uint64_t> rows, size_t &count) override {
    uint64_t first = standsAt(), taken = 0;
    INGOT_RETURN_IF_ERROR(skip(rows.size(), taken));
    count = static_cast<size_t>(taken);
    std::iota(rows.begin(), rows.begin() + count, first);
    return Status::ok();
  }

private:
  void make(uint64_t index, Element &element) override {
    makeRow(pool, operands, index, element);
  }

  TensorMemoryPool &pool;
  std::vector<DatasetOperand> operands;
};

class WindowElementsIterator final : public IndexedDatasetIterator {
public:
  explicit WindowElementsIterator(Tensor window)
      : IndexedDatasetIterator(window.items().size()),
        window(std::move(window)) {}

private:
  void make(uint64_t index, Element &element) override {
    element.assign(1, window.items()[index]);
  }

  Tensor window;
};

class RangeIterator final : public IndexedDatasetIterator {
public:
  RangeIterator(TensorMemoryPool &pool, uint64_t numElements, int64_t first,
                int64_t step, int32_t dtype)
      : IndexedDatasetIterator(numElements), pool(pool), first(first),
        step(step), dtype(dtype) {}

  // TensorFlow's state has the next number of the range instead of its index.
  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"Range"}));
    auto next =
        static_cast<uint64_t>(first) + standsAt() * static_cast<uint64_t>(step);
    INGOT_RETURN_IF_ERROR(node.exchange("next", next));
    if (!node.isReading())
      return Status::ok();
    auto distance = static_cast<int64_t>(next - static_cast<uint64_t>(first));
    if (distance % step != 0 || distance / step < 0)
      return badState("a range that starts at " + std::to_string(first) +
                      " with step " + std::to_string(step) + " is at " +
                      std::to_string(static_cast<int64_t>(next)) +
                      ", which is not one of its numbers");
    return moveTo(static_cast<uint64_t>(distance / step));
  }

private:
  template <typename T> void store(Tensor &tensor, int64_t value) {
    *static_cast<T *>(tensor.mutableData()) = static_cast<T>(value);
  }

  void make(uint64_t index, Element &element) override {
    // The value, first + index * step, is in [start, stop) and so fits int64.
    // The product alone may overflow, so the arithmetic is unsigned.
    auto value = static_cast<int64_t>(static_cast<uint64_t>(first) +
                                      index * static_cast<uint64_t>(step));
    element.resize(1);
    element[0] = Tensor::allocate(pool, dtype, {});
    switch (dtype) {
    case INGOT_FLOAT:
      return store<float>(element[0], value);
    case INGOT_DOUBLE:
      return store<double>(element[0], value);
    case INGOT_INT8:
    case INGOT_UINT8:
      return store<uint8_t>(element[0], value);
    case INGOT_INT16:
    case INGOT_UINT16:
      return store<uint16_t>(element[0], value);
    case INGOT_INT32:
    case INGOT_UINT32:
      return store<uint32_t>(element[0], value);
    default:
      return store<int64_t>(element[0], value);
    }
  }

  TensorMemoryPool &pool;
  int64_t first;
  int64_t step;
  int32_t dtype;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeTensorDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Element element, context.variadicOperands());
  return {std::make_unique<TensorIterator>(std::move(element))};
}

INGOT_DATASET(tensor_dataset) = {.make = makeTensorDataset,
                                 .numInputs = 0,
                                 .variadic = true,
                                 .traits = Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeTensorSliceDataset(const DatasetContext &context) {
  std::vector<DatasetOperand> operands;
  int64_t rows = 0;
  for (uint32_t i = 0; i < context.dataset().num_operands; ++i) {
    INGOT_ASSIGN_OR_RETURN(DatasetOperand operand, context.operand(i, 0, -1));
    if (operand.shape.empty())
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": operand " + std::to_string(i) +
                        " is a scalar, which has no slices");
    if (i == 0)
      rows = operand.shape[0];
    if (operand.shape[0] != rows)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": operand " + std::to_string(i) +
                        " has " + std::to_string(operand.shape[0]) +
                        " slices, but operand 0 has " + std::to_string(rows));
    operands.push_back(operand);
  }
  return {std::make_unique<TensorSliceIterator>(
      context.env().pool, static_cast<uint64_t>(rows), std::move(operands))};
}

INGOT_DATASET(tensor_slice_dataset) = {.make = makeTensorSliceDataset,
                                       .numInputs = 0,
                                       .variadic = true,
                                       .traits = Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeWindowElements(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Tensor window, context.window(0));
  return {std::make_unique<WindowElementsIterator>(std::move(window))};
}

static constexpr DatasetOperandConstraint windowElementsOperands[] = {

    {"window", INGOT_VARIANT}};
INGOT_DATASET(window_elements) = {.make = makeWindowElements,
                                  .numInputs = 0,
                                  .operands = windowElementsOperands};

static Expected<std::unique_ptr<DatasetIterator>>
makeRangeDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t start, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(int64_t stop, context.integer(1));
  INGOT_ASSIGN_OR_RETURN(int64_t step, context.integer(2));
  if (step == 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": step must not be 0");
  int32_t dtype = context.dataset().num_components == 1
                      ? context.dataset().components[0].dtype
                      : 0;
  constexpr int32_t numbers[] = {
      INGOT_FLOAT,  INGOT_DOUBLE, INGOT_INT8,   INGOT_UINT8, INGOT_INT16,
      INGOT_UINT16, INGOT_INT32,  INGOT_UINT32, INGOT_INT64, INGOT_UINT64};
  if (std::ranges::find(numbers, dtype) == std::end(numbers))
    return Status(StatusCode::Unimplemented,
                  context.name() + ": a range of " + dtypeName(dtype) +
                      " is not supported: cast an int64 range instead");
  // Subtract as unsigned: the difference of stop and start may exceed int64.
  uint64_t numElements = 0;
  auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
  auto stride = static_cast<uint64_t>(step);
  if (step > 0 && start < stop)
    numElements = (to - from - 1) / stride + 1;
  else if (step < 0 && start > stop)
    numElements = (from - to - 1) / (0 - stride) + 1;
  return {std::make_unique<RangeIterator>(context.env().pool, numElements,
                                          start, step, dtype)};
}

static constexpr DatasetOperandConstraint rangeOperands[] = {
    {"start", INGOT_INT64}, {"stop", INGOT_INT64}, {"step", INGOT_INT64}};
INGOT_DATASET(range_dataset) = {.make = makeRangeDataset,
                                .numInputs = 0,
                                .operands = rangeOperands,
                                .traits = Exchanges};

} // namespace ingot::input
