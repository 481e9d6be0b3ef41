//===- Lineage.h - The ensemble's members over iterations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_LINEAGE_H
#define INGOT_COMPILER_ENSEMBLE_LINEAGE_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// What an iteration begins with, and the builders of the members that it adds.
struct Lineage {
  int64_t iteration = 0;
  /// The global step at which the iteration begins.
  int64_t firstStep = 0;
  /// The members of the previous ensemble, in its order.
  std::vector<adanet::Member> members;
  /// The name of the previous ensemble. Not set in iteration 0.
  struct Previous {
    int64_t iteration; // the iteration that selected it first
    std::string candidate, ensembler;

    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + candidate + "_" +
             ensembler;
    }
  };
  std::optional<Previous> previous;
  /// Ensembles that were selected before the previous one. Checkpoints keep
  /// their variables. `members` are indices in `Lineage::members`.
  struct Earlier {
    Previous ensemble;
    std::vector<size_t> members;
  };
  std::vector<Earlier> earlier;
  /// The builders of the members that the iteration adds.
  std::vector<std::shared_ptr<const adanet::Builder>> builders;
};

/// Calls the search's generators for each iteration in `finished`, which gives
/// the builders of the members that it names, and for the next iteration.
/// Returns std::nullopt, with a message in `error`, if the builders do not
/// match `finished`.
std::optional<Lineage>
traceLineage(const adanet::Search &search,
             const std::vector<adanet::FinishedIteration> &finished,
             const std::vector<adanet::MemberReport> &reports,
             std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_LINEAGE_H
