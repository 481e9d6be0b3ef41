//===- MapDataset.cpp - A compiled function over each element ---*- C++ -*-===//
//
// MapDataset and ParallelMapDataset. The order is the input's in both: the
// calls run one after the other, on the thread that asks for elements. Where a
// batch above runs the function, the map hands on what it is to be run on.
//
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/FunctionCall.h"
#include "runtime/Input/ParseCall.h"
#include "runtime/Input/Registry.h"

namespace ingot::input {

namespace {

/// `CallT` has a run() that replaces an element by what the function makes of
/// it.
template <typename CallT> class MapIterator final : public DatasetIterator {
public:
  MapIterator(std::unique_ptr<DatasetIterator> input, CallT function,
              bool preserveCardinality, std::string name)
      : input(std::move(input)), function(std::move(function)),
        preserveCardinality(preserveCardinality), name(std::move(name)) {}

  Status start() override { return input->start(); }

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      return Status::ok();
    Status status = function.run(element);
    return status.isOk()
               ? status
               : describeMapFailure(std::move(status), preserveCardinality,
                                    name, *input, end);
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return draws() ? DatasetIterator::skip(count, skipped)
                   : input->skip(count, skipped);
  }

  void save(NodeState &state) const override {
    if constexpr (mayDraw)
      function.save(state);
    input->save(*state.add_inputs());
  }
  void update(NodeState &state) const override {
    if (draws())
      return DatasetIterator::update(state);
    updateInput(*input, state);
  }

  Status restore(const NodeState &state) override {
    if constexpr (mayDraw)
      INGOT_RETURN_IF_ERROR(function.restore(state));
    return restoreInput(*input, state);
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  static constexpr bool mayDraw = std::is_same_v<CallT, FunctionCall>;

  bool draws() const {
    if constexpr (mayDraw)
      return function.draws();
    return false;
  }

  std::unique_ptr<DatasetIterator> input;
  CallT function;
  bool preserveCardinality;
  std::string name;
};

/// Leaves elements as they are.
struct NoCall {
  Status run(Element &) { return Status::ok(); }
};

template <typename CallT>
Expected<std::unique_ptr<DatasetIterator>>
makeMap(const DatasetContext &context, CallT function) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<MapIterator<CallT>>(
      std::move(input), std::move(function), preservesCardinality(context),
      context.name())};
}

} // namespace

bool preservesCardinality(const DatasetContext &map) {
  return map.attribute("preserve_cardinality", 0) != 0;
}

Status describeMapFailure(Status status, bool preserveCardinality,
                          const std::string &name, const DatasetIterator &input,
                          bool &end) {
  // As TensorFlow has it: a function may end its dataset this way.
  if (status.code() == StatusCode::OutOfRange && !preserveCardinality) {
    end = true;
    return Status::ok();
  }
  if (status.code() == StatusCode::OutOfRange)
    status = Status(StatusCode::InvalidArgument, status.message());
  std::string origin = input.describeLatest();
  return std::move(status).withContext(origin.empty() ? name
                                                      : name + ", " + origin);
}

Expected<std::unique_ptr<DatasetIterator>>
makeMapDataset(const DatasetContext &context) {
  Environment &environment = context.env();
  auto index = static_cast<uint32_t>(context.dataset().function);
  if (const DeferredMap *deferred = context.isDeferred()) {
    if (!deferred->isChecked)
      return makeMap(context, NoCall());
    ExampleCheck check(environment, index);
    INGOT_RETURN_IF_ERROR(check.prepare());
    return makeMap(context, std::move(check));
  }
  if (onlyParses(environment.program.functions[index])) {
    ParseCall call(environment, index);
    INGOT_RETURN_IF_ERROR(call.prepare());
    return makeMap(context, std::move(call));
  }
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(FunctionCall function,
                         FunctionCall::create(context, std::move(captured)));
  return makeMap(context, std::move(function));
}

} // namespace ingot::input
