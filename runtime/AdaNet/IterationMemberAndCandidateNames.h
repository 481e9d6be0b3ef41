//===- IterationMemberAndCandidateNames.h - Names in order ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of an iteration's members and candidates. Mixture weights are
// numbered in this order, and so are candidates in --replay-indices. The order
// has a file of its own, report/iteration-<t>.json for iteration t, because it
// is recorded nowhere else: a checkpoint's keys are sorted, and an ensemble
// that adds all new members does not list them in its name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_ITERATIONMEMBERANDCANDIDATENAMES_H
#define INGOT_RUNTIME_ADANET_ITERATIONMEMBERANDCANDIDATENAMES_H

#include "runtime/AdaNet/Iteration.h"

namespace ingot::adanet {

struct IterationMemberAndCandidateNames {
  /// The names of the new members, and the names of the candidates. The first
  /// candidate is the previous ensemble.
  std::vector<std::string> members, candidates;
  /// The candidates of user-defined strategies, with their members.
  std::vector<MemberOrEnsemble> own;
};

/// Writes `<modelDirectory>/report/iteration-<t>.json`, unless the file has
/// this order already.
Status writeOrder(FileSystem &fileSystem, const std::string &modelDirectory,
                  const Iteration &iteration);

/// Reads the file of one iteration. Returns NotFound if it does not exist
/// (AdaNet itself writes no such file), and DataLoss if it is damaged.
Expected<IterationMemberAndCandidateNames>
readOrder(FileSystem &fileSystem, const std::string &modelDirectory,
          int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONMEMBERANDCANDIDATENAMES_H
