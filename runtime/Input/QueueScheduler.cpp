//===- QueueScheduler.cpp - Runs the runners of a pipeline ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/QueueScheduler.h"

#include "runtime/Input/BatchElements.h"

#include <algorithm>

namespace ingot::input {

QueueWithRunners::QueueWithRunners(std::unique_ptr<Queue> theQueue,
                                   std::vector<QueueRunner *> runners,
                                   QueueScheduler &scheduler,
                                   TensorMemoryPool &blocks,
                                   QueueItemPool &pool)
    : queue(std::move(theQueue)), runners(std::move(runners)),
      scheduler(scheduler), blocks(blocks), pool(pool) {
  for (QueueRunner *runner : this->runners) {
    runner->queue = queue.get();
    scheduler.add(*runner, *this);
  }
}

Status QueueWithRunners::start() {
  waiters.clear();
  closes = false;
  return queue->start(pool);
}

void QueueWithRunners::flush() {
  while (!waiters.empty() && queue->hasRoom()) {
    queue->push(waiters.front()->popWaiting());
    if (!waiters.front()->hasWaiting())
      waiters.erase(waiters.begin());
  }
  if (waiters.empty() && closes)
    queue->close();
}

void QueueWithRunners::enqueue(QueueRunner &runner) {
  if (runner.hasWaiting())
    waiters.push_back(&runner);
  flush();
}

void QueueWithRunners::close() {
  closes = true;
  flush();
}

void QueueWithRunners::cancel() {
  for (QueueRunner *runner : waiters)
    runner->dropWaiting();
  waiters.clear();
  close();
}

Status QueueWithRunners::take(Element &element, Outcome &outcome) {
  Queue::DequeueAttempt attempt;
  INGOT_RETURN_IF_ERROR(scheduler.take(*this, attempt, outcome));
  if (outcome != Outcome::Done)
    return Status::ok();
  element = attempt.taken.front()->element;
  pool.drop(attempt.taken.front());
  return Status::ok();
}

void QueueWithRunners::save(NodeState &state, const QueueSnapshot &contents,
                            const std::vector<QueueRunner *> &waiting,
                            bool closing) const {
  queue->save(contents, state);
  state.set_position(closing);
  for (QueueRunner *runner : waiting)
    state.add_kept(static_cast<uint64_t>(std::ranges::find(runners, runner) -
                                         runners.begin()));
  state.set_read(waiting.size());
}

void QueueWithRunners::save(NodeState &state) const {
  save(state, queue->contents(), waiters, closes);
}

void QueueWithRunners::mark() {
  marked = queue->contents();
  markedWaiters = waiters;
  markedCloses = closes;
}

void QueueWithRunners::saveMark(NodeState &state) const {
  save(state, marked, markedWaiters, markedCloses);
}

Status QueueWithRunners::restore(const NodeState &state) {
  INGOT_RETURN_IF_ERROR(start());
  INGOT_RETURN_IF_ERROR(queue->restore(state, blocks, pool));
  closes = state.position() != 0;
  for (uint64_t index : state.kept()) {
    QueueRunner *runner = index < runners.size() ? runners[index] : nullptr;
    if (!runner || !runner->hasWaiting() || std::ranges::count(waiters, runner))
      return badState("runner " + std::to_string(index) + " of queue '" +
                      queue->name() +
                      "' is listed as waiting for room, but is listed twice or "
                      "has no element to enqueue");
    waiters.push_back(runner);
  }
  auto waiting = std::ranges::count_if(
      runners, [](QueueRunner *runner) { return runner->hasWaiting(); });
  if (static_cast<size_t>(waiting) != waiters.size())
    return badState(std::to_string(waiting) + " runners of queue '" +
                    queue->name() + "' have elements to enqueue, but " +
                    std::to_string(waiters.size()) + " are listed as waiting");
  return Status::ok();
}

Status QueueBatchSource::take(Element &element, Outcome &outcome) {
  Queue::DequeueAttempt attempt{request, {}};
  INGOT_RETURN_IF_ERROR(scheduler.take(queue, attempt, outcome));
  if (outcome != Outcome::Done)
    return Status::ok();
  Status status = makeBatch(blocks, *queue.queue, attempt.taken, element);
  for (QueueItem *item : attempt.taken)
    pool.drop(item);
  return status;
}

Status QueueScheduler::take(QueueWithRunners &queue,
                            Queue::DequeueAttempt &attempt, Outcome &outcome) {
  for (;;) {
    size_t before = attempt.taken.size();
    outcome = queue.queue->tryTake(attempt);
    bool moved = attempt.taken.size() != before;
    queue.flush();
    if (outcome != Outcome::Waits)
      return Status::ok();
    for (QueueRunner *runner : queue.runners) {
      if (moved)
        break;
      if (Status status = turn(*runner, queue, moved); !status.isOk()) {
        queue.queue->giveBack(attempt);
        return status;
      }
    }
    if (!moved)
      break;
  }
  queue.queue->giveBack(attempt);
  return Status::ok();
}

Status QueueScheduler::turn(QueueRunner &runner, QueueWithRunners &queue,
                            bool &moved) {
  if (runner.ended || runner.isRunning || runner.hasWaiting())
    return Status::ok();
  Outcome outcome = Outcome::Ended;
  if (!queue.isClosing()) {
    runner.isRunning = true;
    Status status = runner.run(outcome);
    runner.isRunning = false;
    INGOT_RETURN_IF_ERROR(std::move(status));
  }
  if (outcome == Outcome::Waits)
    return Status::ok();
  moved = true;
  if (outcome == Outcome::Done) {
    queue.enqueue(runner);
    return Status::ok();
  }
  runner.ended = true;
  bool isLast = std::ranges::all_of(queue.runners, [&](QueueRunner *other) {
    return other->ended || other->group() != runner.group();
  });
  if (isLast)
    queue.close();
  return Status::ok();
}

Status QueueScheduler::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (const ScheduledRunner &entry : runners)
      INGOT_RETURN_IF_ERROR(turn(*entry.runner, *entry.queue, moved));
  }
  return Status::ok();
}

} // namespace ingot::input
