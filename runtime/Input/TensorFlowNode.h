//===- TensorFlowNode.h - A dataset in TensorFlow's state -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What DatasetIterator::exchange() receives: the dataset's place in a state of
// TensorFlow's that is being read or written.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSORFLOWNODE_H
#define INGOT_RUNTIME_INPUT_TENSORFLOWNODE_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/TensorFlowState.h"

namespace ingot::input {

struct TensorFlowNode {
  TensorFlowState &state;
  /// The name of the iterator above, "Iterator::Root::Prefetch", and that of
  /// this dataset's, whose last part is the op's name without "Dataset".
  std::string parent;
  std::string name = "";
  /// Reading: receives the elements that TensorFlow's iterator had made ahead
  /// of its consumer. Writing: such elements; exchange() has to write and
  /// remove them.
  std::vector<Element> pending = {};

  bool isReading() const { return state.isReading(); }
  /// The last part of `name`.
  std::string type() const { return name.substr(parent.size() + 2); }
  std::string below(std::string_view type) const {
    return parent + "::" + std::string(type);
  }
  /// Sets `name` to the first of `types` that the state has. If it has none,
  /// returns NotFound. Writing: to the first.
  Status choose(std::initializer_list<std::string_view> types);

  template <typename T> Status exchange(const std::string &key, T &value) {
    return state.exchange(name, key, value);
  }
  /// Writes a number, or reads one that is not used.
  void note(const std::string &key, uint64_t value) {
    if (!isReading())
      state.set(name, key, value);
  }
};

/// Exchanges the state of `input`, whose iterator has a name below `parent`.
Status exchangeInput(DatasetIterator &input, TensorFlowState &state,
                     std::string parent);

/// Like exchangeInput(), of an input that TensorFlow has dropped where
/// `isEmpty`, because it has ended: reading moves it to its end.
Status exchangeUnlessEmpty(DatasetIterator &input, TensorFlowNode &node,
                           const std::string &key, bool isEmpty = false);

/// Moves `input` to its end.
Status exhaust(DatasetIterator &input);

/// Makes `iterator` one that can hand out pending elements before its own.
std::unique_ptr<DatasetIterator>
makePending(const DatasetContext &context,
            std::unique_ptr<DatasetIterator> iterator);

/// Returns whether `state` has pending elements anywhere.
bool hasPending(const NodeState &state);

/// Reads the buffer of a prefetch `name`.
Status exchangeBuffer(TensorFlowState &state, const std::string &name,
                      std::vector<Element> &pending);

/// Checks that TensorFlow's state of the pipeline with root `dataset` can be
/// read and written. Returns Unimplemented, naming every dataset for which it
/// cannot.
Status checkExchangeable(const ingot_program &program, uint32_t dataset);

/// Moves `root`, the iterator of `dataset`, which was started, to the position
/// in `state`.
Status readState(TensorFlowState &state, const ingot_program &program,
                 uint32_t dataset, DatasetIterator &root);

/// Writes the position of `root` to `state`, under the names that its iterators
/// have in TensorFlow, with its rewrites and without.
Status writeState(TensorFlowState &state, const ingot_program &program,
                  uint32_t dataset, DatasetIterator &root);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORFLOWNODE_H
