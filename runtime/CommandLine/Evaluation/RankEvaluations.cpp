//===- RankEvaluations.cpp - Evaluations by all ranks ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/RankEvaluations.h"

#include <utility>

using namespace ingot;

// The flag by which rank 0 announces an evaluation. DistributedSave and
// ShardedVariables have the lower bits.
static constexpr uint8_t evaluates = 64;

RankEvaluations::RankEvaluations(RankGroup &ranks, FollowEvaluation follow)
    : theRanks(ranks), follow(std::move(follow)) {
  ranks.observeVotes(this);
}

RankEvaluations::~RankEvaluations() { theRanks.stopObserving(this); }

Status RankEvaluations::announce(const std::string &prefix) {
  announced = prefix;
  return theRanks.voteBetween();
}

uint8_t RankEvaluations::flags() { return announced.empty() ? 0 : evaluates; }

Status RankEvaluations::voted(std::span<const uint8_t> flags) {
  if ((flags[0] & evaluates) == 0)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(std::string prefix,
                         theRanks.share(std::exchange(announced, "")));
  // The votes before the batches of the evaluation take place in this call.
  return theRanks.isFirst() ? Status::ok() : follow(theRanks, prefix);
}
