//===- Candidates.h - The candidate ensembles of an iteration ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
#define INGOT_COMPILER_ENSEMBLE_CANDIDATES_H

#include "compiler/Ensemble/Lineage.h"

namespace ingot::ensemble {

/// An ensemble: its members, and how they are weighted. Indices count from the
/// first member of the previous ensemble, `lineage.members`; the iteration's
/// own members follow.
struct Candidate {
  int64_t iteration;
  std::string name; // "linear_grow"
  const adanet::Ensembler *ensembler;
  std::vector<size_t> members;

  /// "t1_linear_grow_complexity_regularized", the name in variables and files.
  std::string fullName() const;
  /// "adanet/iteration_1/KIND_t1_linear_grow_complexity_regularized"
  std::string scope(const std::string &kind) const;
};

const std::string &nameOf(const adanet::Ensembler &ensembler);

/// The iteration's own candidates: for each ensembler, those of each strategy,
/// in order (AN-034, 170, 171).
std::vector<Candidate> candidatesOf(const adanet::Search &search,
                                    const Lineage &lineage);

/// The ensembles of `lineage.earlier` whose ensembler the search has.
std::vector<Candidate> earlierOf(const adanet::Search &search,
                                 const Lineage &lineage);

/// The previous ensemble, which is a candidate, too. Nothing in iteration 0,
/// or, with a message in `error`, if the search has no such ensembler.
std::optional<Candidate> previousOf(const adanet::Search &search,
                                    const Lineage &lineage, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
