//===- Dataset.h - Interface of dataset iterators ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// DatasetIterator is the interface that every dataset implements. Each dataset
// has a function that makes its iterator; through a DatasetContext it reads
// operands and attributes, and makes the iterators of the dataset's inputs.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_DATASET_H
#define INGOT_RUNTIME_INPUT_DATASET_H

#include "proto/IteratorState.pb.h"
#include "runtime/Input/Iterator.h"
#include "runtime/Input/RandomStates.h"
#include "runtime/Input/Tensor.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace ingot::input {

using NodeState = proto::IteratorNodeState;

/// State that all datasets of one iterator share.
struct IteratorContext {
  const ingot_program &program;
  InputPipelineOptions options;
  TensorMemoryPool pool;
  /// Whether the iterators can exchange their positions with TensorFlow
  /// (TensorFlowIteratorStateNode.h). Iterators can then have pending elements
  /// (`numPending`). Each map calls its function itself, instead of leaving
  /// this to a batch, so that the map returns the same elements as TensorFlow's
  /// map.
  bool exchanges = false;
  /// The number of pending elements of all iterators. A pending element is one
  /// that TensorFlow had computed in advance and saved in an iterator's state;
  /// it was read from that state, and next() has not returned it yet.
  std::atomic<int64_t> numPending{0};
};

struct DatasetOperand;
class QueuePipeline;
struct TensorFlowIteratorStateNode;

/// The tensors whose rows are the elements of a dataset
/// (DatasetIterator::slicedTensors()).
struct SlicedTensors {
  /// One tensor for each component of the dataset's elements. An element
  /// consists of the rows with the same index in all tensors. Empty if the
  /// elements are not rows of tensors in memory, or contain strings.
  std::span<const DatasetOperand> tensors;
  /// Whether the dataset's elements are the rows of `tensors` in ascending
  /// order.
  bool isInOrder = false;
};

/// The iterator of one dataset op. Not thread-safe.
class DatasetIterator {
public:
  virtual ~DatasetIterator() = default;

  /// Moves before the first element of a new pass over the dataset. State that
  /// outlives a pass, such as the seeds of a shuffle, is not reset.
  virtual Status start() = 0;

  /// Sets `element` to the next element and `end` to false. After the last
  /// element, every call sets `end` to true and leaves `element` unspecified.
  /// After a failure only start() and destruction are allowed.
  virtual Status next(Element &element, bool &end) = 0;

  /// Skips up to `count` elements: moves as that many calls of next() would,
  /// but need not compute the elements' values. Sets `skipped` to the number of
  /// skipped elements, which is less than `count` only at the end.
  virtual Status skip(uint64_t count, uint64_t &skipped);

  virtual SlicedTensors slicedTensors() const { return {}; }

  /// Like rows.size() calls of next(), for datasets with slicedTensors():
  /// writes the row index of each element to `rows`. Sets `count` to the number
  /// of indices, which is less than rows.size() only at the end.
  virtual Status nextRows(std::span<uint64_t> rows, size_t &count);

  /// Returns true if a call of next() takes no longer than passing an element
  /// from a prefetch thread to its consumer, so that a prefetch is not
  /// worthwhile.
  virtual bool isQuick() const { return false; }

  /// Writes the iterator's position to `state`, which is empty. Must not be
  /// called during next(). Before the first start(), when there is no position
  /// yet, writes only state that start() does not reset, such as the seeds of a
  /// shuffle.
  virtual void save(NodeState &state) const = 0;

  /// Brings `state` up to date with the current position. `state` must be
  /// empty, or this iterator must have written it after its latest start() or
  /// restore(). Unlike save(), writes only the fields that may have changed.
  virtual void update(NodeState &state) const {
    state.Clear();
    save(state);
  }

  /// Remembers the current position, so that saveMark() can write this position
  /// to a state later, even after next() has failed. Returns false, without
  /// remembering it, if this would cost as much as save().
  virtual bool mark() { return false; }
  virtual void saveMark(NodeState &state) const {}

  /// Moves to the position `state`, whatever the iterator did before. `state`
  /// is not trusted: returns DataLoss if it cannot be a state of this dataset.
  virtual Status restore(const NodeState &state) = 0;

  /// Reads or writes `node`, the part of a TensorFlow state that belongs to
  /// this dataset. Reading moves the iterator to the position in `node`.
  /// Writing adds the current position to `node`; the iterator must not be used
  /// afterwards. Called once after start() or restore(), only if
  /// IteratorContext::exchanges is set.
  virtual Status exchange(TensorFlowIteratorStateNode &node);

  /// If this is the iterator of a map, replaces `element` by the result of the
  /// map's function for it; otherwise leaves `element` unchanged. Used when a
  /// state in TensorFlow's form contains elements of the map's input.
  virtual Status apply(Element &element) { return Status::ok(); }
  /// For a map, if IteratorContext::exchanges is set, returns the element that
  /// the function was called on last, because a state in TensorFlow's form
  /// contains it; otherwise returns null.
  virtual const Element *latestInput() const { return nullptr; }

  /// If this dataset is the root of a pipeline of TensorFlow 1 queues, returns
  /// the interface through which compiled enqueue and dequeue ops use the
  /// queues; otherwise returns null.
  virtual QueuePipeline *queues() { return nullptr; }

  /// Returns the origin of the latest element, such as "record 17 of
  /// data/train.tfrecord, at byte 5120"; "" if unknown.
  virtual std::string describeLatest() const { return std::string(); }
};

/// A view of a tensor operand: of the program's constant, or of an argument of
/// the function that returns the dataset.
struct DatasetOperand {
  int32_t dtype = 0;
  Shape shape;
  const void *data = nullptr;
  /// Whether this is a constant of the program, which outlives all elements.
  bool isConstant = false;

  int64_t numElements() const;
  /// Returns the size in bytes of a row: a slice at one index of the first
  /// dimension.
  size_t rowSize() const;
  /// Returns the value of the operand, a scalar of type int32 or int64.
  int64_t integer() const;
  bool boolean() const { return *static_cast<const bool *>(data); }
  std::string_view string(int64_t index = 0) const;
};

/// Sets `element` to an element whose component i is a copy of row `row` of
/// tensors[i].
void makeRow(TensorMemoryPool &pool, std::span<const DatasetOperand> tensors,
             uint64_t row, Element &element);

/// A map whose function a batch downstream runs, writing directly into the
/// batch's rows. The map itself passes its input's elements through.
struct MapDatasetFusedIntoBatch {
  int64_t dataset = -1; // the map's index; -1: none
  /// Whether the map has to check, for each element, that the function will
  /// succeed. Needed if a dataset between the map and the batch buffers
  /// elements: the failure of an element has to occur when the map reads it,
  /// not when the batch does.
  bool isChecked = false;
};

/// The argument of the function that makes a dataset op's iterator: the op and
/// its environment. Iterator::validate() has checked the input datasets and the
/// constant operands. An operand that is an argument of the enclosing dataset
/// function, such as flat_map's, has no value before that function is called,
/// so it is checked when it is read.
class DatasetContext {
public:
  DatasetContext(IteratorContext &environment, uint32_t index,
                 const Element *arguments, RandomStates *randomStates)
      : DatasetContext(environment, index, arguments, randomStates, {}) {}

  IteratorContext &env() const { return environment; }
  /// Returns the dataset's index in the program's table.
  uint32_t number() const { return index; }
  const ingot_dataset &dataset() const;
  /// Returns true if this dataset is in the body of a function, whose iterators
  /// are made again for each element.
  bool isInBody() const { return arguments != nullptr; }
  /// Returns the dataset's name for messages: "dataset 'node'
  /// (ShuffleDataset)".
  std::string name() const;

  /// Returns operand `operand`. It must be of type `dtype` (0: any), and a
  /// scalar if `rank` is 0 (-1: any rank).
  Expected<DatasetOperand> operand(uint32_t operand, int32_t dtype,
                                   int rank) const;
  Expected<int64_t> integer(uint32_t operand) const;
  Expected<bool> boolean(uint32_t operand) const;

  /// Returns operand `operand`, which must be a window: a variant that contains
  /// tensors (Tensor::list()).
  Expected<Tensor> window(uint32_t operand) const;

  /// Returns copies of the variadic operands, such as the captured values of a
  /// function. They precede the operands that DatasetOp::operands names.
  Expected<Element> variadicOperands() const;

  /// Returns the attribute's value, or `otherwise` if the op has no such
  /// attribute.
  int64_t attribute(const char *name, int64_t otherwise) const;
  /// Returns the text of a string attribute, or "" if the op has no such
  /// attribute.
  std::string_view text(const char *name) const;

  /// Returns a copy of this context, in which the iterator of `map` upstream
  /// does not call the map's function, because this dataset, a batch, calls it.
  DatasetContext deferring(MapDatasetFusedIntoBatch map) const {
    return {environment, index, arguments, randomStates, map};
  }
  /// If this dataset is a map whose function a batch downstream calls, returns
  /// that map; otherwise returns null.
  const MapDatasetFusedIntoBatch *isDeferred() const {
    return deferred.dataset == index ? &deferred : nullptr;
  }
  /// Returns a context for dataset `other`, with the environment and function
  /// arguments of this context.
  DatasetContext with(uint32_t other) const {
    return {environment, other, arguments, randomStates, {}};
  }

  /// Makes an iterator over input `input`, without starting it.
  Expected<std::unique_ptr<DatasetIterator>> makeInput(uint32_t input) const;

  /// Returns true if the input is a map that the compiler has split off from
  /// this op's function. The map then does the computations of the function
  /// that come before the dataset is created.
  bool hasOwnMap() const;

  /// Return the random state of the dataset's function, and the random states
  /// of the functions in its body, which is the dataset that the function
  /// returns.
  Expected<std::shared_ptr<RandomState>> randomState() const;
  Expected<std::shared_ptr<RandomStates>> bodyStates() const;

private:
  DatasetContext(IteratorContext &environment, uint32_t index,
                 const Element *arguments, RandomStates *randomStates,
                 MapDatasetFusedIntoBatch deferred)
      : environment(environment), index(index), arguments(arguments),
        randomStates(randomStates), deferred(deferred) {}

  IteratorContext &environment;
  uint32_t index;
  const Element *arguments;
  RandomStates *randomStates; // states of the enclosing body; may be null
  MapDatasetFusedIntoBatch deferred;
};

/// Makes an iterator over dataset `index` of the program, without starting it.
/// If the dataset is the body of a function, `arguments` are the function's
/// arguments, which must outlive the iterator, and `randomStates` the states of
/// the functions in the body; otherwise both are null.
Expected<std::unique_ptr<DatasetIterator>>
makeIterator(IteratorContext &environment, uint32_t index,
             const Element *arguments, RandomStates *randomStates);

/// Makes an iterator over `body`, the dataset that a function returns for
/// `arguments`.
inline Expected<std::unique_ptr<DatasetIterator>>
makeBody(IteratorContext &environment, uint32_t body, const Element &arguments,
         RandomStates &randomStates) {
  randomStates.rewind();
  return makeIterator(environment, body, &arguments, &randomStates);
}

/// Returns true if a function of dataset `index`, of its inputs or of its body
/// reads variables of the program. The function must see the values that the
/// variables have in the step that requests the element, so a prefetch thread
/// must not read such a dataset ahead.
bool readsVariables(const ingot_program &program, uint32_t index);

/// Implements DatasetIterator::update() for a dataset with one input, if the
/// dataset's save() always writes the input's state.
void updateInput(const DatasetIterator &input, NodeState &state);

/// Restores `input`, the only input of a dataset with state `state`.
Status restoreInput(DatasetIterator &input, const NodeState &state);

/// Returns the DataLoss error for a saved state that no iterator can have
/// written. `what` says what is wrong with it.
Status badState(std::string_view what);

/// Skips the elements of `input` that make up to `count` batches of `batchSize`
/// elements each, and sets `skipped` to the number of batches. The last batch
/// may be short, unless `dropsRemainder`.
Status skipBatches(DatasetIterator &input, uint64_t batchSize,
                   bool dropsRemainder, uint64_t count, uint64_t &skipped);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_DATASET_H
