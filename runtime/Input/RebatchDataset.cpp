//===- RebatchDataset.cpp - Splits and merges batches ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// RebatchDatasetV2: splits and merges the input's batches into batches of given
// sizes, which are used in turn.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

namespace {

/// Consecutive rows of one of the input's batches.
struct InputBatchSlice {
  Element batch;
  uint64_t first, count;
};

class RebatchIterator final : public DatasetIterator {
public:
  RebatchIterator(TensorMemoryPool &pool,
                  std::unique_ptr<DatasetIterator> input,
                  std::vector<uint64_t> sizes, bool dropRemainder,
                  std::string name)
      : pool(pool), input(std::move(input)), sizes(std::move(sizes)),
        dropRemainder(dropRemainder), name(std::move(name)) {}

  Status start() override {
    turn = row = rows = 0;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    uint64_t wanted = sizes[turn], count = 0;
    std::vector<InputBatchSlice> slices;
    bool inputEnd = false;
    while (count < wanted) {
      if (row == rows)
        INGOT_RETURN_IF_ERROR(fetch(inputEnd));
      if (inputEnd)
        break;
      uint64_t part = std::min(wanted - count, rows - row);
      if (part)
        slices.push_back({batch, row, part});
      row += part;
      count += part;
    }
    turn = (turn + 1) % sizes.size();
    end = (count == 0 && wanted > 0) || (dropRemainder && count < wanted);
    if (end)
      return Status::ok();
    // For a size of 0, return an empty batch with the types and row shapes of
    // the current input batch.
    if (slices.empty())
      slices.push_back({batch, 0, 0});
    return join(slices, static_cast<int64_t>(count), element);
  }

  // The state does not contain rows: if a batch of the input is partly used, a
  // restore reads the batch again.
  void save(NodeState &state) const override {
    state.set_position(turn);
    if (row == rows)
      return input->save(*state.add_inputs());
    state.set_read(row);
    *state.mutable_origin() = origin;
  }

  Status restore(const NodeState &state) override {
    turn = state.position();
    row = rows = 0;
    if (turn >= sizes.size())
      return badState(
          "a rebatch uses batch size " + std::to_string(turn) +
          ", but batch sizes are numbered from 0, and their count is " +
          std::to_string(sizes.size()));
    if (!state.has_origin())
      return restoreInput(*input, state);
    INGOT_RETURN_IF_ERROR(input->restore(state.origin()));
    bool end = false;
    INGOT_RETURN_IF_ERROR(fetch(end));
    if (end || state.read() >= rows)
      return badState(
          "a rebatch is in row " + std::to_string(state.read()) +
          " of its input's batch, but rows are numbered from 0, and "
          "their count is " +
          std::to_string(end ? 0 : rows));
    row = state.read();
    return Status::ok();
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  Status fetch(bool &end) {
    origin.Clear();
    input->save(origin);
    Element fetched;
    INGOT_RETURN_IF_ERROR(input->next(fetched, end));
    if (end)
      return Status::ok();
    row = rows = 0;
    for (size_t i = 0; i < fetched.size(); ++i) {
      Shape shape = fetched[i].shape();
      if (shape.empty() || (i > 0 && static_cast<uint64_t>(shape[0]) != rows))
        return Status(StatusCode::InvalidArgument,
                      name + ": component " + std::to_string(i) + " is " +
                          dtypeName(fetched[i].dtype()) + shapeText(shape) +
                          ", expected " +
                          (i ? std::to_string(rows) + " rows"
                             : "at least one dimension"));
      rows = static_cast<uint64_t>(shape[0]);
    }
    batch = std::move(fetched);
    return Status::ok();
  }

  Status join(const std::vector<InputBatchSlice> &slices, int64_t count,
              Element &element) {
    size_t components = slices[0].batch.size();
    element.resize(components);
    for (size_t i = 0; i < components; ++i) {
      const Tensor &first = slices[0].batch[i];
      std::vector<int64_t> shape(first.shape().begin(), first.shape().end());
      if (shape.empty())
        return Status(
            StatusCode::InvalidArgument,
            name +
                ": an empty batch gets the shape of the batch before it, but "
                "there is none: make the first batch size positive");
      shape[0] = count;
      Tensor joined = Tensor::allocate(pool, first.dtype(), shape);
      auto *to = static_cast<char *>(joined.mutableData());
      for (const InputBatchSlice &slice : slices) {
        const Tensor &from = slice.batch[i];
        if (from.dtype() != first.dtype() ||
            !fits(from.shape().subspan(1), first.shape().subspan(1)))
          return Status(
              StatusCode::InvalidArgument,
              name + ": component " + std::to_string(i) + " is " +
                  dtypeName(from.dtype()) + shapeText(from.shape()) +
                  ", which cannot be joined with rows of an earlier batch, " +
                  dtypeName(first.dtype()) + shapeText(first.shape()));
        if (!slice.count)
          continue;
        size_t rowSize = from.byteSize() / static_cast<size_t>(from.shape()[0]);
        std::memcpy(
            to, static_cast<const char *>(from.data()) + slice.first * rowSize,
            slice.count * rowSize);
        to += slice.count * rowSize;
      }
      // Strings of the batch refer to bytes in the slices: copy them before the
      // slices are freed.
      element[i] =
          joined.dtype() == INGOT_STRING
              ? Tensor::copy(pool, INGOT_STRING, joined.shape(), joined.data())
              : std::move(joined);
    }
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  std::vector<uint64_t> sizes;
  bool dropRemainder;
  std::string name;
  NodeState origin; // input's state before `batch`
  Element batch;
  uint64_t turn = 0;          // index of the next size
  uint64_t row = 0, rows = 0; // next row and number of rows of `batch`
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeRebatchDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand operand,
                         context.operand(0, INGOT_INT64, -1));
  INGOT_ASSIGN_OR_RETURN(bool dropRemainder, context.boolean(1));
  std::vector<uint64_t> sizes;
  uint64_t sum = 0;
  for (int64_t i = 0; i < operand.numElements(); ++i) {
    int64_t size = static_cast<const int64_t *>(operand.data)[i];
    if (size < 0)
      return Status(StatusCode::InvalidArgument,
                    context.name() + ": batch size " + std::to_string(i) +
                        " is " + std::to_string(size) +
                        ", expected at least 0");
    sizes.push_back(static_cast<uint64_t>(size));
    sum += sizes.back() != 0;
  }
  if (sum == 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": no batch size is greater than zero");
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<RebatchIterator>(context.env().pool,
                                            std::move(input), std::move(sizes),
                                            dropRemainder, context.name())};
}

static constexpr DatasetOperandConstraint rebatchOperands[] = {

    {"batch_sizes", INGOT_INT64, 1}, {"drop_remainder", INGOT_BOOL}};
INGOT_DATASET(rebatch_dataset) = {.make = makeRebatchDataset,
                                  .operands = rebatchOperands};

} // namespace ingot::input
