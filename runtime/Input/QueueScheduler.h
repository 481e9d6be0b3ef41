//===- QueueScheduler.h - Runs the runners of a pipeline --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decides in which order enqueue ops run and elements enter queues. This order
// does not depend on the timing of threads. docs/internals/queues.md states the
// rule.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H
#define INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H

#include "runtime/Input/QueueNode.h"

namespace ingot::input {

class QueueScheduler;

/// A queue, and the runners (enqueue ops) that fill it. As a source it gives
/// one element at a time.
class QueueWithRunners final : public QueuePipelineSource {
public:
  QueueWithRunners(std::unique_ptr<Queue> queue,
                   std::vector<QueueRunner *> runners,
                   QueueScheduler &scheduler, TensorMemoryPool &blocks,
                   QueueItemPool &pool);
  ~QueueWithRunners() override { queue->clear(pool); }

  Status start() override;
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override;
  Status restore(const NodeState &state) override;
  void mark() override;
  void saveMark(NodeState &state) const override;

  /// Puts waiting elements into the queue while it has room. Once none are
  /// left, closes the queue if close() was called.
  void flush();
  /// Adds `runner` to the runners whose elements wait for room in the queue.
  void enqueue(QueueRunner &runner);
  /// Closes the queue as soon as the elements that are waiting now are in it.
  void close();
  /// Drops the waiting elements, and closes the queue.
  void cancel();
  /// Returns true if no further element can be enqueued.
  bool isClosing() const { return closes || queue->isClosed(); }
  bool hasWaiting() const { return !waiters.empty(); }

  std::unique_ptr<Queue> queue;
  std::vector<QueueRunner *> runners;

private:
  void save(NodeState &state, const QueueSnapshot &contents,
            const std::vector<QueueRunner *> &waiting, bool closing) const;

  QueueScheduler &scheduler;
  TensorMemoryPool &blocks;
  QueueItemPool &pool;
  /// The runners with waiting elements, in the order in which they began to
  /// wait.
  std::vector<QueueRunner *> waiters;
  bool closes = false; // close when `waiters` is empty
  QueueSnapshot marked;
  std::vector<QueueRunner *> markedWaiters;
  bool markedCloses = false;
};

/// A source that takes several elements of a queue at once, as one batch.
class QueueBatchSource final : public QueuePipelineSource {
public:
  QueueBatchSource(QueueWithRunners &queue,
                   QueuePipeline::DequeueRequest request,
                   QueueScheduler &scheduler, TensorMemoryPool &blocks,
                   QueueItemPool &pool)
      : queue(queue), request(request), scheduler(scheduler), blocks(blocks),
        pool(pool) {}
  Status start() override { return Status::ok(); }
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override {}
  Status restore(const NodeState &state) override { return Status::ok(); }

private:
  QueueWithRunners &queue;
  QueuePipeline::DequeueRequest request;
  QueueScheduler &scheduler;
  TensorMemoryPool &blocks;
  QueueItemPool &pool;
};

class QueueScheduler {
public:
  void add(QueueRunner &runner, QueueWithRunners &queue) {
    runners.push_back({&runner, &queue});
  }
  bool isEmpty() const { return runners.empty(); }

  /// Lets all runners take turns until none can continue.
  Status settle();
  /// Takes the elements that `attempt` needs. While the queue has too few, lets
  /// the queue's runners take turns, one enqueue op each. Sets `outcome` to
  /// Waits if elements are still missing and no runner can continue.
  Status take(QueueWithRunners &queue, Queue::DequeueAttempt &attempt,
              Outcome &outcome);

private:
  struct ScheduledRunner {
    QueueRunner *runner;
    QueueWithRunners *queue;
  };
  /// Runs the runner's enqueue op once if the runner can continue. Sets `moved`
  /// if that has changed any queue or reader.
  Status turn(QueueRunner &runner, QueueWithRunners &queue, bool &moved);

  std::vector<ScheduledRunner> runners;
};

/// Stacks `items` along a new first dimension into one element, `batch`. Items
/// may differ in dynamic dimensions: each component is padded to the largest of
/// the items.
Status makeBatch(TensorMemoryPool &pool, const Queue &queue,
                 std::span<QueueItem *const> items, Element &batch);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H
