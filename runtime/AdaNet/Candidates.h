//===- Candidates.h - Files with the losses of candidates -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The losses that an iteration's candidates had when one of them was selected
// (AN-146 in test/structure/adanet_facts.md). They have a file of their own,
// report/candidates-<t>.json for iteration t: AdaNet only logs them, and the
// checkpoint of the next iteration has only the winner's moving average.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_CANDIDATES_H
#define INGOT_RUNTIME_ADANET_CANDIDATES_H

#include "runtime/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// The state of a candidate at the time when its iteration selected an
/// ensemble: the candidate's name, its values and, if it was dropped, the
/// reason.
struct CandidateScore {
  std::string name; // "t1_linear_grow_complexity_regularized"
  int64_t steps = 0;
  /// The moving average of the candidate's AdaNet loss. A NaN is written as
  /// null to the file.
  double average = 0;
  /// The metric that the evaluator measured; std::nullopt without an evaluator.
  std::optional<double> value;
  /// Why the candidate was dropped; "" if it was not.
  std::string dropped;
  /// The L1 norm of each member's mixture weights, in the ensemble's order. Set
  /// only for the selected candidate, and only if it has mixture weights. The
  /// compiler of the next iteration passes the norms to the search's
  /// generators.
  std::vector<double> weights = {};
};

/// The candidates of one iteration, and which of them was selected.
struct Candidates {
  int64_t iteration = 0, globalStep = 0;
  /// The name of the value by which the candidates were compared:
  /// "adanet_loss", or the evaluator's metric. It is "replayed" if
  /// --replay-indices chose the candidate without a comparison.
  std::string metric;
  size_t selected = 0;
  /// The values of the candidates, indexed by candidate index.
  std::vector<CandidateScore> values;
};

/// Writes `<modelDirectory>/report/candidates-<t>.json`. The file is replaced
/// atomically.
Status writeCandidates(FileSystem &fileSystem,
                       const std::string &modelDirectory,
                       const Candidates &candidates);

/// Reads the candidates file of `iteration`. Returns NotFound if it does not
/// exist, and DataLoss, with file, offset and remedy, if it is damaged.
Expected<Candidates> readCandidates(FileSystem &fileSystem,
                                    const std::string &modelDirectory,
                                    int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_CANDIDATES_H
