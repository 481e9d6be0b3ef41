//===- Lineage.h - Who is in the ensemble, and who comes next ---*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_LINEAGE_H
#define INGOT_COMPILER_ENSEMBLE_LINEAGE_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// What an iteration begins with, and what it adds.
struct Lineage {
  int64_t iteration = 0;
  /// The global step at which it begins.
  int64_t firstStep = 0;
  /// The members of the ensemble so far, in its order.
  std::vector<adanet::Member> members;
  /// How that ensemble came to be; absent in iteration 0.
  struct Previous {
    int64_t iteration; // which selected it first
    std::string candidate, ensembler;

    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + candidate + "_" +
             ensembler;
    }
  };
  std::optional<Previous> previous;
  /// The ensembles before that one, whose variables checkpoints keep; members
  /// by their place in `members`.
  struct Earlier {
    Previous ensemble;
    std::vector<size_t> members;
  };
  std::vector<Earlier> earlier;
  /// The iteration's own.
  std::vector<std::shared_ptr<const adanet::Builder>> builders;
};

/// Asks the search's generators, iteration by iteration, who built the members
/// that `finished` names, and who builds the next ones. Nothing, and a message
/// in `error`, where they do not go with each other.
std::optional<Lineage>
traceLineage(const adanet::Search &search,
             const std::vector<adanet::FinishedIteration> &finished,
             const std::vector<adanet::MemberReport> &reports,
             std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_LINEAGE_H
