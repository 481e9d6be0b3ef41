//===- ShardedVariables.h - Variables divided among ranks -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Variables that `ingotc --shard-optimizer` divides among the ranks that train
// together: slots of optimizers. Their elements form parts of equal size
// (ingot_variable.shards). Between two steps, a rank has only the parts of its
// own slices; the memory of the other parts is released.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SHARDEDVARIABLES_H
#define INGOT_RUNTIME_SESSION_SHARDEDVARIABLES_H

#include "runtime/Session/Context.h"
#include "runtime/Session/RankGroup.h"

namespace ingot {

/// Releases the memory of the parts that belong to other ranks. Called on each
/// rank after broadcastState(), when it has all parts.
void dropOtherParts(const RankGroup &ranks, const ingot_context &context);

/// Gathers the parts of divided variables for checkpoints. A rank saves a
/// variable, its *writer*, and gets all of its parts: rank 0, or the rank whose
/// shard of the checkpoint has the variable.
class ShardedVariables final : public RankVoteObserver {
public:
  /// Takes part in the votes of `ranks`, after the observers that are there
  /// already. `ranks` and `context` must outlive this object. If `savesByRank`,
  /// all ranks write shards of checkpoints.
  ShardedVariables(RankGroup &ranks, ingot_context &context, bool savesByRank);
  ~ShardedVariables() override;

  /// Whether a program has variables that ranks divide.
  static bool existIn(const ingot_program &program);

  RankGroup &ranks() { return theRanks; }
  /// Returns the rank that saves variable `index`, or std::nullopt if the
  /// variable is not divided.
  std::optional<unsigned> writerOf(uint32_t index) const;

  /// Rank 0, between two steps: make all ranks send their parts to the writers,
  /// or to rank 0. A writer other than rank 0 has all parts until the end of
  /// the next vote.
  Status gatherOnWriters();
  Status gatherOnFirst();
  /// Rank 0: releases other ranks' parts, after the variables were copied.
  void release();

  uint8_t flags() override;
  Status voted(std::span<const uint8_t> flags) override;

private:
  Status ask(uint8_t flag);
  Status gatherVariable(uint32_t index, unsigned writer);
  Status shareInitial();

  RankGroup &theRanks;
  ingot_context &context;
  std::vector<std::optional<unsigned>> writers; // by variable
  uint8_t asked = 0;       // the flag by which rank 0 asks the ranks to gather
  bool isGathered = false; // this rank has parts of other ranks
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SHARDEDVARIABLES_H
