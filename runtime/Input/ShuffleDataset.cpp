//===- ShuffleDataset.cpp - Shuffles as TensorFlow does -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// ShuffleDataset. Before each draw, a buffer is filled from the input. A draw
// returns the element in a random slot of the buffer, and moves the oldest
// element into this slot. A saved state does not contain the buffer, but the
// pass's seeds and the numbers of elements read and drawn. These determine all
// draws. So a restore repeats the draws on the indices of elements, and then
// reads only the elements that are in the buffer.
//
// If the input's elements are rows of tensors in memory, the shuffle buffer has
// indices of rows instead of elements.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/Random.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"

#include <algorithm>
#include <sys/random.h>

namespace ingot::input {

namespace {

struct ShuffleOptions {
  uint64_t bufferSize;
  uint64_t seed;
  uint64_t seed2;
  bool reshuffle;
  /// Whether the seeds are drawn at random, because the graph gives none.
  bool randomSeeds;
  /// Whether a shuffle upstream draws new seeds for each pass of this shuffle.
  bool hasShuffleBelow;
};

/// A queue whose n-th element is in slot n modulo the size. Slots are allocated
/// at first use.
template <typename T> class Ring {
public:
  explicit Ring(uint64_t size) : size(size) {}
  T &push(uint64_t number) {
    if (number < size && number == slots.size())
      return slots.emplace_back();
    return slots[number % size];
  }
  T &operator[](uint64_t number) { return slots[number % size]; }
  void clear() { slots.clear(); }

private:
  uint64_t size;
  std::vector<T> slots;
};

class ShuffleIterator final : public DatasetIterator {
public:
  ShuffleIterator(TensorMemoryPool &pool,
                  std::unique_ptr<DatasetIterator> input,
                  const ShuffleOptions &options)
      : pool(pool), input(std::move(input)),
        tensors(this->input->slicedTensors().tensors), options(options),
        seeds(options.seed, options.seed2, options.reshuffle), samples(0, 0),
        buffer(options.bufferSize), rows(options.bufferSize) {}

  Status start() override {
    passSeeds = seeds.next();
    samples = RandomSampleStream(passSeeds[0], passSeeds[1]);
    begun = ended = false;
    drawn = read = 0;
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    if (tensors.empty())
      return draw(buffer, element, end);
    uint64_t row = 0;
    INGOT_RETURN_IF_ERROR(draw(rows, row, end));
    if (!end)
      makeRow(pool, tensors, row, element);
    return Status::ok();
  }

  SlicedTensors slicedTensors() const override { return {tensors}; }
  Status nextRows(std::span<uint64_t> numbers, size_t &count) override {
    bool end = false;
    for (count = 0; count < numbers.size(); ++count) {
      INGOT_RETURN_IF_ERROR(draw(rows, numbers[count], end));
      if (end)
        break;
    }
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_seeds_drawn(seeds.drawn());
    state.set_seed(passSeeds[0]);
    state.set_seed2(passSeeds[1]);
    if (options.randomSeeds) {
      state.set_source_seed(options.seed);
      state.set_source_seed2(options.seed2);
    }
    if (!begun)
      return input->save(*state.add_inputs());
    state.set_drawn(drawn);
    state.set_read(read);
    state.set_ended(ended);
    *state.mutable_origin() = origin;
  }

  // Within a pass, only the counters of the state change, so update() writes
  // only these. A prefetch calls update() after each element, and a whole
  // save() would copy the input's state each time. `seeds_drawn` shows whether
  // `state` was written in the same pass.
  void update(NodeState &state) const override {
    bool isThisPass = begun && options.reshuffle && state.has_origin() &&
                      state.seeds_drawn() == seeds.drawn();
    if (!isThisPass)
      return DatasetIterator::update(state);
    state.set_drawn(drawn);
    state.set_read(read);
    state.set_ended(ended);
  }

  Status restore(const NodeState &state) override {
    if (options.randomSeeds) {
      options.seed = state.source_seed();
      options.seed2 = state.source_seed2();
      seeds = SeedGenerator(options.seed, options.seed2, options.reshuffle);
    }
    seeds.seek(options.reshuffle ? state.seeds_drawn() : 0);
    passSeeds = {state.seed(), state.seed2()};
    samples = RandomSampleStream(passSeeds[0], passSeeds[1]);
    begun = ended = false;
    drawn = read = 0;
    buffer.clear();
    rows.clear();
    if (!state.has_origin())
      return restoreInput(*input, state);
    return tensors.empty() ? rebuild(buffer, state) : rebuild(rows, state);
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    bool isFused = std::exchange(node.state.isFused, false);
    INGOT_RETURN_IF_ERROR(
        node.choose({isFused ? "ShuffleAndRepeat" : "Shuffle",
                     isFused ? "ShuffleAndRepeatV2" : "ShuffleV3"}));
    return node.isReading() ? readTensorFlow(node, isFused)
                            : writeTensorFlow(node, isFused);
  }

private:
  /// Reads the numbers from which restore() rebuilds the buffer. The buffer's
  /// elements, which TensorFlow's state also contains, are not read: TensorFlow
  /// draws in the same order as this shuffle, so restore() finds the same
  /// elements in the input.
  Status readTensorFlow(TensorFlowIteratorStateNode &node, bool isFused) {
    NodeState state;
    uint64_t seed = 0, seed2 = 0, drawnNow = 0, seedsDrawn = 0, epoch = 0,
             numSlices = 0, begin = 0, endOf = 0;
    bool hasEnded = false, inputEnded = false;
    INGOT_RETURN_IF_ERROR(node.exchange("seed", seed));
    INGOT_RETURN_IF_ERROR(node.exchange("seed2", seed2));
    INGOT_RETURN_IF_ERROR(node.exchange("num_random_samples", drawnNow));
    INGOT_RETURN_IF_ERROR(
        node.exchange("epoch_num_random_samples", seedsDrawn));
    INGOT_RETURN_IF_ERROR(node.exchange("epoch", epoch));
    INGOT_RETURN_IF_ERROR(node.exchange("slices_size", numSlices));
    INGOT_RETURN_IF_ERROR(node.exchange("end_of_input_sequence", inputEnded));
    // The first slice of TensorFlow's buffer has the elements of the current
    // pass. Later slices, which TensorFlow reads ahead, belong to the next
    // passes.
    if (numSlices > 0) {
      INGOT_RETURN_IF_ERROR(node.exchange("slices_start_0", begin));
      INGOT_RETURN_IF_ERROR(node.exchange("slices_end_0", endOf));
      INGOT_RETURN_IF_ERROR(
          node.exchange("slices_reached_end_of_sequence_0", hasEnded));
    }
    state.set_seed(seed);
    state.set_seed2(seed2);
    state.set_seeds_drawn(seedsDrawn);
    if (options.randomSeeds) {
      state.set_source_seed(options.seed);
      state.set_source_seed2(options.seed2);
    }
    if (isFused)
      node.state.fusedEpoch = epoch > numSlices ? epoch - numSlices : 0;
    if (options.hasShuffleBelow && seedsDrawn > 2)
      return Status(StatusCode::Unimplemented,
                    "TensorFlow's state of a shuffle downstream of another "
                    "shuffle can be read only if it is of the first epoch");
    if (endOf < begin || endOf - begin > options.bufferSize)
      return badState("a shuffle with buffer_size " +
                      std::to_string(options.bufferSize) +
                      " has buffered elements from " + std::to_string(begin) +
                      " up to " + std::to_string(endOf));
    INGOT_RETURN_IF_ERROR(input->start());
    NodeState atStart;
    input->save(atStart);
    if (epoch == 0) {
      *state.add_inputs() = std::move(atStart);
      return restore(state);
    }
    state.set_drawn(drawnNow);
    state.set_read(drawnNow + (endOf - begin));
    // The buffer is filled before each draw, so after a draw only the slot of
    // the drawn element is empty. If more slots are empty, the input has ended.
    bool isFull = endOf - begin + 1 >= options.bufferSize;
    state.set_ended(numSlices != 1 || hasEnded || inputEnded ||
                    (drawnNow != 0 && !isFull));
    *state.mutable_origin() = std::move(atStart);
    return restore(state);
  }

  /// Writes the current pass, with the elements of the buffer. Does not write
  /// that the input has ended: the input's own state says so, and TensorFlow
  /// finds the end when it requests the next element.
  Status writeTensorFlow(TensorFlowIteratorStateNode &node, bool isFused) {
    constexpr uint64_t mostSlots = 1 << 24;
    if (options.bufferSize > mostSlots)
      return Status(
          StatusCode::Unimplemented,
          "cannot write TensorFlow's state of a shuffle with buffer_size " +
              std::to_string(options.bufferSize) + ": the limit is 2^24");
    if (!begun) {
      INGOT_RETURN_IF_ERROR(input->start());
      begun = true;
    }
    bool isOver = isFused && node.state.fusedEnded;
    node.note("seed", passSeeds[0]);
    node.note("seed2", passSeeds[1]);
    node.note("num_random_samples", drawn);
    node.note("epoch_num_random_samples", seeds.drawn());
    node.note("epoch", isFused ? node.state.fusedEpoch + !isOver : 1);
    node.note("num_elements", read - drawn);
    node.note("slices_size", 1);
    node.note("slices_start_0", drawn);
    node.note("slices_end_0", read);
    node.note("slices_reached_end_of_sequence_0", isOver);
    node.note("end_of_input_sequence", isOver);
    node.state.mark(node.name, "data_produced");
    std::string slots = node.name + ":buffer";
    node.state.set(slots, "num_elements", options.bufferSize);
    for (uint64_t slot = 0; slot < options.bufferSize; ++slot)
      node.state.set(slots + "::" + std::to_string(slot), "num_components", 0);
    for (uint64_t i = drawn; i < read; ++i)
      INGOT_RETURN_IF_ERROR(node.state.exchange(
          slots + "::" + std::to_string(i % options.bufferSize),
          "num_components", "component", buffer[i]));
    return isOver ? Status::ok() : exchangeInput(*input, node.state, node.name);
  }

  Status readInput(Element &element, bool &end) {
    return input->next(element, end);
  }
  Status readInput(uint64_t &row, bool &end) {
    size_t count = 0;
    INGOT_RETURN_IF_ERROR(input->nextRows({&row, 1}, count));
    end = count == 0;
    return Status::ok();
  }

  /// Draws the next item from `buffer` and stores it in `drawnNext`. Items are
  /// elements, or indices of rows if the elements are rows of tensors in
  /// memory.
  template <typename T> Status draw(Ring<T> &buffer, T &drawnNext, bool &end) {
    if (!begun) {
      INGOT_RETURN_IF_ERROR(input->start());
      origin.Clear();
      input->save(origin);
      begun = true;
    }
    while (!ended && read - drawn < options.bufferSize) {
      INGOT_RETURN_IF_ERROR(readInput(buffer.push(read), ended));
      if (!ended)
        ++read;
    }
    end = read == drawn;
    if (end)
      return Status::ok();
    T &chosen = buffer[drawn + samples.next() % (read - drawn)];
    // Swap instead of copying: the caller's previous element moves into the
    // free slot, so that its memory is reused.
    std::swap(drawnNext, chosen);
    std::swap(chosen, buffer[drawn]);
    ++drawn;
    return Status::ok();
  }

  template <typename T>
  Status rebuild(Ring<T> &buffer, const NodeState &state) {
    begun = true;
    ended = state.ended();
    drawn = state.drawn();
    read = state.read();
    origin = state.origin();
    // After a draw, exactly one slot of the buffer is empty; more slots may be
    // empty if the input has ended. Any other state is damaged.
    if (drawn > read || read - drawn >= options.bufferSize ||
        (!ended && (drawn || read) && read - drawn != options.bufferSize - 1))
      return badState(
          "a shuffle with buffer_size " + std::to_string(options.bufferSize) +
          " has read " + std::to_string(read) + " elements and returned " +
          std::to_string(drawn) +
          ", which no shuffle does: it fills its buffer before each "
          "draw");
    INGOT_RETURN_IF_ERROR(input->restore(origin));
    // Replay all draws of the pass on a buffer that contains the indices of the
    // input's elements instead of the elements. Afterwards the buffer contains
    // the indices of the elements that have to be read again, at the positions
    // of these elements.
    Ring<uint64_t> numbers(options.bufferSize);
    uint64_t filled = 0;
    for (uint64_t draw = 0; draw < drawn; ++draw) {
      for (; filled < read && filled - draw < options.bufferSize; ++filled)
        numbers.push(filled) = filled;
      uint64_t &chosen = numbers[draw + samples.next() % (filled - draw)];
      std::swap(chosen, numbers[draw]);
    }
    // Read the buffered elements again, in the order of the input. `wanted`
    // pairs the index of an element in the input with its position in the
    // buffer.
    std::vector<std::pair<uint64_t, uint64_t>> wanted;
    for (uint64_t position = drawn; position < read; ++position)
      wanted.emplace_back(numbers[position], position);
    std::sort(wanted.begin(), wanted.end());
    for (uint64_t i = 0; i < read && i < options.bufferSize; ++i)
      buffer.push(i);
    uint64_t passed = 0;
    for (auto [number, position] : wanted) {
      INGOT_RETURN_IF_ERROR(pass(number - passed));
      bool end = false;
      INGOT_RETURN_IF_ERROR(readInput(buffer[position], end));
      if (end)
        return endsEarly();
      passed = number + 1;
    }
    INGOT_RETURN_IF_ERROR(pass(read - passed));
    if (!ended)
      return Status::ok();
    // Read the end of the input, too, as the saved iterator had. This may
    // change the input's state: a repeat upstream starts its own input once
    // more, and a shuffle further upstream then draws seeds.
    T none{};
    bool end = false;
    INGOT_RETURN_IF_ERROR(readInput(none, end));
    return end ? Status::ok()
               : Status(StatusCode::DataLoss,
                        "the input of a shuffle has more elements than the " +
                            std::to_string(read) +
                            " it had when the iterator was saved: restore the "
                            "input's files, or start the input anew "
                            "(ingot-ckpt strip --iterators)");
  }

  Status pass(uint64_t count) {
    uint64_t skipped = 0;
    if (count)
      INGOT_RETURN_IF_ERROR(input->skip(count, skipped));
    return skipped == count ? Status::ok() : endsEarly();
  }

  Status endsEarly() const {
    return Status(
        StatusCode::DataLoss,
        "the input of a shuffle has fewer elements than the " +
            std::to_string(read) +
            " it had when the iterator was saved: restore the input's files, "
            "or start the input anew (ingot-ckpt strip --iterators)");
  }

  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  // The tensors whose rows the input yields; empty for any other input. With
  // tensors, the buffer has indices of rows instead of elements.
  std::span<const DatasetOperand> tensors;
  ShuffleOptions options;
  SeedGenerator seeds;
  std::array<uint64_t, 2> passSeeds{}; // the random seeds of this pass
  RandomSampleStream samples;
  Ring<Element> buffer;
  Ring<uint64_t> rows; // used instead of `buffer` if there are `tensors`
  // Whether the input was started in this pass. It is started when the first
  // element is drawn, as in TensorFlow: a shuffle upstream draws no seeds for
  // a pass that is not read.
  bool begun = false;
  bool ended = false; // the input has ended
  uint64_t drawn = 0; // elements returned in this pass
  uint64_t read = 0;  // elements read from the input in this pass
  NodeState origin;   // input's state at the beginning of the pass
};

} // namespace

/// Returns true if dataset `index`, or one upstream of it, is a shuffle, which
/// may draw new seeds for each pass.
static bool hasShuffle(const ingot_program &program, uint32_t index) {
  const ingot_dataset &dataset = program.datasets[index];
  const DatasetOp *op = datasetOp(dataset);
  if (op && op->has(Shuffles))
    return true;
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    if (hasShuffle(program, dataset.inputs[i]))
      return true;
  return false;
}

static Expected<std::unique_ptr<DatasetIterator>>
makeShuffleDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t bufferSize, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(int64_t seed, context.integer(1));
  INGOT_ASSIGN_OR_RETURN(int64_t seed2, context.integer(2));
  if (bufferSize <= 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": buffer_size is " +
                      std::to_string(bufferSize) +
                      ", expected greater than zero");
  ShuffleOptions options{
      static_cast<uint64_t>(bufferSize),
      static_cast<uint64_t>(seed),
      static_cast<uint64_t>(seed2),
      context.attribute("reshuffle_each_iteration", 1) != 0,
      false,
      hasShuffle(context.env().program, context.dataset().inputs[0])};
  if (seed == 0 && seed2 == 0) {
    options.randomSeeds = true;
    uint64_t drawn[2];
    if (getentropy(drawn, sizeof(drawn)))
      return Status(StatusCode::Unavailable,
                    context.name() + ": cannot read random numbers from the "
                                     "system: give the shuffle a seed");
    options.seed = drawn[0];
    options.seed2 = drawn[1];
  }
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<ShuffleIterator>(context.env().pool,
                                            std::move(input), options)};
}

static constexpr DatasetOperandConstraint shuffleOperands[] = {
    {"buffer_size", INGOT_INT64, 0, true, 1},
    {"seed", INGOT_INT64},
    {"seed2", INGOT_INT64}};
static constexpr const char *shuffleAttributes[] = {"reshuffle_each_iteration"};
INGOT_DATASET(shuffle_dataset) = {.make = makeShuffleDataset,
                                  .operands = shuffleOperands,
                                  .attributes = shuffleAttributes,
                                  .traits = BuffersInput | Shuffles |
                                            Exchanges};

} // namespace ingot::input
