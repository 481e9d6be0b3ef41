//===- Dataset.h - One dataset op as something that iterates ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface that every dataset implements, and its context while it is
// made: its operands, its attributes, and the iterators of its inputs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_DATASET_H
#define INGOT_RUNTIME_INPUT_DATASET_H

#include "proto/IteratorState.pb.h"
#include "runtime/Input/Iterator.h"
#include "runtime/Input/RandomStates.h"
#include "runtime/Input/Tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot::input {

using NodeState = proto::IteratorNodeState;

/// State that all datasets of one iterator share.
struct Environment {
  const ingot_program &program;
  InputOptions options;
  BlockPool pool;
};

struct Operand;

/// The tensors whose rows are a dataset's elements.
struct RowTensors {
  /// By component. None where elements are made in another way, or hold
  /// strings.
  std::span<const Operand> tensors;
  /// Whether rows are read in the order of their addresses.
  bool isInOrder = false;
};

/// One dataset op that iterates. Not for more than one thread at a time.
class DatasetIterator {
public:
  virtual ~DatasetIterator() = default;

  /// Moves before the first element of a new pass over the dataset. State that
  /// outlives a pass, such as the seeds of a shuffle, continues.
  virtual Status start() = 0;

  /// The next element, or `end`, in which case `element` holds nothing of
  /// meaning. After the end, the end again. After a failure only destruction
  /// is allowed, and start().
  virtual Status next(Element &element, bool &end) = 0;

  /// Passes over up to `count` elements as next() would, without the work that
  /// only their values need. Sets `skipped`; fewer than `count` at the end.
  virtual Status skip(uint64_t count, uint64_t &skipped);

  virtual RowTensors rowTensors() const { return {}; }

  /// Like next(), but for numbers of rows instead of elements, for a dataset
  /// that has them. Sets `count`; less than the room only at the end.
  virtual Status nextRows(std::span<uint64_t> rows, size_t &count);

  /// Whether next() takes no longer than an element takes from thread to
  /// thread.
  virtual bool isQuick() const { return false; }

  /// Writes its position to `state`, which is clear; between two calls of
  /// next() only. Before the first start(), that is the state that outlives
  /// passes.
  virtual void save(NodeState &state) const = 0;

  /// The same for a state that is clear, or that this iterator wrote after its
  /// latest start() or restore(): writes only fields that may have changed
  /// since.
  virtual void update(NodeState &state) const {
    state.Clear();
    save(state);
  }

  /// Remembers its position for saveMark(), which is allowed after a failure,
  /// too; false where that would cost as much as save().
  virtual bool mark() { return false; }
  virtual void saveMark(NodeState &state) const {}

  /// Stands where `state` says, whatever it did before. A state that cannot be
  /// one of this dataset's is DataLoss; `state` may hold anything.
  virtual Status restore(const NodeState &state) = 0;

  /// The origin of the latest element: "record 17 of data/train.tfrecord, at
  /// byte 5120"; "" if unknown.
  virtual std::string describeLatest() const { return std::string(); }
};

/// A tensor operand, as a view: of the program's constant, or of an argument of
/// the function around the dataset.
struct Operand {
  int32_t dtype = 0;
  Shape shape;
  const void *data = nullptr;
  /// The program's constant, which outlives all elements.
  bool isConstant = false;

  int64_t numElements() const;
  /// Bytes of a row.
  size_t rowSize() const;
  /// The value of a scalar; an int32 is widened.
  int64_t integer() const;
  bool boolean() const { return *static_cast<const bool *>(data); }
  std::string_view string(int64_t index = 0) const;
};

/// Row `row` of each of the tensors.
void makeRow(BlockPool &pool, std::span<const Operand> tensors, uint64_t row,
             Element &element);

/// A map whose function a batch above it runs, directly into its rows: the map
/// passes its input through.
struct DeferredMap {
  int64_t dataset = -1; // its number; -1: none
  /// Datasets in between buffer elements: failures must be found first.
  bool isChecked = false;
};

/// A dataset op and its surroundings, while its iterator is made. Operands and
/// inputs have passed validate(); operands that are arguments are checked when
/// they are read.
class DatasetContext {
public:
  DatasetContext(Environment &environment, uint32_t index,
                 const Element *arguments, RandomStates *randomStates)
      : DatasetContext(environment, index, arguments, randomStates, {}) {}

  Environment &env() const { return environment; }
  const ingot_dataset &dataset() const;
  /// "dataset 'node' (ShuffleDataset)", for messages.
  std::string name() const;

  /// Operand number `operand`, of type `dtype` (0: any), and a scalar where
  /// `rank` is 0 (-1: any).
  Expected<Operand> operand(uint32_t operand, int32_t dtype, int rank) const;
  Expected<int64_t> integer(uint32_t operand) const;
  Expected<bool> boolean(uint32_t operand) const;

  /// Operand number `operand`, which is a window (Tensor::list).
  Expected<Tensor> window(uint32_t operand) const;

  /// Copies of the operands before the named ones: a function's captured
  /// values.
  Expected<Element> variadicOperands() const;

  /// The attribute's value; `otherwise` where the op has no such attribute.
  int64_t attribute(const char *name, int64_t otherwise) const;

  /// The same, with inputs that defer `map`.
  DatasetContext deferring(DeferredMap map) const {
    return {environment, index, arguments, randomStates, map};
  }
  /// The deferred map, where this is it.
  const DeferredMap *isDeferred() const {
    return deferred.dataset == index ? &deferred : nullptr;
  }
  /// Dataset `other` with the same surroundings.
  DatasetContext with(uint32_t other) const {
    return {environment, other, arguments, randomStates, {}};
  }

  /// A new iterator over input `input`, not yet started.
  Expected<std::unique_ptr<DatasetIterator>> makeInput(uint32_t input) const;

  /// The random state of the dataset's function, or of its body's functions.
  Expected<std::shared_ptr<RandomState>> randomState() const;
  Expected<std::shared_ptr<RandomStates>> bodyStates() const;

private:
  DatasetContext(Environment &environment, uint32_t index,
                 const Element *arguments, RandomStates *randomStates,
                 DeferredMap deferred)
      : environment(environment), index(index), arguments(arguments),
        randomStates(randomStates), deferred(deferred) {}

  Environment &environment;
  uint32_t index;
  const Element *arguments;
  RandomStates *randomStates; // of the enclosing body; may be null
  DeferredMap deferred;
};

/// A new iterator over dataset `index` of the program, not yet started;
/// `arguments` are those of the function whose body it is (null: none), and
/// outlive the iterator; `randomStates` those of the functions in that body.
Expected<std::unique_ptr<DatasetIterator>>
makeIterator(Environment &environment, uint32_t index, const Element *arguments,
             RandomStates *randomStates);

/// One over the body of a dataset's function, for an element.
inline Expected<std::unique_ptr<DatasetIterator>>
makeBody(Environment &environment, uint32_t body, const Element &arguments,
         RandomStates &randomStates) {
  randomStates.rewind();
  return makeIterator(environment, body, &arguments, &randomStates);
}

/// Whether a function of dataset `index`, its inputs or its body reads
/// variables of the program. They are those of the step that asks for an
/// element: such a dataset is not read ahead.
bool readsVariables(const ingot_program &program, uint32_t index);

/// DatasetIterator::update() for a dataset with one input, whose save() writes
/// at least its input's state.
void updateInput(const DatasetIterator &input, NodeState &state);

/// Restores an only input from `state`.
Status restoreInput(DatasetIterator &input, const NodeState &state);

/// The failure of a state that cannot be.
Status badState(std::string_view what);

/// Skips up to `count` batches of `batchSize` elements of `input`; the last one
/// is short unless `dropsRemainder`.
Status skipBatches(DatasetIterator &input, uint64_t batchSize,
                   bool dropsRemainder, uint64_t count, uint64_t &skipped);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_DATASET_H
