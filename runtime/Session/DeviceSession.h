//===- DeviceSession.h - Sessions with a device -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An interface, so that only programs with code for a device link its
// implementation (DeviceMirror.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_DEVICESESSION_H
#define INGOT_RUNTIME_SESSION_DEVICESESSION_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Expected.h"

#include <functional>
#include <memory>
#include <span>

struct ingot_context;

namespace ingot {

/// A variable, and where its bytes go.
struct VariableCopy {
  uint32_t variable;
  void *to;
};

class DeviceSession {
public:
  using RunOnHost = std::function<void(const ingot_launch &)>;

  virtual ~DeviceSession() = default;

  /// An entry's own code is about to run, with its arena and the memory of its
  /// fetches, and has run.
  virtual Status begin(const ingot_entry &entry, std::span<uint8_t> arena,
                       std::span<uint8_t> fetches) = 0;
  virtual void end() = 0;

  /// Feeds, or an element of an iterator: their memory does not change until
  /// the entry ends or hold() is called again.
  virtual void hold(std::span<const ingot_tensor> tensors) = 0;

  /// Runs rows of the current entry; failures are reported by status(), and
  /// nothing more is run then. With `showsAll` the host sees all results.
  /// `runOnHost` runs a row whose kernel has no code for the device.
  virtual void run(std::span<const ingot_launch> rows, bool showsAll,
                   const RunOnHost &runOnHost) = 0;

  /// Copies bytes between variables, the arena and fetches of the current
  /// entry, on the side that has them; failures are reported by status().
  virtual void copy(void *to, const void *from, uint64_t size) = 0;

  /// Makes these bytes of the host's arena, while its entry runs, or of its
  /// fetches, until it runs again, those that the program computed.
  virtual Status readMemory(const void *data, uint64_t size) = 0;

  /// The first failure since the session began: its state is lost.
  virtual const Status &status() const = 0;

  /// Makes the host's copy of a variable, or of all, the one that the program
  /// computed.
  virtual Status readVariable(uint32_t variable) = 0;
  virtual Status readVariables() = 0;
  /// Copies variables' bytes, as the program computed them, to other memory of
  /// the host; those that the device has leave no copy here besides.
  virtual Status takeVariables(std::span<const VariableCopy> copies) = 0;
  /// The host has changed its copy of a variable, or of all.
  virtual void wroteVariable(uint32_t variable) = 0;
  virtual void wroteVariables() = 0;
};

/// How a kind of device is opened: the target of ingot_device.code.
struct DeviceKind {
  /// For a context with variables; both must not move. Unavailable, naming the
  /// library that was tried, if there is no device of that number.
  Expected<std::unique_ptr<DeviceSession>> (*open)(ingot_context &context,
                                                   const ingot_device &code,
                                                   unsigned number);
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DEVICESESSION_H
