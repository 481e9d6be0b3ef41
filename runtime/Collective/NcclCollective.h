//===- NcclCollective.h - Moves bytes between GPUs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_NCCLCOLLECTIVE_H
#define INGOT_RUNTIME_COLLECTIVE_NCCLCOLLECTIVE_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/NcclLibrary.h"
#include "runtime/Collective/WaitLimits.h"

#include <memory>

namespace ingot {

/// The stream of a GPU on which NCCL's operations run, after the work that it
/// has already.
struct NcclStream {
  NcclLibrary::Stream handle = nullptr;
  /// Makes the GPU current on the calling thread.
  std::function<Status()> enter;
  /// Returns whether all work of the stream has ended, without waiting.
  std::function<Expected<bool>()> isIdle;
};

/// Moves bytes between the memory of GPUs by NCCL: each rank has a GPU of its
/// own, and bytes are passed by their addresses there. NCCL's reductions are
/// not used, because their order depends on the number of ranks. The
/// communicator does not block, so that a lost peer is noticed: the state of an
/// operation is polled until it has ended, with a time limit. After a failure
/// the communicator is aborted, so that no kernel of NCCL waits for ever.
class NcclCollective final : public Collective {
public:
  /// Connects the GPUs of all ranks of `host`, which passes on the id of the
  /// communicator and must outlive this object. All ranks must call it. Returns
  /// FailedPrecondition on all of them, with one message, if NCCL refuses on
  /// any of them to begin.
  static Expected<std::unique_ptr<NcclCollective>> start(NcclLibrary library,
                                                         Collective &host,
                                                         NcclStream stream,
                                                         WaitLimits limits);
  /// Aborts the communicator, which does not wait for other ranks: they may
  /// have failed. All ranks have ended the operations of this rank, as they
  /// vote after each step.
  ~NcclCollective() override;

  unsigned rank() const override { return host.rank(); }
  unsigned size() const override { return host.size(); }
  Status exchange(std::span<const ConstBytes> send,
                  std::span<const Bytes> receive) override;
  Status gather(Bytes all, std::span<const size_t> sizes) override;
  Status broadcast(Bytes bytes, unsigned root) override;
  [[noreturn]] void abort(const Status &why) override { host.abort(why); }

private:
  NcclCollective(NcclLibrary library, Collective &host, NcclStream stream,
                 WaitLimits limits)
      : library(std::move(library)), host(host), stream(std::move(stream)),
        limits(std::move(limits)) {}
  Status connect();
  Status begin(const NcclLibrary::UniqueId &id);
  Status agree(const Status &own);
  Status check(int result, const char *function) const;
  Status send(ConstBytes bytes, unsigned to) const;
  Status receive(Bytes bytes, unsigned from) const;
  Status transfer(const char *what, const std::function<Status()> &post);
  Status wait(const char *what, bool waitsForStream);
  Status fail(Status status);

  NcclLibrary library;
  Collective &host;
  NcclStream stream;
  WaitLimits limits;
  NcclLibrary::Comm comm = nullptr; // null after a failure
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_NCCLCOLLECTIVE_H
