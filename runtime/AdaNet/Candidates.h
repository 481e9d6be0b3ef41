//===- Candidates.h - report/candidates-<t>.json ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AN-146: the values of an iteration's candidates when one of them was
// selected. AdaNet only logs them, and growth keeps the winner's average only.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_CANDIDATES_H
#define INGOT_RUNTIME_ADANET_CANDIDATES_H

#include "runtime/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

struct CandidateValue {
  std::string name; // "t1_linear_grow_complexity_regularized"
  int64_t steps = 0;
  /// The moving average of its AdaNet loss; NaN: null in the file.
  double average = 0;
  /// The evaluator's value, where one has measured it.
  std::optional<double> value;
  /// Why it was dropped; "" where it was not.
  std::string dropped;
};

struct Candidates {
  int64_t iteration = 0, globalStep = 0;
  /// What they were compared by: "adanet_loss", or the evaluator's metric;
  /// "replayed" where they were not.
  std::string metric;
  size_t selected = 0;
  std::vector<CandidateValue> values; // in the order of their indices
};

/// Writes `<modelDirectory>/report/candidates-<t>.json`, as a whole.
Status writeCandidates(FileSystem &fileSystem,
                       const std::string &modelDirectory,
                       const Candidates &candidates);

/// Reads it: NotFound if it does not exist, DataLoss with file, offset and
/// remedy where it is damaged.
Expected<Candidates> readCandidates(FileSystem &fileSystem,
                                    const std::string &modelDirectory,
                                    int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_CANDIDATES_H
