//===- Mixtures.h - Builds ensembles from members ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_MIXTURES_H
#define INGOT_COMPILER_ENSEMBLE_MIXTURES_H

#include "compiler/Ensemble/Candidates.h"

namespace ingot::ensemble {

/// Options of a variable that no optimizer updates.
inline constexpr graph::VariableOptions untrained = {.trainable = false};

/// The outputs, weights and variables of an ensemble that was added to an entry
/// of the program.
struct EnsembleTensors {
  graph::Tensor logits;
  /// The complexity penalty: the sum over members of (lambda * complexity +
  /// beta) * |weight|. An invalid tensor if lambda and beta are 0.
  graph::Tensor penalty;
  /// For each member, its mixture weights, one per head of a multi-head. Empty
  /// for a MeanEnsembler, which has no weights.
  std::vector<std::vector<graph::Tensor>> weights;
  std::vector<graph::Tensor> bias; // one per head; empty without bias
  /// Predictions besides those of the head.
  std::vector<adanet::NamedTensor> predictions;
  /// The variables that an optimizer trains: the weights of each member, and
  /// the bias.
  std::vector<graph::Variable> trained;
};

/// Builds `candidate`, an ensemble of `members`, in the entry that is being
/// built. Variables have the names that AdaNet gives them. If the ensembler is
/// in the user's C++ code, it receives `context`, which must list the same
/// members.
EnsembleTensors buildMixture(const Candidate &candidate,
                             const std::vector<adanet::Subnetwork> &members,
                             const adanet::Head &head,
                             adanet::EnsembleContext &context);

/// Initializes the weights of `candidate` with those that the same members have
/// in `previous`, the previous ensemble (AN-153): adds assignments to the entry
/// that is being built.
void warmStart(graph::Graph &graph, const Candidate &candidate,
               const Candidate &previous, const adanet::Head &head);

/// Updates the moving average of the loss of the candidate whose scope is
/// `scope` with `loss`: assigns the new average, the biased average and the
/// number of steps. Returns the new average.
graph::Tensor moveAverage(graph::Graph &graph, const std::string &scope,
                          graph::Tensor loss, double decay);
/// Sets the biased average and the number of updates of the candidate with
/// `scope` to 0, so that its moving average starts anew: adds assignments to
/// the entry that is being built.
void resetAverage(graph::Graph &graph, const std::string &scope);
/// Creates or finds the variable of the moving average of a candidate.
graph::Variable averageOf(graph::Graph &graph, const std::string &scope);

/// Returns the index of the smallest number in `losses`, ignoring NaN, followed
/// by the element at this index of each list in `values`. With `forceGrow`, the
/// first candidate is never selected, because it is the previous ensemble.
std::vector<graph::Tensor>
selectBest(const std::vector<graph::Tensor> &losses,
           const std::vector<std::vector<graph::Tensor>> &values,
           bool forceGrow);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_MIXTURES_H
