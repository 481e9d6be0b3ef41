//===- DistributedSave.h - Checkpoints that all ranks write -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint that has one shard for each rank (process that trains together
// with the others); each rank writes its own shard. All ranks have the same
// variables between two steps, so they need not exchange values. They exchange
// only the names of tensors and files, and index entries.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H
#define INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H

#include "runtime/Checkpoint/RemoteShardWriters.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/Thread.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace ingot {

/// One rank's part in the checkpoints that all ranks write. Ranks communicate
/// when they vote before a step (RankGroup.h), so training goes on while shards
/// are written. A save has four phases:
///
/// 1. Rank 0 has copied its state, and announces the save in its next vote
///    (flag Starts). It sends the shard number of each variable; each other
///    rank copies the variables of its own shard.
/// 2. Rank 0's saver thread has made the directory for the shards of the
///    unfinished checkpoint, and announces it (flag Ready). Rank 0 sends the
///    directory's path, and the other ranks write their shards there, on
///    threads of their own.
/// 3. All ranks have announced that their shards are written (flag Written).
///    Rank 0 gathers the index entries; its saver thread writes the index and
///    renames the files.
/// 4. Rank 0 announces that the save has succeeded or failed (flag Ended), and
///    the other ranks drop their copies.
class DistributedSave final : public RemoteShardWriters,
                              public RankVoteObserver {
public:
  /// Takes part in the votes of `ranks`. `ranks` and `session` must outlive
  /// this object.
  DistributedSave(RankGroup &ranks, Session &session);
  ~DistributedSave() override;

  RankGroup &ranks() { return theRanks; }

  /// Rank 0: distributes the variables of `state` over the ranks, by their
  /// bytes, and announces the save in the next vote. Everything else is in
  /// shard 0. `state` must have been copied after the latest step, because the
  /// other ranks copy their variables in that vote.
  void start(StateToSave &state);

  /// Rank 0, on the saver's thread: announces that the save has ended.
  void end();

  /// Rank 0: ends the wait of the saver's thread in finish(), which then fails.
  /// Called when the ranks will not vote again.
  void cancel();

  // Implement RemoteShardWriters. Called on rank 0, on the saver's thread.
  Status begin(const std::string &prefix, const std::string &parts) override;
  Expected<std::vector<BundleIndexBuilder>> finish() override;

  // Implement RankVoteObserver. Called on the training thread.
  uint8_t flags() override;
  Status voted(std::span<const uint8_t> flags) override;

private:
  void copyOwnShard(const std::string &plan);
  void writeOwnShard(const std::string &prefix, const std::string &parts);
  Status gatherEntries();
  Status failureOf(unsigned rank, const std::string &message);
  void dropCopy();

  RankGroup &theRanks;
  Session &session;

  // Members of rank 0: its announcements, and what its saver thread waits for.
  std::mutex mutex;
  std::condition_variable changed;
  bool starts = false, ready = false, ended = false, waits = false;
  bool isCancelled = false;
  std::string plan, place; // the texts that rank 0 sends in phases 1 and 2
  std::string theParts;    // the directory for the shards, as in `place`
  std::optional<Expected<std::vector<BundleIndexBuilder>>> entries;

  // Members of the other ranks: the copy of the variables in this rank's shard,
  // and the state and result of writing the shard.
  std::optional<StateToSave> copy;
  Status failure; // failure to copy or write; sent in phase 3
  Expected<BundleIndexBuilder> written = BundleIndexBuilder();
  std::atomic<bool> isWritten = false;
  Thread writer;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DISTRIBUTEDSAVE_H
