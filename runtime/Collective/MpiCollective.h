//===- MpiCollective.h - Ranks that an MPI launcher started -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_MPICOLLECTIVE_H
#define INGOT_RUNTIME_COLLECTIVE_MPICOLLECTIVE_H

#include "runtime/Collective/CollectiveEngine.h"
#include "runtime/Collective/MpiLibrary.h"
#include "runtime/Support/Thread.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace ingot {

/// The processes of MPI_COMM_WORLD. Only one thread at a time calls MPI. If the
/// library supports MPI_THREAD_SERIALIZED, this is the thread that calls the
/// functions of this object. Otherwise it is the exchange thread, which has
/// initialized MPI (MPI_THREAD_FUNNELED). The functions start nonblocking
/// operations and poll them, with back-off. So they notice ranks that do not
/// answer, and do not occupy a core that other ranks may need.
class MpiCollective final : public CollectiveEngine {
public:
  /// Initializes MPI in this process. Returns when all ranks have called it.
  static Expected<std::unique_ptr<MpiCollective>>
  start(MpiLibrary library, CollectiveEngineOptions options);
  /// Ends the exchange thread, without finalizing MPI.
  ~MpiCollective() override;

  std::string version() const override { return theLibrary.version(); }
  const std::string &library() const override { return theLibrary.path; }
  WaitLimits waitLimits() override { return limits; }
  Status finalize() override;

  unsigned rank() const override { return theRank; }
  unsigned size() const override { return theSize; }

  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override;
  Status gather(Bytes all, std::span<const size_t> sizes) override;
  Status broadcast(Bytes bytes, unsigned root) override;
  void setAwaited(bool awaited) override { isAwaited = awaited; }
  [[noreturn]] void abort(const Status &why) override;
  Status progress() override;
  void waitForErrorsOfLowerRanks() override;
  [[noreturn]] void endAll(int exitCode) override;

  /// Sets the largest size of a message, in bytes; more bytes are sent in
  /// several messages. The default is 1 GiB, as MPI's lengths are ints. Tests
  /// set smaller sizes. The size must be the same on all ranks.
  void cutMessagesAt(size_t bytes) { pieceBytes = bytes; }

private:
  MpiCollective(MpiLibrary library, CollectiveEngineOptions options);
  Status init();
  void serve();
  Status run(const std::function<Status()> &calls);
  Status runOnThread(const std::function<Status()> &calls);

  // These functions are called by jobs of run().
  void *nextRequest();
  Status check(int error, const char *function) const;
  Status postSends(ConstBytes bytes, unsigned to);
  Status postReceives(Bytes bytes, unsigned from);
  Status postBroadcasts(Bytes bytes, unsigned root);
  Status wait(const char *what, size_t bytes);
  Status timedOut(const char *what);
  [[noreturn]] void abortNow();

  MpiLibrary theLibrary;
  CollectiveEngineOptions options;
  WaitLimits limits;
  unsigned theRank = 0, theSize = 1;

  Thread thread;
  /// The numbers of the last job that was given to the exchange thread, and of
  /// the last one that it has finished.
  std::atomic<uint32_t> given = 0, done = 0;
  const std::function<Status()> *job = nullptr;
  Status result;
  std::atomic<bool> stops = false;
  std::atomic<bool> isAwaited = true;
  std::atomic<bool> hasTimedOut = false;
  std::atomic<int> abortCode = 0; // not 0: the next thread to call MPI aborts
  /// Whether MPI permits calls by any thread, one at a time
  /// (MPI_THREAD_SERIALIZED). The thread that calls MPI must then hold
  /// `calling`.
  bool isSerialized = false;
  std::mutex calling;

  size_t pieceBytes = size_t(1) << 30;
  std::vector<std::byte> requests;
  size_t numRequests = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_MPICOLLECTIVE_H
