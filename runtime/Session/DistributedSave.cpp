//===- DistributedSave.cpp - Checkpoints that all ranks write -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/DistributedSave.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Session/SavedVariables.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace ingot;

// The flags that a rank's vote may have (see the phases of a save at the
// class).
enum : uint8_t { Starts = 1, Ready = 2, Written = 4, Ended = 8 };

// The first character of the text that a rank sends in gatherEntries(). It says
// what follows: the rank's index entries, or the message of its failure.
static constexpr char entriesTag = 'e', failureTag = 'f';

// The shard number of a variable that the checkpoint does not contain.
static constexpr uint32_t noShard = UINT32_MAX;

DistributedSave::DistributedSave(RankGroup &ranks, Session &session)
    : theRanks(ranks), session(session) {
  ranks.observeVotes(this);
}

DistributedSave::~DistributedSave() {
  theRanks.stopObserving(this);
  cancel();
  writer.join();
}

void DistributedSave::start(StateToSave &state) {
  const ingot_program &program = session.program();
  std::map<std::pair<std::string, std::string>, size_t> known;
  std::vector<SavedVariableOrSlice> variables =
      variableItems(program, sessionSaver(program));
  for (size_t i = 0; i < variables.size(); ++i)
    known.emplace(std::pair(variables[i].key, variables[i].slice), i);
  std::vector<uint32_t> all =
      shardsOfItems(program, variables, theRanks.size());
  std::vector<uint32_t> shards(variables.size(), noShard);
  for (TensorToSave &item : state.items) {
    item.shard = 0;
    auto variable = known.find(std::pair(item.key, item.slice));
    if (variable == known.end() || item.dtype == INGOT_STRING)
      continue;
    item.shard = shards[variable->second] = all[variable->second];
  }
  std::lock_guard lock(mutex);
  plan.assign(reinterpret_cast<const char *>(shards.data()),
              shards.size() * sizeof(uint32_t));
  entries.reset();
  starts = true;
  ready = false;
}

void DistributedSave::end() {
  std::lock_guard lock(mutex);
  ended = true;
  starts = ready = false;
}

void DistributedSave::cancel() {
  {
    std::lock_guard lock(mutex);
    isCancelled = true;
  }
  changed.notify_all();
}

Status DistributedSave::begin(const std::string &prefix,
                              const std::string &parts) {
  std::lock_guard lock(mutex);
  place = packTexts({prefix, parts});
  theParts = parts;
  ready = true;
  return Status::ok();
}

Expected<std::vector<BundleIndexBuilder>> DistributedSave::finish() {
  ThreadActivity::ActivityScope activity("waits for the shards of other ranks",
                                         nullptr);
  std::unique_lock lock(mutex);
  waits = true;
  changed.wait(lock, [&] { return entries || isCancelled; });
  waits = false;
  if (!entries)
    return Status(StatusCode::Cancelled,
                  "the run ended before all ranks had written their shards");
  return std::move(*std::exchange(entries, std::nullopt));
}

uint8_t DistributedSave::flags() {
  if (!theRanks.isFirst())
    return isWritten ? Written : 0;
  std::lock_guard lock(mutex);
  return static_cast<uint8_t>((starts ? Starts : 0) | (ready ? Ready : 0) |
                              (waits ? Written : 0) | (ended ? Ended : 0));
}

Status DistributedSave::voted(std::span<const uint8_t> flags) {
  uint8_t first = flags[0];
  bool isFirst = theRanks.isFirst();
  if (first & Ended) {
    if (isFirst) {
      std::lock_guard lock(mutex);
      ended = false;
    } else {
      dropCopy();
    }
  }
  // Sends a text of rank 0 to all ranks, and ends its announcement. Reads the
  // text under the lock: rank 0's saver thread may have changed it since the
  // vote.
  auto send = [&](std::string &text, bool &announces) {
    std::string mine;
    if (isFirst) {
      std::lock_guard lock(mutex);
      mine = text;
      announces = false;
    }
    return theRanks.share(std::move(mine));
  };
  if (first & Starts) {
    INGOT_ASSIGN_OR_RETURN(std::string shards, send(plan, starts));
    if (!isFirst)
      copyOwnShard(shards);
  }
  if (first & Ready) {
    INGOT_ASSIGN_OR_RETURN(std::string packed, send(place, ready));
    if (!isFirst) {
      INGOT_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                             unpackTexts(packed));
      if (texts.size() != 2)
        return Status(StatusCode::DataLoss,
                      "a message from rank 0 is truncated");
      writeOwnShard(texts[0], texts[1]);
    }
  }
  bool allWritten = std::all_of(flags.begin(), flags.end(), [](uint8_t rank) {
    return (rank & Written) != 0;
  });
  return allWritten ? gatherEntries() : Status::ok();
}

/// Copies the variables of this rank's shard. Called on ranks other than 0.
void DistributedSave::copyOwnShard(const std::string &plan) {
  dropCopy();
  failure = Status::ok();
  const ingot_program &program = session.program();
  std::vector<SavedVariableOrSlice> own,
      all = variableItems(program, sessionSaver(program));
  if (plan.size() != all.size() * sizeof(uint32_t)) {
    failure =
        Status(StatusCode::DataLoss, "a message from rank 0 is truncated");
    return;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    std::memcpy(&all[i].shard, plan.data() + i * sizeof(uint32_t),
                sizeof(uint32_t));
    if (all[i].shard == theRanks.rank())
      own.push_back(all[i]);
  }
  auto collected = collectVariables(session.context(), own);
  failure = collected ? detachState(*collected, {}, session.context().threads)
                      : collected.takeStatus();
  if (failure.isOk())
    copy = std::move(*collected);
}

/// Writes this rank's shard on a thread of its own. Called on ranks other than
/// 0.
void DistributedSave::writeOwnShard(const std::string &prefix,
                                    const std::string &parts) {
  uint32_t shard = theRanks.rank();
  std::string path = temporaryShardPath(prefix, shard, theRanks.size(), parts);
  FileSystem &files = *session.context().fileSystem;
  if (failure.isOk() && !files.exists(parts))
    failure = Status(StatusCode::NotFound,
                     "'" + parts +
                         "', which rank 0 has made, does not exist here: with "
                         "--save-by-rank the model directory must be in a "
                         "folder that all ranks share");
  auto write = [this, &files, path, shard] {
    ThreadActivity::ActivityScope activity("writes a shard", nullptr);
    if (failure.isOk())
      written = writeShard(files, path, copy->items, shard);
    isWritten = true;
  };
  auto started = Thread::start("saver", write);
  if (started) {
    writer = std::move(*started);
    return;
  }
  // Without a thread, the shard is not written: if the training thread wrote
  // it, the other ranks would wait for this rank's vote.
  failure = started.takeStatus();
  isWritten = true;
}

/// Returns the error for the failure of rank `rank`, which has sent `message`.
Status DistributedSave::failureOf(unsigned rank, const std::string &message) {
  std::string parts;
  {
    std::lock_guard lock(mutex);
    parts = theParts;
  }
  // If rank 0 does not find the directory either, the directory was removed
  // during the save. Then `message` may be wrong: it may say that the ranks do
  // not share a folder.
  if (!session.context().fileSystem->exists(parts))
    return Status(StatusCode::NotFound,
                  "'" + parts + "' has been removed during the save");
  return Status(StatusCode::Internal, theRanks.nameOf(rank) + ": " + message);
}

/// Sends the index entries of all ranks to rank 0, whose saver thread waits for
/// them in finish().
Status DistributedSave::gatherEntries() {
  bool isFirst = theRanks.isFirst();
  std::string mine;
  if (!isFirst) {
    writer.join();
    isWritten = false;
    if (failure.isOk() && !written)
      failure = written.takeStatus();
    mine = failure.isOk() ? entriesTag + packTexts(written->texts())
                          : failureTag + std::string(failure.message());
    dropCopy();
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                         theRanks.gatherTexts(mine));
  if (!isFirst)
    return Status::ok();
  auto read = [&]() -> Expected<std::vector<BundleIndexBuilder>> {
    std::vector<BundleIndexBuilder> indices;
    for (unsigned rank = 1; rank < texts.size(); ++rank) {
      if (texts[rank].starts_with(failureTag))
        return failureOf(rank, texts[rank].substr(1));
      INGOT_ASSIGN_OR_RETURN(auto packed, unpackTexts(texts[rank].substr(1)));
      INGOT_ASSIGN_OR_RETURN(BundleIndexBuilder index,
                             BundleIndexBuilder::fromTexts(packed));
      indices.push_back(std::move(index));
    }
    return indices;
  };
  auto found = read();
  {
    std::lock_guard lock(mutex);
    entries.emplace(std::move(found));
  }
  changed.notify_all();
  return Status::ok();
}

void DistributedSave::dropCopy() {
  writer.join();
  isWritten = false;
  copy.reset();
}
