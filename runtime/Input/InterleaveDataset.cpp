//===- InterleaveDataset.cpp - Datasets that take turns ---------*- C++ -*-===//
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

#include <deque>

namespace ingot::input {

namespace {

class InterleaveIterator final : public DatasetIterator {
public:
  InterleaveIterator(DatasetEnvironment &environment, uint32_t body,
                     Element captured,
                     std::shared_ptr<RandomStates> randomStates,
                     std::unique_ptr<DatasetIterator> input,
                     uint64_t cycleLength, uint64_t blockLength)
      : environment(environment), body(body), captured(std::move(captured)),
        randomStates(std::move(randomStates)),
        draws(drawsRandom(environment.program, body)), input(std::move(input)),
        cycleLength(cycleLength), blockLength(blockLength) {}

  Status start() override {
    places.clear();
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
    for (const Place &place : places) {
      NodeState &saved = *state.add_inputs();
      if (!place.current)
        continue;
      *saved.mutable_origin() = place.origin;
      place.current->save(*saved.add_inputs());
    }
  }

  Status restore(const NodeState &state) override {
    places.clear();
    randomStates->clear();
    INGOT_RETURN_IF_ERROR(randomStates->restore(state.body_random()));
    numOpen = 0;
    turn = state.position();
    given = state.read();
    ended = state.ended();
    auto count = static_cast<uint64_t>(state.inputs_size());
    if (count == 0 || count - 1 > cycleLength || turn >= cycleLength ||
        given >= blockLength)
      return badState("an interleave of " + std::to_string(cycleLength) +
                      " datasets is at slot " + std::to_string(turn) + " of " +
                      std::to_string(count));
    for (int i = 1; i < state.inputs_size(); ++i) {
      const NodeState &saved = state.inputs(i);
      Place &place = places.emplace_back();
      if (!saved.has_origin())
        continue;
      INGOT_RETURN_IF_ERROR(input->restore(saved.origin()));
      bool end = false;
      INGOT_RETURN_IF_ERROR(open(place, end));
      if (end)
        return badState("the input of an interleave ends too early");
      INGOT_RETURN_IF_ERROR(restoreInput(*place.current, saved));
    }
    // Restore the random states once more at the end: the datasets share them,
    // and opening the datasets has changed them.
    INGOT_RETURN_IF_ERROR(randomStates->restore(state.body_random()));
    return input->restore(state.inputs(0));
  }

  std::string describeLatest() const override { return latest; }

private:
  struct Place {
    NodeState origin;  // input's state before `arguments`
    Element arguments; // the function's arguments for `current`
    std::unique_ptr<DatasetIterator> current; // null: the slot is free
  };

  /// Reads the input's next element and makes its dataset in `place`, without
  /// starting it.
  Status open(Place &place, bool &end) {
    place.origin.Clear();
    input->save(place.origin);
    INGOT_RETURN_IF_ERROR(input->next(place.arguments, end));
    if (end)
      return Status::ok();
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
      if (turn == places.size() && !ended)
        places.emplace_back();
      if (turn >= places.size()) {
        nextTurn();
        continue;
      }
      Place &place = places[turn];
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

  DatasetEnvironment &environment;
  uint32_t body;
  Element captured;
  std::shared_ptr<RandomStates> randomStates; // states of the body's functions
  bool draws; // any of these functions draws random numbers
  std::unique_ptr<DatasetIterator> input;
  uint64_t cycleLength;
  uint64_t blockLength;
  // A deque, because it does not move its elements when it grows: the open
  // datasets refer to `Place::arguments`.
  std::deque<Place> places;
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
      static_cast<uint64_t>(cycleLength), static_cast<uint64_t>(blockLength))};
}

static constexpr OperandConstraint interleaveOperands[] = {
    {"cycle_length", INGOT_INT64, 0, true, -1},
    {"block_length", INGOT_INT64, 0, true, 1}};
INGOT_DATASET(interleave_dataset) = {.make = makeInterleaveDataset,
                                     .variadic = true,
                                     .operands = interleaveOperands,
                                     .function = FunctionKind::Body,
                                     .traits = TakesTurns};

} // namespace ingot::input
