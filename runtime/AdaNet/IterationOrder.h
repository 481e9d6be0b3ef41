//===- IterationOrder.h - report/iteration-<t>.json -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The order of an iteration's members and candidates. Names of ensembles of all
// new members do not tell it, and a checkpoint's keys are sorted, but mixture
// weights are numbered by it, and so are candidates in a replay.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_ITERATIONORDER_H
#define INGOT_RUNTIME_ADANET_ITERATIONORDER_H

#include "runtime/AdaNet/Iteration.h"

namespace ingot::adanet {

struct IterationOrder {
  /// The names of the new members, and of the candidates, of which the previous
  /// ensemble is the first.
  std::vector<std::string> members, candidates;
  /// The candidates of strategies of the user's own, with their members.
  std::vector<MemberOrEnsemble> own;
};

/// Writes `<modelDirectory>/report/iteration-<t>.json`, unless it says the same
/// already.
Status writeOrder(FileSystem &fileSystem, const std::string &modelDirectory,
                  const Iteration &iteration);

/// Reads the file of one iteration. Returns NotFound if it does not exist, as
/// where AdaNet has trained, and DataLoss if it is damaged.
Expected<IterationOrder> readOrder(FileSystem &fileSystem,
                                   const std::string &modelDirectory,
                                   int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONORDER_H
