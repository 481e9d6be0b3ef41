//===- QueueNode.h - The nodes of a pipeline of queues ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A pipeline of connected TensorFlow 1 queues consists of nodes: queues,
// readers of files, runners (enqueue ops that fill a queue) and counters. Each
// node has a state, which is saved with the pipeline. Runners and readers take
// elements from nodes called sources.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUENODE_H
#define INGOT_RUNTIME_INPUT_QUEUENODE_H

#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/Queue.h"

namespace ingot::input {

using Outcome = Queue::Outcome;

class QueuePipelineNode {
public:
  virtual ~QueuePipelineNode() = default;
  virtual Status start() = 0;
  virtual void save(NodeState &state) const = 0;
  virtual Status restore(const NodeState &state) = 0;
  /// mark() remembers the current state, and saveMark() writes the remembered
  /// state.
  virtual void mark() {
    marked.Clear();
    save(marked);
  }
  virtual void saveMark(NodeState &state) const { state = marked; }

private:
  NodeState marked;
};

/// A node that elements are taken from.
class QueuePipelineSource : public QueuePipelineNode {
public:
  /// Takes an element. Sets `outcome` to Waits if there is none, and no runner
  /// of the pipeline can make one now.
  virtual Status take(Element &element, Outcome &outcome) = 0;
  /// Returns where the latest element came from; "" if unknown.
  virtual std::string describeLatest() const { return std::string(); }
};

/// A source that is a dataset: the counter of tf.train.limit_epochs.
class DatasetQueueSource final : public QueuePipelineSource {
public:
  explicit DatasetQueueSource(std::unique_ptr<DatasetIterator> dataset)
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

/// A source that yields the records of files.
class RecordFileSource : public QueuePipelineSource {
public:
  /// Appends records of one file to `records`: at least one and at most
  /// `count`. Like ReaderReadUpTo, waits for the first record only.
  virtual Status takeUpTo(int64_t count, std::vector<Element> &records,
                          Outcome &outcome) = 0;
};

/// Makes a reader that takes the files' names from `names`.
Expected<std::unique_ptr<RecordFileSource>>
makeRecordFileSource(const DatasetContext &context, QueuePipelineSource &names);

/// A source that takes several records of a reader at once, as one batch.
class RecordBatchSource final : public QueuePipelineSource {
public:
  RecordBatchSource(RecordFileSource &reader, int64_t count,
                    TensorMemoryPool &pool)
      : reader(reader), count(count), pool(pool) {}
  Status start() override { return Status::ok(); }
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override {}
  Status restore(const NodeState &state) override { return Status::ok(); }
  std::string describeLatest() const override {
    return reader.describeLatest();
  }

private:
  RecordFileSource &reader;
  int64_t count;
  TensorMemoryPool &pool;
};

/// A runner does the work of one thread of tf.train.QueueRunner: it runs one
/// enqueue op, and keeps the elements that the op has made until they fit into
/// the queue.
class QueueRunner final : public QueuePipelineNode {
public:
  QueueRunner(const DatasetContext &context,
              std::vector<QueuePipelineSource *> sources,
              CapturedFunction function, QueueItemPool &pool);
  ~QueueRunner() override { dropWaiting(); }

  /// Takes an element from each source, except those from which an earlier call
  /// has taken one, and calls the function. The resulting elements then wait to
  /// be put into the queue (hasWaiting()). Sets `outcome` to Waits if a source
  /// has no element yet, and to Ended if a source has ended or the function
  /// returns OutOfRange.
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

  /// Whether the runner has ended, because a source has ended or its function
  /// has returned OutOfRange.
  bool ended = false;
  /// Whether run() is active. run() lets the runners of this runner's sources
  /// take turns, and these must not start this runner again.
  bool isRunning = false;
  /// The queue into which the runner puts its elements.
  const Queue *queue = nullptr;

private:
  std::vector<QueueItem *> waitingItems() const {
    return {waiting.begin() + static_cast<ptrdiff_t>(next), waiting.end()};
  }
  void save(NodeState &state, const std::vector<QueueItem *> &items) const;
  Status makeItems(Element results);
  Status makeRows(std::span<const Tensor> results);

  IteratorContext &environment;
  std::string name;
  std::vector<QueuePipelineSource *> sources;
  CapturedFunction function;
  QueueItemPool &pool;
  bool many, gated;
  int64_t theGroup;
  std::vector<Element> taken; // an element of each source asked so far
  std::vector<QueueItem *> waiting;
  size_t next = 0; // index of the first element in `waiting` that waits
  std::vector<QueueItem *> markedItems;
  NodeState markedRest;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUENODE_H
