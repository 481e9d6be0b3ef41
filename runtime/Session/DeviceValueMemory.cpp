//===- DeviceValueMemory.cpp - Slices' values on a device -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/DeviceValueMemory.h"

#include <vector>

using namespace ingot;

static DeviceAddress addressOf(const std::byte *data) {
  return reinterpret_cast<uintptr_t>(data);
}

static ingot_exchange_kind kindOf(Reduction reduction) {
  switch (reduction) {
  case Reduction::Max:
    return INGOT_EXCHANGE_MAX;
  case Reduction::Min:
    return INGOT_EXCHANGE_MIN;
  case Reduction::Sum:
    break;
  }
  return INGOT_EXCHANGE_SUM;
}

std::shared_ptr<std::byte> DeviceValueMemory::allocate(size_t bytes) {
  if (!failure.isOk())
    return nullptr;
  Expected<DeviceMemory> memory =
      DeviceMemory::allocate(device, bytes, "sums over slices");
  if (!memory) {
    failure = memory.takeStatus();
    return nullptr;
  }
  auto owner = std::make_shared<DeviceMemory>(std::move(*memory));
  return {owner, reinterpret_cast<std::byte *>(owner->address())};
}

void DeviceValueMemory::reduce(ElementReduction how, std::byte *to,
                               const std::byte *left, const std::byte *right,
                               size_t count) {
  if (failure.isOk())
    failure = device.reduce({how.dtype, kindOf(how.reduction), addressOf(to),
                             addressOf(left), addressOf(right), count});
}

void DeviceValueMemory::copy(std::byte *to, const std::byte *from,
                             size_t bytes) {
  if (!failure.isOk() || bytes == 0)
    return;
  DeviceLaunch launch =
      DeviceLaunch::copy(addressOf(to), addressOf(from), bytes, "slices");
  failure = device.launch({&launch, 1});
}

void DeviceValueMemory::fetch(std::span<const FetchedBytes> copies) {
  if (!failure.isOk())
    return;
  std::vector<DeviceToHostCopy> downloads;
  for (const FetchedBytes &copy : copies)
    downloads.push_back({copy.to, addressOf(copy.from), copy.size});
  failure = device.download(downloads);
}

void DeviceValueMemory::put(std::byte *to, const std::byte *from,
                            size_t bytes) {
  if (!failure.isOk() || bytes == 0)
    return;
  HostToDeviceCopy copy = {addressOf(to), from, bytes};
  failure = device.upload({&copy, 1});
}
