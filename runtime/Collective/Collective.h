//===- Collective.h - Moves bytes between ranks -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The processes that train one program together are its ranks. A Collective
// moves bytes between them, and nothing else: sums are made by SliceSum, so
// that no bit of a result depends on the engine (MPI, NCCL) below this
// interface.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H
#define INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <span>

namespace ingot {

/// All ranks make the same calls in the same order, each from one thread at a
/// time. A call returns when this rank's part of it is done. After a failure of
/// any rank, calls of all others fail too, or the process ends: there is no way
/// on but abort().
class Collective {
public:
  using Bytes = std::span<std::byte>;
  using ConstBytes = std::span<const std::byte>;

  virtual ~Collective();

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  /// Sends send[r] to each rank r and receives receive[r] from it; both have
  /// size() elements, and those of this rank are ignored. The length of send[r]
  /// has to be that of rank r's receive[rank()]; no bytes are no message.
  virtual Status exchange(std::span<const ConstBytes> send,
                          std::span<const Bytes> receive) = 0;

  /// Gathers each rank's bytes on all ranks. `all` holds sizes[r] bytes of each
  /// rank r, in order of ranks and without gaps; the caller has put this rank's
  /// into their place. `sizes` is the same on all ranks.
  virtual Status gather(Bytes all, std::span<const size_t> sizes) = 0;

  /// Copies rank `root`'s bytes to all other ranks, where they are as many.
  virtual Status broadcast(Bytes bytes, unsigned root) = 0;

  /// Ends all ranks, after this one has said why on stderr.
  [[noreturn]] virtual void abort(const Status &why) = 0;
};

/// The only rank.
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

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_COLLECTIVE_H
