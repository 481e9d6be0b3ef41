//===- Queue.cpp - The contents of one queue --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements the queues of TensorFlow 1. Elements leave a queue in the same
// order as in TensorFlow's kernels.
//===----------------------------------------------------------------------===//
#include "runtime/Input/Queue.h"

#include "runtime/Input/TensorState.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

QueueItemPool::~QueueItemPool() { collect(); }

void QueueItemPool::collect() {
  for (QueueItem *item : dropped)
    delete item;
  dropped.clear();
}

namespace {
struct QueueKindName {
  QueueKind kind;
  const char *name;
};
} // namespace
static constexpr QueueKindName kinds[] = {
    {QueueKind::FIFO, "FIFOQueue"},
    {QueueKind::RandomShuffle, "RandomShuffleQueue"},
    {QueueKind::PaddingFIFO, "PaddingFIFOQueue"},
    {QueueKind::Priority, "PriorityQueue"},
    {QueueKind::Staging, "StagingArea"}};

Expected<std::unique_ptr<Queue>> Queue::create(const DatasetContext &context) {
  auto queue = std::make_unique<Queue>();
  queue->dataset = &context.dataset();
  std::string_view kind = context.text("kind");
  auto known = std::ranges::find_if(
      kinds, [&](const QueueKindName &row) { return kind == row.name; });
  if (known == std::end(kinds))
    return Status(StatusCode::Unimplemented,
                  context.name() + ": there is no queue of kind '" +
                      std::string(kind) +
                      "', expected FIFOQueue, RandomShuffleQueue, "
                      "PaddingFIFOQueue, PriorityQueue or StagingArea");
  queue->theKind = known->kind;
  queue->kindName = known->name;
  queue->capacity = context.attribute("capacity", -1);
  int64_t least = context.attribute("min_after_dequeue", 0);
  if ((queue->capacity != -1 && queue->capacity <= 0) || least < 0)
    return Status(StatusCode::InvalidArgument,
                  context.name() + ": capacity is " +
                      std::to_string(queue->capacity) +
                      " and min_after_dequeue is " + std::to_string(least) +
                      ", but capacity must be positive, or -1 for no limit, "
                      "and min_after_dequeue not negative");
  queue->minAfterDequeue = static_cast<uint64_t>(least);
  queue->graphSeed = static_cast<uint64_t>(context.attribute("seed", 0));
  queue->graphSeed2 = static_cast<uint64_t>(context.attribute("seed2", 0));
  if (queue->theKind == QueueKind::Priority &&
      (queue->dataset->num_components == 0 ||
       queue->dataset->components[0].dtype != INGOT_INT64 ||
       queue->dataset->components[0].rank != 0))
    return Status(
        StatusCode::InvalidArgument,
        context.name() +
            ": the first component of a PriorityQueue must be an int64 scalar, "
            "but is " +
            (queue->dataset->num_components == 0
                 ? "missing"
                 : dtypeName(queue->dataset->components[0].dtype) +
                       " of rank " +
                       std::to_string(queue->dataset->components[0].rank)));
  return queue;
}

void Queue::clear(QueueItemPool &pool) {
  for (size_t i = first; i < items.size(); ++i)
    pool.drop(items[i]);
  items.clear();
  first = 0;
}

Status Queue::start(QueueItemPool &pool) {
  clear(pool);
  closed = false;
  seed = graphSeed;
  seed2 = graphSeed2;
  if (theKind == QueueKind::RandomShuffle && !hasSeeds()) {
    INGOT_ASSIGN_OR_RETURN(seed, drawSeed());
    INGOT_ASSIGN_OR_RETURN(seed2, drawSeed());
  }
  samples = RandomSampleStream(seed, seed2);
  drawn = 0;
  return Status::ok();
}

static int64_t priorityOf(const QueueItem *item) {
  return *static_cast<const int64_t *>(item->element[0].data());
}

/// The order of TensorFlow's PriorityQueue: a binary heap whose top has the
/// least priority number.
static bool comesLater(const QueueItem *a, const QueueItem *b) {
  return priorityOf(a) > priorityOf(b);
}

void Queue::push(QueueItem *item) {
  items.push_back(item);
  if (theKind == QueueKind::Priority)
    std::push_heap(items.begin(), items.end(), comesLater);
}

QueueItem *Queue::pop() {
  QueueItem *item = nullptr;
  switch (theKind) {
  case QueueKind::RandomShuffle: {
    size_t index = samples.next() % items.size();
    ++drawn;
    item = items[index];
    items[index] = items.back();
    items.pop_back();
    return item;
  }
  case QueueKind::Priority:
    std::pop_heap(items.begin(), items.end(), comesLater);
    item = items.back();
    items.pop_back();
    return item;
  default:
    item = items[first++];
    // Items are taken from the front, and their slots stay empty. Once more
    // than half of all slots are empty, erase the empty slots.
    if (first > 64 && first * 2 > items.size()) {
      items.erase(items.begin(), items.begin() + static_cast<ptrdiff_t>(first));
      first = 0;
    }
    return item;
  }
}

size_t Queue::available() const {
  size_t stay = closed ? 0 : minAfterDequeue;
  return size() > stay ? size() - stay : 0;
}

void Queue::giveBack(DequeueAttempt &attempt) {
  std::vector<QueueItem *> &taken = attempt.taken;
  if (theKind == QueueKind::RandomShuffle || theKind == QueueKind::Priority)
    // Like TensorFlow's RandomShuffleQueue, put the elements back in reverse
    // order.
    for (auto item = taken.rbegin(); item != taken.rend(); ++item)
      push(*item);
  else
    items.insert(items.begin() + static_cast<ptrdiff_t>(first), taken.begin(),
                 taken.end());
  taken.clear();
}

Queue::Outcome Queue::tryTake(DequeueAttempt &attempt) {
  const QueuePipeline::DequeueRequest &request = attempt.request;
  auto count = static_cast<size_t>(std::max<int64_t>(request.count, 0));
  size_t lacking = count - std::min(count, attempt.taken.size());
  if (closed && size() < lacking) {
    attempt.lacked = lacking;
    attempt.found = size();
    giveBack(attempt);
    if (!request.upTo || size() == 0)
      return Outcome::Ended;
    attempt.request.count = static_cast<int64_t>(size());
    lacking = size();
  }
  // A batch from a priority queue must be sorted as a whole, so wait until the
  // queue has all elements that the batch still lacks.
  if (theKind == QueueKind::Priority && size() < lacking)
    return Outcome::Waits;
  for (size_t most = available(); lacking > 0 && most > 0; --lacking, --most)
    attempt.taken.push_back(pop());
  return lacking == 0 ? Outcome::Done : Outcome::Waits;
}

Status Queue::insufficient(const DequeueAttempt &attempt) const {
  return Status(StatusCode::OutOfRange,
                std::string(kindName) + " '" + name() +
                    "' is closed and has insufficient elements (requested " +
                    std::to_string(attempt.lacked) + ", current size " +
                    std::to_string(attempt.found) + ")");
}

Status Queue::check(const Element &element) const {
  if (element.size() != dataset->num_components)
    return Status(StatusCode::InvalidArgument,
                  std::string(kindName) + " '" + name() + "': an element has " +
                      std::to_string(element.size()) +
                      " components, expected " +
                      std::to_string(dataset->num_components));
  for (size_t i = 0; i < element.size(); ++i) {
    const ingot_tensor_spec &spec = dataset->components[i];
    if (element[i].dtype() != spec.dtype ||
        !fits(element[i].shape(), componentShape(i)))
      return Status(StatusCode::InvalidArgument,
                    std::string(kindName) + " '" + name() +
                        "': shape mismatch in tuple component " +
                        std::to_string(i) + ": expected " +
                        dtypeName(spec.dtype) + shapeText(componentShape(i)) +
                        ", got " + dtypeName(element[i].dtype()) +
                        shapeText(element[i].shape()));
  }
  return Status::ok();
}

QueueSnapshot Queue::contents() const {
  return {{items.begin() + static_cast<ptrdiff_t>(first), items.end()},
          drawn,
          closed};
}

void Queue::save(const QueueSnapshot &contents, NodeState &state) const {
  for (const QueueItem *item : contents.items)
    saveTensors(item->element, *state.add_contents()->mutable_components());
  state.set_drawn(contents.drawn);
  state.set_ended(contents.closed);
  if (theKind == QueueKind::RandomShuffle && !hasSeeds()) {
    state.set_source_seed(seed);
    state.set_source_seed2(seed2);
  }
}

Status Queue::restore(const NodeState &state, TensorMemoryPool &blocks,
                      QueueItemPool &pool) {
  INGOT_RETURN_IF_ERROR(start(pool));
  auto size = static_cast<uint64_t>(state.contents_size());
  if (capacity >= 0 && size > limit())
    return badState("queue '" + std::string(name()) + "' has " +
                    std::to_string(size) +
                    " elements, more than its capacity "
                    "of " +
                    std::to_string(capacity));
  for (const proto::ElementState &saved : state.contents()) {
    INGOT_ASSIGN_OR_RETURN(Element element,
                           restoreTensors(blocks, saved.components()));
    if (Status status = check(element); !status.isOk())
      return badState(status.message());
    items.push_back(pool.create(std::move(element)));
  }
  if (theKind == QueueKind::Priority &&
      !std::is_heap(items.begin(), items.end(), comesLater))
    return badState("queue '" + std::string(name()) +
                    "' is not in the order of a PriorityQueue");
  if (theKind == QueueKind::RandomShuffle && !hasSeeds()) {
    seed = state.source_seed();
    seed2 = state.source_seed2();
  }
  closed = state.ended();
  drawn = state.drawn();
  samples = RandomSampleStream(seed, seed2, drawn);
  return Status::ok();
}

} // namespace ingot::input
