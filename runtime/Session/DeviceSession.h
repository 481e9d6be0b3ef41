//===- DeviceSession.h - Sessions with a device -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface of a session's device. It is abstract so that only programs
// with device code link the implementation (CoherentDeviceSession.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_DEVICESESSION_H
#define INGOT_RUNTIME_SESSION_DEVICESESSION_H

#include "runtime/ABI/Program.h"
#include "runtime/Collective/ValueMemory.h"
#include "runtime/Device/Device.h"
#include "runtime/Support/Expected.h"

#include <functional>
#include <memory>
#include <span>

struct ingot_context;

namespace ingot {

/// A variable to copy, and the host address to which its bytes are copied.
struct VariableDownload {
  uint32_t variable;
  void *to;
};

/// The memory of a BoundEntryPoint's fetches. It exists as long as `owner`
/// does.
struct FetchBuffer {
  std::span<uint8_t> bytes;
  std::weak_ptr<const void> owner;
};

/// The device of a session: runs launches there, and copies memory as needed.
/// Not thread-safe.
class DeviceSession {
public:
  using RunOnHost = std::function<void(const ingot_launch &)>;

  virtual ~DeviceSession() = default;

  /// begin() must be called before an entry (a compiled function) runs, with
  /// its arena and the memory of its fetches, and end() when it has returned.
  virtual Status begin(const ingot_entry &entry, std::span<uint8_t> arena,
                       const FetchBuffer &fetches) = 0;
  virtual void end() = 0;

  /// Tells the device that the memory of these tensors (feeds, or an iterator's
  /// element) will not change until the compiled function ends or hold() is
  /// called again. So one copy on the device is enough.
  virtual void hold(std::span<const ingot_tensor> tensors) = 0;

  /// Tells the device that only launches and copy() access the `size` bytes at
  /// `data`, until the entry ends or forget() is called with `data`. So the
  /// device may keep newer bytes without copying them to the host.
  virtual void keep(void *data, uint64_t size) = 0;
  virtual void forget(void *data) = 0;

  /// Runs launches of the current entry. If `showsAll` is true, copies all
  /// results to the host. Calls `runOnHost` for each launch whose kernel has no
  /// device code. After a failure, which status() returns, this and all further
  /// calls do nothing.
  virtual void run(std::span<const ingot_launch> rows, bool showsAll,
                   const RunOnHost &runOnHost) = 0;

  /// Copies bytes from a variable to the arena or the fetches of the compiled
  /// function that is running, or in the opposite direction. The copy runs on
  /// the device if the device has the newer bytes. status() returns failures.
  virtual void copy(void *to, const void *from, uint64_t size) = 0;

  /// Copies bytes that the program has computed to the host, if those on the
  /// device are newer. `data` is in the arena of the running entry, or in the
  /// fetches of an entry that has not run again since it computed them.
  virtual Status readMemory(const void *data, uint64_t size) = 0;

  /// Returns the device's memory if the device can combine values of slices
  /// that have this type and kind of exchange, otherwise null.
  virtual ValueMemory *memoryOfSlices(int32_t dtype,
                                      ingot_exchange_kind kind) = 0;
  /// Returns the address on the device of `size` bytes that the program has
  /// computed at `data`. Copies them to the device if those on the host are
  /// newer. Returns null after a failure.
  virtual std::byte *provideOnDevice(const void *data, uint64_t size) = 0;
  /// Returns the address on the device of memory of the program, to which
  /// `size` bytes will be written; null if there is none.
  virtual std::byte *placeOnDevice(void *data, uint64_t size) = 0;
  /// Record that the `size` bytes at `data` have been written on the device,
  /// which is done before host code runs that reads them, or on the host.
  virtual void wroteOnDevice(void *data, uint64_t size) = 0;
  virtual void wroteOnHost(void *data, uint64_t size) = 0;

  /// Describe and connect this device among those of other ranks, as
  /// Device::peer() and Device::connect() do. The collective must be destroyed
  /// before this session.
  virtual Expected<DevicePeer> peer() = 0;
  virtual Expected<std::unique_ptr<Collective>>
  connect(Collective &host, const WaitLimits &limits) = 0;

  /// Returns the first failure since the session began. After a failure the
  /// state of the session is lost.
  virtual const Status &status() const = 0;

  /// Make the host's copy of one variable (readVariable) or all variables
  /// (readVariables) current, by copying newer bytes from the device.
  virtual Status readVariable(uint32_t variable) = 0;
  virtual Status readVariables() = 0;
  /// Copies the current values of variables to other host memory. Values on the
  /// device are copied directly from there, so that the host needs no memory
  /// for a second copy.
  virtual Status takeVariables(std::span<const VariableDownload> copies) = 0;
  /// Record that the host has changed its copy of one variable, or of all.
  virtual void wroteVariable(uint32_t variable) = 0;
  virtual void wroteVariables() = 0;
};

/// Opens devices of one kind, such as CUDA GPUs. ingot_device.code points to an
/// object of this type.
struct DeviceSessionFactory {
  /// Opens device `which` for a context, whose variables must be allocated.
  /// `context` and `code` must not move afterwards. Returns Unavailable, naming
  /// the library that was tried, if there is no such device.
  Expected<std::unique_ptr<DeviceSession>> (*open)(ingot_context &context,
                                                   const ingot_device &code,
                                                   DeviceNumber which);
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DEVICESESSION_H
