//===- PrefetchDataset.cpp - Reads ahead on a thread ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// PrefetchDataset: a thread reads elements ahead of the consumer, into a
// buffer. With each element, the buffer has a copy of the input's state after
// this element. A checkpoint may be written while the thread is any number of
// elements ahead: it contains the state after the element that the consumer
// took last.
//
// In two cases the consumer reads the input itself, without a thread. If the
// input takes no longer than handing an element from thread to thread, a
// prefetch thread would only take a core from the training step. If the input
// reads variables, an element must be computed with the values that the
// previous step assigned.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/Support/Thread.h"
#include "runtime/Support/ThreadActivity.h"
#include "runtime/Support/ThreadStopRequest.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

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
    // Reading ahead has also changed state that outlives a pass, such as the
    // seeds of shuffles and random ops. Restore the input to the element that
    // the consumer took last, so that the next pass does not depend on how far
    // the thread has read.
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
    // Start the thread at the first request only: making or restoring an
    // iterator must not read anything.
    if (!thread.joinable()) {
      front = 0; // run() fills items from index 0 on
      threadStop.inherit();
      if (auto started = Thread::start("prefetch", [this] { run(); })) {
        thread = std::move(*started);
      } else {
        // Without a thread, read this element only.
        fill(items[front]);
        numReady = 1;
      }
    }
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return numReady > 0; });
    PrefetchedElement &item = items[front];
    if (!item.status.isOk()) {
      // A failure has ended the thread. The next request starts a new thread,
      // which reads the element after the failed one.
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
    // If the consumer took no element since mark() (`isMarking`), the marked
    // position is still the current position, `consumed`.
    *state.add_inputs() = isMarking ? consumed : marked;
  }

  Status restore(const NodeState &state) override {
    stop();
    INGOT_RETURN_IF_ERROR(restoreInput(*input, state));
    keepPosition();
    ended = state.ended();
    return Status::ok();
  }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    if (node.isReading() && !node.state.hasIterator(node.below("Prefetch"))) {
      INGOT_RETURN_IF_ERROR(exchangeInput(*input, node.state, node.parent));
    } else {
      INGOT_RETURN_IF_ERROR(node.choose({"Prefetch"}));
      INGOT_RETURN_IF_ERROR(
          exchangeBuffer(node.state, node.name, node.pending));
      INGOT_RETURN_IF_ERROR(exchangeInput(*input, node.state, node.name));
    }
    if (node.isReading())
      keepPosition();
    return Status::ok();
  }

private:
  struct PrefetchedElement {
    Element element;
    bool end = false;
    Status status;
    NodeState after; // the input's state after `element`
  };

  /// Sets `consumed` to the input's position. May be called only while the
  /// thread does not run.
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
      // The thread may be waiting for a file rather than for `changed`: let it
      // give up that wait, too.
      threadStop.request();
      changed.notify_all();
      thread.join();
      threadStop.clear();
    }
    stopping = ended = false;
    front = numReady = 0;
    for (PrefetchedElement &item : items)
      item.after.Clear();
  }

  /// Reads the input's next element into `item`. Returns false if the input has
  /// ended or failed; no further elements are read then.
  bool fill(PrefetchedElement &item) {
    item.end = false;
    ThreadActivity::ActivityScope activity("reads ahead for", node);
    item.status = input->next(item.element, item.end);
    if (item.status.isOk())
      input->update(item.after);
    return item.status.isOk() && !item.end;
  }

  /// The thread's function: fills free items until the input ends or fails, or
  /// stop() is called.
  void run() {
    ThreadStopRequest::StopRequestScope scope(threadStop);
    for (size_t back = 0;; back = (back + 1) % items.size()) {
      {
        ThreadActivity::ActivityScope activity("is ahead for", node);
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock,
                     [this] { return stopping || numReady < items.size(); });
        if (stopping)
          return;
      }
      // No lock is needed: the consumer does not access an item before numReady
      // counts it.
      PrefetchedElement &item = items[back];
      bool last = !fill(item);
      {
        std::lock_guard<std::mutex> lock(mutex);
        ++numReady;
      }
      changed.notify_all();
      if (last)
        return;
    }
  }

  // Threads of the input read `threadStop`, so it is declared before the input
  // and is destroyed after it.
  ThreadStopRequest threadStop;
  std::unique_ptr<DatasetIterator> input;
  const char *node; // the dataset's node in the user's graph
  bool readsAhead;
  NodeState consumed; // input's state after the element taken last
  bool started = false;
  bool ended = false;
  NodeState marked; // `consumed` at mark(); valid if !isMarking
  bool isMarking = false;
  bool markEnded = false;

  Thread thread;
  std::mutex mutex; // guards the fields below and the ready items
  std::condition_variable changed;
  bool stopping = false;
  std::vector<PrefetchedElement> items;
  size_t front = 0;
  size_t numReady = 0;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makePrefetchDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t bufferSize, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  // A buffer_size of 0 or less leaves the choice to the runtime. Limit large
  // values: more than a few hundred buffered elements take memory without
  // making the input faster.
  auto depth = static_cast<size_t>(
      bufferSize <= 0 ? 2 : std::min<int64_t>(bufferSize, 1024));
  const ingot_dataset &dataset = context.dataset();
  bool mayReadAhead = !readsVariables(context.env().program, dataset.inputs[0]);
  return {std::make_unique<PrefetchIterator>(std::move(input), depth,
                                             dataset.node, mayReadAhead)};
}

static constexpr DatasetOperandConstraint prefetchOperands[] = {

    {"buffer_size", INGOT_INT64, 0, false, -1}};
INGOT_DATASET(prefetch_dataset) = {.make = makePrefetchDataset,
                                   .operands = prefetchOperands,
                                   .traits = BuffersInput | Exchanges};

} // namespace ingot::input
