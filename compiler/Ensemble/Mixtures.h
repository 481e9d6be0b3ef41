//===- Mixtures.h - Ensembles on top of their members -----------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_MIXTURES_H
#define INGOT_COMPILER_ENSEMBLE_MIXTURES_H

#include "compiler/Ensemble/Candidates.h"

namespace ingot::ensemble {

/// Of variables that no optimizer changes.
inline constexpr graph::VariableOptions untrained = {.trainable = false};

/// An ensemble in the entry that is open.
struct Mixture {
  graph::Tensor logits;
  /// Sum over members of (lambda * complexity + beta) * |weight|; invalid where
  /// the ensemble has none.
  graph::Tensor penalty;
  /// The members' weights, of each head; none where the ensemble has none.
  std::vector<std::vector<graph::Tensor>> weights;
  /// What trains it: of each member, and the bias.
  std::vector<graph::Variable> trained;
};

/// Builds `candidate` of `members`, its own in its order. The names of its
/// variables are AdaNet's. `isNew`: it is one of the iteration's own, else its
/// variables stand still.
Mixture buildMixture(graph::Graph &graph, const Candidate &candidate,
                     const std::vector<adanet::Subnetwork> &members,
                     const std::vector<int64_t> &born,
                     const adanet::Head &head);

/// Has the entry that is open set the weights of `candidate` that earlier
/// members have in `previous`, the ensemble so far (AN-153).
void warmStart(graph::Graph &graph, const Candidate &candidate,
               const Candidate &previous, const adanet::Head &head);

/// The loss with a moving average: what is new of average, biased average and
/// number of steps is assigned. `scope` is the candidate's.
graph::Tensor moveAverage(graph::Graph &graph, const std::string &scope,
                          graph::Tensor loss, double decay);
/// Has the entry that is open set it to where it began.
void resetAverage(graph::Graph &graph, const std::string &scope);
/// The variable of that average.
graph::Variable averageOf(graph::Graph &graph, const std::string &scope);

/// The index of the smallest of `losses` that is finite, and of each list of
/// `values` the one there; the first candidate is left out with `forceGrow`.
std::vector<graph::Tensor>
selectBest(const std::vector<graph::Tensor> &losses,
           const std::vector<std::vector<graph::Tensor>> &values,
           bool forceGrow);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_MIXTURES_H
