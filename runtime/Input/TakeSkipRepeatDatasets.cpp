//===- TakeSkipRepeatDatasets.cpp - Datasets that only count --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Datasets that pass their input's elements through and only count them: take,
// skip, repeat and concatenate.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"

#include "runtime/ABI/Program.h"

#include <algorithm>
#include <limits>

namespace ingot::input {

namespace {

/// Returns true if TensorFlow's state has no iterator of type `type` for a
/// dataset, because TensorFlow's optimizer has removed the dataset. It removes
/// datasets that pass all elements on (`changesNothing`), such as a skip of 0.
bool leavesOut(const TensorFlowIteratorStateNode &node, std::string_view type,
               bool changesNothing) {
  return changesNothing &&
         (node.isReading() ? !node.state.hasIterator(node.below(type))
                           : node.state.rewrites.parallelMaps);
}

/// The base class of this file's datasets with one input. Such a dataset
/// returns its input's elements unchanged, so describeLatest() returns the
/// input's description of its latest element.
class PassThroughIterator : public SingleInputIterator {
public:
  using SingleInputIterator::SingleInputIterator;

  Status next(Element &element, bool &end) override {
    return input->next(element, end);
  }
  Status skip(uint64_t count, uint64_t &skipped) override {
    return input->skip(count, skipped);
  }
  bool isQuick() const override { return input->isQuick(); }
  SlicedTensors slicedTensors() const override {
    return {input->slicedTensors().tensors};
  }
  Status nextRows(std::span<uint64_t> rows, size_t &count) override {
    return input->nextRows(rows, count);
  }
};

/// The iterator of a TakeDataset, which yields the input's first `count`
/// elements.
class TakeIterator final : public PassThroughIterator {
public:
  TakeIterator(std::unique_ptr<DatasetIterator> input, uint64_t count)
      : PassThroughIterator(std::move(input)), count(count) {}

  Status start() override {
    taken = 0;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    end = taken >= count;
    if (end)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    taken = end ? count : taken + 1;
    return Status::ok();
  }

  Status nextRows(std::span<uint64_t> rows, size_t &numRows) override {
    auto wanted =
        static_cast<size_t>(std::min<uint64_t>(rows.size(), count - taken));
    numRows = 0;
    if (wanted)
      INGOT_RETURN_IF_ERROR(input->nextRows(rows.first(wanted), numRows));
    taken = numRows < wanted ? count : taken + numRows;
    return Status::ok();
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    INGOT_RETURN_IF_ERROR(
        input->skip(std::min(wanted, count - taken), skipped));
    taken += skipped;
    return Status::ok();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    if (leavesOut(node, "FiniteTake", count == UINT64_MAX))
      return exchangeInput(*input, node.state, node.parent);
    if (count == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(node.choose({"FiniteTake"}));
    INGOT_RETURN_IF_ERROR(node.exchange("i", taken));
    bool isEmpty = taken >= count;
    INGOT_RETURN_IF_ERROR(node.exchange("input_impl_empty", isEmpty));
    if (!isEmpty)
      return exchangeInput(*input, node.state, node.name);
    taken = count;
    return Status::ok();
  }

private:
  void savePosition(NodeState &state) const override {
    state.set_position(taken);
  }
  Status restorePosition(const NodeState &state) override {
    if (state.position() > count)
      return badState("a take has taken " + std::to_string(state.position()) +
                      " elements, expected at most " + std::to_string(count));
    taken = state.position();
    return Status::ok();
  }

  uint64_t count;
  uint64_t taken = 0;
};

/// The iterator of a SkipDataset, which yields all elements of the input except
/// the first `count`.
class SkipIterator final : public PassThroughIterator {
public:
  SkipIterator(std::unique_ptr<DatasetIterator> input, uint64_t count)
      : PassThroughIterator(std::move(input)), count(count) {}

  Status start() override {
    begun = false;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(begin());
    return input->next(element, end);
  }
  Status nextRows(std::span<uint64_t> rows, size_t &numRows) override {
    INGOT_RETURN_IF_ERROR(begin());
    return input->nextRows(rows, numRows);
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    INGOT_RETURN_IF_ERROR(begin());
    return input->skip(wanted, skipped);
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    if (leavesOut(node, "FiniteSkip", count == 0))
      return exchangeInput(*input, node.state, node.parent);
    INGOT_RETURN_IF_ERROR(node.choose({"FiniteSkip"}));
    uint64_t skipped = begun ? count : 0;
    INGOT_RETURN_IF_ERROR(node.exchange("i", skipped));
    begun = skipped >= count;
    return exchangeUnlessEmpty(*input, node, "input_impl_empty");
  }

private:
  void savePosition(NodeState &state) const override {
    state.set_position(begun);
  }
  Status restorePosition(const NodeState &state) override {
    begun = state.position() != 0;
    return Status::ok();
  }

  Status begin() {
    if (begun)
      return Status::ok();
    begun = true;
    uint64_t skipped = 0;
    return input->skip(count, skipped);
  }

  uint64_t count;
  bool begun = false;
};

/// The iterator of a RepeatDataset, which makes `count` passes over the input.
class RepeatIterator final : public PassThroughIterator {
public:
  RepeatIterator(std::unique_ptr<DatasetIterator> input, uint64_t count,
                 bool forever, bool fused)
      : PassThroughIterator(std::move(input)), count(count), forever(forever),
        fused(fused) {}

  Status start() override {
    epoch = 0;
    passIsEmpty = true;
    ended = !forever && count == 0;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    end = true;
    while (!ended) {
      INGOT_RETURN_IF_ERROR(input->next(element, end));
      if (!end) {
        passIsEmpty = false;
        return Status::ok();
      }
      INGOT_RETURN_IF_ERROR(nextPass());
    }
    return Status::ok();
  }

  Status nextRows(std::span<uint64_t> rows, size_t &numRows) override {
    numRows = 0;
    while (numRows < rows.size() && !ended) {
      size_t part = 0;
      INGOT_RETURN_IF_ERROR(input->nextRows(rows.subspan(numRows), part));
      numRows += part;
      if (part)
        passIsEmpty = false;
      if (numRows < rows.size())
        INGOT_RETURN_IF_ERROR(nextPass());
    }
    return Status::ok();
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    skipped = 0;
    while (skipped < wanted && !ended) {
      uint64_t part = 0;
      INGOT_RETURN_IF_ERROR(input->skip(wanted - skipped, part));
      skipped += part;
      if (part)
        passIsEmpty = false;
      if (skipped < wanted)
        INGOT_RETURN_IF_ERROR(nextPass());
    }
    return Status::ok();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    bool isShuffled =
        fused && (node.isReading()
                      ? node.state.hasIterator(node.below("ShuffleAndRepeat"))
                      : node.state.rewrites.shuffleAndRepeat);
    if (isShuffled)
      return exchangeShuffled(node);
    const char *type = forever ? "ForeverRepeat" : "FiniteRepeat";
    if (leavesOut(node, type, !forever && count == 1))
      return exchangeInput(*input, node.state, node.parent);
    if (!forever && count == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(node.choose({type}));
    INGOT_RETURN_IF_ERROR(node.exchange("i", epoch));
    bool isEmpty = ended;
    INGOT_RETURN_IF_ERROR(node.exchange("input_impl_empty", isEmpty));
    if (!isEmpty) {
      passIsEmpty = false;
      if (node.isReading())
        INGOT_RETURN_IF_ERROR(replayPasses());
      return exchangeInput(*input, node.state,
                           node.name + "[" + std::to_string(epoch) + "]");
    }
    // TensorFlow's state has no iterator of the input. In epoch 0 of a repeat
    // without end, this does not mean that the repeat has ended: TensorFlow
    // creates the input's iterator only when the first element is requested.
    ended = !forever || epoch > 0;
    return Status::ok();
  }

private:
  void savePosition(NodeState &state) const override {
    state.set_epoch(epoch);
    state.set_position(!passIsEmpty);
    state.set_ended(ended);
  }
  Status restorePosition(const NodeState &state) override {
    epoch = state.epoch();
    passIsEmpty = state.position() == 0;
    ended = state.ended();
    return Status::ok();
  }

  /// Starts the input `epoch` times, once for each earlier pass, so that a
  /// shuffle upstream draws the seeds of those passes again. TensorFlow's state
  /// may not say how many seeds the shuffle has drawn: it has no state of an
  /// iterator that has ended and was destroyed.
  Status replayPasses() {
    constexpr uint64_t mostPasses = 1 << 20;
    for (uint64_t pass = 0; pass < std::min(epoch, mostPasses); ++pass)
      INGOT_RETURN_IF_ERROR(input->start());
    return Status::ok();
  }

  /// Like exchange(), for a state in which TensorFlow has fused the shuffle
  /// upstream and this repeat into one iterator.
  Status exchangeShuffled(TensorFlowIteratorStateNode &node) {
    node.state.isFused = true;
    node.state.fusedEpoch = epoch;
    node.state.fusedEnded = ended;
    INGOT_RETURN_IF_ERROR(exchangeInput(*input, node.state, node.parent));
    epoch = node.state.fusedEpoch;
    passIsEmpty = false;
    return Status::ok();
  }

  Status nextPass() {
    ++epoch;
    // If the input is repeated forever, an empty pass ends the dataset, as all
    // later passes would be empty, too.
    ended = forever ? passIsEmpty : epoch >= count;
    passIsEmpty = true;
    // Start the input even after the last pass, as TensorFlow does: a shuffle
    // upstream then draws seeds for a pass that is never read. If a repeat
    // downstream starts this dataset again, the shuffle uses the seeds after
    // these.
    if (ended && (forever || fused))
      return Status::ok();
    return input->start();
  }

  uint64_t count;
  bool forever;
  // Whether the input is a shuffle. TensorFlow runs a shuffle and the repeat
  // that reads it as one op, which draws seeds only for passes that it reads.
  bool fused;
  uint64_t epoch = 0;
  bool passIsEmpty = true;
  bool ended = false;
};

/// The iterator of a ConcatenateDataset, which yields the elements of the first
/// input, then those of the second.
class ConcatenateIterator final : public DatasetIterator {
public:
  ConcatenateIterator(std::unique_ptr<DatasetIterator> first,
                      std::unique_ptr<DatasetIterator> second)
      : inputs{std::move(first), std::move(second)} {}

  Status start() override {
    current = 0;
    return inputs[0]->start();
  }

  Status next(Element &element, bool &end) override {
    end = true;
    while (current < 2) {
      INGOT_RETURN_IF_ERROR(inputs[current]->next(element, end));
      if (!end)
        return Status::ok();
      INGOT_RETURN_IF_ERROR(advance());
    }
    return Status::ok();
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    skipped = 0;
    while (current < 2 && skipped < wanted) {
      uint64_t part = 0;
      INGOT_RETURN_IF_ERROR(inputs[current]->skip(wanted - skipped, part));
      skipped += part;
      if (skipped < wanted)
        INGOT_RETURN_IF_ERROR(advance());
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_position(current);
    for (const auto &input : inputs)
      input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    if (state.position() > 2 || state.inputs_size() != 2)
      return badState("a concatenation has finished " +
                      std::to_string(state.position()) + " of " +
                      std::to_string(state.inputs_size()) +
                      " inputs, expected at most 2 of 2");
    current = state.position();
    INGOT_RETURN_IF_ERROR(inputs[0]->restore(state.inputs(0)));
    return inputs[1]->restore(state.inputs(1));
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"Concatenate"}));
    uint64_t before = current;
    INGOT_RETURN_IF_ERROR(node.exchange("i", current));
    bool isEmpty = current >= 2;
    INGOT_RETURN_IF_ERROR(node.exchange("input_impl_uninitialized", isEmpty));
    if (isEmpty || current >= 2) {
      current = 2;
      return Status::ok();
    }
    if (node.isReading() && current != before)
      INGOT_RETURN_IF_ERROR(inputs[current]->start());
    return exchangeInput(*inputs[current], node.state,
                         node.name + "[" + std::to_string(current) + "]");
  }

  std::string describeLatest() const override {
    return current < 2 ? inputs[current]->describeLatest() : std::string();
  }

private:
  // Starts the second input only when the first has ended, as TensorFlow does:
  // a shuffle in the second input then draws no seeds for a pass that is not
  // reached.
  Status advance() { return ++current < 2 ? inputs[1]->start() : Status::ok(); }

  std::unique_ptr<DatasetIterator> inputs[2];
  uint64_t current = 0;
};

} // namespace

static constexpr DatasetOperandConstraint countOperands[] = {
    {"count", INGOT_INT64}};

static Expected<std::unique_ptr<DatasetIterator>>
makeTakeDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t count, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  // A negative count takes all elements: as an unsigned number it is larger
  // than the number of elements.
  return {std::make_unique<TakeIterator>(std::move(input),
                                         static_cast<uint64_t>(count))};
}

INGOT_DATASET(take_dataset) = {.make = makeTakeDataset,
                               .operands = countOperands,
                               .traits = PassesThrough | ReadsElementsOnce |
                                         Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeSkipDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t count, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  // A negative count skips all elements, without reading the input. This is the
  // same as taking none.
  if (count < 0)
    return {std::make_unique<TakeIterator>(std::move(input), 0)};
  return {std::make_unique<SkipIterator>(std::move(input),
                                         static_cast<uint64_t>(count))};
}

INGOT_DATASET(skip_dataset) = {.make = makeSkipDataset,
                               .operands = countOperands,
                               .traits = PassesThrough | ReadsElementsOnce |
                                         Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeRepeatDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t count, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  // By default TensorFlow fuses a shuffle and the repeat that reads it into one
  // op (rewrite "shuffle_and_repeat_fusion"), which draws fewer seeds than the
  // two ops. `fused` makes this iterator draw the same seeds as the fused op.
  const ingot_dataset &below =
      context.env().program.datasets[context.dataset().inputs[0]];
  const DatasetOp *op = datasetOp(below);
  bool fused = op && op->has(Shuffles);
  return {std::make_unique<RepeatIterator>(
      std::move(input), static_cast<uint64_t>(count), count < 0, fused)};
}

INGOT_DATASET(repeat_dataset) = {.make = makeRepeatDataset,
                                 .operands = countOperands,
                                 .traits = PassesThrough | ReadsElementsOnce |
                                           Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeConcatenateDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto first, context.makeInput(0));
  INGOT_ASSIGN_OR_RETURN(auto second, context.makeInput(1));
  return {std::make_unique<ConcatenateIterator>(std::move(first),
                                                std::move(second))};
}

INGOT_DATASET(concatenate_dataset) = {.make = makeConcatenateDataset,
                                      .numInputs = 2,
                                      .traits = ReadsElementsOnce | Exchanges};

} // namespace ingot::input
