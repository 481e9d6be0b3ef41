//===- InterleaveDataset.cpp - Datasets that take turns -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// InterleaveDataset and its parallel variants, whose order is the same unless
// they are marked as non-deterministic. The function returns a dataset for each
// element of the input. `cycle_length` of these datasets are open at a time,
// and take turns with `block_length` elements each. When a dataset ends, its
// slot is free; at the slot's next turn, the dataset of the input's next
// element takes it.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Input/TensorState.h"

#include <deque>

namespace ingot::input {

namespace {

/// Takes the place of a dataset all of whose elements TensorFlow had read ahead
/// when it saved its state. The dataset is still open, but has no further
/// elements.
class ExhaustedIterator final : public DatasetIterator {
public:
  Status start() override { return Status::ok(); }
  Status next(Element &, bool &end) override {
    end = true;
    return Status::ok();
  }
  void save(NodeState &) const override {}
  Status restore(const NodeState &) override { return Status::ok(); }
  Status exchange(TensorFlowIteratorStateNode &) override {
    return Status::ok();
  }
};

class InterleaveIterator final : public DatasetIterator {
public:
  InterleaveIterator(IteratorContext &environment, uint32_t body,
                     Element captured,
                     std::shared_ptr<RandomStates> randomStates,
                     std::unique_ptr<DatasetIterator> input,
                     uint64_t cycleLength, uint64_t blockLength, bool hasOwnMap)
      : environment(environment), body(body), captured(std::move(captured)),
        randomStates(std::move(randomStates)),
        draws(drawsRandom(environment.program, body)), input(std::move(input)),
        cycleLength(cycleLength), blockLength(blockLength),
        hasOwnMap(hasOwnMap) {}

  Status start() override {
    places.clear();
    future.clear();
    turn = given = numOpen = 0;
    ended = false;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    return advance(end, [&](DatasetIterator &current, bool &currentEnd) {
      return current.next(element, currentEnd);
    });
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    bool end = false;
    for (skipped = 0; skipped < count; ++skipped) {
      INGOT_RETURN_IF_ERROR(
          advance(end, [](DatasetIterator &current, bool &currentEnd) {
            uint64_t one = 0;
            Status status = current.skip(1, one);
            currentEnd = one == 0;
            return status;
          }));
      if (end)
        break;
    }
    return Status::ok();
  }

  // The state does not contain the elements of the input for which the function
  // returned the open datasets. For each of them it contains the input's state
  // before the element, from which a restore reads the element again.
  void save(NodeState &state) const override {
    state.set_position(turn);
    state.set_read(given);
    state.set_ended(ended);
    if (draws)
      randomStates->save(*state.mutable_body_random());
    input->save(*state.add_inputs());
    for (const auto &place : places)
      savePlace(*place, *state.add_inputs());
    if (future.empty())
      return;
    // Append the states of datasets that TensorFlow had opened ahead of their
    // turn. They must come after the states of all `cycleLength` slots, so
    // first add empty states for the slots that are not in use yet.
    for (size_t i = places.size(); i < cycleLength; ++i)
      state.add_inputs();
    for (const auto &place : future)
      savePlace(*place, *state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    places.clear();
    future.clear();
    randomStates->clear();
    INGOT_RETURN_IF_ERROR(randomStates->restore(state.body_random()));
    numOpen = 0;
    turn = state.position();
    given = state.read();
    ended = state.ended();
    auto count = static_cast<uint64_t>(state.inputs_size());
    if (count == 0 || turn >= cycleLength || given >= blockLength)
      return badState(
          "an interleave is at slot " + std::to_string(turn) + ", element " +
          std::to_string(given) + " of its block, expected a slot below " +
          std::to_string(cycleLength) + " and an element below " +
          std::to_string(blockLength) +
          (count == 0 ? ", and the state of its input is missing" : ""));
    for (int i = 1; i < state.inputs_size(); ++i) {
      const NodeState &saved = state.inputs(i);
      auto &list = static_cast<uint64_t>(i) <= cycleLength ? places : future;
      InterleaveCycleElement &place =
          *list.emplace_back(std::make_unique<InterleaveCycleElement>());
      if (!saved.has_origin() && !saved.by_value())
        continue;
      INGOT_RETURN_IF_ERROR(reopen(place, saved));
      INGOT_RETURN_IF_ERROR(restoreInput(*place.current, saved));
    }
    // Restore the random states once more at the end: the datasets share them,
    // and opening the datasets has changed them.
    INGOT_RETURN_IF_ERROR(randomStates->restore(state.body_random()));
    return input->restore(state.inputs(0));
  }

  std::string describeLatest() const override { return latest; }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    // TensorFlow's state may be that of the serial or of the parallel iterator.
    // This depends on the op in the graph, and on TensorFlow's rewrites of the
    // graph.
    bool isSerial = node.state.hasIterator(node.below("Interleave"));
    if (!node.isReading() && !future.empty())
      return Status(StatusCode::FailedPrecondition,
                    "cannot save the state of this iterator in TensorFlow's "
                    "format yet, as datasets that TensorFlow had prefetched "
                    "in the restored state are still unread: save a few "
                    "steps later");
    if (!node.isReading())
      INGOT_RETURN_IF_ERROR(fillPlaces());
    if (!node.isReading() || !isSerial)
      INGOT_RETURN_IF_ERROR(exchangeParallel(node));
    return node.isReading() && !isSerial ? Status::ok() : exchangeSerial(node);
  }

private:
  struct InterleaveCycleElement {
    /// How a saved state refers to the input's element: by the input's state
    /// before it (ByOrigin), by the element itself, which TensorFlow had read
    /// (ByValue), or not at all because the dataset has ended (Ended).
    enum { ByOrigin, ByValue, Ended } form = ByOrigin;
    NodeState origin; // input's state before `arguments`
    // The input's element from which `current` was made, as a state in
    // TensorFlow's form contains it. If the compiler has split this op's
    // function into a map and the rest, this is the map's input; otherwise it
    // is `arguments`. Set only if a state in this form is read or written.
    Element given;
    Element arguments; // the function's arguments for `current`
    std::unique_ptr<DatasetIterator> current; // null: the slot is free
  };

  /// Reads the input's next element and creates its dataset in `place`, without
  /// starting it.
  Status open(InterleaveCycleElement &place, bool &end) {
    place.origin.Clear();
    place.form = InterleaveCycleElement::ByOrigin;
    input->save(place.origin);
    INGOT_RETURN_IF_ERROR(input->next(place.arguments, end));
    if (end)
      return Status::ok();
    if (environment.exchanges)
      place.given = hasOwnMap ? *input->latestInput() : place.arguments;
    return openArguments(place);
  }

  void savePlace(const InterleaveCycleElement &place, NodeState &saved) const {
    if (!place.current)
      return;
    place.current->save(*saved.add_inputs());
    saved.set_ended(place.form == InterleaveCycleElement::Ended);
    saved.set_by_value(place.form != InterleaveCycleElement::ByOrigin);
    if (place.form == InterleaveCycleElement::ByOrigin)
      *saved.mutable_origin() = place.origin;
    else if (place.form == InterleaveCycleElement::ByValue)
      saveTensors(place.given, *saved.mutable_tensors());
  }

  /// Opens the dataset of slot `place` as the slot's saved state describes it.
  Status reopen(InterleaveCycleElement &place, const NodeState &saved) {
    if (saved.by_value() && saved.ended())
      return openEnded(place);
    if (saved.by_value()) {
      INGOT_ASSIGN_OR_RETURN(Element element,
                             restoreTensors(environment.pool, saved.tensors()));
      return openElement(place, std::move(element));
    }
    INGOT_RETURN_IF_ERROR(input->restore(saved.origin()));
    bool end = false;
    INGOT_RETURN_IF_ERROR(open(place, end));
    return end ? badState("the input of an interleave ends before the element "
                          "whose dataset was open")
               : Status::ok();
  }

  Status openElement(InterleaveCycleElement &place, Element element) {
    place.form = InterleaveCycleElement::ByValue;
    place.given = std::move(element);
    place.arguments = place.given;
    if (hasOwnMap)
      INGOT_RETURN_IF_ERROR(input->apply(place.arguments));
    return openArguments(place);
  }

  Status openEnded(InterleaveCycleElement &place) {
    place.form = InterleaveCycleElement::Ended;
    place.current = std::make_unique<ExhaustedIterator>();
    if (environment.exchanges)
      place.current =
          makePending(DatasetContext(environment, body, nullptr, nullptr),
                      std::move(place.current));
    ++numOpen;
    return Status::ok();
  }

  Status exchangeTurn(TensorFlowIteratorStateNode &node) {
    INGOT_RETURN_IF_ERROR(node.exchange("cycle_index", turn));
    INGOT_RETURN_IF_ERROR(node.exchange("block_index", given));
    return checkTurn();
  }

  Status checkTurn() {
    constexpr uint64_t mostPlaces = 1 << 16;
    if (cycleLength > mostPlaces)
      return Status(StatusCode::Unimplemented,
                    "its cycle_length is " + std::to_string(cycleLength) +
                        "; an iterator's state can be saved and restored in "
                        "TensorFlow's format up to a cycle_length of 65536");
    if (turn >= cycleLength || given >= blockLength)
      return badState("an interleave is at slot " + std::to_string(turn) +
                      ", element " + std::to_string(given) +
                      " of its block, expected a slot below " +
                      std::to_string(cycleLength) + " and an element below " +
                      std::to_string(blockLength));
    while (places.size() < cycleLength)
      places.push_back(std::make_unique<InterleaveCycleElement>());
    return Status::ok();
  }

  /// Opens the next datasets in the free slots, in the order of the slots'
  /// turns, as TensorFlow's parallel interleave does ahead of time.
  Status fillPlaces() {
    INGOT_RETURN_IF_ERROR(checkTurn());
    for (uint64_t i = 0; i < cycleLength && !ended; ++i) {
      InterleaveCycleElement &place = *places[(turn + i) % cycleLength];
      if (place.current)
        continue;
      INGOT_RETURN_IF_ERROR(open(place, ended));
      if (!ended)
        INGOT_RETURN_IF_ERROR(place.current->start());
    }
    return Status::ok();
  }

  Status exchangeSerial(TensorFlowIteratorStateNode &node) {
    INGOT_RETURN_IF_ERROR(node.choose({"Interleave"}));
    INGOT_RETURN_IF_ERROR(exchangeTurn(node));
    INGOT_RETURN_IF_ERROR(node.exchange("end_of_input", ended));
    node.note("num_open", numOpen);
    node.state.isFused = hasOwnMap;
    INGOT_RETURN_IF_ERROR(exchangeInput(*input, node.state, node.name));
    // TensorFlow's optimizer does not rewrite the datasets that functions
    // return. So the states of these datasets are read and written under the
    // names that iterators have without rewrites.
    AppliedDatasetOptimizations rewrites =
        std::exchange(node.state.rewrites, {});
    for (size_t i = 0; i < places.size(); ++i) {
      std::string index = "[" + std::to_string(i) + "]";
      InterleaveCycleElement &place = *places[i];
      bool isEmpty = !place.current;
      INGOT_RETURN_IF_ERROR(
          node.exchange("current_elements_uninitialized" + index, isEmpty));
      if (isEmpty)
        continue;
      Element element = node.isReading() ? Element() : place.given;
      INGOT_RETURN_IF_ERROR(node.state.exchange(node.name, "args_size" + index,
                                                "args_list_" + index, element));
      if (node.isReading()) {
        INGOT_RETURN_IF_ERROR(openElement(place, std::move(element)));
        INGOT_RETURN_IF_ERROR(place.current->start());
      }
      INGOT_RETURN_IF_ERROR(
          exchangeInput(*place.current, node.state, node.name + index));
    }
    node.state.rewrites = rewrites;
    return Status::ok();
  }

  // Reads or writes the state of TensorFlow's parallel interleave, which also
  // opens datasets before their turn.
  Status exchangeParallel(TensorFlowIteratorStateNode &node) {
    INGOT_RETURN_IF_ERROR(
        node.choose({"ParallelInterleaveV4", "ParallelInterleaveV3",
                     "ParallelInterleaveV2"}));
    INGOT_RETURN_IF_ERROR(exchangeTurn(node));
    uint64_t size = places.size(), numFuture = 0;
    INGOT_RETURN_IF_ERROR(node.exchange("current_elements.size", size));
    INGOT_RETURN_IF_ERROR(node.exchange("future_elements.size", numFuture));
    if (size > places.size() || numFuture > 1 << 20)
      return badState("an interleave with cycle_length " +
                      std::to_string(cycleLength) + " has " +
                      std::to_string(size) + " slots and " +
                      std::to_string(numFuture) +
                      " datasets that were opened ahead, expected at most " +
                      std::to_string(places.size()) + " and 2^20");
    node.note("element_id_counter", size);
    node.note("end_of_input", ended);
    AppliedDatasetOptimizations rewrites =
        std::exchange(node.state.rewrites, {});
    for (size_t i = 0; i < size; ++i)
      INGOT_RETURN_IF_ERROR(exchangePlace(
          node, "::current_elements::" + std::to_string(i), i, *places[i]));
    for (uint64_t i = 0; i < numFuture; ++i) {
      InterleaveCycleElement &place =
          *future.emplace_back(std::make_unique<InterleaveCycleElement>());
      INGOT_RETURN_IF_ERROR(exchangePlace(
          node, "::future_elements::" + std::to_string(i), i, place));
      if (!place.current)
        future.pop_back();
    }
    // After reading a state, forget that the input has ended: the next request
    // of an element finds this out again from the input's own state.
    ended = ended && !node.isReading();
    node.state.rewrites = rewrites;
    node.state.isFused = hasOwnMap;
    return exchangeInput(*input, node.state, node.name);
  }

  Status exchangePlace(TensorFlowIteratorStateNode &node,
                       const std::string &kind, uint64_t id,
                       InterleaveCycleElement &place) {
    std::string name = node.name + kind;
    bool isEmpty = !place.current,
         isOpen = place.form != InterleaveCycleElement::Ended;
    INGOT_RETURN_IF_ERROR(
        node.state.exchange(name, "element_uninitialized", isEmpty));
    if (isEmpty)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(
        node.state.exchange(name, "restore_iterator", isOpen));
    if (isOpen) {
      Element element = node.isReading() ? Element() : place.given;
      INGOT_RETURN_IF_ERROR(node.state.exchange(name, ".id", id));
      INGOT_RETURN_IF_ERROR(
          node.state.exchange(name, ".inputs.size", ".inputs", element));
      if (node.isReading()) {
        INGOT_RETURN_IF_ERROR(openElement(place, std::move(element)));
        INGOT_RETURN_IF_ERROR(place.current->start());
      }
    } else if (node.isReading()) {
      INGOT_RETURN_IF_ERROR(openEnded(place));
    }
    TensorFlowIteratorStateNode below{node.state, node.name + "[" +
                                                      std::to_string(id) + "]"};
    INGOT_RETURN_IF_ERROR(exchangeResults(node.state, name, below.pending));
    return place.current->exchange(below);
  }

  static Status exchangeResults(TensorFlowIteratorState &state,
                                const std::string &name,
                                std::vector<Element> &results) {
    uint64_t size = 0;
    INGOT_RETURN_IF_ERROR(state.exchange(name, ".results.size", size));
    for (uint64_t i = 0; i < size; ++i) {
      std::string key = ".results[" + std::to_string(i) + "]";
      uint64_t code = 0;
      INGOT_RETURN_IF_ERROR(state.exchange(name, key + ".code", code));
      if (code != 0)
        return Status(
            StatusCode::FailedPrecondition,
            "'" + name +
                "' is the error of an element that TensorFlow had computed "
                "ahead: restore an earlier checkpoint");
      INGOT_RETURN_IF_ERROR(
          state.exchange(name, key + ".size", key, results.emplace_back()));
    }
    return Status::ok();
  }

  Status openArguments(InterleaveCycleElement &place) {
    place.arguments.insert(place.arguments.end(), captured.begin(),
                           captured.end());
    INGOT_ASSIGN_OR_RETURN(
        place.current,
        makeBody(environment, body, place.arguments, *randomStates));
    ++numOpen;
    return Status::ok();
  }

  void nextTurn() {
    given = 0;
    turn = (turn + 1) % cycleLength;
  }

  /// Calls `step` on the dataset whose turn it is, and then on the following
  /// ones, until a dataset returns an element or all datasets have ended.
  template <typename Step> Status advance(bool &end, Step step) {
    while (!ended || numOpen > 0) {
      // Add a slot when its turn first comes: `cycleLength` may be huge.
      if (turn == places.size() && (!ended || !future.empty()))
        places.push_back(std::make_unique<InterleaveCycleElement>());
      if (turn >= places.size()) {
        nextTurn();
        continue;
      }
      if (!places[turn]->current && !future.empty()) {
        places[turn] = std::move(future.front());
        future.pop_front();
      }
      InterleaveCycleElement &place = *places[turn];
      if (place.current) {
        INGOT_RETURN_IF_ERROR(step(*place.current, end));
        if (!end) {
          latest = place.current->describeLatest();
          if (++given == blockLength)
            nextTurn();
          return Status::ok();
        }
        place.current.reset();
        --numOpen;
        nextTurn();
      } else if (!ended) {
        INGOT_RETURN_IF_ERROR(open(place, ended));
        if (!ended)
          INGOT_RETURN_IF_ERROR(place.current->start());
      } else {
        nextTurn();
      }
    }
    end = true;
    return Status::ok();
  }

  IteratorContext &environment;
  uint32_t body;
  Element captured;
  std::shared_ptr<RandomStates> randomStates; // states of the body's functions
  bool draws; // any of these functions draws random numbers
  std::unique_ptr<DatasetIterator> input;
  uint64_t cycleLength;
  uint64_t blockLength;
  bool hasOwnMap; // `input` is a map split off from this op's function
  // The elements are pointers, because an InterleaveCycleElement must not move
  // in memory: its open dataset refers to its `arguments`.
  using CycleSlots = std::deque<std::unique_ptr<InterleaveCycleElement>>;
  CycleSlots places;
  // Datasets that TensorFlow had opened ahead of their turn.
  CycleSlots future;
  uint64_t turn = 0;  // index of the slot whose turn it is
  uint64_t given = 0; // elements returned in this turn
  uint64_t numOpen = 0;
  bool ended = false; // the input has ended
  std::string latest;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeInterleaveDataset(const DatasetContext &context) {
  uint32_t first =
      context.dataset().num_operands -
      static_cast<uint32_t>(datasetOp(context.dataset())->operands.size());
  INGOT_ASSIGN_OR_RETURN(int64_t cycleLength, context.integer(first));
  INGOT_ASSIGN_OR_RETURN(int64_t blockLength, context.integer(first + 1));
  // A cycle_length of -1 leaves the choice to the runtime. TensorFlow uses the
  // number of available cores; a constant gives the same order of elements on
  // every machine.
  if (cycleLength == -1)
    cycleLength = 10;
  if (cycleLength <= 0 || blockLength <= 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": cycle_length is " +
                      std::to_string(cycleLength) + " and block_length " +
                      std::to_string(blockLength) +
                      ", expected greater than zero");
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  INGOT_ASSIGN_OR_RETURN(auto randomStates, context.bodyStates());
  return {std::make_unique<InterleaveIterator>(
      context.env(), static_cast<uint32_t>(context.dataset().body),
      std::move(captured), std::move(randomStates), std::move(input),
      static_cast<uint64_t>(cycleLength), static_cast<uint64_t>(blockLength),
      context.hasOwnMap())};
}

static constexpr DatasetOperandConstraint interleaveOperands[] = {
    {"cycle_length", INGOT_INT64, 0, true, -1},
    {"block_length", INGOT_INT64, 0, true, 1}};
INGOT_DATASET(interleave_dataset) = {.make = makeInterleaveDataset,
                                     .variadic = true,
                                     .operands = interleaveOperands,
                                     .function = DatasetFunctionKind::Body,
                                     .traits = InterleavesInputs | Exchanges};

} // namespace ingot::input
