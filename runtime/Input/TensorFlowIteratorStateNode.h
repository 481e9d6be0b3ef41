//===- TensorFlowIteratorStateNode.h - States of tf.data --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The position of a dataset's iterator within a saved state of TensorFlow that
// is being read or written; the argument of DatasetIterator::exchange().
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATENODE_H
#define INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATENODE_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/TensorFlowIteratorState.h"

namespace ingot::input {

struct TensorFlowIteratorStateNode {
  TensorFlowIteratorState &state;
  /// The name of the parent iterator in TensorFlow's state, such as
  /// "Iterator::Root::Prefetch", and the name of this dataset's iterator, whose
  /// last part is the op's name without "Dataset".
  std::string parent;
  std::string name = "";
  /// When reading: receives the elements that TensorFlow's iterator had
  /// computed ahead of its consumer. When writing: the iterator's pending
  /// elements, which exchange() must write and remove.
  std::vector<Element> pending = {};

  bool isReading() const { return state.isReading(); }
  /// The last part of `name`, such as "BatchV2".
  std::string type() const { return name.substr(parent.size() + 2); }
  std::string below(std::string_view type) const {
    return parent + "::" + std::string(type);
  }
  /// When reading, sets `name` to the first of `types` that the state contains;
  /// returns NotFound if it contains none. When writing, sets `name` to the
  /// first of `types`.
  Status choose(std::initializer_list<std::string_view> types);

  template <typename T> Status exchange(const std::string &key, T &value) {
    return state.exchange(name, key, value);
  }
  /// Writes `value` under `key`; when reading, does nothing. For numbers that
  /// TensorFlow expects in the state but Ingot does not need.
  void note(const std::string &key, uint64_t value) {
    if (!isReading())
      state.set(name, key, value);
  }
};

/// Reads or writes the state of `input`, whose iterator's name begins with
/// `parent`.
Status exchangeInput(DatasetIterator &input, TensorFlowIteratorState &state,
                     std::string parent);

/// Like exchangeInput(), but for a dataset whose input may have ended: instead
/// of the input's state, TensorFlow then saves a flag under `key`. When reading
/// a state with this flag, moves the input to its end; when writing, sets the
/// flag if `isEmpty`.
Status exchangeUnlessEmpty(DatasetIterator &input,
                           TensorFlowIteratorStateNode &node,
                           const std::string &key, bool isEmpty = false);

/// Reads `input` until it ends, to bring it to the position that TensorFlow
/// saves for an input that has ended.
Status exhaust(DatasetIterator &input);

/// Wraps `iterator` in an iterator that first returns the pending elements:
/// those that TensorFlow had computed ahead when it saved the state.
std::unique_ptr<DatasetIterator>
makePending(const DatasetContext &context,
            std::unique_ptr<DatasetIterator> iterator);

/// Returns true if any dataset in `state` has pending elements, those that
/// TensorFlow had computed ahead when it saved the state.
bool hasPending(const NodeState &state);

/// Reads the elements in the buffer of TensorFlow's prefetch iterator `name`
/// into `pending`; when writing, writes the elements of `pending` as that
/// buffer.
Status exchangeBuffer(TensorFlowIteratorState &state, const std::string &name,
                      std::vector<Element> &pending);

/// Checks that TensorFlow's state of the pipeline with root `dataset` can be
/// read and written. Returns Unimplemented, naming every dataset for which it
/// cannot.
Status checkExchangeable(const ingot_program &program, uint32_t dataset);

/// Moves `root`, an iterator of `dataset` after start(), to the position in
/// `state`.
Status readState(TensorFlowIteratorState &state, const ingot_program &program,
                 uint32_t dataset, DatasetIterator &root);

/// Writes the position of `root` to `state` several times: under the names that
/// its iterators have in TensorFlow with all rewrites
/// (AppliedDatasetOptimizations), with some of them, and without any.
Status writeState(TensorFlowIteratorState &state, const ingot_program &program,
                  uint32_t dataset, DatasetIterator &root);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATENODE_H
