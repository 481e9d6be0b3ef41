//===- ScanDataset.cpp - A function with a state ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// ScanDataset: the function's arguments are a state and the input's element,
// its results the next state and an output element. The state's tensors are
// saved, because nothing else determines them.
//===----------------------------------------------------------------------===//
#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/TensorState.h"

namespace ingot::input {

namespace {

class ScanIterator final : public DatasetIterator {
public:
  ScanIterator(TensorMemoryPool &pool, std::unique_ptr<DatasetIterator> input,
               CapturedFunction function, Element initial,
               bool preserveCardinality, std::string name)
      : pool(pool), input(std::move(input)), function(std::move(function)),
        initial(std::move(initial)), preserveCardinality(preserveCardinality),
        name(std::move(name)) {}

  Status start() override {
    state = initial;
    ended = false;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    end = ended;
    if (end)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    ended = end;
    if (end)
      return Status::ok();
    values = state;
    values.insert(values.end(), element.begin(), element.end());
    Status status = function.run(values);
    // As in a map, OutOfRange from the function ends the dataset, unless the
    // scan has preserve_cardinality.
    if (status.code() == StatusCode::OutOfRange && !preserveCardinality) {
      ended = end = true;
      return Status::ok();
    }
    if (status.code() == StatusCode::OutOfRange)
      status = Status(StatusCode::InvalidArgument, status.message());
    if (status.isOk() && values.size() < state.size())
      status =
          Status(StatusCode::InvalidArgument,
                 "the function returns " + std::to_string(values.size()) +
                     " tensors, fewer than the " +
                     std::to_string(state.size()) + " of the scan's state");
    if (!status.isOk())
      return std::move(status).withContext(name);
    auto split = values.begin() + static_cast<ptrdiff_t>(state.size());
    state.assign(values.begin(), split);
    element.assign(split, values.end());
    return Status::ok();
  }

  void save(NodeState &saved) const override {
    for (const Tensor &tensor : state)
      saveTensor(tensor, *saved.add_tensors());
    saved.set_ended(ended);
    function.save(saved);
    input->save(*saved.add_inputs());
  }

  Status restore(const NodeState &saved) override {
    state.clear();
    ended = saved.ended();
    INGOT_RETURN_IF_ERROR(function.restore(saved));
    // A state that was saved before the first start() has no tensors.
    if (saved.tensors_size() &&
        saved.tensors_size() != static_cast<int>(initial.size()))
      return badState("a scan's state has " +
                      std::to_string(saved.tensors_size()) +
                      " tensors, expected " + std::to_string(initial.size()));
    for (const proto::TensorState &tensor : saved.tensors()) {
      INGOT_ASSIGN_OR_RETURN(Tensor restored, restoreTensor(pool, tensor));
      state.push_back(std::move(restored));
    }
    return restoreInput(*input, saved);
  }

  std::string describeLatest() const override {
    return input->describeLatest();
  }

private:
  TensorMemoryPool &pool;
  std::unique_ptr<DatasetIterator> input;
  CapturedFunction function;
  Element initial;
  bool preserveCardinality;
  std::string name;
  Element state;
  Element values; // the function's arguments, then its results
  bool ended = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeScanDataset(const DatasetContext &context) {
  // The operands are the initial state. The function itself contains its
  // captured values, so none are passed.
  INGOT_ASSIGN_OR_RETURN(Element initial, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(CapturedFunction function,
                         CapturedFunction::create(context, {}));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<ScanIterator>(
      context.env().pool, std::move(input), std::move(function),
      std::move(initial), context.attribute("preserve_cardinality", 0) != 0,
      context.name())};
}

INGOT_DATASET(scan_dataset) = {.make = makeScanDataset,
                               .variadic = true,
                               .function = DatasetFunctionKind::Compiled,
                               .traits = ReadsElementsOnce};

} // namespace ingot::input
