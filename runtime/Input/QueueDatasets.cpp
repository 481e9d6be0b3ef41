//===- QueueDatasets.cpp - A pipeline of queues as a dataset --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The root dataset of an iterator over a pipeline of TensorFlow 1 queues. It
// makes exactly one node for each queue, reader and runner (an enqueue op that
// fills a queue), even if several other nodes use this node. The scheduler
// (QueueScheduler.h) decides when runners run.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/BackgroundTask.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/QueueScheduler.h"

#include <unordered_map>

namespace ingot::input {

namespace {

class QueuePipelineDataset final : public DatasetIterator,
                                   public QueuePipeline {
public:
  QueuePipelineDataset(IteratorContext &environment, const char *node,
                       bool readsAhead)
      : environment(environment), readsAhead(readsAhead),
        ahead([this] { return scheduler.settle(); }, node) {}

  ~QueuePipelineDataset() override {
    ahead.stop();
    nodes.clear();
  }

  /// Makes the node of every queue, reader and runner in the pipeline whose
  /// root dataset is `root`.
  Status build(const DatasetContext &root);

  Status start() override {
    ahead.stop();
    failure = Status::ok();
    pool.collect();
    for (auto &node : nodes)
      INGOT_RETURN_IF_ERROR(node->start());
    return Status::ok();
  }

  Status next(Element &, bool &end) override {
    end = true;
    return Status::ok();
  }

  void save(NodeState &state) const override {
    join();
    for (const auto &node : nodes)
      node->save(*state.add_inputs());
  }

  bool mark() override {
    // Ignore a failure here. The op that runs after mark() calls prepare()
    // again, and then reports the failure.
    (void)prepare();
    pool.collect();
    for (auto &node : nodes)
      node->mark();
    return true;
  }

  void saveMark(NodeState &state) const override {
    join();
    for (const auto &node : nodes)
      node->saveMark(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    ahead.stop();
    failure = Status::ok();
    if (static_cast<size_t>(state.inputs_size()) != nodes.size())
      return badState("a pipeline of queues has " +
                      std::to_string(state.inputs_size()) +
                      " nodes, expected " + std::to_string(nodes.size()));
    // `nodes` has runners before their queues. A queue's restore() relies on
    // that: it checks which of its runners wait.
    for (size_t i = 0; i < nodes.size(); ++i)
      INGOT_RETURN_IF_ERROR(
          nodes[i]->restore(state.inputs(static_cast<int>(i))));
    return Status::ok();
  }

  QueuePipeline *queues() override { return this; }
  TensorMemoryPool &blocks() override { return environment.pool; }

  Status take(uint64_t node, const DequeueRequest &request,
              std::vector<const Element *> &elements) override;
  Status put(uint64_t node, std::vector<Element> elements) override;
  Expected<int64_t> size(uint64_t node) override {
    INGOT_ASSIGN_OR_RETURN(QueueWithRunners * queue, prepareQueue(node));
    return static_cast<int64_t>(queue->queue->size());
  }
  Expected<bool> isClosed(uint64_t node) override {
    INGOT_ASSIGN_OR_RETURN(QueueWithRunners * queue, prepareQueue(node));
    return queue->queue->isClosed();
  }
  Status close(uint64_t node, bool cancel) override {
    INGOT_ASSIGN_OR_RETURN(QueueWithRunners * queue, prepareQueue(node));
    cancel ? queue->cancel() : queue->close();
    return Status::ok();
  }
  std::vector<Shape> shapes(uint64_t node) const override;

private:
  Status makeNode(const DatasetContext &context, uint32_t index);
  Expected<QueuePipelineSource *> sourceOf(const DatasetContext &context,
                                           uint32_t index);
  template <typename NodeT> NodeT *add(std::unique_ptr<NodeT> node) {
    NodeT *added = node.get();
    nodes.push_back(std::move(node));
    return added;
  }

  /// Waits for the thread that reads ahead. If the thread has failed, stores
  /// its failure in `failure`, unless an earlier failure is stored there.
  void join() const {
    if (Status status = ahead.wait(); failure.isOk())
      failure = std::move(status);
  }
  /// Called before a queue op of compiled code runs: lets all queue runners
  /// take turns until none can continue, so that the op finds the elements that
  /// they can provide.
  Status prepare() {
    join();
    if (failure.isOk())
      failure = scheduler.settle();
    return failure;
  }
  Expected<QueueWithRunners *> prepareQueue(uint64_t node);
  Status wouldWait(const Queue &queue, const char *what) const;
  void readAhead() {
    if (readsAhead && !scheduler.isEmpty())
      ahead.start();
  }

  IteratorContext &environment;
  bool readsAhead;
  QueueItemPool pool;
  QueueScheduler scheduler;
  std::vector<std::unique_ptr<QueuePipelineNode>> nodes;
  // The sources, runners and queues, keyed by the index of their dataset.
  std::unordered_map<uint32_t, QueuePipelineSource *> sources;
  std::unordered_map<uint32_t, QueueRunner *> runners;
  std::unordered_map<uint32_t, QueueWithRunners *> queueStates;
  std::unordered_map<uint32_t, RecordFileSource *> readers;
  std::vector<uint32_t> used; // the nodes that entries use
  mutable Status failure;
  mutable BackgroundTask ahead;
};

Status notARoot(const DatasetContext &context) {
  return Status(StatusCode::InvalidArgument,
                context.name() + ": is a queue or reader of an input pipeline, "
                                 "not a dataset of its own: iterate over the "
                                 "pipeline instead");
}

Expected<std::unique_ptr<DatasetIterator>>
makePart(const DatasetContext &context) {
  return notARoot(context);
}

} // namespace

static constexpr const char *queueAttributes[] = {
    "kind", "capacity", "min_after_dequeue", "seed", "seed2"};
INGOT_DATASET(queue_dataset) = {.make = makePart,
                                .numInputs = anyInputsOrNone,
                                .attributes = queueAttributes,
                                .traits = ReadsElementsOnce};

static constexpr const char *batchAttributes[] = {"count", "up_to"};
INGOT_DATASET(queue_batch_dataset) = {.make = makePart,
                                      .attributes = batchAttributes,
                                      .traits = ReadsElementsOnce};

static constexpr const char *readerAttributes[] = {
    "kind",         "compression",  "skip_header_lines", "header_bytes",
    "record_bytes", "footer_bytes", "hop_bytes"};
INGOT_DATASET(reader_dataset) = {.make = makePart,
                                 .attributes = readerAttributes,
                                 .traits = ReadsElementsOnce};

static constexpr const char *runnerAttributes[] = {"many", "gated", "group"};
INGOT_DATASET(queue_runner_dataset) = {
    .make = makePart,
    .numInputs = anyInputsOrNone,
    .function = DatasetFunctionKind::Compiled,
    .attributes = runnerAttributes,
    .traits = ReadsElementsOnce};

static Expected<std::unique_ptr<DatasetIterator>>
makeQueues(const DatasetContext &context) {
  auto pipeline = std::make_unique<QueuePipelineDataset>(
      context.env(), context.dataset().node,
      !readsVariables(context.env().program, context.number()));
  INGOT_RETURN_IF_ERROR(pipeline->build(context));
  return {std::move(pipeline)};
}

INGOT_DATASET(queues_dataset) = {.make = makeQueues,
                                 .numInputs = anyInputsOrNone,
                                 .traits = ReadsElementsOnce};

Expected<QueuePipelineSource *>
QueuePipelineDataset::sourceOf(const DatasetContext &context, uint32_t index) {
  INGOT_RETURN_IF_ERROR(makeNode(context.with(index), index));
  if (auto found = sources.find(index); found != sources.end())
    return found->second;
  return notARoot(context.with(index));
}

/// Makes the node of dataset `index`, unless it exists, after making all nodes
/// that this node uses.
Status QueuePipelineDataset::makeNode(const DatasetContext &context,
                                      uint32_t index) {
  if (sources.contains(index) || runners.contains(index))
    return Status::ok();
  const ingot_dataset &dataset = context.dataset();
  const DatasetOp *op = datasetOp(dataset);
  if (op == &ingot_dataset_queue_dataset) {
    INGOT_ASSIGN_OR_RETURN(auto queue, Queue::create(context));
    std::vector<QueueRunner *> own;
    for (uint32_t i = 0; i < dataset.num_inputs; ++i) {
      uint32_t input = dataset.inputs[i];
      INGOT_RETURN_IF_ERROR(makeNode(context.with(input), input));
      if (!runners.contains(input))
        return notARoot(context.with(input));
      own.push_back(runners[input]);
    }
    auto *state = add(std::make_unique<QueueWithRunners>(
        std::move(queue), std::move(own), scheduler, environment.pool, pool));
    queueStates[index] = state;
    sources[index] = state;
  } else if (op == &ingot_dataset_queue_batch_dataset) {
    uint32_t input = dataset.inputs[0];
    INGOT_RETURN_IF_ERROR(sourceOf(context, input).takeStatus());
    DequeueRequest request = {context.attribute("count", 1),
                              context.attribute("up_to", 0) != 0, true};
    if (readers.contains(input))
      sources[index] = add(std::make_unique<RecordBatchSource>(
          *readers[input], request.count, environment.pool));
    else if (queueStates.contains(input))
      sources[index] = add(std::make_unique<QueueBatchSource>(
          *queueStates[input], request, scheduler, environment.pool, pool));
    else
      return notARoot(context);
  } else if (op == &ingot_dataset_reader_dataset) {
    INGOT_ASSIGN_OR_RETURN(QueuePipelineSource * names,
                           sourceOf(context, dataset.inputs[0]));
    INGOT_ASSIGN_OR_RETURN(auto reader, makeRecordFileSource(context, *names));
    sources[index] = readers[index] = add(std::move(reader));
  } else if (op == &ingot_dataset_queue_runner_dataset) {
    std::vector<QueuePipelineSource *> from;
    for (uint32_t i = 0; i < dataset.num_inputs; ++i) {
      INGOT_ASSIGN_OR_RETURN(QueuePipelineSource * source,
                             sourceOf(context, dataset.inputs[i]));
      from.push_back(source);
    }
    INGOT_ASSIGN_OR_RETURN(CapturedFunction function,
                           CapturedFunction::create(context, {}));
    runners[index] = add(std::make_unique<QueueRunner>(
        context, std::move(from), std::move(function), pool));
  } else {
    INGOT_ASSIGN_OR_RETURN(auto iterator,
                           makeIterator(environment, index, nullptr, nullptr));
    sources[index] =
        add(std::make_unique<DatasetQueueSource>(std::move(iterator)));
  }
  return Status::ok();
}

Status QueuePipelineDataset::build(const DatasetContext &root) {
  const ingot_dataset &dataset = root.dataset();
  for (uint32_t i = 0; i < dataset.num_inputs; ++i) {
    INGOT_RETURN_IF_ERROR(sourceOf(root, dataset.inputs[i]).takeStatus());
    used.push_back(dataset.inputs[i]);
  }
  return Status::ok();
}

Expected<QueueWithRunners *> QueuePipelineDataset::prepareQueue(uint64_t node) {
  INGOT_RETURN_IF_ERROR(prepare());
  auto found =
      node < used.size() ? queueStates.find(used[node]) : queueStates.end();
  if (found == queueStates.end())
    return Status(
        StatusCode::InvalidArgument,
        "node " + std::to_string(node) +
            " of the pipeline of queues is not a queue, but the op needs one");
  return found->second;
}

Status QueuePipelineDataset::wouldWait(const Queue &queue,
                                       const char *what) const {
  return Status(StatusCode::FailedPrecondition,
                "queue '" + std::string(queue.name()) + "' has " +
                    std::to_string(queue.size()) + " elements and " + what +
                    ", so TensorFlow would wait for ever: fill and empty it in "
                    "the graph, or feed the tensors taken from it");
}

Status QueuePipelineDataset::take(uint64_t node, const DequeueRequest &request,
                                  std::vector<const Element *> &elements) {
  INGOT_RETURN_IF_ERROR(prepare());
  if (node >= used.size() || request.count < 0)
    return Status(StatusCode::InvalidArgument,
                  "cannot take " + std::to_string(request.count) +
                      " elements of node " + std::to_string(node) +
                      " of the pipeline of queues: expected 0 or more elements "
                      "of a node whose number is less than " +
                      std::to_string(used.size()));
  auto found = queueStates.find(used[node]);
  Outcome outcome = Outcome::Done;
  if (found == queueStates.end()) {
    auto reader = readers.find(used[node]);
    if (reader == readers.end())
      return Status(StatusCode::InvalidArgument,
                    "node " + std::to_string(node) +
                        " of the pipeline of queues is neither a queue nor a "
                        "reader, but the op needs one of them");
    std::vector<Element> records;
    INGOT_RETURN_IF_ERROR(
        reader->second->takeUpTo(request.count, records, outcome));
    if (outcome == Outcome::Ended)
      return Status(StatusCode::OutOfRange,
                    "the queue of file names is closed and has insufficient "
                    "elements (requested 1, current size 0)");
    if (outcome == Outcome::Waits)
      return Status(StatusCode::FailedPrecondition,
                    "a reader has no file to read: its queue of file names is "
                    "empty, and nothing fills it");
    for (Element &record : records) {
      QueueItem *item = pool.create(std::move(record));
      elements.push_back(&item->element);
      pool.drop(item);
    }
    readAhead();
    return Status::ok();
  }
  QueueWithRunners &queue = *found->second;
  Queue::DequeueAttempt attempt{request, {}};
  INGOT_RETURN_IF_ERROR(scheduler.take(queue, attempt, outcome));
  if (outcome == Outcome::Ended)
    return queue.queue->insufficient(attempt);
  if (outcome == Outcome::Waits)
    return wouldWait(*queue.queue, "nothing fills it");
  for (QueueItem *item : attempt.taken) {
    elements.push_back(&item->element);
    pool.drop(item);
  }
  readAhead();
  return Status::ok();
}

Status QueuePipelineDataset::put(uint64_t node, std::vector<Element> elements) {
  INGOT_ASSIGN_OR_RETURN(QueueWithRunners * queue, prepareQueue(node));
  for (Element &element : elements) {
    if (queue->isClosing())
      return Status(StatusCode::Aborted, "queue '" +
                                             std::string(queue->queue->name()) +
                                             "' is closed");
    if (queue->hasWaiting() || !queue->queue->hasRoom())
      return wouldWait(*queue->queue, "no room for another");
    INGOT_RETURN_IF_ERROR(queue->queue->check(element));
    queue->queue->push(pool.create(std::move(element)));
    // The new element may let runners that take elements from this queue
    // continue.
    INGOT_RETURN_IF_ERROR(scheduler.settle());
  }
  readAhead();
  return Status::ok();
}

std::vector<Shape> QueuePipelineDataset::shapes(uint64_t node) const {
  std::vector<Shape> shapes;
  if (node < used.size()) {
    const ingot_dataset &dataset = environment.program.datasets[used[node]];
    for (uint32_t i = 0; i < dataset.num_components; ++i)
      shapes.emplace_back(dataset.components[i].dims,
                          dataset.components[i].rank);
  }
  return shapes;
}

} // namespace ingot::input
