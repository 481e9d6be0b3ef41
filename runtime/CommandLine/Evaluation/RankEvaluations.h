//===- RankEvaluations.h - Evaluations by all ranks -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that train together divide the batches of an evaluation as they divide
// those of a step: each computes its slices, so the results have the same bits
// for any number of ranks. Rank 0 decides when to evaluate, restores the
// checkpoint and writes the results.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_RANKEVALUATIONS_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_RANKEVALUATIONS_H

#include "runtime/Session/RankGroup.h"

#include <functional>

namespace ingot {

/// Takes part in one evaluation of checkpoint `prefix`, on a rank other than 0.
using FollowEvaluation =
    std::function<Status(RankGroup &ranks, const std::string &prefix)>;

/// Makes all ranks begin an evaluation together.
class RankEvaluations final : public RankVoteObserver {
public:
  /// Takes part in the votes of `ranks`, after the observers that are there
  /// already. `ranks` must outlive this object.
  RankEvaluations(RankGroup &ranks, FollowEvaluation follow);
  ~RankEvaluations() override;

  RankGroup &ranks() { return theRanks; }

  /// Rank 0, between two steps: makes the other ranks take part in an
  /// evaluation, which rank 0 has to begin next.
  Status announce(const std::string &prefix);

  uint8_t flags() override;
  Status voted(std::span<const uint8_t> flags) override;

private:
  RankGroup &theRanks;
  FollowEvaluation follow;
  std::string announced; // rank 0: the checkpoint to evaluate; "": none
};

/// How a run that trains may evaluate with all of its ranks. `evaluations` is
/// set while several ranks train.
struct RankEvaluationSetup {
  FollowEvaluation follow;
  RankEvaluations *evaluations = nullptr;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_RANKEVALUATIONS_H
