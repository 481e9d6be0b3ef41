//===- SliceExchanges.cpp - What slices of a batch exchange ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SliceExchanges.h"

#include "runtime/Support/DType.h"

#include <cstring>

using namespace ingot;

static Reduction reductionOf(ingot_exchange_kind kind) {
  switch (kind) {
  case INGOT_EXCHANGE_MAX:
    return Reduction::Max;
  case INGOT_EXCHANGE_MIN:
    return Reduction::Min;
  default:
    return Reduction::Sum;
  }
}

SliceTree SliceExchanges::treeOf(uint32_t slices) const {
  return {slices, collective.size()};
}

SliceRange SliceExchanges::begin(uint32_t slices) {
  for (ExchangeState &state : states) {
    if (state.sum)
      state.sum->clear();
    state.gather.reset();
  }
  return treeOf(slices).runOf(collective.rank());
}

Expected<SliceExchanges::ExchangeState *>
SliceExchanges::stateOf(const ExchangedValue &value) {
  if (states.size() <= value.number)
    states.resize(value.number + 1);
  ExchangeState &state = states[value.number];
  SliceTree tree = treeOf(value.slices);
  if (value.kind == INGOT_EXCHANGE_GATHER) {
    if (state.gather)
      return &state;
    size_t bytes = value.elements * dtypeSize(value.dtype);
    std::vector<size_t> sizes;
    for (uint32_t slice = 0; slice < value.slices; ++slice)
      sizes.push_back(tree.rowsOf(slice, value.rows).size() * bytes);
    state.gathered.resize(value.rows * bytes);
    state.gather =
        std::make_unique<SliceGather>(tree, std::move(sizes), state.gathered);
    return &state;
  }
  Reduction reduction = reductionOf(value.kind);
  if (!reduceFunction(value.dtype, reduction))
    return Status(StatusCode::Unimplemented,
                  "values of type " + dtypeName(value.dtype) +
                      " cannot be combined over slices");
  if (!state.sum)
    state.sum = std::make_unique<SliceSum>(tree, collective.rank(), value.dtype,
                                           value.elements, reduction);
  return &state;
}

Status SliceExchanges::add(const ExchangedValue &value, uint64_t slice,
                           const void *data) {
  INGOT_ASSIGN_OR_RETURN(ExchangeState * state, stateOf(value));
  if (state->gather)
    state->gather->add(slice, data);
  else
    state->sum->add(slice, data);
  return Status::ok();
}

Status SliceExchanges::addInPlace(const ExchangedValue &value, uint64_t slice,
                                  std::byte *places) {
  INGOT_ASSIGN_OR_RETURN(ExchangeState * state, stateOf(value));
  state->sum->addInPlace(slice, places);
  return Status::ok();
}

Status SliceExchanges::finish(const ExchangedValue &value, void *result) {
  INGOT_ASSIGN_OR_RETURN(ExchangeState * state, stateOf(value));
  if (state->sum)
    return state->sum->finish(collective, result);
  // Release the gather, as the next batch may have another number of rows.
  std::unique_ptr<SliceGather> gather = std::move(state->gather);
  INGOT_RETURN_IF_ERROR(gather->finish(collective));
  if (!state->gathered.empty())
    std::memcpy(result, state->gathered.data(), state->gathered.size());
  return Status::ok();
}
