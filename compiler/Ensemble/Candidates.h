//===- Candidates.h - The ensembles that an iteration tries -----*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
#define INGOT_COMPILER_ENSEMBLE_CANDIDATES_H

#include "compiler/Ensemble/Lineage.h"

namespace ingot::ensemble {

/// An ensemble: which members, weighed how. Members count from the first of the
/// ensemble so far, `lineage.members`; the iteration's own come behind those.
struct Candidate {
  int64_t iteration;
  std::string name; // "linear_grow"
  const adanet::Ensembler *ensembler;
  std::vector<size_t> members;

  /// "t1_linear_grow_complexity_regularized", as variables and files call it.
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

/// The ensemble so far, which is a candidate, too. Nothing in iteration 0, or,
/// with a message in `error`, where the search has no such ensembler.
std::optional<Candidate> previousOf(const adanet::Search &search,
                                    const Lineage &lineage, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_CANDIDATES_H
