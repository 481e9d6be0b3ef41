//===- MapDataset.cpp - A compiled function over each element ---*- C++ -*-===//
//
// MapDataset and ParallelMapDataset. The order is the input's in both: the
// calls run one after the other, on the thread that asks for elements.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/FunctionCall.h"
#include "runtime/Input/Registry.h"

namespace ingot::input {

namespace {

class MapIterator final : public DatasetIterator {
public:
  MapIterator(std::unique_ptr<DatasetIterator> input, FunctionCall function,
              bool preserveCardinality, std::string name)
      : input(std::move(input)), function(std::move(function)),
        preserveCardinality(preserveCardinality), name(std::move(name)) {}

  Status start() override { return input->start(); }

  Status next(Element &element, bool &end) override {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      return Status::ok();
    Status status = function.run(element);
    if (status.isOk())
      return status;
    // As TensorFlow has it: a function may end its dataset this way.
    if (status.code() == StatusCode::OutOfRange && !preserveCardinality) {
      end = true;
      return Status::ok();
    }
    if (status.code() == StatusCode::OutOfRange)
      status = Status(StatusCode::InvalidArgument, status.message());
    std::string origin = input->describeLatest();
    return std::move(status).withContext(origin.empty() ? name
                                                        : name + ", " + origin);
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return input->skip(count, skipped);
  }

  void save(NodeState &state) const override {
    input->save(*state.add_inputs());
  }

  Status restore(const NodeState &state) override {
    return restoreInput(*input, state);
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  std::unique_ptr<DatasetIterator> input;
  FunctionCall function;
  bool preserveCardinality;
  std::string name;
};

} // namespace

Expected<std::unique_ptr<DatasetIterator>>
makeMapDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<MapIterator>(
      std::move(input),
      FunctionCall(context.env(),
                   static_cast<uint32_t>(context.dataset().function),
                   std::move(captured)),
      context.attribute("preserve_cardinality", 0) != 0, context.name())};
}

} // namespace ingot::input
