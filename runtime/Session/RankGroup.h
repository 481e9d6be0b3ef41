//===- RankGroup.h - Steps of several processes in lock-step ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The processes that train one program together (runtime/Collective). Rank 0
// prepares the state, saves and reports; the other ranks receive its state and
// run the same steps. Before each step, all ranks agree whether to run it.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_RANKGROUP_H
#define INGOT_RUNTIME_SESSION_RANKGROUP_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/WaitLimits.h"
#include "runtime/Support/Expected.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

class Session;

/// The vote that a rank sends to all other ranks before each step: whether the
/// rank stops, and why.
struct RankStopVote {
  int64_t step = 0; // the global step
  int signal = 0;   // the stop signal that it has caught, or 0
  bool stops = false;
  bool inputEnded = false;
};

/// A participant in the votes that ranks take before each step. It adds its own
/// flags to this rank's votes, and acts on the flags of all ranks. Called on
/// the training thread.
class RankVoteObserver {
public:
  virtual ~RankVoteObserver() = default;
  /// Returns this rank's flags for the vote that begins.
  virtual uint8_t flags() = 0;
  /// Called after a vote with the flags of all ranks, in their order. Exchanges
  /// with other ranks may depend on these flags only.
  virtual Status voted(std::span<const uint8_t> flags) = 0;
};

/// The activity of a rank. Between steps, hooks run, which save and evaluate.
enum class RankPhase { BetweenSteps, Step, Waiting };

class RankGroup {
public:
  /// `hosts` has the name of each rank's machine.
  RankGroup(Collective &collective, std::vector<std::string> hosts)
      : collective(collective), hosts(std::move(hosts)) {}

  unsigned rank() const { return collective.rank(); }
  unsigned size() const { return collective.size(); }
  bool isFirst() const { return rank() == 0; }
  Collective &engine() { return collective; }
  /// Sets whether gradients are exchanged while a step computes further
  /// gradients.
  void overlapExchanges(bool overlaps) { theOverlap = overlaps; }
  bool overlapsExchanges() const { return theOverlap; }
  /// Sets the limits of waits for other ranks that do not use engine().
  void limitWaits(WaitLimits limits) { theLimits = std::move(limits); }
  const WaitLimits &waitLimits() const { return theLimits; }
  /// Returns the name of a rank's machine.
  const std::string &hostOf(unsigned rank) const { return hosts[rank]; }
  /// Returns a rank's name for messages: "rank 1 (node2)".
  std::string nameOf(unsigned rank) const;

  /// Exchanges the votes of all ranks. Returns whether any rank stops, and
  /// remembers the first stop signal. Fails if ranks are at different steps, or
  /// if the input has ended on some ranks only, which means that their data
  /// differ.
  Expected<bool> stopsAny(const RankStopVote &mine);
  /// Called by rank 0 between two steps, while the other ranks are in
  /// stopsAny() or endVotes(): makes all ranks vote, so that their observers
  /// exchange flags. The ranks have to vote once more before the next step.
  Status voteBetween();
  /// Takes part in votes until rank 0 calls this function, too. If rank 0 may
  /// call voteBetween() after the last step, all ranks must call this function
  /// after their last step.
  Status endVotes();
  /// Add an observer of votes, whose flags must be bits of its own, and remove
  /// it. After a vote, observers are called in the order in which they were
  /// added.
  void observeVotes(RankVoteObserver *observer) {
    observers.push_back(observer);
  }
  void stopObserving(RankVoteObserver *observer) {
    std::erase(observers, observer);
  }

  /// signal() returns the stop signal of the lowest rank that has caught one,
  /// and signalled() returns that rank.
  int signal() const { return theSignal; }
  unsigned signalled() const { return theSignalled; }
  /// The last step that all ranks have agreed to run; read by other threads.
  int64_t lastStep() const { return step; }
  RankPhase phase() const { return thePhase; }
  void setPhase(RankPhase phase) { thePhase = phase; }

  /// Sends rank 0's `text` to all ranks, and returns it on each of them.
  Expected<std::string> share(std::string text);

  /// Collects one text from each rank, and returns all texts on every rank, in
  /// the order of ranks. All ranks must call this function.
  Expected<std::vector<std::string>> gatherTexts(const std::string &mine);

  /// Waits until all ranks have called this function, so that no rank ends
  /// before rank 0 has saved.
  Status waitForAll();

private:
  Expected<std::vector<uint64_t>> vote(const RankStopVote &mine, bool again);
  Status compare(std::span<const uint64_t> words) const;

  Collective &collective;
  std::vector<std::string> hosts;
  std::vector<RankVoteObserver *> observers;
  bool theOverlap = false;
  WaitLimits theLimits;
  int theSignal = 0;
  unsigned theSignalled = 0;
  std::atomic<int64_t> step = 0;
  std::atomic<RankPhase> thePhase = RankPhase::BetweenSteps;
};

/// Copies the state of rank 0's session to all other ranks: the global step,
/// the variables, the lookup tables and the positions of iterators. Makes the
/// other ranks' iterators at these positions.
Status broadcastState(RankGroup &ranks, Session &session);

/// packTexts() packs several strings into one, and unpackTexts() unpacks them.
std::string packTexts(const std::vector<std::string> &texts);
Expected<std::vector<std::string>> unpackTexts(std::string_view packed);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_RANKGROUP_H
