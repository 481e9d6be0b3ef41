//===- Device.h - Interface of devices to sessions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface to a device, such as a GPU. A device has its own memory, and
// runs the kernels of a program one after the other. The host waits for the
// device only when bytes are copied back to the host. A session without a
// device runs kernels on the host (ParallelLoops.h). Not thread-safe.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_DEVICE_H
#define INGOT_RUNTIME_DEVICE_DEVICE_H

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Program.h"
#include "runtime/Collective/Collective.h"
#include "runtime/Collective/WaitLimits.h"
#include "runtime/Support/Expected.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// An address in the memory of a device; the host cannot access it.
using DeviceAddress = uint64_t;

struct HostToDeviceCopy {
  DeviceAddress to;
  const void *from;
  uint64_t size;
};

struct DeviceToHostCopy {
  void *to;
  DeviceAddress from;
  uint64_t size;
};

/// A range of the device's memory that a launch reads or writes.
struct AccessedDeviceRange {
  DeviceAddress begin, end;
  bool isWritten;
  bool operator==(const AccessedDeviceRange &) const = default;
};

/// A launch on the device: a kernel of the program, its number of blocks, and
/// its parameters, which are addresses on the device and sizes. It may also be
/// a copy from device memory to device memory (DeviceLaunch::copy), so that a
/// CUDA graph can contain copies as well as kernels.
struct DeviceLaunch {
  /// The index of the kernel among the program's kernels, or `copies` if the
  /// launch is a copy.
  uint32_t kernel;
  static constexpr uint32_t copies = ~0u;
  /// The name of the node in the user's graph, for messages. Must live as long
  /// as the program.
  const char *node;
  int64_t blocks;
  std::vector<uint64_t> parameters;
  std::vector<AccessedDeviceRange> memory;
  bool operator==(const DeviceLaunch &) const = default;

  bool isCopy() const { return kernel == copies; }
  /// Returns the launch of a copy of `size` bytes; error messages name `node`.
  /// Its parameters are `to`, `from` and `size`.
  static DeviceLaunch copy(DeviceAddress to, DeviceAddress from, uint64_t size,
                           const char *node) {
    return {copies,
            node,
            /*blocks=*/1,
            {to, from, size},
            {{from, from + size, false}, {to, to + size, true}}};
  }
};

/// Combines `count` elements of type `dtype` of `left` and `right`, as
/// exchanges of kind `kind` combine the values of slices. The results are
/// stored in `to`, which may be `left`.
struct DeviceReduction {
  int32_t dtype;
  ingot_exchange_kind kind;
  DeviceAddress to, left, right;
  uint64_t count;
};

/// Double-buffered memory of a device: it can be refilled for later launches
/// while earlier launches still read its previous contents.
class DeviceStagingBuffers {
public:
  virtual ~DeviceStagingBuffers() = default;

  /// Copies `size` bytes to the device; a large copy runs concurrently with
  /// earlier launches. Returns the address of the copy on the device, valid
  /// until the next call. The caller may change `from` as soon as the call
  /// returns.
  virtual Expected<DeviceAddress> fill(const void *from, uint64_t size) = 0;
};

/// Chooses one of a machine's devices. If `wraps`, the number is taken modulo
/// the number of devices that there are, so that processes which are numbered
/// from 0 share these devices.
struct DeviceNumber {
  unsigned number = 0;
  bool wraps = false;
};

/// A device among those of several ranks: a number that no other device has, as
/// text, and the name and version of the library that connects devices.
struct DevicePeer {
  std::string id, library;
};

class Device {
public:
  virtual ~Device() = default;

  /// Returns the device's name, such as "NVIDIA H100 PCIe".
  virtual const std::string &name() const = 0;

  /// Returns the table of the loaded image that describes the program's kernels
  /// (threads, grid, scratch memory), indexed by kernel.
  virtual std::span<const ingot_device_kernel> kernels() const = 0;

  /// Allocates zeroed memory, aligned to INGOT_ALIGNMENT. Returns
  /// ResourceExhausted if the device has too little memory; the message says
  /// that the memory was for `what`.
  virtual Expected<DeviceAddress> allocate(uint64_t size,
                                           std::string_view what) = 0;
  virtual void release(DeviceAddress address) = 0;

  /// Copies to the device, ordered after earlier launches. The caller may
  /// change the source as soon as the call returns.
  virtual Status upload(std::span<const HostToDeviceCopy> copies) = 0;

  /// Creates a staging buffer, which must be destroyed before the device.
  virtual std::unique_ptr<DeviceStagingBuffers> makeStaging() = 0;

  /// Copies from the device, ordered after earlier launches. Returns when the
  /// bytes have arrived.
  virtual Status download(std::span<const DeviceToHostCopy> copies) = 0;

  /// Starts launches and returns without waiting for them, so a later call may
  /// report their failure. The results are as if the launches ran one after the
  /// other; launches without common memory may run concurrently. A sequence of
  /// launches that was launched before with the same parameters takes less time
  /// to start (CUDA graphs).
  virtual Status launch(std::span<const DeviceLaunch> launches) = 0;

  /// Returns whether the device's code can combine values of slices that have
  /// this type and kind of exchange.
  virtual Expected<bool> canReduce(int32_t /*dtype*/,
                                   ingot_exchange_kind /*kind*/) {
    return false;
  }
  /// Starts to combine values, ordered as a launch is. canReduce() must have
  /// returned true for their type and kind.
  virtual Status reduce(const DeviceReduction & /*reduction*/) {
    return Status(StatusCode::Unimplemented,
                  "the device's code cannot combine values of slices");
  }

  /// Describes how this device can exchange bytes with those of other ranks.
  /// Fails with the reason if it cannot.
  virtual Expected<DevicePeer> peer() {
    return Status(StatusCode::Unimplemented,
                  "such devices do not exchange bytes with others");
  }
  /// Connects this device with those of the other ranks of `host`, which must
  /// outlive the returned collective, as must this device. The collective moves
  /// bytes by their addresses on the devices, ordered as launches are. All
  /// ranks must call it, on devices whose peer() has the same library and
  /// different ids. Returns FailedPrecondition on all ranks alike if the
  /// library refuses to connect the devices.
  virtual Expected<std::unique_ptr<Collective>>
  connect(Collective & /*host*/, const WaitLimits & /*limits*/) {
    return peer().takeStatus();
  }

  /// Waits until all launches have ended.
  virtual Status synchronize() = 0;
};

/// Owns a block of memory on a device, and frees it when destroyed.
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
