//===- FilterDatasets.cpp - Filter, take_while and shard ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// FilterDataset (elements for which a predicate is true), TakeWhileDataset
// (elements before the first for which it is false) and ShardDataset (every
// n-th element).
//===----------------------------------------------------------------------===//
#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/DType.h"

namespace ingot::input {

namespace {

/// The base class of datasets that call a predicate on each element.
class PredicateIterator : public SingleInputIterator {
public:
  PredicateIterator(std::unique_ptr<DatasetIterator> input,
                    CapturedFunction predicate, std::string name)
      : SingleInputIterator(std::move(input)), predicate(std::move(predicate)),
        name(std::move(name)) {}

  // Writes the whole state instead of the changed fields, because
  // savePosition() appends the predicate's random state to a repeated field.
  void update(NodeState &state) const override {
    DatasetIterator::update(state);
  }

protected:
  /// Reads the input's next element, calls the predicate on it, and sets
  /// `isWanted` to the predicate's result.
  Status ask(Element &element, bool &isWanted, bool &end) {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      return Status::ok();
    verdict = element;
    return decide(isWanted).withContext(describe(input->describeLatest()));
  }

  void savePosition(NodeState &state) const override { predicate.save(state); }
  Status restorePosition(const NodeState &state) override {
    return predicate.restore(state);
  }

private:
  std::string describe(const std::string &origin) const {
    return origin.empty() ? name : name + ", " + origin;
  }

  Status decide(bool &isWanted) {
    INGOT_RETURN_IF_ERROR(predicate.run(verdict));
    if (verdict.size() != 1 || verdict[0].dtype() != INGOT_BOOL ||
        verdict[0].numElements() != 1)
      return Status(StatusCode::InvalidArgument,
                    "the predicate must return one boolean (tf.bool), but "
                    "returns " +
                        (verdict.size() == 1
                             ? dtypeName(verdict[0].dtype()) +
                                   shapeText(verdict[0].shape())
                             : std::to_string(verdict.size()) + " tensors"));
    isWanted = *static_cast<const bool *>(verdict[0].data());
    return Status::ok();
  }

  CapturedFunction predicate;
  std::string name;
  Element verdict;
};

class FilterIterator final : public PredicateIterator {
public:
  using PredicateIterator::PredicateIterator;

  Status next(Element &element, bool &end) override {
    end = false;
    for (bool isWanted = false; !isWanted && !end;)
      INGOT_RETURN_IF_ERROR(ask(element, isWanted, end));
    return Status::ok();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    INGOT_RETURN_IF_ERROR(node.choose({"Filter"}));
    // TensorFlow's state also has two statistics. A restore does not need their
    // values, so zeros are written.
    node.note("filtered_elements", 0);
    node.note("dropped_elements", 0);
    return exchangeUnlessEmpty(*input, node, "input_impl_empty");
  }
};

class TakeWhileIterator final : public PredicateIterator {
public:
  using PredicateIterator::PredicateIterator;

  Status start() override {
    ended = false;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    bool isWanted = false;
    if (!ended)
      INGOT_RETURN_IF_ERROR(ask(element, isWanted, ended));
    ended = end = ended || !isWanted;
    return Status::ok();
  }

private:
  void savePosition(NodeState &state) const override {
    state.set_ended(ended);
    PredicateIterator::savePosition(state);
  }
  Status restorePosition(const NodeState &state) override {
    ended = state.ended();
    return PredicateIterator::restorePosition(state);
  }

  bool ended = false;
};

class ShardIterator final : public SingleInputIterator {
public:
  ShardIterator(std::unique_ptr<DatasetIterator> input, uint64_t count,
                uint64_t index, bool requireNonEmpty, std::string name)
      : SingleInputIterator(std::move(input)), count(count), index(index),
        requireNonEmpty(requireNonEmpty), name(std::move(name)) {}

  Status start() override {
    place = AtStart;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    bool isFirst = place == AtStart;
    INGOT_RETURN_IF_ERROR(approach(end));
    if (end)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    return isFirst && !end ? finishRound() : Status::ok();
  }

  Status skip(uint64_t wanted, uint64_t &skipped) override {
    bool end = false;
    for (skipped = 0; skipped < wanted; ++skipped) {
      bool isFirst = place == AtStart;
      INGOT_RETURN_IF_ERROR(approach(end));
      uint64_t passed = 0;
      if (!end)
        INGOT_RETURN_IF_ERROR(input->skip(1, passed));
      if (passed == 0)
        break;
      if (isFirst)
        INGOT_RETURN_IF_ERROR(finishRound());
    }
    return Status::ok();
  }

  // TensorFlow's state has the index `next` of the input's next element. Only
  // two things about it matter: whether it is 0, and its remainder modulo
  // `count` (the number of shards), which says to which shard that element
  // belongs.
  Status exchange(TensorFlowIteratorStateNode &node) override {
    bool isAlone = count == 1;
    if (isAlone &&
        (node.isReading() ? !node.state.hasIterator(node.below("Shard"))
                          : node.state.rewrites.parallelMaps))
      return exchangeInput(*input, node.state, node.parent);
    INGOT_RETURN_IF_ERROR(node.choose({"Shard"}));
    uint64_t next = place == AtStart    ? 0
                    : place == AfterOwn ? count + index + 1
                                        : 2 * count;
    INGOT_RETURN_IF_ERROR(node.exchange("next_index", next));
    if (next == 0)
      place = AtStart;
    else if (next % count == (index + 1) % count)
      place = AfterOwn;
    else if (next % count == 0)
      place = AfterLast;
    else
      return badState("a shard is at element " + std::to_string(next) +
                      " of its input, which another shard has");
    return exchangeUnlessEmpty(*input, node, "input_impl_empty");
  }

private:
  /// The input's position: before its first element, after an element of this
  /// shard, or after an element of the last shard.
  enum ShardPosition : uint64_t { AtStart, AfterOwn, AfterLast };

  void savePosition(NodeState &state) const override {
    state.set_position(place);
  }
  Status restorePosition(const NodeState &state) override {
    if (state.position() > AfterLast)
      return badState("a shard is at position " +
                      std::to_string(state.position()) + ", expected at most " +
                      std::to_string(uint64_t(AfterLast)));
    place = static_cast<ShardPosition>(state.position());
    return Status::ok();
  }

  /// Skips the input's elements that belong to other shards, up to the next
  /// element of this shard. Sets `end` if the input ends before it.
  Status approach(bool &end) {
    uint64_t others = place == AfterOwn ? count - 1 : index, passed = 0;
    place = AfterOwn;
    if (others)
      INGOT_RETURN_IF_ERROR(input->skip(others, passed));
    end = passed < others;
    return Status::ok();
  }

  /// Called after the shard's first element. If the op has require_non_empty,
  /// skips the first elements of the following shards, and fails if the input
  /// ends before the last shard has an element.
  Status finishRound() {
    uint64_t others = count - 1 - index, passed = 0;
    if (!requireNonEmpty || others == 0)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(input->skip(others, passed));
    if (passed < others)
      return Status(StatusCode::InvalidArgument,
                    name + ": the dataset only has " +
                        std::to_string(index + 1 + passed) +
                        " element(s), which is not enough for the required " +
                        std::to_string(count) + " shards/workers");
    place = AfterLast;
    return Status::ok();
  }

  uint64_t count, index;
  bool requireNonEmpty;
  std::string name;
  ShardPosition place = AtStart;
};

} // namespace

template <typename T>
static Expected<std::unique_ptr<DatasetIterator>>
makePredicate(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(
      CapturedFunction predicate,
      CapturedFunction::create(context, std::move(captured)));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<T>(std::move(input), std::move(predicate),
                              context.name())};
}

static Expected<std::unique_ptr<DatasetIterator>>
makeFilterDataset(const DatasetContext &context) {
  return makePredicate<FilterIterator>(context);
}

INGOT_DATASET(filter_dataset) = {.make = makeFilterDataset,
                                 .variadic = true,
                                 .function = DatasetFunctionKind::Compiled,
                                 .traits = ReadsElementsOnce | Exchanges};

static Expected<std::unique_ptr<DatasetIterator>>
makeTakeWhileDataset(const DatasetContext &context) {
  return makePredicate<TakeWhileIterator>(context);
}

INGOT_DATASET(take_while_dataset) = {.make = makeTakeWhileDataset,
                                     .variadic = true,
                                     .function = DatasetFunctionKind::Compiled,
                                     .traits = ReadsElementsOnce};

static Expected<std::unique_ptr<DatasetIterator>>
makeShardDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t count, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(int64_t index, context.integer(1));
  if (count <= 0 || index < 0 || index >= count)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": shard " + std::to_string(index) +
                      " is out of range: shards are numbered from 0, and their "
                      "count is " +
                      std::to_string(count));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<ShardIterator>(
      std::move(input), static_cast<uint64_t>(count),
      static_cast<uint64_t>(index),
      context.attribute("require_non_empty", 0) != 0, context.name())};
}

static constexpr DatasetOperandConstraint shardOperands[] = {
    {"num_shards", INGOT_INT64, 0, true, 1},
    {"index", INGOT_INT64, 0, true, 0}};
INGOT_DATASET(shard_dataset) = {.make = makeShardDataset,
                                .operands = shardOperands,
                                .traits = PassesThrough | ReadsElementsOnce |
                                          Exchanges};

} // namespace ingot::input
