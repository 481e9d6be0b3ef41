//===- EnsembleLineage.h - An ensemble by iterations ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_ENSEMBLELINEAGE_H
#define INGOT_COMPILER_ENSEMBLE_ENSEMBLELINEAGE_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// The state of a search at the beginning of an iteration, and the builders of
/// the members that the iteration adds.
struct EnsembleLineage {
  int64_t iteration = 0;
  /// The global step that the search has reached at the beginning of the
  /// iteration.
  int64_t firstStep = 0;
  /// The members of the previous ensemble, in the order in which the ensemble
  /// lists them.
  std::vector<adanet::Member> members;
  /// The name of an ensemble, from which checkpoint keys derive.
  struct EnsembleName {
    int64_t iteration; // the iteration that selected it first
    std::string candidate, ensembler;

    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + candidate + "_" +
             ensembler;
    }
  };
  std::optional<EnsembleName> previous;
  /// An ensemble that was selected before the previous ensemble. The program
  /// keeps the variables of such ensembles because AdaNet expects them in
  /// checkpoints. `members` are indices into `EnsembleLineage::members`.
  struct EarlierEnsemble {
    EnsembleName ensemble;
    std::vector<size_t> members;
  };
  std::vector<EarlierEnsemble> earlier;
  /// For each finished iteration, the ensemble that it selected and the names
  /// of its members.
  struct SelectedEnsemble {
    EnsembleName ensemble;
    std::vector<std::string> members;
  };
  std::vector<SelectedEnsemble> history;
  /// The members of earlier ensembles that are not in the previous ensemble.
  /// Later members may have been built on them.
  std::vector<adanet::Member> gone;
  /// The builders of the members that the iteration adds.
  std::vector<std::shared_ptr<const adanet::Builder>> builders;

  /// Changes the lineage to describe the last finished iteration instead of the
  /// next one. Requires that the prune command has made the last finished
  /// iteration: such an iteration adds no members, so it has no builders.
  void endWithoutMembers() {
    --iteration;
    builders.clear();
  }
};

/// Returns the name of the member at `index`: first come the members of the
/// previous ensemble, then the new members of the iteration.
std::string nameOfMember(const EnsembleLineage &lineage, size_t index);

/// Replays a search up to the iteration after `finished`: calls its generators
/// for each iteration, finds the builders of the members that the iteration has
/// selected, and adds the builders for the next iteration. Returns
/// std::nullopt, with a message in `error`, if `finished` names a member that
/// no builder builds.
std::optional<EnsembleLineage>
traceLineage(const adanet::Search &search,
             const std::vector<adanet::FinishedIteration> &finished,
             const std::vector<adanet::MemberReport> &reports,
             std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ENSEMBLELINEAGE_H
