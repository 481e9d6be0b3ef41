//===- MapDataset.cpp - Calls a function on each element ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// MapDataset, and ParallelMapDataset where its function is called on one
// element after the other, on the thread that reads elements. If a batch
// downstream runs the function (MapDatasetFusedIntoBatch), the map passes its
// input's elements through.
//===----------------------------------------------------------------------===//
#include "runtime/Input/MapDataset.h"

#include "runtime/ABI/Program.h"
#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/ParseExampleFunction.h"
#include "runtime/Input/SingleInputIterator.h"
#include "runtime/Input/TensorFlowIteratorStateNode.h"

namespace ingot::input {

namespace {

/// The iterator of a map. `CallT::run` calls the map's function on an element,
/// and replaces the element with the function's result.
template <typename CallT> class MapIterator final : public SingleInputIterator {
public:
  MapIterator(std::unique_ptr<DatasetIterator> input, CallT function,
              bool preserveCardinality, bool readsVariables, bool keepsInput,
              std::string name)
      : SingleInputIterator(std::move(input)), function(std::move(function)),
        preserveCardinality(preserveCardinality),
        readsVariables(readsVariables), keepsInput(keepsInput),
        name(std::move(name)) {}

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      return Status::ok();
    if (keepsInput)
      latest = element;
    Status status = function.run(element);
    return status.isOk()
               ? status
               : describeMapFailure(std::move(status), preserveCardinality,
                                    name, input->describeLatest(), end);
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return draws() ? DatasetIterator::skip(count, skipped)
                   : input->skip(count, skipped);
  }

  void update(NodeState &state) const override {
    return draws() ? DatasetIterator::update(state)
                   : SingleInputIterator::update(state);
  }

  Status apply(Element &element) override { return function.run(element); }
  const Element *latestInput() const override { return &latest; }

  Status exchange(TensorFlowIteratorStateNode &node) override {
    // TensorFlow has fused this map with the batch downstream into one
    // iterator, which calls the function.
    if (std::exchange(node.state.isFused, false))
      return exchangeInput(*input, node.state, node.parent);
    std::string type = node.type();
    if (!node.isReading() && node.state.rewrites.parallelMaps &&
        type == "Map" && !readsVariables)
      type = "ParallelMapV2";
    INGOT_RETURN_IF_ERROR(node.isReading()
                              ? node.choose({type, "ParallelMapV2", "Map"})
                              : node.choose({type}));
    if (!node.name.ends_with("::Map"))
      INGOT_RETURN_IF_ERROR(exchangeResults(node));
    return exchangeInput(*input, node.state, node.name);
  }

private:
  /// Reads or writes the function's results that TensorFlow has computed in
  /// advance.
  static Status exchangeResults(TensorFlowIteratorStateNode &node) {
    uint64_t size = node.pending.size();
    INGOT_RETURN_IF_ERROR(node.exchange("invocation_results_size", size));
    if (size > 1 << 20)
      return badState("a map has computed " + std::to_string(size) +
                      " results in advance, more than the limit of 2^20");
    std::vector<Element> results = std::move(node.pending);
    node.pending.clear();
    for (uint64_t i = 0; i < size; ++i) {
      std::string call =
          node.name + "_invocation_results[" + std::to_string(i) + "]";
      uint64_t code = 0;
      bool isEnd = false;
      INGOT_RETURN_IF_ERROR(node.state.exchange(call, "_code", code));
      if (!node.isReading() || node.state.has(call, "end_of_input"))
        INGOT_RETURN_IF_ERROR(node.state.exchange(call, "end_of_input", isEnd));
      if (code != 0)
        return Status(
            StatusCode::FailedPrecondition,
            "'" + call +
                "' is the error of an element that TensorFlow had computed "
                "ahead: restore an earlier checkpoint");
      if (isEnd)
        continue;
      Element read;
      Element &result = node.isReading() ? read : results[i];
      INGOT_RETURN_IF_ERROR(node.state.exchange(call, "size", "", result));
      if (node.isReading())
        node.pending.push_back(std::move(read));
    }
    return Status::ok();
  }

  void savePosition(NodeState &state) const override {
    if constexpr (mayDraw)
      function.save(state);
  }
  Status restorePosition(const NodeState &state) override {
    if constexpr (mayDraw)
      return function.restore(state);
    return Status::ok();
  }

  static constexpr bool mayDraw = std::is_same_v<CallT, CapturedFunction>;

  bool draws() const {
    if constexpr (mayDraw)
      return function.draws();
    return false;
  }

  CallT function;
  bool preserveCardinality;
  /// Whether the function reads variables. TensorFlow does not parallelize such
  /// a map.
  bool readsVariables;
  bool keepsInput;
  Element latest;
  std::string name;
};

/// The `CallT` of a map whose function is called by a batch downstream: leaves
/// elements unchanged.
struct IdentityMapFunction {
  Status run(Element &) { return Status::ok(); }
};

template <typename CallT>
Expected<std::unique_ptr<DatasetIterator>>
makeMap(const DatasetContext &context, CallT function) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  auto index = static_cast<uint32_t>(context.dataset().function);
  bool readsVariables =
      context.env().program.functions[index].num_variables != 0;
  return {std::make_unique<MapIterator<CallT>>(
      std::move(input), std::move(function), preservesCardinality(context),
      readsVariables, context.env().exchanges, context.name())};
}

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeMapDataset(const DatasetContext &context) {
  IteratorContext &environment = context.env();
  auto index = static_cast<uint32_t>(context.dataset().function);
  if (const MapDatasetFusedIntoBatch *deferred = context.isDeferred()) {
    if (!deferred->isChecked)
      return makeMap(context, IdentityMapFunction());
    ExampleProtoChecker check(environment, index);
    INGOT_RETURN_IF_ERROR(check.prepare());
    return makeMap(context, std::move(check));
  }
  if (onlyParses(environment.program.functions[index])) {
    ParseExampleFunction call(environment, index);
    INGOT_RETURN_IF_ERROR(call.prepare());
    return makeMap(context, std::move(call));
  }
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(
      CapturedFunction function,
      CapturedFunction::create(context, std::move(captured)));
  return makeMap(context, std::move(function));
}

INGOT_DATASET(map_dataset) = {.make = makeMapDataset,
                              .variadic = true,
                              .function = DatasetFunctionKind::Compiled,
                              .traits = ReadsElementsOnce | Maps | Exchanges};

} // namespace ingot::input
