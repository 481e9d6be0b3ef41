//===- DeviceValueMemory.h - Slices' values on a device ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_DEVICEVALUEMEMORY_H
#define INGOT_RUNTIME_SESSION_DEVICEVALUEMEMORY_H

#include "runtime/Collective/ValueMemory.h"
#include "runtime/Device/Device.h"

#include <string>

namespace ingot {

/// The memory of a session's device, as memory in which values of slices are
/// combined. Operations are launched, so that their failures may be found only
/// by later ones.
class DeviceValueMemory final : public ValueMemory {
public:
  /// `failure` is the first failure of the session, which operations set.
  DeviceValueMemory(Device &device, Status &failure)
      : device(device), failure(failure) {}

  bool isOnHost() const override { return false; }
  std::shared_ptr<std::byte> allocate(size_t bytes) override;
  void reduce(ElementReduction how, std::byte *to, const std::byte *left,
              const std::byte *right, size_t count) override;
  void copy(std::byte *to, const std::byte *from, size_t bytes) override;
  void fetch(std::span<const FetchedBytes> copies) override;
  void put(std::byte *to, const std::byte *from, size_t bytes) override;
  const Status &status() const override { return failure; }

private:
  Device &device;
  Status &failure;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DEVICEVALUEMEMORY_H
