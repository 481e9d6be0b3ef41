//===- QueueScheduler.h - Runs the runners of a network ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The order in which enqueue ops run and elements enter queues: the rule of
// docs/internals/queues.md.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H
#define INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H

#include "runtime/Input/QueueNode.h"

namespace ingot::input {

class QueueScheduler;

/// A queue with its runners. As a source it gives one element at a time.
class QueueState final : public QueueSource {
public:
  QueueState(std::unique_ptr<Queue> queue, std::vector<QueueRunner *> runners,
             QueueScheduler &scheduler, BlockPool &blocks, ItemPool &pool);
  ~QueueState() override { queue->clear(pool); }

  Status start() override;
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override;
  Status restore(const NodeState &state) override;
  void mark() override;
  void saveMark(NodeState &state) const override;

  /// Lets elements that wait enter, and closes the queue when it is their turn.
  void flush();
  /// Notes that the elements of `runner` wait for room.
  void enqueue(QueueRunner &runner);
  /// Closes the queue after the elements that wait now have entered.
  void close();
  /// Drops the elements that wait, and closes the queue.
  void cancel();
  /// Whether nothing more can be enqueued.
  bool isClosing() const { return closes || queue->isClosed(); }
  bool hasWaiting() const { return !waiters.empty(); }

  std::unique_ptr<Queue> queue;
  std::vector<QueueRunner *> runners;

private:
  void save(NodeState &state, const QueueContents &contents,
            const std::vector<QueueRunner *> &waiting, bool closing) const;

  QueueScheduler &scheduler;
  BlockPool &blocks;
  ItemPool &pool;
  std::vector<QueueRunner *> waiters; // in the order in which they came
  bool closes = false;                // once all waiters' elements have entered
  QueueContents marked;
  std::vector<QueueRunner *> markedWaiters;
  bool markedCloses = false;
};

/// Several elements of a queue as one.
class QueueBatch final : public QueueSource {
public:
  QueueBatch(QueueState &queue, QueueNetwork::Request request,
             QueueScheduler &scheduler, BlockPool &blocks, ItemPool &pool)
      : queue(queue), request(request), scheduler(scheduler), blocks(blocks),
        pool(pool) {}
  Status start() override { return Status::ok(); }
  Status take(Element &element, Outcome &outcome) override;
  void save(NodeState &state) const override {}
  Status restore(const NodeState &state) override { return Status::ok(); }

private:
  QueueState &queue;
  QueueNetwork::Request request;
  QueueScheduler &scheduler;
  BlockPool &blocks;
  ItemPool &pool;
};

class QueueScheduler {
public:
  void add(QueueRunner &runner, QueueState &queue) {
    runners.push_back({&runner, &queue});
  }
  bool isEmpty() const { return runners.empty(); }

  /// Has all runners take turns until none can go on.
  Status settle();
  /// Takes what `attempt` lacks; in between, runners of the queue take turns
  /// one op at a time. Outcome Waits: no runner can go on.
  Status take(QueueState &queue, Queue::Attempt &attempt, Outcome &outcome);

private:
  struct Entry {
    QueueRunner *runner;
    QueueState *queue;
  };
  /// Runs the runner's enqueue op once, if it can go on; sets `moved` if
  /// anything has changed.
  Status turn(QueueRunner &runner, QueueState &queue, bool &moved);

  std::vector<Entry> runners;
};

/// Sets `batch` to the elements as one, with a new first dimension. Open
/// dimensions are padded to the largest.
Status makeBatch(BlockPool &pool, const Queue &queue,
                 std::span<QueueItem *const> items, Element &batch);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_QUEUESCHEDULER_H
