//===- FakeCollective.h - Ranks that are threads ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_COLLECTIVE_FAKECOLLECTIVE_H
#define INGOT_TEST_RUNTIME_COLLECTIVE_FAKECOLLECTIVE_H

#include "runtime/Collective/Collective.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ingot {

/// Ranks on threads of one process. A call of all ranks is carried out by the
/// last that makes it, which also checks that they agree.
class FakeCollectives {
public:
  /// With `readsInPlace`, ranks read messages where their senders have them.
  explicit FakeCollectives(unsigned ranks, bool readsInPlace = false);
  ~FakeCollectives();

  Collective &operator[](unsigned rank);

  /// Makes a rank's k-th call from now (0: the next one) fail, and all calls
  /// of others that depend on it.
  void failAt(unsigned rank, size_t call);
  /// Makes ranks wait before their calls, each for a random time.
  void delayCalls(unsigned seed) { delays = seed; }
  /// Calls `observer` after each call of all ranks.
  void afterCalls(std::function<void()> observer) {
    observe = std::move(observer);
  }
  /// Bytes that `rank` has sent to others.
  size_t bytesSent(unsigned rank) const;
  /// Number of calls that `rank` has made.
  size_t calls(unsigned rank) const;

  /// Calls `body` for each rank on a thread of its own. Returns what they
  /// return.
  std::vector<Status> run(const std::function<Status(Collective &)> &body);

private:
  class Rank;
  enum class Kind { Exchange, InPlace, Gather, Broadcast };
  struct Call {
    Kind kind = Kind::Exchange;
    std::span<const Collective::ConstBytes> send;
    std::span<const Collective::Bytes> receive;
    Collective::Bytes bytes;
    std::span<const size_t> sizes;
    unsigned root = 0;
    std::span<Collective::Bytes> places;
  };

  Status call(unsigned rank, const Call &call);
  void fail(unsigned rank);
  void carryOut();
  void exchange();
  void exchangeInPlace();
  void gather();
  void broadcast();
  void copy(unsigned from, unsigned to, Collective::ConstBytes bytes,
            Collective::Bytes place);
  void disagree(const std::string &what);

  bool readsInPlace;
  std::vector<std::unique_ptr<Rank>> ranks;
  std::vector<Call> current;
  std::mutex mutex;
  std::condition_variable changed;
  size_t numCalling = 0, generation = 0;
  unsigned delays = 0;
  std::function<void()> observe;
  Status broken, outcome; // outcome: of the last call
};

} // namespace ingot

#endif // INGOT_TEST_RUNTIME_COLLECTIVE_FAKECOLLECTIVE_H
