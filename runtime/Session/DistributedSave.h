//===- DistributedSave.h - Checkpoints that all ranks write -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint in as many shards as there are ranks, of which each rank writes
// one. All ranks have the same variables between two steps, so only names of
// tensors, of files, and index entries pass between them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H
#define INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H

#include "runtime/Checkpoint/RemoteShards.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/Ranks.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace ingot {

/// One rank's part in the checkpoints that all ranks write. Ranks agree in
/// their votes (Ranks.h), so training goes on while shards are written:
///
/// 1. Rank 0 has copied its state, and `starts` a save in the next vote. It
///    sends the shards of all tensors; each rank copies those of its own shard.
/// 2. Rank 0's saver thread has made the directory of the parts: `ready`. Rank
///    0 sends its path, and the other ranks write on threads of their own.
/// 3. All have `written` their shards. The ranks gather the index entries, and
///    rank 0's saver thread writes the index and renames the files.
/// 4. The save has `ended`, well or not, and the ranks drop their copies.
class DistributedSave final : public RemoteShards, public VoteParticipant {
public:
  /// Takes part in the votes of `ranks`. `ranks` and `session` must outlive
  /// this object.
  DistributedSave(Ranks &ranks, Session &session);
  ~DistributedSave() override;

  Ranks &ranks() { return theRanks; }

  /// Rank 0: distributes the variables of `state` over the ranks, by their
  /// bytes, and announces the save in the next vote. All else is in shard 0.
  /// Must be called in the step after which `state` was copied.
  void start(StateToSave &state);

  /// Rank 0, on the saver's thread: announces that the save has ended.
  void end();

  /// Rank 0: makes a finish() that waits on the saver's thread fail. Called
  /// when the ranks will not vote again.
  void cancel();

  // RemoteShards, of rank 0, on the saver's thread.
  Status begin(const std::string &prefix, const std::string &parts) override;
  Expected<std::vector<BundleIndexBuilder>> finish() override;

  // VoteParticipant, on the training thread.
  uint8_t flags() override;
  Status voted(std::span<const uint8_t> flags) override;

private:
  void copyOwnShard(const std::string &plan);
  void writeOwnShard(const std::string &prefix, const std::string &parts);
  Status gatherEntries();
  Status failureOf(unsigned rank, const std::string &message);
  void dropCopy();

  Ranks &theRanks;
  Session &session;

  // Rank 0's announcements and what the saver's thread waits for.
  std::mutex mutex;
  std::condition_variable changed;
  bool starts = false, ready = false, ended = false, waits = false;
  bool isCancelled = false;
  std::string plan, place; // the texts that rank 0 sends in phases 1 and 2
  std::string theParts;    // the directory of the parts, of `place`
  std::optional<Expected<std::vector<BundleIndexBuilder>>> entries;

  // The shard of another rank.
  std::optional<StateToSave> copy;
  Status failure; // of the copy or the write, reported in phase 3
  Expected<BundleIndexBuilder> written = BundleIndexBuilder();
  std::atomic<bool> isWritten = false;
  Thread writer;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H
