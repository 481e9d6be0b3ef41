//===- Iterator.cpp - Iterators over pipelines ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements Iterator over the root of a tree of datasets: returns a failure at
// each call until the iterator is restarted, checks the shapes that compiled
// code relies on, and saves and restores states.
//===----------------------------------------------------------------------===//
#include "runtime/Input/Iterator.h"
#include "runtime/ABI/Program.h"
#include "runtime/Input/Dataset.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/Pipeline.h"
#include "runtime/Input/QueuePipeline.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/RunArena.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ingot {

using namespace input;

static constexpr uint32_t stateVersion = 1;
/// The version of a saved state in which some datasets have parts that were
/// taken over from TensorFlow's state, such as pending elements.
static constexpr uint32_t takenOverVersion = 2;
/// A saved state ends in its checksum: the tag of the checksum's field (number
/// 15, fixed32), then the value.
static constexpr char checksumTag = 15 << 3 | 5;
static constexpr size_t checksumSize = 1 + 4;

/// Returns true if a dataset reads files as streams. Such a read may wait
/// without limit, for example for a pipe without a writer.
static bool readsFiles(const ingot_dataset &dataset) {
  const DatasetOp *op = datasetOp(dataset);
  return op &&
         std::any_of(op->operands.begin(), op->operands.end(),
                     [](const DatasetOperandConstraint &operand) {
                       return std::string_view(operand.name) == "filenames";
                     });
}

namespace {

class InputPipelineIterator final : public Iterator {
public:
  InputPipelineIterator(const ingot_program &program, uint32_t index,
                        const InputPipelineOptions &options)
      : environment{program, options, {}, false, {}}, index(index),
        mayWait(std::any_of(program.datasets,
                            program.datasets + program.num_datasets,
                            readsFiles)) {}

  Status make(uint32_t pipeline) override {
    INGOT_ASSIGN_OR_RETURN(uint32_t dataset, datasetOf(pipeline));
    leaveExchange();
    INGOT_ASSIGN_OR_RETURN(auto fresh, build(dataset));
    INGOT_RETURN_IF_ERROR(fresh->start());
    replace(std::move(fresh), 0, pipeline);
    return Status::ok();
  }

  bool isMade() const override { return root != nullptr; }

  Status next(const void **components) override;

  std::span<const int64_t> shape(uint32_t component) const override {
    return current[component].shape();
  }

  Status
  useQueues(const std::function<Status(input::QueuePipeline &)> &use) override;

  Expected<std::string> save() override;
  Expected<std::vector<std::string>> saveForTensorFlow() override;
  void rewind() override;
  Status restore(std::string_view state) override;
  Status validate() override;

private:
  const ingot_iterator &iterator() const {
    return environment.program.iterators[index];
  }
  std::string name() const {
    return std::string("iterator '") + iterator().name + "'";
  }
  /// Returns the root dataset of pipeline `pipeline`. 0 is the iterator's own
  /// dataset. n is the n-th alternative: another dataset over which an
  /// initializer of the graph can make the same iterator.
  Expected<uint32_t> datasetOf(uint64_t pipeline) const;
  Expected<std::unique_ptr<DatasetIterator>> build(uint32_t dataset) {
    return makeIterator(environment, dataset, nullptr, nullptr);
  }
  void replace(std::unique_ptr<DatasetIterator> fresh, uint64_t elements,
               uint32_t pipeline) {
    root = std::move(fresh);
    numElements = elements;
    failure = Status::ok();
    mark.reset();
    isRewound = false;
    active = pipeline;
  }
  const std::vector<std::string> &describe(uint32_t pipeline,
                                           uint32_t dataset) {
    // Describe a pipeline when a state is saved or restored, not earlier:
    // checksums of large constants take time.
    if (lines.size() <= pipeline)
      lines.resize(pipeline + 1);
    if (lines[pipeline].empty())
      lines[pipeline] = describePipeline(environment.program, dataset);
    return lines[pipeline];
  }
  Status notMade() const {
    return Status(StatusCode::FailedPrecondition,
                  name() + " is not initialized: run its initializer first");
  }
  void leaveExchange();
  Status restoreTensorFlow(std::string_view packed);
  Status finishExchange();
  Expected<proto::IteratorState> stateOf();
  void keepUntilRunEnds();
  void markRun();
  Status checkElement() const;
  Status checkSamePipeline(const proto::IteratorState &state, uint32_t dataset);

  IteratorContext environment;
  uint32_t index;
  bool mayWait; // whether an iterator of the program reads files
  std::unique_ptr<DatasetIterator> root; // null before make() or restore()
  uint32_t active = 0;                   // index of the pipeline of `root`
  Element current;
  /// An entry (a compiled function, such as the training step) may request
  /// several elements in one run and read all of them. These are the elements
  /// before `current` that the running entry has received.
  std::vector<Element> held;
  uint64_t run = 0;         // the run that received `current`
  uint64_t numElements = 0; // elements returned so far
  /// The iterator's position before an entry (a compiled function, such as the
  /// training step) read its first element in its latest run, so that a
  /// cancelled run can be undone (rewind()).
  struct IteratorPositionBeforeRun {
    uint64_t run = 0, elements = 0;
    bool isInRoot = false; // root->mark() keeps the position
    NodeState state;       // the position, unless `isInRoot`
  };
  std::optional<IteratorPositionBeforeRun> mark;
  bool isRewound = false;
  // The failure that every call of next() returns until make() or restore().
  // Reaching the end of the input is not a failure.
  Status failure;
  // For each pipeline, the text that describes it in saved states.
  std::vector<std::vector<std::string>> lines;
};

} // namespace

Expected<uint32_t> InputPipelineIterator::datasetOf(uint64_t pipeline) const {
  if (pipeline == 0)
    return iterator().dataset;
  const ingot_program &program = environment.program;
  uint64_t found = 0;
  for (uint32_t i = 0; i < program.num_alternatives; ++i)
    if (program.alternatives[i].iterator == index && ++found == pipeline)
      return program.alternatives[i].dataset;
  return Status(StatusCode::InvalidArgument,
                name() + " has no pipeline " + std::to_string(pipeline) +
                    ": pipelines are numbered from 0, and their count is " +
                    std::to_string(found + 1));
}

// Keeps `current` alive until the running entry (a compiled function) ends,
// since the entry may still use an element after it has requested the next
// element.
void InputPipelineIterator::keepUntilRunEnds() {
  RunArena *memory = RunArena::current();
  if (!memory)
    return;
  if (std::exchange(run, memory->run()) == memory->run())
    held.push_back(std::exchange(current, Element()));
  else
    held.clear();
}

// Remembers the position before the running entry (a compiled function, such as
// the training step) reads its first element, for rewind(). An entry that waits
// for a file may be stopped after it has read some elements; when it is run
// again, it must read the same elements.
void InputPipelineIterator::markRun() {
  RunArena *memory = RunArena::current();
  if (!environment.options.stopped || !mayWait || !memory ||
      (mark && mark->run == memory->run()))
    return;
  if (!mark)
    mark.emplace();
  mark->run = memory->run();
  mark->elements = numElements;
  mark->isInRoot = root->mark();
  if (mark->isInRoot)
    return;
  root->update(mark->state);
}

void InputPipelineIterator::rewind() {
  RunArena *memory = RunArena::current();
  isRewound = memory && mark && mark->run == memory->run();
}

Status InputPipelineIterator::next(const void **components) {
  if (!root)
    return notMade();
  if (!failure.isOk())
    return failure;
  if (environment.exchanges)
    INGOT_RETURN_IF_ERROR(finishExchange());
  markRun();
  keepUntilRunEnds();
  bool end = false;
  failure = root->next(current, end);
  if (failure.isOk() && !end)
    failure = checkElement();
  if (!failure.isOk()) {
    failure = std::move(failure).withContext(name());
    return failure;
  }
  if (end)
    return Status(StatusCode::OutOfRange, name() + ": end of sequence");
  for (size_t i = 0; i < current.size(); ++i)
    components[i] = current[i].data();
  ++numElements;
  return Status::ok();
}

Status InputPipelineIterator::useQueues(
    const std::function<Status(QueuePipeline &)> &use) {
  if (!root)
    return notMade();
  if (!failure.isOk())
    return failure;
  QueuePipeline *queues = root->queues();
  if (!queues)
    return Status(StatusCode::InvalidArgument,
                  name() + " has no queues to enqueue to or dequeue from: "
                           "compile the graph again");
  RunArena *memory = RunArena::current();
  if (!memory || !mark || mark->run != memory->run()) {
    mark.emplace(IteratorPositionBeforeRun{.run = memory ? memory->run() : 0,
                                           .elements = numElements,
                                           .isInRoot = root->mark(),
                                           .state = {}});
    ++numElements;
  }
  Status status = use(*queues);
  if (!status.isOk() && status.code() != StatusCode::OutOfRange)
    failure = status;
  return status;
}

// Checks the types and shapes of the element: compiled code reads as many bytes
// as the program's tables state.
Status InputPipelineIterator::checkElement() const {
  const ingot_iterator &expected = iterator();
  if (current.size() != expected.num_components)
    return Status(StatusCode::InvalidArgument,
                  "an element has " + std::to_string(current.size()) +
                      " components, expected " +
                      std::to_string(expected.num_components));
  for (uint32_t i = 0; i < expected.num_components; ++i) {
    const ingot_tensor_spec &spec = expected.components[i];
    Shape shape(spec.dims, spec.rank);
    if (current[i].dtype() != spec.dtype || !fits(current[i].shape(), shape))
      return Status(StatusCode::InvalidArgument,
                    "component " + std::to_string(i) + " of element " +
                        std::to_string(numElements) + " is " +
                        dtypeName(current[i].dtype()) +
                        shapeText(current[i].shape()) + ", expected " +
                        dtypeName(spec.dtype) + shapeText(shape));
  }
  return Status::ok();
}

/// Returns true if `state` has a part that was taken over from a state of
/// TensorFlow. Such a part needs a state of version `takenOverVersion`.
static bool isTakenOver(const NodeState &state);

Expected<proto::IteratorState> InputPipelineIterator::stateOf() {
  if (!root)
    return notMade();
  if (!failure.isOk() && !isRewound)
    return Status(StatusCode::FailedPrecondition,
                  name() +
                      " cannot be saved after a failure: " + failure.message());
  proto::IteratorState state;
  state.set_version(stateVersion);
  state.set_iterator(iterator().name);
  state.set_elements(isRewound ? mark->elements : numElements);
  INGOT_ASSIGN_OR_RETURN(uint32_t dataset, datasetOf(active));
  for (const std::string &line : describe(active, dataset))
    state.add_pipeline(line);
  state.set_dataset(active);
  if (!isRewound)
    root->save(*state.mutable_root());
  else if (mark->isInRoot)
    root->saveMark(*state.mutable_root());
  else
    *state.mutable_root() = mark->state;
  if (isTakenOver(state.root()))
    state.set_version(takenOverVersion);
  return state;
}

Expected<std::string> InputPipelineIterator::save() {
  INGOT_ASSIGN_OR_RETURN(proto::IteratorState state, stateOf());
  std::string bytes;
  if (!state.SerializeToString(&bytes))
    return Status(StatusCode::Internal,
                  name() + ": its state cannot be saved, because it exceeds "
                           "protobuf's limit of 2 GiB");
  uint32_t crc = maskCrc32c(crc32c(0, bytes.data(), bytes.size()));
  bytes += checksumTag;
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(crc >> shift);
  return bytes;
}

static Status checkChecksum(std::string_view bytes) {
  if (bytes.size() < checksumSize ||
      bytes[bytes.size() - checksumSize] != checksumTag)
    return badState("no checksum at the end of " +
                    std::to_string(bytes.size()) + " bytes");
  size_t size = bytes.size() - checksumSize;
  uint32_t stored = 0;
  for (size_t i = 0; i < 4; ++i)
    stored |= uint32_t(static_cast<uint8_t>(bytes[size + 1 + i])) << 8 * i;
  if (maskCrc32c(crc32c(0, bytes.data(), size)) != stored)
    return badState("the checksum of its " + std::to_string(size) +
                    " bytes is wrong");
  return Status::ok();
}

Status
InputPipelineIterator::checkSamePipeline(const proto::IteratorState &state,
                                         uint32_t dataset) {
  const std::vector<std::string> &here = describe(state.dataset(), dataset);
  auto there = [&](size_t i) {
    return i < static_cast<size_t>(state.pipeline_size())
               ? "'" + state.pipeline(static_cast<int>(i)) + "'"
               : std::string("nothing");
  };
  size_t count =
      std::max(here.size(), static_cast<size_t>(state.pipeline_size()));
  for (size_t i = 0; i < count; ++i) {
    std::string own = i < here.size() ? "'" + here[i] + "'" : "nothing";
    if (there(i) != own)
      return Status(
          StatusCode::InvalidArgument,
          "the state belongs to another pipeline, that of iterator '" +
              state.iterator() + "': line " + std::to_string(i + 1) +
              " of the pipeline is " + there(i) + " in the state, but " + own +
              " in this program");
  }
  return Status::ok();
}

/// Limits the counts in a state. A restore reads or draws as many elements as
/// the counts say, so it would take practically forever if a count was damaged.
/// Also checks that no dataset has buffered more elements than it has read.
static Status checkCounts(const NodeState &state) {
  constexpr uint64_t most = uint64_t(1) << 40;
  for (uint64_t count : {state.drawn(), state.read()})
    if (count > most)
      return badState("counts " + std::to_string(count) +
                      " elements, more than the limit of 2^40");
  if (static_cast<uint64_t>(state.kept_size()) > state.read())
    return badState(
        "a dataset has buffered " + std::to_string(state.kept_size()) +
        " elements, but has read only " + std::to_string(state.read()));
  if (state.has_origin())
    INGOT_RETURN_IF_ERROR(checkCounts(state.origin()));
  for (const NodeState &input : state.inputs())
    INGOT_RETURN_IF_ERROR(checkCounts(input));
  return Status::ok();
}

Status InputPipelineIterator::restore(std::string_view bytes) {
  if (isPackedVariants(bytes))
    return restoreTensorFlow(bytes);
  if (Status status = checkChecksum(bytes); !status.isOk())
    return std::move(status).withContext(name());
  proto::IteratorState state;
  if (!state.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return badState("not an IteratorState").withContext(name());
  if (state.version() != stateVersion && state.version() != takenOverVersion)
    return Status(StatusCode::Unimplemented,
                  name() + ": its state has version " +
                      std::to_string(state.version()) +
                      ", but this program reads versions up to " +
                      std::to_string(takenOverVersion));
  INGOT_ASSIGN_OR_RETURN(uint32_t dataset, datasetOf(state.dataset()));
  if (Status status = checkSamePipeline(state, dataset); !status.isOk())
    return std::move(status).withContext(name());
  if (Status status = checkCounts(state.root()); !status.isOk())
    return std::move(status).withContext(name());
  bool wasExchanging = environment.exchanges;
  environment.exchanges = hasPending(state.root());
  auto fresh = build(dataset);
  Status status = fresh ? (*fresh)->restore(state.root()) : fresh.takeStatus();
  if (!status.isOk()) {
    environment.exchanges = wasExchanging;
    return std::move(status).withContext(name());
  }
  replace(std::move(*fresh), state.elements(), state.dataset());
  return Status::ok();
}

/// Moves to a position that TensorFlow saved. Tries the iterator's own dataset
/// first, then its alternatives, and takes the first dataset whose iterator can
/// read the position.
Status InputPipelineIterator::restoreTensorFlow(std::string_view packed) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> variants,
                         unpackVariants(packed));
  TensorFlowIteratorState parsed(environment.pool,
                                 TensorFlowIteratorState::Direction::Read);
  INGOT_RETURN_IF_ERROR(parsed.parse(variants));
  bool wasExchanging = std::exchange(environment.exchanges, true);
  Status first;
  for (uint64_t pipeline = 0;; ++pipeline) {
    auto dataset = datasetOf(pipeline);
    if (!dataset)
      break;
    TensorFlowIteratorState state = parsed;
    std::unique_ptr<DatasetIterator> fresh;
    auto move = [&]() -> Status {
      INGOT_RETURN_IF_ERROR(checkExchangeable(environment.program, *dataset));
      INGOT_ASSIGN_OR_RETURN(fresh, build(*dataset));
      INGOT_RETURN_IF_ERROR(fresh->start());
      return readState(state, environment.program, *dataset, *fresh);
    };
    Status status = move();
    if (status.isOk()) {
      replace(std::move(fresh), 0, static_cast<uint32_t>(pipeline));
      return Status::ok();
    }
    if (pipeline == 0)
      first = std::move(status);
  }
  environment.exchanges = wasExchanging;
  return Status(first.code(),
                "cannot resume from the position that TensorFlow saved: " +
                    first.message() +
                    "; 'ingot-ckpt strip --iterators' starts the input at its "
                    "first element");
}

/// A state of TensorFlow's may contain pending elements, which TensorFlow had
/// computed in advance. Once all of them have been returned, replaces the tree
/// of iterators that was made for such a state with an ordinary tree, which is
/// faster.
Status InputPipelineIterator::finishExchange() {
  if (environment.numPending != 0)
    return Status::ok();
  NodeState state;
  root->save(state);
  if (hasPending(state))
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(uint32_t dataset, datasetOf(active));
  environment.exchanges = false;
  INGOT_ASSIGN_OR_RETURN(auto fresh, build(dataset));
  INGOT_RETURN_IF_ERROR(fresh->restore(state));
  root = std::move(fresh);
  mark.reset();
  isRewound = false;
  return Status::ok();
}

/// Destroys the current tree of iterators if it was made from TensorFlow's
/// state.
void InputPipelineIterator::leaveExchange() {
  if (std::exchange(environment.exchanges, false))
    root.reset();
}

Expected<std::vector<std::string>> InputPipelineIterator::saveForTensorFlow() {
  INGOT_ASSIGN_OR_RETURN(proto::IteratorState own, stateOf());
  INGOT_ASSIGN_OR_RETURN(uint32_t dataset, datasetOf(active));
  auto save = [&]() -> Expected<std::vector<std::string>> {
    INGOT_RETURN_IF_ERROR(checkExchangeable(environment.program, dataset));
    IteratorContext other{
        environment.program, environment.options, {}, true, {}};
    TensorFlowIteratorState state(other.pool,
                                  TensorFlowIteratorState::Direction::Write);
    INGOT_ASSIGN_OR_RETURN(auto tree,
                           makeIterator(other, dataset, nullptr, nullptr));
    INGOT_RETURN_IF_ERROR(tree->restore(own.root()));
    INGOT_RETURN_IF_ERROR(
        writeState(state, environment.program, dataset, *tree));
    return state.serialize();
  };
  auto saved = save();
  if (!saved)
    return saved.takeStatus().withContext(
        name() + ": its position cannot be saved for TensorFlow");
  return saved;
}

static bool isTakenOver(const NodeState &state) {
  bool isByValue =
      state.tensors_size() != 0 && (state.inputs_size() == 2 || state.ended());
  if (isByValue || state.pending_size() != 0 ||
      (state.has_origin() && isTakenOver(state.origin())))
    return true;
  for (const NodeState &input : state.inputs())
    if (isTakenOver(input))
      return true;
  return false;
}

Status InputPipelineIterator::validate() {
  INGOT_RETURN_IF_ERROR(checkPipeline(environment.program, index));
  const ingot_program &program = environment.program;
  // Make an iterator over each pipeline and drop it, because some operands are
  // checked only by the functions that make iterators.
  std::vector<uint32_t> datasets = {iterator().dataset};
  for (uint32_t i = 0; i < program.num_alternatives; ++i)
    if (program.alternatives[i].iterator == index)
      datasets.push_back(program.alternatives[i].dataset);
  for (uint32_t dataset : datasets)
    if (auto tried = build(dataset); !tried)
      return tried.takeStatus().withContext(name());
  return Status::ok();
}

Expected<std::unique_ptr<Iterator>>
Iterator::create(const ingot_program &program, uint32_t iterator,
                 const InputPipelineOptions &options) {
  auto created =
      std::make_unique<InputPipelineIterator>(program, iterator, options);
  INGOT_RETURN_IF_ERROR(created->validate());
  return {std::move(created)};
}

} // namespace ingot
