//===- QueueRunner.cpp - Enqueue ops --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Does the work of one thread of TensorFlow's QueueRunner: takes elements from
// the sources and computes the enqueue op's inputs. QueueScheduler.cpp then
// puts them into the queue.
//===----------------------------------------------------------------------===//
#include "runtime/Input/QueueNode.h"
#include "runtime/Input/TensorState.h"

#include <utility>

namespace ingot::input {

Status DatasetQueueSource::take(Element &element, Outcome &outcome) {
  bool end = false;
  INGOT_RETURN_IF_ERROR(dataset->next(element, end));
  outcome = end ? Outcome::Ended : Outcome::Done;
  return Status::ok();
}

QueueRunner::QueueRunner(const DatasetContext &context,
                         std::vector<QueuePipelineSource *> sources,
                         CapturedFunction function, QueueItemPool &pool)
    : environment(context.env()), name(context.name()),
      sources(std::move(sources)), function(std::move(function)), pool(pool),
      many(context.attribute("many", 0) != 0),
      gated(context.attribute("gated", 0) != 0),
      theGroup(context.attribute("group", 0)) {}

Status QueueRunner::start() {
  dropWaiting();
  taken.clear();
  ended = false;
  return Status::ok();
}

void QueueRunner::dropWaiting() {
  while (hasWaiting())
    pool.drop(popWaiting());
}

QueueItem *QueueRunner::popWaiting() {
  QueueItem *item = waiting[next++];
  if (next == waiting.size()) {
    waiting.clear();
    next = 0;
  }
  return item;
}

// Makes an element of each row of the results (enqueue_many).
Status QueueRunner::makeRows(std::span<const Tensor> results) {
  std::vector<DatasetOperand> tensors;
  for (const Tensor &result : results) {
    if (result.shape().empty() ||
        result.shape()[0] != results.front().shape()[0])
      return Status(StatusCode::InvalidArgument,
                    name +
                        ": all components must have the same first "
                        "dimension, but have shapes " +
                        shapeText(results.front().shape()) + " and " +
                        shapeText(result.shape()));
    tensors.push_back({result.dtype(), result.shape(), result.data(), false});
  }
  auto size = tensors.empty() ? 0 : static_cast<uint64_t>(tensors[0].shape[0]);
  for (uint64_t row = 0; row < size; ++row) {
    Element element;
    makeRow(environment.pool, tensors, row, element);
    INGOT_RETURN_IF_ERROR(queue->check(element));
    waiting.push_back(pool.create(std::move(element)));
  }
  return Status::ok();
}

Status QueueRunner::makeItems(Element results) {
  if (gated) {
    bool passes = results.front().dtype() == INGOT_BOOL &&
                  *static_cast<const bool *>(results.front().data());
    results.erase(results.begin());
    if (!passes)
      return Status::ok();
  }
  if (many)
    return makeRows(results);
  INGOT_RETURN_IF_ERROR(queue->check(results));
  waiting.push_back(pool.create(std::move(results)));
  return Status::ok();
}

Status QueueRunner::run(Outcome &outcome) {
  while (taken.size() < sources.size()) {
    Element element;
    INGOT_RETURN_IF_ERROR(sources[taken.size()]->take(element, outcome));
    if (outcome != Outcome::Done)
      return Status::ok();
    taken.push_back(std::move(element));
  }
  // `taken` is cleared only after success, so that a run that is resumed after
  // a failure computes the same elements again.
  Element element;
  for (const Element &part : taken)
    element.insert(element.end(), part.begin(), part.end());
  Status status = function.run(element);
  if (status.isOk() && (!gated || !element.empty()))
    status = makeItems(std::move(element));
  // As in TensorFlow, OutOfRange from any op of the function ends the runner.
  if (status.code() == StatusCode::OutOfRange) {
    outcome = Outcome::Ended;
    return Status::ok();
  }
  if (!status.isOk()) {
    std::string origin;
    for (const QueuePipelineSource *source : sources)
      if (origin.empty())
        origin = source->describeLatest();
    return std::move(status).withContext(origin.empty() ? name
                                                        : name + ", " + origin);
  }
  taken.clear();
  outcome = Outcome::Done;
  return Status::ok();
}

void QueueRunner::save(NodeState &state,
                       const std::vector<QueueItem *> &items) const {
  state.set_read(taken.size());
  state.set_ended(ended);
  for (const Element &element : taken)
    saveTensors(element, *state.add_contents()->mutable_components());
  for (const QueueItem *item : items)
    saveTensors(item->element, *state.add_contents()->mutable_components());
  function.save(state);
}

void QueueRunner::mark() {
  markedItems = waitingItems();
  markedRest.Clear();
  save(markedRest, {});
}

void QueueRunner::saveMark(NodeState &state) const {
  state = markedRest;
  for (const QueueItem *item : markedItems)
    saveTensors(item->element, *state.add_contents()->mutable_components());
}

Status QueueRunner::restore(const NodeState &state) {
  INGOT_RETURN_IF_ERROR(start());
  auto size = static_cast<uint64_t>(state.contents_size());
  if (state.read() > sources.size() || state.read() > size)
    return badState("a runner of queue '" + std::string(queue->name()) +
                    "' has taken elements from " +
                    std::to_string(state.read()) + " of " +
                    std::to_string(sources.size()) + " sources, and holds " +
                    std::to_string(size) + " elements");
  for (const proto::ElementState &saved : state.contents()) {
    INGOT_ASSIGN_OR_RETURN(
        Element element, restoreTensors(environment.pool, saved.components()));
    if (taken.size() < state.read()) {
      taken.push_back(std::move(element));
      continue;
    }
    if (Status status = queue->check(element); !status.isOk())
      return badState(status.message());
    waiting.push_back(pool.create(std::move(element)));
  }
  ended = state.ended();
  return function.restore(state);
}

} // namespace ingot::input
