//===- Queue.h - The contents of one queue ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue and
// StagingArea: the elements in a queue, and the order in which they are taken.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUE_H
#define INGOT_RUNTIME_INPUT_QUEUE_H

#include "runtime/Input/Dataset.h"
#include "runtime/Input/QueuePipeline.h"
#include "runtime/Input/Random.h"

namespace ingot::input {

/// An element of a queue. The pipeline's QueueItemPool owns it.
struct QueueItem {
  Element element;
};

/// Owns the elements in a pipeline of connected TensorFlow 1 queues. A dropped
/// item is freed only when the pipeline's position is marked again
/// (DatasetIterator::mark()). Until then a queue's contents at the latest mark
/// include the item, and the compiled function that runs may still read its
/// element.
class QueueItemPool {
public:
  ~QueueItemPool();
  QueueItem *create(Element element) {
    return new QueueItem{std::move(element)};
  }
  void drop(QueueItem *item) { dropped.push_back(item); }
  /// Frees the items that were dropped.
  void collect();

private:
  std::vector<QueueItem *> dropped;
};

enum class QueueKind { FIFO, RandomShuffle, PaddingFIFO, Priority, Staging };

/// The contents of a queue when a mark is set: the queue's state, and pointers
/// to its items.
struct QueueSnapshot {
  std::vector<QueueItem *> items; // in order; for a priority queue, a heap
  uint64_t drawn = 0;             // samples that a RandomShuffleQueue drew
  bool closed = false;
};

class Queue {
public:
  /// Reads the attributes of dataset op `context`.
  static Expected<std::unique_ptr<Queue>> create(const DatasetContext &context);

  /// Empties the queue, and draws seeds if the graph gives none.
  Status start(QueueItemPool &pool);
  void clear(QueueItemPool &pool);

  size_t size() const { return items.size() - first; }
  bool hasRoom() const { return capacity < 0 || size() < limit(); }
  bool isClosed() const { return closed; }
  void close() { closed = true; }

  /// Puts an item into the queue, which must have room.
  void push(QueueItem *item);

  /// An attempt to take elements from the queue. If tryTake() returns Waits,
  /// too few elements were there; it can be called again with the same attempt
  /// once more elements were enqueued.
  struct DequeueAttempt {
    QueuePipeline::DequeueRequest request;
    std::vector<QueueItem *> taken;
    // Set when tryTake() returns Ended: how many elements were missing, and how
    // many the queue has.
    size_t lacked = 0, found = 0;
  };
  enum class Outcome { Done, Waits, Ended };
  /// Takes the elements that the attempt still needs, or as many of them as are
  /// available(). Returns Waits if some are missing. Returns Ended if the queue
  /// is closed and has too few elements; the elements that the attempt had
  /// taken are then in the queue again.
  Outcome tryTake(DequeueAttempt &attempt);
  /// Returns OutOfRange with TensorFlow's message for an attempt for which
  /// tryTake() has returned Ended.
  Status insufficient(const DequeueAttempt &attempt) const;
  /// Puts the elements that an attempt has taken back into the queue, because
  /// the attempt is given up.
  void giveBack(DequeueAttempt &attempt);

  /// Returns InvalidArgument if the components of an element do not have the
  /// types and shapes that the queue declares.
  Status check(const Element &element) const;

  QueueSnapshot contents() const;
  void save(const QueueSnapshot &contents, NodeState &state) const;
  /// Restores the contents. Returns DataLoss if this queue can never have had
  /// the contents in `state`, for instance if they exceed its capacity.
  Status restore(const NodeState &state, TensorMemoryPool &blocks,
                 QueueItemPool &pool);

  const char *name() const { return dataset->node; }
  QueueKind kind() const { return theKind; }
  size_t numComponents() const { return dataset->num_components; }
  int32_t componentType(size_t i) const { return dataset->components[i].dtype; }
  Shape componentShape(size_t i) const {
    return {dataset->components[i].dims, dataset->components[i].rank};
  }

private:
  size_t limit() const { return static_cast<size_t>(capacity); }
  QueueItem *pop();
  /// Returns the number of elements that may be taken now.
  size_t available() const;
  bool hasSeeds() const { return graphSeed != 0 || graphSeed2 != 0; }

  const ingot_dataset *dataset = nullptr;
  QueueKind theKind = QueueKind::FIFO;
  const char *kindName = "";
  int64_t capacity = -1;
  uint64_t minAfterDequeue = 0;
  uint64_t graphSeed = 0, graphSeed2 = 0;
  uint64_t seed = 0, seed2 = 0; // the graph's, or drawn by start()

  std::vector<QueueItem *> items;
  size_t first = 0; // index of a FIFO's oldest item
  RandomSampleStream samples{0, 0};
  uint64_t drawn = 0;
  bool closed = false;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUE_H
