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
  for (Slot &slot : slots) {
    if (slot.sum)
      slot.sum->clear();
    slot.gather.reset();
  }
  return treeOf(slices).runOf(collective.rank());
}

Expected<SliceExchanges::Slot *>
SliceExchanges::slotOf(const ExchangedValue &value) {
  if (slots.size() <= value.number)
    slots.resize(value.number + 1);
  Slot &slot = slots[value.number];
  SliceTree tree = treeOf(value.slices);
  if (value.kind == INGOT_EXCHANGE_GATHER) {
    if (slot.gather)
      return &slot;
    size_t bytes = value.elements * dtypeSize(value.dtype);
    std::vector<size_t> sizes;
    for (uint32_t slice = 0; slice < value.slices; ++slice)
      sizes.push_back(tree.rowsOf(slice, value.rows).size() * bytes);
    slot.gathered.resize(value.rows * bytes);
    slot.gather =
        std::make_unique<SliceGather>(tree, std::move(sizes), slot.gathered);
    return &slot;
  }
  Reduction reduction = reductionOf(value.kind);
  if (!reduceFunction(value.dtype, reduction))
    return Status(StatusCode::Unimplemented,
                  "values of type " + dtypeName(value.dtype) +
                      " cannot be combined over slices");
  if (!slot.sum)
    slot.sum = std::make_unique<SliceSum>(tree, collective.rank(), value.dtype,
                                          value.elements, reduction);
  return &slot;
}

Status SliceExchanges::add(const ExchangedValue &value, uint64_t slice,
                           const void *data) {
  INGOT_ASSIGN_OR_RETURN(Slot * slot, slotOf(value));
  if (slot->gather)
    slot->gather->add(slice, data);
  else
    slot->sum->add(slice, data);
  return Status::ok();
}

Status SliceExchanges::finish(const ExchangedValue &value, void *result) {
  INGOT_ASSIGN_OR_RETURN(Slot * slot, slotOf(value));
  if (slot->sum)
    return slot->sum->finish(collective, result);
  // Release the gather, as the next batch may have another number of rows.
  std::unique_ptr<SliceGather> gather = std::move(slot->gather);
  INGOT_RETURN_IF_ERROR(gather->finish(collective));
  if (!slot->gathered.empty())
    std::memcpy(result, slot->gathered.data(), slot->gathered.size());
  return Status::ok();
}
