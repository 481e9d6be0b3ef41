//===- CoherentDeviceSession.h - Memory on a device -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// If launches run on a device, a CoherentDeviceSession keeps host and device
// memory coherent. For each range of the arena, of variables, of fetches and of
// buffers of dynamic size, it records which side has the newer bytes. Ranges
// that the host has written are uploaded before launches that read them; ranges
// that host code reads (ingot_host_memory) are downloaded after the launches
// that compute them. Other results stay on the device until the host reads
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_COHERENTDEVICESESSION_H
#define INGOT_RUNTIME_SESSION_COHERENTDEVICESESSION_H

#include "runtime/Device/Device.h"
#include "runtime/Session/ByteRangeSet.h"
#include "runtime/Session/DeviceSession.h"
#include "runtime/Session/DeviceValueMemory.h"

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace ingot {

/// Runs a session's launches on one device, and keeps the session's memory
/// coherent between host and device.
class CoherentDeviceSession final : public DeviceSession {
public:
  static Expected<std::unique_ptr<DeviceSession>>
  create(ingot_context &context, std::unique_ptr<Device> device);

  Status begin(const ingot_entry &entry, std::span<uint8_t> arena,
               const FetchBuffer &fetches) override;
  void end() override;
  void hold(std::span<const ingot_tensor> tensors) override;
  void keep(void *data, uint64_t size) override;
  void forget(void *data) override;
  void run(std::span<const ingot_launch> rows, bool showsAll,
           const RunOnHost &runOnHost) override;
  void copy(void *to, const void *from, uint64_t size) override;
  Status readMemory(const void *data, uint64_t size) override;
  ValueMemory *memoryOfSlices(int32_t dtype, ingot_exchange_kind kind) override;
  std::byte *provideOnDevice(const void *data, uint64_t size) override;
  std::byte *placeOnDevice(void *data, uint64_t size) override;
  void wroteOnDevice(void *data, uint64_t size) override;
  void wroteOnHost(void *data, uint64_t size) override;
  Expected<DevicePeer> peer() override { return device->peer(); }
  Expected<std::unique_ptr<Collective>>
  connect(Collective &host, const WaitLimits &limits) override {
    return device->connect(host, limits);
  }
  const Status &status() const override { return failure; }
  Status readVariable(uint32_t variable) override;
  Status readVariables() override;
  Status takeVariables(std::span<const VariableDownload> copies) override;
  void wroteVariable(uint32_t variable) override {
    state[variable] = NewerSide::host;
  }
  void wroteVariables() override {
    state.assign(state.size(), NewerSide::host);
  }

private:
  /// Which side has the newer bytes of a range of memory, as in a write-back
  /// cache. A side that writes becomes the newer one. Before the other side
  /// reads, the bytes are copied to it; then both are equal (`none`).
  enum class NewerSide : uint8_t { none, host, device };
  /// A range of an entry's arena that the entry's host code reads or writes:
  /// the code between launches, which runs on the CPU.
  struct HostAccessedArenaRange {
    ByteRange range;
    bool isWritten;
  };
  /// The device memory of one entry (a compiled function), and the host memory
  /// that the entry's host code accesses. Host code is the code between
  /// launches, which always runs on the CPU.
  struct EntryDeviceMemory {
    DeviceMemory arena;
    uint64_t arenaSize = 0;
    std::vector<HostAccessedArenaRange> touched;
    std::vector<uint32_t> readByHost;    // variables that host code accesses
    std::vector<uint32_t> writtenByHost; // variables that host code writes
    /// True if the entry's code between launches, which runs on the CPU, reads
    /// or writes fetches by itself, rather than calling DeviceSession::copy().
    /// The CoherentDeviceSession is not told of these accesses.
    bool accessesFetches = false;
    /// Device copies of host memory that is neither in the arena nor in a
    /// variable. The key is the argument slot that points to the host memory.
    std::unordered_map<uint32_t, DeviceMemory> copies;
    /// Staging buffers for feeds and iterators' elements. The key is the
    /// argument slot that points to them. The next element can be uploaded
    /// while launches still read the previous one.
    std::unordered_map<uint32_t, std::unique_ptr<DeviceStagingBuffers>> staged;
  };
  /// A block of host memory with a mirror on the device: the fetches of a
  /// BoundEntryPoint, whose values are valid until it runs again, or a buffer
  /// of dynamic size for which keep() was called.
  struct HostMirroredDeviceBlock {
    uint8_t *host = nullptr;
    DeviceMemory memory; // same layout as on the host; allocated at first use
    uint64_t size = 0;
    /// True if the entry's code between launches, which runs on the CPU, reads
    /// or writes the block by itself, rather than calling
    /// DeviceSession::copy(). The CoherentDeviceSession is not told of these
    /// accesses.
    bool isTouched = false;
    /// The ranges whose latest bytes are only on the device (`newer`), and
    /// those whose latest bytes are only on the host (`newerOnHost`).
    ByteRangeSet newer, newerOnHost;
    std::weak_ptr<const void> owner = {}; // for fetches: FetchBuffer::owner
  };
  /// What a host address points to: which memory it lies in, and the address of
  /// the same bytes on the device.
  struct ResolvedHostAddress {
    enum Kind { inArena, inVariable, inBlock, elsewhere } kind;
    ByteRange range; // offsets in the arena or the block
    uint32_t variable = 0;
    HostMirroredDeviceBlock *block = nullptr;
    DeviceAddress address = 0;
  };
  /// A range of host memory that is neither in the arena nor in a variable,
  /// such as a feed, with the address of its copy on the device.
  struct MirroredHostRange {
    uintptr_t begin, end;
    DeviceAddress place;
    uint32_t slot = 0; // slot whose staging buffer has the copy
  };
  /// The next launches to pass to the device, and the downloads of results that
  /// follow after all of them.
  struct QueuedLaunches {
    std::vector<DeviceLaunch> launches;
    std::vector<DeviceToHostCopy> downloads;
    std::vector<MirroredHostRange> foreign;
  };

  CoherentDeviceSession(ingot_context &context, const Device &device)
      : context(context), kernels(device.kernels()) {}
  Expected<EntryDeviceMemory *> mirrorOf(const ingot_entry &entry);
  Status runRows(std::span<const ingot_launch> rows,
                 const RunOnHost &runOnHost);
  bool counts(const ingot_launch &row) const;
  bool needsFlush(const ingot_launch &row, bool isCounter) const;
  bool readsPartOfCopy(const ingot_launch &row) const;
  bool hasHazard(const ingot_launch &row) const;
  Status add(const ingot_launch &row);
  Status provideScratch(uint64_t size, const char *node);
  Expected<DeviceAddress> provide(uint32_t slot, uint64_t size, bool isOutput);
  Status provideArena(ByteRange range, bool isOutput);
  Status provideVariable(uint32_t variable, bool isOutput);
  Status provideBlock(const ResolvedHostAddress &place, bool isOutput);
  Status allocateBlock(ResolvedHostAddress &place);
  Expected<DeviceAddress> provideElsewhere(uint32_t slot, uint64_t size,
                                           bool isOutput);
  Status startLaunches();
  Status dropUnownedFetches();
  Status flush();
  Expected<DeviceAddress> provideHeld(MirroredHostRange &held, uint32_t slot);
  Status prepareForHost(const ingot_launch &row, bool isCounter);
  void noteHostResults(const ingot_launch &row);

  ResolvedHostAddress find(const void *data, uint64_t size) const;
  bool isNewerOnDevice(const ResolvedHostAddress &place) const;
  bool isTouchedByHost(const ResolvedHostAddress &place) const;
  Status copyOnDevice(ResolvedHostAddress to, const ResolvedHostAddress &from,
                      uint64_t size);
  Status launchPending();
  /// Copies the bytes of `place` from the device to the host if they are newer
  /// on the device.
  Status read(const ResolvedHostAddress &place, const void *data);
  Status readRanges(ByteRangeSet &newer, ByteRange range, DeviceAddress there,
                    uint8_t *here);
  /// Record that the device (noteComputed) or the host (noteWritten) has
  /// written the bytes of `place`. That side then has the newer bytes.
  void noteComputed(const ResolvedHostAddress &place);
  void noteWritten(const ResolvedHostAddress &place);
  void computedVariable(uint32_t variable);
  int64_t variableAt(const void *address) const;
  static uint64_t withRoom(uint64_t size);

  ingot_context &context;
  std::span<const ingot_device_kernel> kernels;
  std::unique_ptr<Device> device;
  DeviceMemory variables; // same layout as on the host
  DeviceMemory scratch;   // scratch memory of kernels that need a dynamic size
  /// Copies of slices' values that are in no memory of the program.
  DeviceMemory foreignValue;
  std::vector<NewerSide> state;
  std::unordered_map<const void *, DeviceMemory> constants;
  std::unordered_map<const ingot_entry *, EntryDeviceMemory> mirrors;
  std::unordered_map<const uint8_t *, HostMirroredDeviceBlock>
      allFetches; // keyed by host address
  /// The buffers of dynamic size of the compiled function that is running
  /// (keep()), keyed by host address.
  std::map<const uint8_t *, HostMirroredDeviceBlock> kept;
  /// Device memory of buffers that were in `kept` earlier, for reuse.
  std::vector<DeviceMemory> freeMemory;
  Status failure;
  std::unique_ptr<DeviceValueMemory> values; // created at the first use

  // The following members describe the compiled function (entry) that is
  // running.
  EntryDeviceMemory *mirror = nullptr;
  uint8_t *arena = nullptr;
  /// The ranges of the arena that are newer on the host, or on the device.
  /// Bytes in neither set are equal on host and device.
  ByteRangeSet newerOnHost, newerOnDevice;
  /// The host memory of the running entry's feeds and of the current elements
  /// of its iterators. `place` is 0 if the device has no copy yet.
  std::vector<MirroredHostRange> held;
  bool downloadsAll = false;
  QueuedLaunches batch;
  /// Copies from device memory to device memory that have not started yet. They
  /// become part of the next batch of launches, or start before the next
  /// download.
  std::vector<DeviceLaunch> pendingCopies;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_COHERENTDEVICESESSION_H
