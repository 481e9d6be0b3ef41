//===- PrefetchDataset.cpp - Reads ahead on a thread of its own -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each buffered element carries the state of the input after it, so that a
// saved state is that of the element which the consumer took last, not of the
// last one read: a checkpoint may be written while the thread is any number of
// elements ahead. An input that is as quick as handing an element over is read
// by the consumer itself: a thread would only take a core from the step. So is
// an input that reads variables, as an element must have the values that the
// step before it left.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Support/Activity.h"
#include "runtime/Support/ThreadStop.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ingot::input {

namespace {

class PrefetchIterator final : public DatasetIterator {
public:
  PrefetchIterator(std::unique_ptr<DatasetIterator> input, size_t depth,
                   const char *node, bool mayReadAhead)
      : input(std::move(input)), node(node),
        readsAhead(mayReadAhead && !this->input->isQuick()), items(depth) {}

  ~PrefetchIterator() override { stop(); }

  Status start() override {
    // State that outlives a pass (random ops, shuffles) resumes after the
    // element that the consumer took last, not after the last one read.
    bool isAhead = thread.joinable() && !ended;
    stop();
    if (isAhead)
      INGOT_RETURN_IF_ERROR(input->restore(consumed));
    INGOT_RETURN_IF_ERROR(input->start());
    keepPosition();
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    end = ended;
    if (end)
      return Status::ok();
    if (!readsAhead) {
      INGOT_RETURN_IF_ERROR(input->next(element, end));
      ended = end;
      return Status::ok();
    }
    // Not earlier: restoring or making a state must not read anything.
    if (!thread.joinable()) {
      threadStop.inherit();
      thread = std::thread([this] { run(); });
    }
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return numReady > 0; });
    Item &item = items[front];
    if (!item.status.isOk()) {
      // The thread has ended; the next request resumes after the failure.
      Status status = std::exchange(item.status, Status());
      lock.unlock();
      stop();
      return status;
    }
    ended = end = item.end;
    element.swap(item.element);
    if (std::exchange(isMarking, false))
      marked.Swap(&consumed);
    consumed.Swap(&item.after);
    front = (front + 1) % items.size();
    --numReady;
    lock.unlock();
    changed.notify_all();
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    if (thread.joinable() || ended)
      return DatasetIterator::skip(count, skipped);
    INGOT_RETURN_IF_ERROR(input->skip(count, skipped));
    keepPosition();
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_ended(ended);
    if (started && readsAhead)
      *state.add_inputs() = consumed;
    else
      input->save(*state.add_inputs());
  }

  bool mark() override {
    if (!readsAhead)
      return false;
    isMarking = started;
    markEnded = ended;
    return started;
  }

  void saveMark(NodeState &state) const override {
    state.set_ended(markEnded);
    // If no element was handed out since mark(), the current position is the
    // marked one.
    *state.add_inputs() = isMarking ? consumed : marked;
  }

  Status restore(const NodeState &state) override {
    stop();
    INGOT_RETURN_IF_ERROR(restoreInput(*input, state));
    keepPosition();
    ended = state.ended();
    return Status::ok();
  }

private:
  struct Item {
    Element element;
    bool end = false;
    Status status;
    NodeState after; // of the input, after it gave `element`
  };

  /// Without a thread: `consumed` is the input's position.
  void keepPosition() {
    consumed.Clear();
    input->save(consumed);
    started = true;
  }

  void stop() {
    if (thread.joinable()) {
      {
        std::lock_guard<std::mutex> lock(mutex);
        stopping = true;
      }
      // It may wait for a file, not for us.
      threadStop.request();
      changed.notify_all();
      thread.join();
      threadStop.clear();
    }
    stopping = ended = false;
    front = numReady = 0;
    for (Item &item : items)
      item.after.Clear();
  }

  /// The thread: fills free items until the end, a failure, or stop().
  void run() {
    ThreadStop::Scope scope(threadStop);
    for (size_t back = 0;; back = (back + 1) % items.size()) {
      {
        Activity::Scope activity("is ahead for", node);
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock,
                     [this] { return stopping || numReady < items.size(); });
        if (stopping)
          return;
      }
      // No lock: the consumer does not touch an item before numReady counts it.
      Item &item = items[back];
      item.end = false;
      Activity::Scope activity("reads ahead for", node);
      item.status = input->next(item.element, item.end);
      bool last = item.end || !item.status.isOk();
      if (item.status.isOk())
        input->update(item.after);
      {
        std::lock_guard<std::mutex> lock(mutex);
        ++numReady;
      }
      changed.notify_all();
      if (last)
        return;
    }
  }

  // Before the input, whose own thread looks at it.
  ThreadStop threadStop;
  std::unique_ptr<DatasetIterator> input;
  const char *node; // the dataset's, in the user's graph
  bool readsAhead;
  NodeState consumed; // of the input, after the element handed out last
  bool started = false;
  bool ended = false;
  NodeState marked; // `consumed` at the mark, once an element was handed out
  bool isMarking = false;
  bool markEnded = false;

  std::thread thread;
  std::mutex mutex; // guards the fields below, and items that are ready
  std::condition_variable changed;
  bool stopping = false;
  std::vector<Item> items;
  size_t front = 0;
  size_t numReady = 0;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makePrefetchDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t bufferSize, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  // Negative and 0 leave the size to the runtime. Beyond a few hundred there
  // is only memory to lose.
  auto depth = static_cast<size_t>(
      bufferSize <= 0 ? 2 : std::min<int64_t>(bufferSize, 1024));
  const ingot_dataset &dataset = context.dataset();
  bool mayReadAhead = !readsVariables(context.env().program, dataset.inputs[0]);
  return {std::make_unique<PrefetchIterator>(std::move(input), depth,
                                             dataset.node, mayReadAhead)};
}

static constexpr OperandRule prefetchOperands[] = {

    {"buffer_size", INGOT_INT64, 0, false, -1}};
INGOT_DATASET(prefetch_dataset) = {.make = makePrefetchDataset,
                                   .operands = prefetchOperands,
                                   .traits = KeepsBack};

} // namespace ingot::input
