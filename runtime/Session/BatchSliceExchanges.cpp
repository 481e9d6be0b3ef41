//===- BatchSliceExchanges.cpp - What slices of a batch exchange ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/BatchSliceExchanges.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/ThreadActivity.h"

#include <cstring>
#include <optional>

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

size_t ExchangedValue::bytes() const {
  return static_cast<size_t>(elements[index]) * dtypeSize(dtype);
}

BatchSliceReductionTree BatchSliceExchanges::treeOf(uint32_t slices) const {
  return {slices, collective.size()};
}

BatchSliceRange BatchSliceExchanges::begin(uint32_t slices, DeviceSession *on) {
  device = on;
  // Ignore the failure of an exchange here: the next call of finish() returns
  // it.
  (void)queue.waitForAll();
  for (std::unique_ptr<ExchangeBucketState> &state : states)
    if (state)
      state->reset();
  run = treeOf(slices).runOf(collective.rank());
  return run;
}

void BatchSliceExchanges::ExchangeBucketState::reset() {
  if (sum)
    sum->clear();
  gather.reset();
  isExchanged = false;
  exchange = 0;
}

Expected<BatchSliceExchanges::ExchangeBucketState *>
BatchSliceExchanges::stateOf(const ExchangedValue &value) {
  if (states.size() <= value.bucket)
    states.resize(value.bucket + 1);
  if (!states[value.bucket])
    states[value.bucket] = std::make_unique<ExchangeBucketState>();
  ExchangeBucketState &state = *states[value.bucket];
  BatchSliceReductionTree tree = treeOf(value.slices);
  if (value.kind == INGOT_EXCHANGE_GATHER) {
    if (state.gather)
      return &state;
    size_t bytes =
        static_cast<size_t>(value.elements.front()) * dtypeSize(value.dtype);
    std::vector<size_t> sizes;
    for (uint32_t slice = 0; slice < value.slices; ++slice)
      sizes.push_back(tree.rowsOf(slice, value.rows).size() * bytes);
    state.gathered.resize(value.rows * bytes);
    state.gather = std::make_unique<BatchSliceAllGather>(tree, std::move(sizes),
                                                         state.gathered);
    return &state;
  }
  Reduction reduction = reductionOf(value.kind);
  if (!reduceFunction(value.dtype, reduction))
    return Status(StatusCode::Unimplemented,
                  "values of type " + dtypeName(value.dtype) +
                      " cannot be combined over slices");
  if (!state.sum) {
    ValueMemory *there =
        device ? device->memoryOfSlices(value.dtype, value.kind) : nullptr;
    INGOT_RETURN_IF_ERROR(deviceStatus());
    state.isOnDevice = there != nullptr;
    state.isBetweenDevices = there && betweenDevices;
    state.sum = std::make_unique<BatchSliceAllReduce>(
        tree, collective.rank(), value.dtype,
        std::vector<size_t>(value.elements.begin(), value.elements.end()),
        reduction, BucketLayout::defaultSmallBytes, value.shards,
        there ? *there : collective.messageMemory(),
        state.isBetweenDevices ? *there : collective.messageMemory());
  }
  return &state;
}

/// Exchanges the bucket between all processes. If the bucket has only one
/// value, `result` is the memory for its sum.
Status BatchSliceExchanges::ExchangeBucketState::run(Collective &collective,
                                                     std::byte *result) {
  return gather ? gather->finish(collective)
                : sum->exchange(collective, result);
}

/// Starts the exchange of a bucket as soon as it is complete: when the
/// process's last slice has added the bucket's last value. If that slice is
/// empty, finish() makes the exchange instead. Either way all processes
/// exchange buckets in the same order.
Status BatchSliceExchanges::startIfComplete(ExchangeBucketState &state,
                                            const ExchangedValue &value,
                                            uint64_t slice, std::byte *result) {
  INGOT_RETURN_IF_ERROR(deviceStatus());
  if (!value.startsExchange || slice + 1 != run.last || !overlaps ||
      state.isBetweenDevices)
    return Status::ok();
  // Only the step's thread may use the device.
  if (state.isOnDevice) {
    state.sum->complete();
    INGOT_RETURN_IF_ERROR(deviceStatus());
  }
  INGOT_ASSIGN_OR_RETURN(
      state.exchange, queue.push([&state, this, result, node = value.node] {
        ThreadActivity::ActivityScope activity("exchanges", node);
        return state.run(collective, result);
      }));
  return Status::ok();
}

Status BatchSliceExchanges::add(const ExchangedValue &value, uint64_t slice,
                                const void *data) {
  INGOT_ASSIGN_OR_RETURN(ExchangeBucketState * state, stateOf(value));
  size_t size =
      state->gather ? state->gather->placeOf(slice).size() : value.bytes();
  if (state->isOnDevice)
    data = device->provideOnDevice(data, size);
  else if (device)
    INGOT_RETURN_IF_ERROR(device->readMemory(data, size));
  INGOT_RETURN_IF_ERROR(deviceStatus());
  if (state->gather)
    state->gather->add(slice, data);
  else
    state->sum->add(value.index, slice, data);
  return startIfComplete(*state, value, slice, nullptr);
}

Status BatchSliceExchanges::addInPlace(const ExchangedValue &value,
                                       uint64_t slice, std::byte *places) {
  INGOT_ASSIGN_OR_RETURN(ExchangeBucketState * state, stateOf(value));
  size_t size = value.bytes(), offset = placeOfSlice(slice) * size;
  std::byte *there = places;
  if (state->isOnDevice) {
    std::byte *place = device->provideOnDevice(places + offset, size);
    INGOT_RETURN_IF_ERROR(deviceStatus());
    there = place - offset;
  } else if (device) {
    INGOT_RETURN_IF_ERROR(device->readMemory(places + offset, size));
  }
  state->sum->addInPlace(value.index, slice, there);
  // Sums may have been stored in all places up to that of the slice.
  if (state->isOnDevice)
    device->wroteOnDevice(places, offset + size);
  else if (device)
    device->wroteOnHost(places, offset + size);
  return startIfComplete(*state, value, slice, places);
}

/// Stores the combined value of all slices at `result`, or at the same place on
/// the device if it was combined there.
Status BatchSliceExchanges::storeResult(ExchangeBucketState &state,
                                        const ExchangedValue &value,
                                        void *result) {
  size_t size = state.gather ? state.gathered.size() : value.bytes();
  bool isOnDevice = !state.gather &&
                    &state.sum->resultMemory() != &collective.messageMemory();
  if (isOnDevice) {
    std::byte *there = device->placeOnDevice(result, size);
    INGOT_RETURN_IF_ERROR(deviceStatus());
    if (!there)
      return Status(StatusCode::Internal, "the sum over slices of '" +
                                              std::string(value.node) +
                                              "' has no memory on the device");
    state.sum->store(value.index, there);
    device->wroteOnDevice(result, size);
    return deviceStatus();
  }
  if (state.sum)
    state.sum->store(value.index, result);
  else if (size != 0)
    std::memcpy(result, state.gathered.data(), size);
  if (device)
    device->wroteOnHost(result, size);
  return Status::ok();
}

/// Exchanges a bucket on the step's thread. `result` is the memory for its
/// first value.
Status BatchSliceExchanges::exchangeNow(ExchangeBucketState &state,
                                        const ExchangedValue &value,
                                        std::byte *result) {
  INGOT_RETURN_IF_ERROR(queue.waitForAll());
  if (!state.isBetweenDevices)
    return state.run(collective, result);
  std::byte *there = device->placeOnDevice(result, value.bytes());
  INGOT_RETURN_IF_ERROR(deviceStatus());
  return state.run(*betweenDevices, there);
}

Status BatchSliceExchanges::finish(const ExchangedValue &value, void *result) {
  INGOT_ASSIGN_OR_RETURN(ExchangeBucketState * state, stateOf(value));
  if (!state->isExchanged) {
    std::optional<ThreadActivity::ActivityScope> activity;
    if (collective.size() > 1)
      activity.emplace(state->exchange ? "waits for exchange" : "exchanges",
                       value.node);
    if (state->exchange != 0) {
      INGOT_RETURN_IF_ERROR(queue.waitFor(state->exchange));
    } else {
      INGOT_RETURN_IF_ERROR(
          exchangeNow(*state, value, static_cast<std::byte *>(result)));
    }
    INGOT_RETURN_IF_ERROR(deviceStatus());
    state->isExchanged = true;
  }
  return storeResult(*state, value, result);
}

Status BatchSliceExchanges::gatherInPlace(const char *node, uint32_t slices,
                                          std::span<std::byte> value) {
  if (collective.size() == 1)
    return Status::ok();
  ThreadActivity::ActivityScope activity("exchanges", node);
  INGOT_RETURN_IF_ERROR(queue.waitForAll());
  BatchSliceReductionTree tree = treeOf(slices);
  std::vector<size_t> sizes;
  for (unsigned rank = 0; rank < collective.size(); ++rank)
    sizes.push_back(tree.runOf(rank).size() * (value.size() / slices));
  return collective.gather(value, sizes);
}
