//===- Candidates.h - The candidate ensembles of an iteration ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
#define INGOT_COMPILER_ENSEMBLE_CANDIDATES_H

#include "compiler/Ensemble/EnsembleLineage.h"

namespace ingot::ensemble {

/// An ensemble that an iteration may select: its members, and the ensembler
/// that combines them. `members` are indices into the list of the previous
/// ensemble's members (`lineage.members`) followed by the iteration's new
/// members.
struct Candidate {
  int64_t iteration;
  std::string name; // "linear_grow"
  const adanet::Ensembler *ensembler;
  std::vector<size_t> members;
  /// Whether a strategy in the user's C++ code has formed the candidate and
  /// chosen its name. Unlike a name that a built-in strategy chooses, such a
  /// name does not tell which members the candidate has.
  bool isOwn = false;

  /// Returns the candidate's name in variables and files, such as
  /// "t1_linear_grow_complexity_regularized".
  std::string fullName() const;
  /// Returns the scope of the candidate's variables, such as
  /// "adanet/iteration_1/KIND_t1_linear_grow_complexity_regularized", where
  /// KIND is `kind`: "ensemble" for its weights, "candidate" for its moving
  /// average.
  std::string scope(const std::string &kind) const;
};

std::string nameOf(const adanet::Ensembler &ensembler);
/// Returns the optimizer that trains the variables of ensembles made by
/// `ensembler`, or std::nullopt if `ensembler` has no optimizer.
std::optional<graph::Optimizer> optimizerOf(const adanet::Ensembler &ensembler);

/// Returns the new candidates of an iteration: the ensembles that contain at
/// least one member built in this iteration. They are ordered by ensembler,
/// then by strategy (AN-034, AN-170, AN-171). Sets `error` if a strategy in the
/// user's C++ code returns an invalid candidate.
std::vector<Candidate> candidatesOf(const adanet::Search &search,
                                    const EnsembleLineage &lineage,
                                    std::string &error);

/// Returns the ensembles in `lineage.earlier` as candidates. These were
/// selected by iterations before the previous one. Omits ensembles whose
/// ensembler is no longer part of the search.
std::vector<Candidate> earlierOf(const adanet::Search &search,
                                 const EnsembleLineage &lineage);

/// Returns `ensemble`, which an earlier iteration has selected, as a candidate.
/// Its list of members is left empty, for the caller to fill. Returns
/// std::nullopt if the search no longer has the ensembler of `ensemble`.
std::optional<Candidate>
candidateOf(const adanet::Search &search,
            const EnsembleLineage::EnsembleName &ensemble);

/// Returns the ensemble that the previous iteration has selected. It competes
/// with the new ensembles, so it is also a candidate of this iteration. Returns
/// std::nullopt in iteration 0. Also returns std::nullopt, with a message in
/// `error`, if the ensembler of that ensemble is no longer part of the search.
std::optional<Candidate> previousOf(const adanet::Search &search,
                                    const EnsembleLineage &lineage,
                                    std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
