//===- QueueNode.h - The nodes of a network of queues -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A node has a state of its own, which the network saves. Nodes from which
// runners and readers take elements are sources.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUENODE_H
#define INGOT_RUNTIME_INPUT_QUEUENODE_H

#include "runtime/Input/FunctionCall.h"
#include "runtime/Input/Queue.h"

namespace ingot::input {

using Outcome = Queue::Outcome;

class NetworkNode {
public:
  virtual ~NetworkNode() = default;
  virtual Status start() = 0;
  virtual void save(NodeState &state) const = 0;
  virtual Status restore(const NodeState &state) = 0;
  /// Remember the current position, and save the remembered one.
  virtual void mark() {
    marked.Clear();
    save(marked);
  }
  virtual void saveMark(NodeState &state) const { state = marked; }

private:
  NodeState marked;
};

/// A node that elements are taken from.
class QueueSource : public NetworkNode {
public:
  /// Takes an element. Waits: there is none yet, and nothing in the network
  /// can make one now.
  virtual Status take(Element &element, Outcome &outcome) = 0;
  /// Returns where the latest element came from; "" if unknown.
  virtual std::string describeLatest() const { return std::string(); }
};

/// A dataset as a source: a counter.
class DatasetSource final : public QueueSource {
public:
  explicit DatasetSource(std::unique_ptr<DatasetIterator> dataset)
      : dataset(std::move(dataset)) {}
  Status start() override { return dataset->start(); }
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override { dataset->save(state); }
  Status restore(const NodeState &state) override {
    return dataset->restore(state);
  }

private:
  std::unique_ptr<DatasetIterator> dataset;
};

/// Returns a source of the records of files whose names `names` gives.
Expected<std::unique_ptr<QueueSource>>
makeQueueReader(const DatasetContext &context, QueueSource &names);

/// One enqueue op with the elements that it has made.
class QueueRunner final : public NetworkNode {
public:
  QueueRunner(const DatasetContext &context, std::vector<QueueSource *> sources,
              FunctionCall function, ItemPool &pool);
  ~QueueRunner() override { dropWaiting(); }

  /// Takes what is missing from the sources and calls the function; its
  /// elements then wait (`hasWaiting`). An outcome other than Done says that a
  /// source has no element.
  Status run(Outcome &outcome);

  bool hasWaiting() const { return next < waiting.size(); }
  QueueItem *popWaiting();
  void dropWaiting();

  int64_t group() const { return theGroup; }

  Status start() override;
  void save(NodeState &state) const override { save(state, waitingItems()); }
  Status restore(const NodeState &state) override;
  void mark() override;
  void saveMark(NodeState &state) const override;

  /// Whether the runner has ended.
  bool ended = false;
  /// Whether the runner is in the middle of run().
  bool isRunning = false;
  /// The queue that elements are put into.
  const Queue *queue = nullptr;

private:
  std::vector<QueueItem *> waitingItems() const {
    return {waiting.begin() + static_cast<ptrdiff_t>(next), waiting.end()};
  }
  void save(NodeState &state, const std::vector<QueueItem *> &items) const;
  Status makeItems(Element results);
  Status makeRows(std::span<const Tensor> results);

  DatasetEnvironment &environment;
  std::string name;
  std::vector<QueueSource *> sources;
  FunctionCall function;
  ItemPool &pool;
  bool many, gated;
  int64_t theGroup;
  std::vector<Element> taken; // of the first sources
  std::vector<QueueItem *> waiting;
  size_t next = 0; // index of the first element in `waiting` that waits
  std::vector<QueueItem *> markedItems;
  NodeState markedRest;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUENODE_H
