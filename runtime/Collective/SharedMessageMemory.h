//===- SharedMessageMemory.h - Memory that ranks share ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a process that other processes of the same user on the same machine
// can map, and their mappings of it. It consists of anonymous files
// (memfd_create), which others open in /proc/PID/fd. So nothing is left behind
// when a process is killed, and the size of /dev/shm does not matter.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_SHAREDMESSAGEMEMORY_H
#define INGOT_RUNTIME_COLLECTIVE_SHAREDMESSAGEMEMORY_H

#include "runtime/Collective/ValueMemory.h"
#include "runtime/Support/Expected.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ingot {

/// Identifies bytes of a process's SharedMessageMemory for other processes.
struct SharedMessageLocation {
  uint64_t size = 0;       // of the message, in bytes
  uint64_t file = 0;       // the number of the file, from 1; 0: there is none
  uint64_t fileSize = 0;   // in bytes
  uint64_t offset = 0;     // in the file
  int64_t descriptor = -1; // of the file, in its process
};

/// A mapping of a file that processes share.
class SharedFileMapping {
public:
  /// Creates a file of `size` bytes, which are zero.
  static Expected<SharedFileMapping> create(size_t size);
  /// Maps a file of process `process`, which must be an anonymous file of
  /// create() with `size` bytes. Fails if this process may not open it, for
  /// instance because it is in a container of its own.
  static Expected<SharedFileMapping> open(int64_t process, int64_t descriptor,
                                          size_t size);

  SharedFileMapping(SharedFileMapping &&other) noexcept;
  ~SharedFileMapping();

  std::byte *data() const { return address; }
  size_t size() const { return numBytes; }
  /// The descriptor of a file that this process has created.
  int descriptor() const { return file; }

private:
  SharedFileMapping() = default;
  Status map(size_t size);

  int file = -1;
  std::byte *address = nullptr;
  size_t numBytes = 0;
};

/// Memory that this process shares. Its allocations are ranges of few large
/// files. Several threads may use it.
class SharedMessageMemory final : public ValueMemory {
public:
  /// Creates the first file. Fails if this process has a limit on the size of
  /// files or of its address space: a later allocation might exceed it.
  Status createFirstFile();

  std::shared_ptr<std::byte> allocate(size_t bytes) override;
  void reduce(ElementReduction how, std::byte *to, const std::byte *left,
              const std::byte *right, size_t count) override;
  void copy(std::byte *to, const std::byte *from, size_t bytes) override;
  void fetch(std::span<const FetchedBytes> copies) override;
  void put(std::byte *to, const std::byte *from, size_t bytes) override;
  const Status &status() const override { return isFailed ? failure : success; }

  /// Returns where other processes find these bytes, which must be part of an
  /// allocation.
  SharedMessageLocation locationOf(std::span<const std::byte> bytes) const;

  /// Tells that other processes no longer read what was freed before the last
  /// call of this function. Only then is its memory allocated again.
  void freedIsUnread();

private:
  /// A range that was freed, and how often freedIsUnread() had been called.
  struct FreedRange {
    std::byte *data;
    uint64_t time;
  };

  Status addFile(size_t size);
  Expected<std::byte *> reserve(size_t size);

  mutable std::mutex mutex;
  std::vector<SharedFileMapping> files;
  size_t used = 0; // bytes of the last file
  std::multimap<size_t, FreedRange> freed;
  uint64_t now = 0;
  // `failure` is set once, and then `isFailed`.
  std::atomic<bool> isFailed = false;
  Status failure, success;
};

/// This process's mappings of the files that another process shares.
class PeerMessageMemory {
public:
  explicit PeerMessageMemory(int64_t process) : process(process) {}

  /// Returns the bytes at a location that the other process has sent.
  Expected<std::span<std::byte>> map(const SharedMessageLocation &location);

private:
  int64_t process;
  std::map<uint64_t, SharedFileMapping> files;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_SHAREDMESSAGEMEMORY_H
