//===- Mixtures.h - Ensembles of members ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_MIXTURES_H
#define INGOT_COMPILER_ENSEMBLE_MIXTURES_H

#include "compiler/Ensemble/Candidates.h"

namespace ingot::ensemble {

/// Scope of variables that no optimizer changes.
inline constexpr graph::VariableOptions untrained = {.trainable = false};

/// An ensemble in the open entry.
struct Mixture {
  graph::Tensor logits;
  /// Sum over members of (lambda * complexity + beta) * |weight|; invalid if
  /// the ensemble has none.
  graph::Tensor penalty;
  /// The members' weights for each head; none if the ensemble has none.
  std::vector<std::vector<graph::Tensor>> weights;
  /// The variables to train: of each member, and the bias.
  std::vector<graph::Variable> trained;
};

/// Builds `candidate` from `members`, its own members in order. The names of
/// its variables are AdaNet's. `isNew`: it belongs to this iteration; otherwise
/// its variables are frozen.
Mixture buildMixture(graph::Graph &graph, const Candidate &candidate,
                     const std::vector<adanet::Subnetwork> &members,
                     const std::vector<int64_t> &born,
                     const adanet::Head &head);

/// Makes the open entry initialize the weights of `candidate` for earlier
/// members with those of `previous`, the previous ensemble (AN-153).
void warmStart(graph::Graph &graph, const Candidate &candidate,
               const Candidate &previous, const adanet::Head &head);

/// The loss with a moving average: assigns the new average, biased average and
/// number of steps. `scope` is the candidate's.
graph::Tensor moveAverage(graph::Graph &graph, const std::string &scope,
                          graph::Tensor loss, double decay);
/// Makes the open entry reset it.
void resetAverage(graph::Graph &graph, const std::string &scope);
/// The variable of that average.
graph::Variable averageOf(graph::Graph &graph, const std::string &scope);

/// The index of the smallest finite number in `losses`, and the element with
/// this index of each list in `values`; `forceGrow` excludes the first
/// candidate.
std::vector<graph::Tensor>
selectBest(const std::vector<graph::Tensor> &losses,
           const std::vector<std::vector<graph::Tensor>> &values,
           bool forceGrow);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_MIXTURES_H
