//===- OptionalDataset.cpp - Elements as optionals --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The dataset for IteratorGetNextAsOptional: its elements have a flag as their
// first component. After the input's last element, the flag is false and the
// other components are zero.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/SingleInputIterator.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

namespace {

class OptionalIterator final : public SingleInputIterator {
public:
  OptionalIterator(TensorMemoryPool &pool,
                   std::unique_ptr<DatasetIterator> input,
                   const ingot_dataset &self)
      : SingleInputIterator(std::move(input)), pool(pool), self(self) {}

  Status start() override {
    ended = false;
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    end = false;
    if (!ended)
      INGOT_RETURN_IF_ERROR(input->next(element, ended));
    if (ended)
      zeros(element);
    bool isThere = !ended;
    element.insert(element.begin(),
                   Tensor::copy(pool, INGOT_BOOL, {}, &isThere));
    return Status::ok();
  }

private:
  void savePosition(NodeState &state) const override { state.set_ended(ended); }
  Status restorePosition(const NodeState &state) override {
    ended = state.ended();
    return Status::ok();
  }

  void zeros(Element &element) {
    element.clear();
    for (uint32_t i = 1; i < self.num_components; ++i) {
      const ingot_tensor_spec &spec = self.components[i];
      std::vector<int64_t> dims(spec.dims, spec.dims + spec.rank);
      std::ranges::replace_if(dims, [](int64_t size) { return size < 0; }, 0);
      element.push_back(Tensor::allocate(pool, spec.dtype, dims));
      std::memset(element.back().mutableData(), 0, element.back().byteSize());
    }
  }

  TensorMemoryPool &pool;
  const ingot_dataset &self;
  bool ended = false;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeOptionalDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<OptionalIterator>(
      context.env().pool, std::move(input), context.dataset())};
}

INGOT_DATASET(optional_dataset) = {.make = makeOptionalDataset,
                                   .traits = ReadsElementsOnce};

} // namespace ingot::input
