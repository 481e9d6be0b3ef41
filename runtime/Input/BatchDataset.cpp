//===- BatchDataset.cpp - Batches and zips elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements BatchDataset and BatchDatasetV2 (batch_size consecutive elements
// become one, with a new first dimension), and ZipDataset (each element
// consists of an element of each input).
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/BatchRows.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

namespace {

/// The most bytes that are allocated in advance for a component of the first
/// batch (or the bytes of 256 rows, if these are more). A batch size may be a
/// huge number that means "all elements", so memory for a whole batch may be
/// far more than the dataset needs.
constexpr uint64_t roomAtFirst = 16 << 20;

/// If the strings of a batch have fewer bytes than this on average, their bytes
/// are copied into the batch. Longer strings are not copied: the batch refers
/// to them, and keeps the input elements that contain them alive. Then these
/// elements are freed later and by another thread, which costs more than
/// copying short strings. The limit does not apply to strings that a map's
/// function has returned.
constexpr size_t smallText = 1024;

/// A batch of at most `quickRows` rows for which at most `quickCopy` bytes are
/// copied is quick (isQuick()): waking a prefetch thread would take longer than
/// making the batch.
constexpr uint64_t quickCopy = 16 << 10, quickRows = 512;

/// While row i is copied into a batch, the memory of row i + `ahead` is
/// prefetched into the CPU cache.
constexpr size_t ahead = 8;

class BatchIterator final : public DatasetIterator {
public:
  /// `function` computes a row of the batch from an element of `input`. If it
  /// is null, the elements themselves are the rows.
  BatchIterator(TensorMemoryPool &pool, std::unique_ptr<DatasetIterator> input,
                std::unique_ptr<BatchRowWriter> function, bool failsInOrder,
                uint64_t batchSize, bool dropRemainder, bool hasMap,
                std::string name)
      : hasMap(hasMap), pool(pool), input(std::move(input)),
        function(std::move(function)), batchSize(batchSize),
        dropRemainder(dropRemainder), name(std::move(name)),
        rows(failsInOrder ? 1 : 16) {
    if (!this->function)
      tensors = this->input->slicedTensors();
  }

  Status start() override { return input->start(); }

  Status next(Element &element, bool &end) override {
    if (!tensors.tensors.empty())
      return nextOfRows(element, end);
    uint64_t count = 0;
    bool inputEnd = false;
    while (count < batchSize && !inputEnd) {
      size_t numRows = 0;
      INGOT_RETURN_IF_ERROR(
          readRows(std::min<uint64_t>(rows.size(), batchSize - count), numRows,
                   inputEnd));
      if (count == 0 && numRows)
        begin(rows[0]);
      bool functionEnd = false;
      for (size_t i = 0; i < numRows && !functionEnd; ++i) {
        INGOT_RETURN_IF_ERROR(append(rows[i], count, functionEnd));
        count += !functionEnd;
      }
      inputEnd |= functionEnd;
    }
    end = count == 0 || (count < batchSize && dropRemainder);
    if (end)
      return Status::ok();
    // Begin the next batch with room for as many rows as this batch has. Room
    // for `batchSize` rows may be far too much, because `batchSize` may be a
    // huge number that means "all elements".
    capacity = count;
    element.resize(components.size());
    for (size_t i = 0; i < components.size(); ++i)
      element[i] = components[i].finish(pool, count, function ? 0 : smallText);
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return skipBatches(*input, batchSize, dropRemainder, count, skipped);
  }

  void save(NodeState &state) const override {
    input->save(*state.add_inputs());
  }
  void update(NodeState &state) const override { updateInput(*input, state); }

  Status restore(const NodeState &state) override {
    return restoreInput(*input, state);
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

  bool isQuick() const override {
    uint64_t copied = 0;
    for (const DatasetOperand &tensor : tensors.tensors) {
      uint64_t bytes =
          std::min<uint64_t>(tensor.shape[0], batchSize) * tensor.rowSize();
      if (!tensors.isInOrder || !tensor.isConstant || !isAligned(tensor.data) ||
          bytes % INGOT_ALIGNMENT != 0)
        copied += bytes;
    }
    return !tensors.tensors.empty() && batchSize <= quickRows &&
           copied <= quickCopy;
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    bool isFused =
        hasMap &&
        (node.isReading() ? node.state.hasIterator(node.below("MapAndBatch"))
                          : node.state.rewrites.mapAndBatch);
    if (isFused) {
      INGOT_RETURN_IF_ERROR(node.choose({"MapAndBatch"}));
      TensorFlowIteratorStateNode map{node.state, node.name};
      INGOT_RETURN_IF_ERROR(exchangeResults(node, map.pending));
      node.state.isFused = true;
      return input->exchange(map);
    }
    INGOT_RETURN_IF_ERROR(node.choose({"BatchV2", "Batch"}));
    return exchangeUnlessEmpty(*input, node, "input_impl_empty");
  }

private:
  /// Reads the batches that TensorFlow's MapAndBatch iterator had computed in
  /// advance, from a state that TensorFlow saved. Appends complete batches to
  /// `node.pending`, and the rows of an incomplete batch to `begun`.
  Status exchangeResults(TensorFlowIteratorStateNode &node,
                         std::vector<Element> &begun) {
    uint64_t size = 0;
    node.note("call_counter", 0);
    INGOT_RETURN_IF_ERROR(node.exchange("batch_results_size", size));
    for (uint64_t i = 0; i < size; ++i) {
      std::string result = "batch_results_" + std::to_string(i);
      uint64_t calls = 0, numRows = 0, code = 0, components = 0;
      INGOT_RETURN_IF_ERROR(node.exchange(result + "_num_calls", calls));
      INGOT_RETURN_IF_ERROR(node.exchange(result + "_num_elements", numRows));
      INGOT_RETURN_IF_ERROR(node.exchange(result + "_status_code", code));
      if (code != 0)
        return Status(StatusCode::FailedPrecondition,
                      "TensorFlow saved the error of a batch that it had "
                      "computed ahead: restore an earlier checkpoint");
      if (numRows > batchSize)
        return badState("a batch has " + std::to_string(numRows) +
                        " rows, but at most " + std::to_string(batchSize) +
                        " are batched");
      bool isWhole = calls == 0;
      if (numRows == 0 || (isWhole && numRows < batchSize && dropRemainder))
        continue;
      INGOT_RETURN_IF_ERROR(node.exchange(result + "_output_size", components));
      Element batch;
      for (uint64_t j = 0; j < components; ++j) {
        Tensor tensor;
        INGOT_RETURN_IF_ERROR(node.state.exchange(
            fullKey(node.name, result), "output_" + std::to_string(j), tensor));
        if (tensor.shape().empty() ||
            static_cast<uint64_t>(tensor.shape()[0]) < numRows)
          return badState("component " + std::to_string(j) +
                          " of a batch has shape " + shapeText(tensor.shape()) +
                          ", expected at least " + std::to_string(numRows) +
                          " rows");
        batch.push_back(firstRows(std::move(tensor), numRows));
      }
      if (isWhole) {
        node.pending.push_back(std::move(batch));
        continue;
      }
      for (uint64_t row = 0; row < numRows; ++row)
        begun.push_back(rowOf(batch, row));
    }
    return Status::ok();
  }

  Element rowOf(const Element &batch, uint64_t row) {
    Element element;
    for (const Tensor &tensor : batch) {
      size_t size = tensor.byteSize() / static_cast<size_t>(tensor.shape()[0]);
      element.push_back(
          Tensor::copy(pool, tensor.dtype(), tensor.shape().subspan(1),
                       static_cast<const char *>(tensor.data()) + row * size));
    }
    return element;
  }

  Tensor firstRows(Tensor tensor, uint64_t numRows) {
    if (tensor.shape()[0] == static_cast<int64_t>(numRows))
      return tensor;
    std::vector<int64_t> dims(tensor.shape().begin(), tensor.shape().end());
    dims[0] = static_cast<int64_t>(numRows);
    return Tensor::copy(pool, tensor.dtype(), dims, tensor.data());
  }

  bool hasMap; // whether the input is a map

  /// Returns the next batch of an input whose elements are rows of tensors. If
  /// the batch consists of consecutive rows, each component is a view of these
  /// rows, or is copied as a whole rather than row by row.
  Status nextOfRows(Element &element, bool &end) {
    INGOT_RETURN_IF_ERROR(readNumbers());
    uint64_t count = numbers.size();
    end = count == 0 || (count < batchSize && dropRemainder);
    if (end)
      return Status::ok();
    bool isInOrder = true;
    for (uint64_t i = 0; i < count; ++i)
      isInOrder &= numbers[i] == numbers[0] + i;
    element.resize(tensors.tensors.size());
    for (size_t i = 0; i < element.size(); ++i) {
      const DatasetOperand &tensor = tensors.tensors[i];
      shapeOfBatch.assign(tensor.shape.begin(), tensor.shape.end());
      shapeOfBatch[0] = static_cast<int64_t>(count);
      element[i] = isInOrder ? rowsInOrder(tensor) : chosenRows(tensor);
    }
    return Status::ok();
  }

  /// Reads the indices of the next batch's rows into `numbers`, which grows
  /// step by step, because the batch size may be a huge number that means "all
  /// elements".
  Status readNumbers() {
    constexpr uint64_t least = 256;
    numbers.clear();
    while (numbers.size() < batchSize) {
      size_t before = numbers.size(), part = 0;
      auto wanted = static_cast<size_t>(std::min<uint64_t>(
          batchSize - before, std::max<uint64_t>(before, least)));
      numbers.resize(before + wanted);
      INGOT_RETURN_IF_ERROR(
          input->nextRows(std::span(numbers).subspan(before), part));
      numbers.resize(before + part);
      if (part < wanted)
        break;
    }
    return Status::ok();
  }

  Tensor rowsInOrder(const DatasetOperand &tensor) {
    const char *rows = static_cast<const char *>(tensor.data) +
                       numbers.front() * tensor.rowSize();
    auto make =
        tensor.isConstant && isAligned(rows) ? Tensor::view : Tensor::copy;
    return make(pool, tensor.dtype, shapeOfBatch, rows);
  }

  Tensor chosenRows(const DatasetOperand &tensor) {
    Tensor batch = Tensor::allocate(pool, tensor.dtype, shapeOfBatch);
    size_t size = tensor.rowSize();
    const char *rows = static_cast<const char *>(tensor.data);
    char *to = static_cast<char *>(batch.mutableData());
    for (size_t i = 0; i < numbers.size() && size != 0; ++i) {
      // After a shuffle, rows are at random addresses: prefetch them.
      if (i + ahead < numbers.size())
        __builtin_prefetch(rows + numbers[i + ahead] * size);
      std::memcpy(to + i * size, rows + numbers[i] * size, size);
    }
    return batch;
  }

  /// Returns true if `data` has the alignment that kernels need.
  static bool isAligned(const void *data) {
    return reinterpret_cast<uintptr_t>(data) % INGOT_ALIGNMENT == 0;
  }

  /// Reads up to `wanted` elements into `rows` and prefetches the memory of
  /// each, which is at a random address after a shuffle. The prefetches run
  /// while the next elements are read.
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
    components.resize(function ? function->outputs().size() : row.size());
    for (size_t i = 0; i < components.size(); ++i) {
      if (!function) {
        begin(components[i], row[i].dtype(), row[i].shape());
        continue;
      }
      const ingot_tensor_spec &spec = function->outputs()[i];
      begin(components[i], spec.dtype, {spec.dims, spec.rank});
    }
  }

  void begin(BatchComponentBuilder &component, int32_t dtype, Shape shape) {
    uint64_t room = capacity;
    if (room == 0) {
      int64_t elements = 0;
      (void)countElements(shape, elements);
      uint64_t rowSize = std::max<uint64_t>(1, static_cast<uint64_t>(elements) *
                                                   elementSize(dtype));
      room =
          std::min(batchSize, std::max<uint64_t>(256, roomAtFirst / rowSize));
    }
    component.begin(pool, dtype, shape, room);
  }

  Status append(const Element &row, uint64_t index, bool &end) {
    if (function)
      return function->append(row, index, components, *input, end);
    for (size_t i = 0; i < components.size(); ++i) {
      if (row.size() != components.size() || !components[i].accepts(row[i]))
        return Status(
            StatusCode::InvalidArgument,
            name + ": cannot batch elements that differ in component " +
                std::to_string(i) + ": the first element has " +
                dtypeName(components[i].elementType()) +
                shapeText(components[i].elementShape()) + ", element " +
                std::to_string(index) + " has " +
                (i < row.size()
                     ? dtypeName(row[i].dtype()) + shapeText(row[i].shape())
                     : "no such component"));
      components[i].append(pool, index, row[i]);
    }
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  std::unique_ptr<BatchRowWriter> function;
  uint64_t batchSize;
  bool dropRemainder;
  std::string name;
  uint64_t capacity = 0;     // rows of the last batch; 0: no batch yet
  std::vector<Element> rows; // elements read, but not yet in the batch
  std::vector<BatchComponentBuilder> components;
  SlicedTensors tensors;         // tensors whose rows are the input's elements
  std::vector<uint64_t> numbers; // row indices of the batch
  std::vector<int64_t> shapeOfBatch;
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
      return badState("a zip has " + std::to_string(state.inputs_size()) +
                      " inputs, expected " + std::to_string(inputs.size()));
    ended = state.ended();
    for (size_t i = 0; i < inputs.size(); ++i)
      INGOT_RETURN_IF_ERROR(
          inputs[i]->restore(state.inputs(static_cast<int>(i))));
    return Status::ok();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"Zip"}));
    INGOT_RETURN_IF_ERROR(node.exchange("input_impls_empty", ended));
    for (size_t i = 0; i < inputs.size() && !ended; ++i)
      INGOT_RETURN_IF_ERROR(exchangeInput(
          *inputs[i], node.state, node.name + "[" + std::to_string(i) + "]"));
    return Status::ok();
  }

private:
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  std::vector<Element> parts;
  bool ended = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
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
  const ingot_program &program = context.env().program;
  uint32_t below = context.dataset().inputs[0];
  const DatasetOp *inputOp = datasetOp(program.datasets[below]);
  bool hasMap = inputOp && inputOp->has(Maps);
  MapDatasetFusedIntoBatch map;
  if (!context.env().exchanges)
    map = findDeferredMap(program, below);
  std::unique_ptr<BatchRowWriter> function;
  if (map.dataset >= 0) {
    INGOT_ASSIGN_OR_RETURN(function, makeBatchRowWriter(context, map));
  }
  INGOT_ASSIGN_OR_RETURN(auto input, context.deferring(map).makeInput(0));
  // If this batch runs the function of a map upstream, both the function and
  // the input may fail. The batch must report the failure of the earliest
  // element. So it calls the function on each element before it reads the next
  // element (failsInOrder). If the map has already checked that its function
  // will succeed (`map.isChecked`), the order does not matter.
  return {std::make_unique<BatchIterator>(
      context.env().pool, std::move(input), std::move(function),
      /*failsInOrder=*/map.dataset >= 0 && !map.isChecked,
      static_cast<uint64_t>(batchSize), dropRemainder, hasMap, context.name())};
}

static constexpr DatasetOperandConstraint batchOperands[] = {

    {"batch_size", INGOT_INT64, 0, true, 1}, {"drop_remainder", INGOT_BOOL}};
INGOT_DATASET(batch_dataset) = {.make = makeBatchDataset,
                                .operands = batchOperands,
                                .traits = ReadsElementsOnce | Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeZipDataset(const DatasetContext &context) {
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  for (uint32_t i = 0; i < context.dataset().num_inputs; ++i) {
    INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(i));
    inputs.push_back(std::move(input));
  }
  return {std::make_unique<ZipIterator>(std::move(inputs))};
}

INGOT_DATASET(zip_dataset) = {.make = makeZipDataset,
                              .numInputs = anyInputs,
                              .traits = ReadsElementsOnce | Exchanges};

} // namespace ingot::input
