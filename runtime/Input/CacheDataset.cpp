//===- CacheDataset.cpp - Caches elements in memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// CacheDataset without a file: the first complete pass over the input is kept
// in memory, and later passes read it from there in the same order. A pass that
// ends early is discarded.
//===----------------------------------------------------------------------===//
#include "runtime/Input/CacheDataset.h"

namespace ingot::input {

namespace {

class CacheIterator final : public DatasetIterator {
public:
  explicit CacheIterator(std::unique_ptr<DatasetIterator> input)
      : input(std::move(input)) {}

  Status start() override {
    position = 0;
    if (isWhole)
      return Status::ok();
    kept.clear();
    INGOT_RETURN_IF_ERROR(input->start());
    origin.Clear();
    input->save(origin);
    begun = true;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    end = false;
    if (position == kept.size() && !isWhole)
      INGOT_RETURN_IF_ERROR(keepNext(end));
    end = position == kept.size();
    if (!end)
      element = kept[position++];
    return Status::ok();
  }

  // The state does not contain the cached elements: a restore reads them from
  // the input again, starting at the input's state at the beginning of the
  // pass.
  void save(NodeState &state) const override {
    state.set_position(position);
    state.set_read(kept.size());
    state.set_ended(isWhole);
    if (begun)
      *state.mutable_origin() = origin;
    input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    kept.clear();
    isWhole = false;
    position = 0;
    begun = state.has_origin();
    if (!begun)
      return restoreInput(*input, state);
    origin = state.origin();
    INGOT_RETURN_IF_ERROR(input->restore(origin));
    bool end = false;
    while (!end && (state.ended() || kept.size() < state.read()))
      INGOT_RETURN_IF_ERROR(keepNext(end));
    if (kept.size() != state.read() || state.position() > kept.size())
      return Status(
          StatusCode::DataLoss,
          "the input of a cache has " + std::to_string(kept.size()) +
              " elements, and had " + std::to_string(state.read()) +
              " when the iterator was saved: restore the input's files, or "
              "start the input anew (ingot-ckpt strip --iterators)");
    position = state.position();
    return Status::ok();
  }

private:
  Status keepNext(bool &end) {
    Element element;
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      isWhole = true;
    else
      kept.push_back(std::move(element));
    return Status::ok();
  }

  std::unique_ptr<DatasetIterator> input;
  NodeState origin; // input's state before its first element
  std::vector<Element> kept;
  size_t position = 0;
  bool begun = false;
  bool isWhole = false;
};

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeCacheDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(DatasetOperand file,
                         context.operand(0, INGOT_STRING, 0));
  if (!file.string().empty())
    return Status(StatusCode::Internal,
                  context.name() + ": the program has no code for caches in "
                                   "files: compile the graph again");
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<CacheIterator>(std::move(input))};
}

INGOT_DATASET(cache_dataset) = {.make = makeCacheDataset,
                                .operands = cacheOperands};

} // namespace ingot::input
