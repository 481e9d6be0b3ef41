//===- TensorFlowIteratorStateNode.cpp - Trees of TensorFlow's iterators --===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for exchange() of datasets. TensorFlow computes elements ahead of the
// consumer, in prefetches, parallel maps, and batches fused with a map. It
// saves these elements, and the input's position after them. After such a state
// was read, iterators have pending elements, which they return before reading
// their inputs. When no pending elements are left, the iterators are replaced
// by ordinary ones (Iterator.cpp).
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/TensorFlowIteratorStateNode.h"
#include "runtime/ABI/Program.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorState.h"

#include <deque>

using namespace ingot;
using namespace ingot::input;

namespace {

class PendingElementsIterator final : public DatasetIterator {
public:
  PendingElementsIterator(const DatasetContext &context,
                          std::unique_ptr<DatasetIterator> inner)
      : environment(context.env()), name(context.name()),
        type(typeOf(context.dataset().op)), inner(std::move(inner)) {}
  ~PendingElementsIterator() override { drop(); }

  Status start() override {
    drop();
    return inner->start();
  }

  Status next(Element &element, bool &end) override {
    if (pending.empty())
      return inner->next(element, end);
    end = false;
    element = std::move(pending.front());
    pending.pop_front();
    --environment.numPending;
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    uint64_t first = std::min<uint64_t>(count, pending.size());
    pending.erase(pending.begin(),
                  pending.begin() + static_cast<ptrdiff_t>(first));
    environment.numPending -= static_cast<int64_t>(first);
    INGOT_RETURN_IF_ERROR(inner->skip(count - first, skipped));
    skipped += first;
    return Status::ok();
  }

  void save(NodeState &state) const override {
    inner->save(state);
    savePending(state);
  }
  void update(NodeState &state) const override {
    state.clear_pending();
    inner->update(state);
    savePending(state);
  }

  Status restore(const NodeState &state) override {
    INGOT_RETURN_IF_ERROR(inner->restore(state));
    std::vector<Element> elements;
    for (const proto::ElementState &saved : state.pending()) {
      INGOT_ASSIGN_OR_RETURN(
          Element element,
          restoreTensors(environment.pool, saved.components()));
      elements.push_back(std::move(element));
    }
    set(std::move(elements));
    return Status::ok();
  }

  std::string describeLatest() const override {
    return inner->describeLatest();
  }
  Status apply(Element &element) override { return inner->apply(element); }
  const Element *latestInput() const override { return inner->latestInput(); }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    TensorFlowIteratorStateNode own{node.state, node.parent, node.below(type),
                                    std::move(node.pending)};
    if (!node.isReading())
      own.pending.assign(pending.begin(), pending.end());
    Status status = inner->exchange(own);
    if (!status.isOk())
      return isDescribed(status) ? std::move(status)
                                 : std::move(status).withContext(name);
    if (node.isReading()) {
      set(std::move(own.pending));
    } else if (!own.pending.empty()) {
      return Status(StatusCode::FailedPrecondition,
                    name + ": cannot write TensorFlow's state before the " +
                        std::to_string(own.pending.size()) +
                        " elements that TensorFlow had prefetched are "
                        "consumed: save a few steps later");
    }
    return Status::ok();
  }

private:
  /// Returns the name of a TensorFlow op as it occurs in names of iterators,
  /// such as "BatchV2".
  static std::string typeOf(std::string op) {
    size_t at = op.find("Dataset");
    return at == std::string::npos ? op : op.erase(at, 7);
  }

  /// Returns true if an error names a dataset already: only the innermost
  /// dataset that fails is named.
  static bool isDescribed(const Status &status) {
    return status.message().starts_with("dataset '");
  }

  void drop() {
    environment.numPending -= static_cast<int64_t>(pending.size());
    pending.clear();
  }

  void set(std::vector<Element> elements) {
    drop();
    pending.assign(std::make_move_iterator(elements.begin()),
                   std::make_move_iterator(elements.end()));
    environment.numPending += static_cast<int64_t>(pending.size());
  }

  void savePending(NodeState &state) const {
    for (const Element &element : pending)
      saveTensors(element, *state.add_pending()->mutable_components());
  }

  IteratorContext &environment;
  std::string name;
  std::string type;
  std::unique_ptr<DatasetIterator> inner;
  std::deque<Element> pending;
};

} // namespace

Status DatasetIterator::exchange(TensorFlowIteratorStateNode &node) {
  return Status(StatusCode::Unimplemented,
                "TensorFlow's state of this dataset can be neither read nor "
                "written");
}

std::unique_ptr<DatasetIterator>
input::makePending(const DatasetContext &context,
                   std::unique_ptr<DatasetIterator> iterator) {
  return std::make_unique<PendingElementsIterator>(context,
                                                   std::move(iterator));
}

bool input::hasPending(const NodeState &state) {
  if (state.pending_size() != 0 ||
      (state.has_origin() && hasPending(state.origin())))
    return true;
  for (const NodeState &input : state.inputs())
    if (hasPending(input))
      return true;
  return false;
}

Status TensorFlowIteratorStateNode::choose(
    std::initializer_list<std::string_view> types) {
  name = below(*types.begin());
  if (!isReading())
    return Status::ok();
  for (std::string_view type : types) {
    name = below(type);
    if (state.hasIterator(name))
      return Status::ok();
  }
  return Status(StatusCode::NotFound,
                "TensorFlow's iterator state has no '" + below(*types.begin()) +
                    "': another pipeline saved the state");
}

Status input::exchangeInput(DatasetIterator &input,
                            TensorFlowIteratorState &state,
                            std::string parent) {
  TensorFlowIteratorStateNode node{state, std::move(parent)};
  return input.exchange(node);
}

Status input::exhaust(DatasetIterator &input) {
  uint64_t skipped = 0;
  return input.skip(UINT64_MAX, skipped);
}

Status input::exchangeUnlessEmpty(DatasetIterator &input,
                                  TensorFlowIteratorStateNode &node,
                                  const std::string &key, bool isEmpty) {
  INGOT_RETURN_IF_ERROR(node.exchange(key, isEmpty));
  if (!isEmpty)
    return exchangeInput(input, node.state, node.name);
  return node.isReading() ? exhaust(input) : Status::ok();
}

Status input::exchangeBuffer(TensorFlowIteratorState &state,
                             const std::string &name,
                             std::vector<Element> &pending) {
  uint64_t size = pending.size();
  INGOT_RETURN_IF_ERROR(state.exchange(name, "buffer_size", size));
  if (size > 1 << 20)
    return badState("a prefetch has buffered " + std::to_string(size) +
                    " elements, more than the limit of 2^20");
  for (uint64_t i = 0; i < size; ++i) {
    std::string item = name + "::" + std::to_string(i);
    uint64_t code = 0;
    INGOT_RETURN_IF_ERROR(state.exchange(item, "status.code", code));
    if (code != 0)
      return Status(StatusCode::FailedPrecondition,
                    "'" + item +
                        "' is the error of an element that TensorFlow had "
                        "computed ahead: "
                        "restore an earlier checkpoint");
    if (state.isReading())
      pending.emplace_back();
    Element &element = state.isReading() ? pending.back() : pending[i];
    INGOT_RETURN_IF_ERROR(
        state.exchange(item, "buffer.size", "buffer", element));
  }
  if (!state.isReading())
    pending.clear();
  return Status::ok();
}

/// Appends the names of a pipeline's datasets whose states can be neither read
/// nor written in TensorFlow's form.
static void appendUnsupported(const ingot_program &program, uint32_t index,
                              std::string &names) {
  const ingot_dataset &dataset = program.datasets[index];
  const DatasetOp *op = datasetOp(dataset);
  if (!op || !op->has(Exchanges))
    names += std::string(names.empty() ? "" : ", ") + "'" + dataset.node +
             "' (" + dataset.op + ")";
  if (dataset.body >= 0)
    appendUnsupported(program, static_cast<uint32_t>(dataset.body), names);
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    appendUnsupported(program, dataset.inputs[i], names);
}

Status input::checkExchangeable(const ingot_program &program,
                                uint32_t dataset) {
  std::string names;
  appendUnsupported(program, dataset, names);
  if (!names.empty())
    return Status(StatusCode::Unimplemented,
                  "TensorFlow's states of these datasets can be neither read "
                  "nor written: " +
                      names);
  if (drawsRandom(program, dataset))
    return Status(StatusCode::Unimplemented,
                  "functions of the pipeline draw random numbers, and "
                  "TensorFlow's states lack the positions of random ops");
  return Status::ok();
}

/// Returns true if TensorFlow's iterator of `dataset` computes elements in
/// advance by itself. If the outermost dataset's iterator does not, TensorFlow
/// adds a prefetch.
static bool worksAhead(const ingot_program &program, uint32_t dataset,
                       const AppliedDatasetOptimizations &rewrites) {
  auto isMap = [&](uint32_t index) {
    const DatasetOp *op = datasetOp(program.datasets[index]);
    return op && op->has(Maps);
  };
  std::string_view type = program.datasets[dataset].op;
  return type.starts_with("Prefetch") || type.starts_with("Parallel") ||
         (isMap(dataset) && rewrites.parallelMaps) ||
         (type.starts_with("Batch") && rewrites.mapAndBatch &&
          isMap(program.datasets[dataset].inputs[0]));
}

static bool isPrefetch(const ingot_program &program, uint32_t dataset) {
  return std::string_view(program.datasets[dataset].op).starts_with("Prefetch");
}

Status input::readState(TensorFlowIteratorState &state,
                        const ingot_program &program, uint32_t dataset,
                        DatasetIterator &root) {
  bool isOld = !state.hasIterator("Iterator::Root");
  TensorFlowIteratorStateNode node{state, isOld ? "Iterator::Model"
                                                : "Iterator::Root"};
  std::string prefetch = node.parent + "::Prefetch";
  if (!isPrefetch(program, dataset) && state.hasIterator(prefetch)) {
    INGOT_RETURN_IF_ERROR(exchangeBuffer(state, prefetch, node.pending));
    node.parent = prefetch;
  }
  return root.exchange(node);
}

Status input::writeState(TensorFlowIteratorState &state,
                         const ingot_program &program, uint32_t dataset,
                         DatasetIterator &root) {
  const std::string top = "Iterator::Root", prefetch = top + "::Prefetch";
  constexpr AppliedDatasetOptimizations each[] = {
      {true, true, true}, {true, false, true}, {}};
  for (const AppliedDatasetOptimizations &rewrites : each) {
    state.rewrites = rewrites;
    bool isPlain = !rewrites.parallelMaps;
    bool hasPrefetch = !isPlain && !worksAhead(program, dataset, rewrites);
    if (hasPrefetch)
      state.set(prefetch, "buffer_size", 0);
    INGOT_RETURN_IF_ERROR(
        exchangeInput(root, state, hasPrefetch ? prefetch : top));
  }
  return Status::ok();
}
