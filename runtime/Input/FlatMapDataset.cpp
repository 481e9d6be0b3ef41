//===- FlatMapDataset.cpp - Concatenates datasets of elements -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// FlatMapDataset: calls its function on each element of the input. The function
// returns a dataset, and the elements of these datasets are concatenated.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Input/TensorState.h"

namespace ingot::input {

namespace {

class FlatMapIterator final : public DatasetIterator {
public:
  FlatMapIterator(IteratorContext &environment, uint32_t body, Element captured,
                  std::shared_ptr<RandomStates> randomStates,
                  std::unique_ptr<DatasetIterator> input, bool hasOwnMap)
      : environment(environment), body(body), hasOwnMap(hasOwnMap),
        captured(std::move(captured)), randomStates(std::move(randomStates)),
        draws(drawsRandom(environment.program, body)), input(std::move(input)) {
  }

  Status start() override {
    INGOT_RETURN_IF_ERROR(leaveCurrent());
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    while (true) {
      if (!current) {
        INGOT_RETURN_IF_ERROR(advance(end));
        if (end)
          return Status::ok();
      }
      INGOT_RETURN_IF_ERROR(current->next(element, end));
      if (!end)
        return Status::ok();
      current.reset();
    }
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    bool end = false;
    for (skipped = 0; skipped < count;) {
      if (!current) {
        INGOT_RETURN_IF_ERROR(advance(end));
        if (end)
          break;
      }
      uint64_t part = 0;
      INGOT_RETURN_IF_ERROR(current->skip(count - skipped, part));
      skipped += part;
      if (skipped < count)
        current.reset();
    }
    return Status::ok();
  }

  // The state does not contain `arguments`, the input's element for which the
  // function returned `current`. It contains `origin`, the input's state before
  // this element, from which a restore reads the element again.
  void save(NodeState &state) const override {
    if (!current) {
      if (draws)
        randomStates->save(*state.mutable_body_random());
      return input->save(*state.add_inputs());
    }
    current->save(*state.add_inputs());
    if (!isByValue) {
      *state.mutable_origin() = origin;
      return;
    }
    state.set_by_value(true);
    saveTensors(given, *state.mutable_tensors());
    input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    current.reset();
    randomStates->clear();
    if (state.by_value())
      return restoreByValue(state);
    if (!state.has_origin()) {
      if (draws)
        INGOT_RETURN_IF_ERROR(randomStates->restore(state.body_random()));
      return restoreInput(*input, state);
    }
    INGOT_RETURN_IF_ERROR(input->restore(state.origin()));
    bool end = false;
    INGOT_RETURN_IF_ERROR(advance(end));
    if (end)
      return badState("the input of a flat_map ends before the element whose "
                      "dataset was open");
    return restoreInput(*current, state);
  }

  std::string describeLatest() const override {
    return current ? current->describeLatest() : std::string();
  }

  // TensorFlow's state contains the input's element itself, instead of the
  // input's state before it.
  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"FlatMap"}));
    uint64_t number = current ? 1 : 0; // number of datasets returned so far
    bool isExhausted = false, isEmpty = !current;
    INGOT_RETURN_IF_ERROR(node.exchange("exhausted", isExhausted));
    if (isExhausted)
      return exhaust(*input);
    node.state.isFused = hasOwnMap;
    INGOT_RETURN_IF_ERROR(exchangeInput(*input, node.state, node.name));
    INGOT_RETURN_IF_ERROR(node.exchange("element_index", number));
    INGOT_RETURN_IF_ERROR(
        node.exchange("current_element_iterator_uninitialized", isEmpty));
    if (isEmpty)
      return Status::ok();
    Element element;
    if (!node.isReading())
      element = given;
    INGOT_RETURN_IF_ERROR(
        node.state.exchange(node.name, "inputs_size", "inputs", element));
    if (node.isReading())
      INGOT_RETURN_IF_ERROR(open(std::move(element)));
    AppliedDatasetOptimizations rewrites =
        std::exchange(node.state.rewrites, {});
    Status status = exchangeInput(
        *current, node.state,
        node.name + "[" + std::to_string(number ? number - 1 : 0) + "]");
    node.state.rewrites = rewrites;
    return status;
  }

private:
  /// Makes `current` the dataset that the function returns for the input's next
  /// element.
  Status advance(bool &end) {
    origin.Clear();
    input->save(origin);
    isByValue = false;
    INGOT_RETURN_IF_ERROR(input->next(arguments, end));
    if (end)
      return Status::ok();
    if (environment.exchanges)
      given = hasOwnMap ? *input->latestInput() : arguments;
    return openArguments();
  }

  Status openArguments() {
    arguments.insert(arguments.end(), captured.begin(), captured.end());
    INGOT_ASSIGN_OR_RETURN(
        current, makeBody(environment, body, arguments, *randomStates));
    return current->start();
  }

  /// Makes `current` the dataset that the function returns for `element`, which
  /// came from a state instead of from the input.
  Status open(Element element) {
    given = std::move(element);
    arguments = given;
    isByValue = true;
    if (hasOwnMap)
      INGOT_RETURN_IF_ERROR(input->apply(arguments));
    return openArguments();
  }

  Status restoreByValue(const NodeState &state) {
    if (state.inputs_size() != 2)
      return badState("a flat_map has " + std::to_string(state.inputs_size()) +
                      " inputs, expected 2");
    INGOT_ASSIGN_OR_RETURN(Element element,
                           restoreTensors(environment.pool, state.tensors()));
    INGOT_RETURN_IF_ERROR(input->restore(state.inputs(1)));
    INGOT_RETURN_IF_ERROR(open(std::move(element)));
    return current->restore(state.inputs(0));
  }

  /// Destroys `current`, the iterator over a dataset that the function
  /// returned. The functions in that dataset share random states with the next
  /// one, and a prefetch may have changed these states by reading too far. So
  /// first restores `current` to its own position, which also resets the random
  /// states.
  Status leaveCurrent() {
    NodeState state;
    if (current && draws) {
      current->save(state);
      INGOT_RETURN_IF_ERROR(current->restore(state));
    }
    current.reset();
    return Status::ok();
  }

  IteratorContext &environment;
  uint32_t body;
  bool hasOwnMap; // `input` is a map split off from this op's function
  Element captured;
  std::shared_ptr<RandomStates> randomStates; // states of the body's functions
  bool draws; // any of these functions draws random numbers
  std::unique_ptr<DatasetIterator> input;
  NodeState origin; // input's state before `arguments`
  // True if `current` was made from a state that TensorFlow saved. Such a state
  // has the input's element itself, so there is no `origin`, and save() writes
  // `given` instead.
  bool isByValue = false;
  // The input's element from which `current` was made, as a state in
  // TensorFlow's form contains it. If the compiler has split this op's function
  // into a map and the rest, this is the map's input; otherwise it is
  // `arguments`. Set only if a state in this form is read or written.
  Element given;
  Element arguments; // the function's arguments for `current`
  std::unique_ptr<DatasetIterator> current;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeFlatMapDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  INGOT_ASSIGN_OR_RETURN(auto randomStates, context.bodyStates());
  return {std::make_unique<FlatMapIterator>(
      context.env(), static_cast<uint32_t>(context.dataset().body),
      std::move(captured), std::move(randomStates), std::move(input),
      context.hasOwnMap())};
}

INGOT_DATASET(flat_map_dataset) = {.make = makeFlatMapDataset,
                                   .variadic = true,
                                   .function = DatasetFunctionKind::Body,
                                   .traits = Exchanges};

} // namespace ingot::input
