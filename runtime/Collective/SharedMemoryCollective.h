//===- SharedMemoryCollective.h - Ranks of one machine ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks on one machine read each other's messages where they are, in memory
// that all of them map. MPI libraries copy a message twice, or once if the
// system lets them read the memory of another process.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_SHAREDMEMORYCOLLECTIVE_H
#define INGOT_RUNTIME_COLLECTIVE_SHAREDMEMORYCOLLECTIVE_H

#include "runtime/Collective/CollectiveEngine.h"
#include "runtime/Collective/SharedMessageMemory.h"

#include <atomic>
#include <optional>
#include <vector>

namespace ingot {

class RankPolling;

/// An engine whose ranks read large messages in place, and gather large values
/// through memory that they share. All other calls are those of the engine
/// below it.
///
/// Each rank has a control block, which all ranks map. It counts the calls that
/// the rank has begun, and says where the messages of the last two calls are. A
/// rank that has begun call n has read the messages of call n - 1. So when all
/// have begun it, those messages may be changed, and so may the places of their
/// locations.
class SharedMemoryCollective final : public CollectiveEngine {
public:
  /// Puts an engine with shared memory on top of `engine` if all ranks are on
  /// one machine and may map each other's memory; otherwise leaves `engine` as
  /// it is. All ranks must call this function.
  static Status connect(std::unique_ptr<CollectiveEngine> &engine);

  ~SharedMemoryCollective() override;

  std::string version() const override { return below->version(); }
  const std::string &library() const override { return below->library(); }
  WaitLimits waitLimits() override { return limits; }
  Status finalize() override { return below->finalize(); }

  unsigned rank() const override { return below->rank(); }
  unsigned size() const override { return below->size(); }

  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override {
    return below->exchange(send, receive);
  }
  Status gather(Bytes all, std::span<const size_t> sizes) override;
  Status broadcast(Bytes bytes, unsigned root) override {
    return below->broadcast(bytes, root);
  }

  ValueMemory &messageMemory() override { return memory; }
  bool readsInPlace() const override { return true; }
  Status exchangeInPlace(std::span<const ConstBytes> send,
                         std::span<Bytes> receive) override;
  Status gatherFrom(ConstBytes mine, Bytes all,
                    std::span<const size_t> sizes) override;
  Status waitForReaders() override;

  void setAwaited(bool awaited) override {
    isAwaited = awaited;
    below->setAwaited(awaited);
  }
  [[noreturn]] void abort(const Status &why) override { below->abort(why); }
  Status progress() override { return below->progress(); }
  void waitForErrorsOfLowerRanks() override {
    below->waitForErrorsOfLowerRanks();
  }
  [[noreturn]] void endAll(int exitCode) override { below->endAll(exitCode); }

private:
  struct ControlBlock;
  struct Greeting;
  class Peer;
  /// Memory for messages, which grows.
  struct SharedBuffer {
    std::shared_ptr<std::byte> data;
    size_t size = 0;
  };

  explicit SharedMemoryCollective(CollectiveEngine *below);
  size_t controlBytes() const;
  Greeting greet();
  bool openPeers(std::span<const Greeting> greetings);
  Status gatherParts(ConstBytes mine, Bytes all, std::span<const size_t> sizes,
                     bool copiesMine);
  Status call(const char *what, std::span<const SharedMessageLocation> sent,
              std::span<Bytes> received);
  Status waitFor(unsigned peer, RankPolling &polling);

  CollectiveEngine *below;
  std::unique_ptr<CollectiveEngine> owned; // `below`, once all ranks connected
  const WaitLimits limits;
  SharedMessageMemory memory;
  /// This rank's parts of the last two values of gather(). That of the last
  /// one may still be read.
  SharedBuffer gathered[2];
  std::optional<SharedFileMapping> control;
  std::vector<Peer> peers; // that of this rank is not used
  uint64_t numCalls = 0;
  std::atomic<bool> isAwaited = true;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_SHAREDMEMORYCOLLECTIVE_H
