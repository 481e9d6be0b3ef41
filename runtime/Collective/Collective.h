//===- Collective.h - Moves bytes between ranks -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The processes that train one program together are its ranks. A Collective
// moves bytes between them, and nothing else: sums are made by
// BatchSliceAllReduce, so that no bit of a result depends on the engine (MPI,
// NCCL) below this interface.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H
#define INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H

#include "runtime/Collective/ValueMemory.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <span>

namespace ingot {

/// All ranks make the same calls in the same order; each rank calls from one
/// thread at a time. A call returns when this rank's part of it is done. After
/// a failure of any rank, the calls of all other ranks fail too, or their
/// processes end. The only call that is allowed then is abort().
class Collective {
public:
  using Bytes = std::span<std::byte>;
  using ConstBytes = std::span<const std::byte>;

  virtual ~Collective();

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  /// Sends send[r] to each rank r, and receives receive[r] from it. `send` and
  /// `receive` have size() elements; those of this rank are ignored. send[r]
  /// must have the length of receive[rank()] on rank r. If send[r] is empty,
  /// rank r gets no message.
  virtual Status exchange(std::span<const ConstBytes> send,
                          std::span<const Bytes> receive) = 0;

  /// An all-gather: each rank contributes its bytes, and all ranks receive the
  /// bytes of all. `all` has sizes[r] bytes for each rank r, in the order of
  /// ranks and without gaps; the caller has stored the bytes of this rank
  /// there. `sizes` must be the same on all ranks.
  virtual Status gather(Bytes all, std::span<const size_t> sizes) = 0;

  /// Copies the bytes of rank `root` to all other ranks, whose `bytes` must
  /// have the same length.
  virtual Status broadcast(Bytes bytes, unsigned root) = 0;

  /// Returns the memory for messages that ranks can read in place, if this
  /// engine has such memory; otherwise the host's memory.
  virtual ValueMemory &messageMemory() { return hostValueMemory(); }
  /// Returns whether ranks read each other's messages in place, without a copy
  /// for each receiver.
  virtual bool readsInPlace() const { return false; }

  /// Like exchange(), but lets a rank read messages where the sender has them:
  /// if readsInPlace(), sets receive[r] to the memory of rank r. There, the
  /// caller may read and change the bytes until its next call. Senders may
  /// change messages, which must be in messageMemory(), once all receivers have
  /// made another call.
  virtual Status exchangeInPlace(std::span<const ConstBytes> send,
                                 std::span<Bytes> receive);

  /// Like gather(), but takes the bytes of this rank from `mine`, which must be
  /// in messageMemory(). Only for engines that read messages in place.
  virtual Status gatherFrom(ConstBytes mine, Bytes all,
                            std::span<const size_t> sizes);

  /// Waits until all ranks have read the messages of the last
  /// exchangeInPlace(). Returns at once if messages are copied.
  virtual Status waitForReaders() { return Status::ok(); }

  /// Sets whether a compute thread is blocked on the current call, which
  /// another thread makes. If it is not, the call should leave the cores to the
  /// threads that compute. May be called by any thread.
  virtual void setAwaited(bool /*isAwaited*/) {}

  /// Prints `why` to stderr, and ends all ranks.
  [[noreturn]] virtual void abort(const Status &why) = 0;
};

/// The collective of a process that trains alone: rank 0 of 1.
class SingleRankCollective final : public Collective {
public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 1; }
  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override;
  Status gather(Bytes all, std::span<const size_t> sizes) override;
  Status broadcast(Bytes bytes, unsigned root) override;
  [[noreturn]] void abort(const Status &why) override;
};

/// Called by a rank that has failed, before it prints its error. If several
/// ranks fail for the same reason, such as a missing file, only the lowest one
/// should print it. So this function waits long enough for the launcher to end
/// this process if a lower rank has failed too. Rank 0 does not wait.
void letLowerRanksSpeak(unsigned rank);

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H
