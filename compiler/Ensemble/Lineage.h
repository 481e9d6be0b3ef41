//===- Lineage.h - The ensemble's members over iterations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_LINEAGE_H
#define INGOT_COMPILER_ENSEMBLE_LINEAGE_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// The state that an iteration begins with, and what it adds.
struct Lineage {
  int64_t iteration = 0;
  /// The global step at which it begins.
  int64_t firstStep = 0;
  /// The members of the previous ensemble, in order.
  std::vector<adanet::Member> members;
  /// The origin of that ensemble; absent in iteration 0.
  struct Previous {
    int64_t iteration; // the iteration that selected it first
    std::string candidate, ensembler;

    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + candidate + "_" +
             ensembler;
    }
  };
  std::optional<Previous> previous;
  /// The ensembles before that one, whose variables checkpoints keep; members
  /// by index in `members`.
  struct Earlier {
    Previous ensemble;
    std::vector<size_t> members;
  };
  std::vector<Earlier> earlier;
  /// The iteration's own.
  std::vector<std::shared_ptr<const adanet::Builder>> builders;
};

/// Calls the search's generators, iteration by iteration, for the builders of
/// the members that `finished` names, and for the next builders. Nothing, with
/// a message in `error`, if they do not match.
std::optional<Lineage>
traceLineage(const adanet::Search &search,
             const std::vector<adanet::FinishedIteration> &finished,
             const std::vector<adanet::MemberReport> &reports,
             std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_LINEAGE_H
