//===- Device.h - Interface of devices to sessions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A device has memory of its own, runs kernels of a program one after the
// other, and is waited for only where something is copied back. Without one a
// session runs kernels on the host (Parallel.h). For one thread.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_DEVICE_H
#define INGOT_RUNTIME_DEVICE_DEVICE_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Expected.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// An address in a device's memory.
using DeviceAddress = uint64_t;

struct Upload {
  DeviceAddress to;
  const void *from;
  uint64_t size;
};

struct Download {
  void *to;
  DeviceAddress from;
  uint64_t size;
};

/// Memory of the device that a launch reads or writes.
struct DeviceRange {
  DeviceAddress begin, end;
  bool isWritten;
  bool operator==(const DeviceRange &) const = default;
};

/// A kernel of the program, its blocks and its parameters: addresses on the
/// device, and sizes.
struct DeviceLaunch {
  uint32_t kernel;
  const char *node; // whose work it is, for messages; lives as the program does
  int64_t blocks;
  std::vector<uint64_t> parameters;
  std::vector<DeviceRange> memory;
  bool operator==(const DeviceLaunch &) const = default;
};

/// Double-buffered memory of a device: it is refilled for later launches while
/// earlier ones still read its previous contents.
class DeviceStaging {
public:
  virtual ~DeviceStaging() = default;

  /// Copies, beside earlier launches where that pays; returns the address of
  /// the bytes until the next call. The source may change as soon as this
  /// returns.
  virtual Expected<DeviceAddress> fill(const void *from, uint64_t size) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  /// "NVIDIA H100 PCIe".
  virtual const std::string &name() const = 0;

  /// How the code that runs here has the program's kernels, by index.
  virtual std::span<const ingot_device_kernel> kernels() const = 0;

  /// Zeroed memory, aligned to INGOT_ALIGNMENT; ResourceExhausted, naming
  /// `what`, if there is not enough.
  virtual Expected<DeviceAddress> allocate(uint64_t size,
                                           std::string_view what) = 0;
  virtual void release(DeviceAddress address) = 0;

  /// Ordered after earlier launches. The source may change as soon as this
  /// returns.
  virtual Status upload(std::span<const Upload> copies) = 0;

  /// Given back before the device is.
  virtual std::unique_ptr<DeviceStaging> makeStaging() = 0;

  /// Ordered after earlier launches; returns when the bytes have arrived.
  virtual Status download(std::span<const Download> copies) = 0;

  /// Copies within the device, ordered after all earlier launches.
  virtual Status copy(DeviceAddress to, DeviceAddress from, uint64_t size) = 0;

  /// Runs launches as if one after the other, without waiting for them:
  /// failures may be reported by a later call. Launches without common memory
  /// may run concurrently. Rows that recur with the same parameters are the
  /// cheapest (CUDA graphs).
  virtual Status launch(std::span<const DeviceLaunch> launches) = 0;

  /// Waits for all that has been launched.
  virtual Status synchronize() = 0;
};

/// Memory of a device, given back with its owner.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    std::swap(device, other.device);
    std::swap(theAddress, other.theAddress);
    std::swap(theSize, other.theSize);
    return *this;
  }
  ~DeviceMemory() {
    if (device)
      device->release(theAddress);
  }

  static Expected<DeviceMemory> allocate(Device &device, uint64_t size,
                                         std::string_view what) {
    DeviceMemory memory;
    INGOT_ASSIGN_OR_RETURN(memory.theAddress, device.allocate(size, what));
    memory.device = &device;
    memory.theSize = size;
    return memory;
  }

  DeviceAddress address() const { return theAddress; }
  uint64_t size() const { return theSize; }

private:
  Device *device = nullptr;
  DeviceAddress theAddress = 0;
  uint64_t theSize = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_DEVICE_H
