//===- ExchangedDeviceValues.cpp - Slices' values on a device -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code passes the values of slices to the runtime at their addresses
// on the host. These functions find the same bytes on the device, where the
// values are combined, and note where the newest bytes are then.
//
//===----------------------------------------------------------------------===//

#include "runtime/Session/CoherentDeviceSession.h"

#include "runtime/Session/Context.h"

using namespace ingot;

ValueMemory *CoherentDeviceSession::memoryOfSlices(int32_t dtype,
                                                   ingot_exchange_kind kind) {
  if (!failure.isOk())
    return nullptr;
  Expected<bool> can = device->canReduce(dtype, kind);
  if (!can)
    failure = can.takeStatus();
  if (!can || !*can)
    return nullptr;
  if (!values)
    values = std::make_unique<DeviceValueMemory>(*device, failure);
  return values.get();
}

std::byte *CoherentDeviceSession::provideOnDevice(const void *data,
                                                  uint64_t size) {
  if (failure.isOk())
    failure = launchPending();
  if (!failure.isOk())
    return nullptr;
  ResolvedHostAddress place = find(data, size);
  switch (place.kind) {
  case ResolvedHostAddress::inArena:
    failure = provideArena(place.range, /*isOutput=*/false);
    break;
  case ResolvedHostAddress::inVariable:
    failure = provideVariable(place.variable, /*isOutput=*/false);
    break;
  case ResolvedHostAddress::inBlock:
    failure = allocateBlock(place);
    if (failure.isOk())
      failure = provideBlock(place, /*isOutput=*/false);
    break;
  case ResolvedHostAddress::elsewhere:
    if (foreignValue.size() < size) {
      Expected<DeviceMemory> memory =
          DeviceMemory::allocate(*device, withRoom(size), "values of slices");
      if (!memory) {
        failure = memory.takeStatus();
        break;
      }
      foreignValue = std::move(*memory);
    }
    place.address = foreignValue.address();
    HostToDeviceCopy copy = {place.address, data, size};
    failure = device->upload({&copy, 1});
    break;
  }
  return failure.isOk() ? reinterpret_cast<std::byte *>(place.address)
                        : nullptr;
}

std::byte *CoherentDeviceSession::placeOnDevice(void *data, uint64_t size) {
  if (failure.isOk())
    failure = launchPending();
  if (!failure.isOk())
    return nullptr;
  ResolvedHostAddress place = find(data, size);
  if (place.kind == ResolvedHostAddress::inBlock)
    failure = allocateBlock(place);
  bool isThere = place.kind == ResolvedHostAddress::inArena ||
                 place.kind == ResolvedHostAddress::inBlock;
  return isThere && failure.isOk()
             ? reinterpret_cast<std::byte *>(place.address)
             : nullptr;
}

void CoherentDeviceSession::wroteOnDevice(void *data, uint64_t size) {
  ResolvedHostAddress place = find(data, size);
  noteComputed(place);
  if (failure.isOk() && isTouchedByHost(place))
    failure = read(place, data);
}

void CoherentDeviceSession::wroteOnHost(void *data, uint64_t size) {
  noteWritten(find(data, size));
}
