//===- DeviceMirror.h - A session's memory and kernels on a device -*- C++
//-*-===//
//
// Entries are code of the host that asks for rows of launches. Where these run
// on a device, this is who knows what lies where there, and what has to be
// copied: what the host has written goes up in front of rows that take it, what
// its code reads comes down behind the rows that compute it, all else stays.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_DEVICEMIRROR_H
#define INGOT_RUNTIME_SESSION_DEVICEMIRROR_H

#include "runtime/Device/Device.h"
#include "runtime/Session/DeviceSession.h"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace ingot {

/// Offsets into a block of memory.
struct ByteRange {
  uint64_t begin, end;
  bool isWritten; // by the host
};

class DeviceMirror final : public DeviceSession {
public:
  static Expected<std::unique_ptr<DeviceSession>>
  create(ingot_context &context, std::unique_ptr<Device> device);

  Status begin(const ingot_entry &entry) override;
  void end() override;
  void run(uint8_t *arena, std::span<const ingot_launch> rows, bool showsAll,
           const RunOnHost &runOnHost) override;
  const Status &status() const override { return failure; }
  Status readVariable(uint32_t variable) override;
  Status readVariables() override;
  void wroteVariable(uint32_t variable) override {
    state[variable] = Newer::host;
  }
  void wroteVariables() override { state.assign(state.size(), Newer::host); }

private:
  enum class Newer : uint8_t { none, host, device };
  /// What belongs to an entry.
  struct Mirror {
    DeviceMemory arena;
    uint64_t arenaSize = 0;
    std::vector<ByteRange> touched;    // of the arena, by the host
    std::vector<ByteRange> computed;   // by the device, since it began
    std::vector<uint32_t> readHere;    // variables that the host touches
    std::vector<uint32_t> writtenHere; // those of them that it writes
    /// What lies elsewhere, a feed or an element of an iterator, has a copy by
    /// the slot that points to it.
    std::unordered_map<uint32_t, DeviceMemory> copies;
    bool isShared = false; // with kernels on the host: all is touched
  };
  /// Memory of the host that launches of a batch point to.
  struct Foreign {
    uintptr_t begin, end;
    DeviceAddress place;
  };
  /// Launches between two points where the host has to wait.
  struct Batch {
    std::vector<DeviceLaunch> launches;
    std::vector<Download> downloads;
    std::vector<ByteRange> produced; // of the arena
    std::vector<Foreign> foreign;
  };

  DeviceMirror(ingot_context &context, const Device &device)
      : context(context), kernels(device.kernels()) {}
  Expected<Mirror *> mirrorOf(const ingot_entry &entry);
  Status runRows(std::span<const ingot_launch> rows,
                 const RunOnHost &runOnHost);
  bool takesParts(const ingot_launch &row) const;
  Status add(const ingot_launch &row);
  Expected<DeviceAddress> place(uint32_t slot, uint64_t size, bool isOutput);
  Status placeInArena(uint64_t offset, uint64_t size, bool isOutput);
  Status placeVariable(uint32_t variable, bool isOutput);
  Expected<DeviceAddress> placeElsewhere(uint32_t slot, uint64_t size,
                                         bool isOutput);
  Status flush();
  Status share();
  Status prepareForHost(const ingot_launch &row);
  void noteHostResults(const ingot_launch &row);
  int64_t variableAt(const void *address) const;

  ingot_context &context;
  std::span<const ingot_device_kernel> kernels;
  std::unique_ptr<Device> device;
  DeviceMemory variables; // laid out as the host's
  std::vector<Newer> state;
  std::unordered_map<const void *, DeviceMemory> constants;
  std::unordered_map<const ingot_entry *, Mirror> mirrors;
  Status failure;

  // While rows run.
  Mirror *mirror = nullptr;
  uint8_t *arena = nullptr;
  bool downloadsAll = false;
  Batch batch;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DEVICEMIRROR_H
