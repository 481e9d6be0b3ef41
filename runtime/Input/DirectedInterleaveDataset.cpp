//===- DirectedInterleaveDataset.cpp - Chooses inputs by index --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// DirectedInterleaveDataset (choose_from_datasets, sample_from_datasets): each
// element of the first input is the index of another input, which provides the
// next element. If that input has ended, the dataset ends if the attribute
// stop_on_empty_dataset is set; otherwise the index is skipped.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Support/DType.h"

#include <algorithm>

namespace ingot::input {

namespace {

class DirectedInterleaveIterator final : public DatasetIterator {
public:
  DirectedInterleaveIterator(
      std::unique_ptr<DatasetIterator> selector,
      std::vector<std::unique_ptr<DatasetIterator>> inputs, bool stopOnEmpty,
      std::string name)
      : selector(std::move(selector)), inputs(std::move(inputs)),
        hasEnded(this->inputs.size()), stopOnEmpty(stopOnEmpty),
        name(std::move(name)) {}

  Status start() override {
    ended = false;
    latest = nullptr;
    std::ranges::fill(hasEnded, false);
    INGOT_RETURN_IF_ERROR(selector->start());
    for (auto &input : inputs)
      INGOT_RETURN_IF_ERROR(input->start());
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    while (!ended) {
      INGOT_RETURN_IF_ERROR(selector->next(choice, ended));
      if (ended)
        break;
      INGOT_ASSIGN_OR_RETURN(size_t chosen, choose());
      if (hasEnded[chosen])
        continue;
      INGOT_RETURN_IF_ERROR(inputs[chosen]->next(element, end));
      if (!end) {
        latest = inputs[chosen].get();
        return Status::ok();
      }
      hasEnded[chosen] = true;
      ended = stopOnEmpty || std::ranges::all_of(hasEnded, std::identity());
    }
    end = true;
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_ended(ended);
    selector->save(*state.add_inputs());
    for (size_t i = 0; i < inputs.size(); ++i) {
      NodeState &saved = *state.add_inputs();
      saved.set_ended(hasEnded[i]);
      inputs[i]->save(*saved.add_inputs());
    }
  }

  Status restore(const NodeState &state) override {
    ended = state.ended();
    latest = nullptr;
    if (static_cast<size_t>(state.inputs_size()) != inputs.size() + 1)
      return badState("a directed interleave has " +
                      std::to_string(state.inputs_size()) +
                      " inputs, expected " + std::to_string(inputs.size() + 1));
    INGOT_RETURN_IF_ERROR(selector->restore(state.inputs(0)));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const NodeState &saved = state.inputs(static_cast<int>(i) + 1);
      hasEnded[i] = saved.ended();
      INGOT_RETURN_IF_ERROR(restoreInput(*inputs[i], saved));
    }
    return Status::ok();
  }

  std::string describeLatest() const override {
    return latest ? latest->describeLatest() : std::string();
  }

private:
  Expected<size_t> choose() const {
    if (choice.size() != 1 || choice[0].dtype() != INGOT_INT64 ||
        choice[0].numElements() != 1)
      return Status(
          StatusCode::InvalidArgument,
          name +
              ": the selector's elements must be int64 scalars, "
              "but one is " +
              (choice.size() == 1
                   ? dtypeName(choice[0].dtype()) + shapeText(choice[0].shape())
                   : "of " + std::to_string(choice.size()) + " components"));
    int64_t chosen = *static_cast<const int64_t *>(choice[0].data());
    if (chosen < 0 || static_cast<size_t>(chosen) >= inputs.size())
      return Status(
          StatusCode::InvalidArgument,
          name + ": the selector chose input " + std::to_string(chosen) +
              ", but inputs are numbered from 0, and their count is " +
              std::to_string(inputs.size()));
    return static_cast<size_t>(chosen);
  }

  std::unique_ptr<DatasetIterator> selector;
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  std::vector<char> hasEnded; // whether each input has ended
  bool stopOnEmpty;
  std::string name;
  Element choice;
  // The input that provided the latest element, for describeLatest().
  const DatasetIterator *latest = nullptr;
  bool ended = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeDirectedInterleaveDataset(const DatasetContext &context) {
  if (context.dataset().num_inputs < 2)
    return Status(
        StatusCode::InvalidArgument,
        context.name() +
            ": expected at least one input to choose from, but got none");
  INGOT_ASSIGN_OR_RETURN(auto selector, context.makeInput(0));
  std::vector<std::unique_ptr<DatasetIterator>> inputs;
  for (uint32_t i = 1; i < context.dataset().num_inputs; ++i) {
    INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(i));
    inputs.push_back(std::move(input));
  }
  return {std::make_unique<DirectedInterleaveIterator>(
      std::move(selector), std::move(inputs),
      context.attribute("stop_on_empty_dataset", 0) != 0, context.name())};
}

static constexpr const char *directedAttributes[] = {"stop_on_empty_dataset"};
INGOT_DATASET(directed_interleave_dataset) = {
    .make = makeDirectedInterleaveDataset,
    .numInputs = anyInputs,
    .attributes = directedAttributes,
    .traits = ReadsElementsOnce};

} // namespace ingot::input
