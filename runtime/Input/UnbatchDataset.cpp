//===- UnbatchDataset.cpp - Splits elements into rows -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#include "runtime/Input/DatasetOp.h"
#include "runtime/Support/DType.h"

#include <algorithm>

namespace ingot::input {

namespace {

class UnbatchIterator final : public DatasetIterator {
public:
  UnbatchIterator(TensorMemoryPool &pool,
                  std::unique_ptr<DatasetIterator> input, std::string name)
      : pool(pool), input(std::move(input)), name(std::move(name)) {}

  Status start() override {
    row = rows = 0;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(fetch(end));
    if (end)
      return Status::ok();
    element.resize(batch.size());
    for (size_t i = 0; i < batch.size(); ++i) {
      Shape shape = batch[i].shape().subspan(1);
      int64_t size = 0;
      countElements(shape, size);
      element[i] = Tensor::copy(pool, batch[i].dtype(), shape,
                                static_cast<const char *>(batch[i].data()) +
                                    row * static_cast<uint64_t>(size) *
                                        elementSize(batch[i].dtype()));
    }
    ++row;
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    for (skipped = 0; skipped < count;) {
      bool end = false;
      INGOT_RETURN_IF_ERROR(fetch(end));
      if (end)
        break;
      uint64_t part = std::min(count - skipped, rows - row);
      row += part;
      skipped += part;
    }
    return Status::ok();
  }

  // The state does not contain rows: if a batch of the input is partly used, a
  // restore reads the batch again.
  void save(NodeState &state) const override {
    if (row == rows)
      return input->save(*state.add_inputs());
    state.set_position(row);
    *state.mutable_origin() = origin;
  }

  Status restore(const NodeState &state) override {
    row = rows = 0;
    if (!state.has_origin())
      return restoreInput(*input, state);
    INGOT_RETURN_IF_ERROR(input->restore(state.origin()));
    bool end = false;
    INGOT_RETURN_IF_ERROR(fetch(end));
    if (end || state.position() >= rows)
      return badState(
          "an unbatch is in row " + std::to_string(state.position()) +
          " of its input's batch, but rows are numbered from 0, and "
          "their count is " +
          std::to_string(end ? 0 : rows));
    row = state.position();
    return Status::ok();
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  /// Reads batches until one has rows left, or the input ends.
  Status fetch(bool &end) {
    end = false;
    while (row == rows) {
      origin.Clear();
      input->save(origin);
      INGOT_RETURN_IF_ERROR(input->next(batch, end));
      if (end)
        return Status::ok();
      row = 0;
      INGOT_RETURN_IF_ERROR(countRows());
    }
    return Status::ok();
  }

  Status countRows() {
    rows = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      Shape shape = batch[i].shape();
      if (shape.empty())
        return Status(StatusCode::InvalidArgument,
                      name + ": component " + std::to_string(i) +
                          " is a scalar, which has no rows");
      auto size = static_cast<uint64_t>(shape[0]);
      if (i > 0 && size != rows)
        return Status(StatusCode::InvalidArgument,
                      name + ": component " + std::to_string(i) + " has " +
                          std::to_string(size) + " rows, but component 0 has " +
                          std::to_string(rows));
      rows = size;
    }
    return Status::ok();
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  std::string name;
  NodeState origin; // input's state before `batch`
  Element batch;
  uint64_t row = 0, rows = 0; // next row and number of rows of `batch`
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeUnbatchDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<UnbatchIterator>(context.env().pool,
                                            std::move(input), context.name())};
}

INGOT_DATASET(unbatch_dataset) = {.make = makeUnbatchDataset};

} // namespace ingot::input
