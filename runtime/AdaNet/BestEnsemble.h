//===- BestEnsemble.h - The ensemble that predicts --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint of a search has several ensembles. One of them is evaluated,
// used for predictions, exported and pruned. All commands find it with the
// functions here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_BESTENSEMBLE_H
#define INGOT_RUNTIME_ADANET_BESTENSEMBLE_H

#include "runtime/AdaNet/Architecture.h"
#include "runtime/Checkpoint/CheckpointReader.h"

#include <map>
#include <optional>
#include <string>

namespace ingot::adanet {

/// The checkpoint's key of each variable, keyed by the variable's name. Key and
/// name differ in object-based checkpoints.
using VariableKeys = std::map<std::string, std::string>;
Expected<VariableKeys> readVariableKeys(const CheckpointReader &checkpoint);

/// Returns the value of the variable `global_step`, or 0 if there is none.
Expected<int64_t> globalStepOf(const CheckpointReader &checkpoint);

/// The ensemble with which a checkpoint of a search predicts.
struct BestEnsemble {
  /// The checkpoint's iteration and global step.
  int64_t iteration = 0, globalStep = 0;
  /// The ensemble's full name, "t1_linear_grow_complexity_regularized"; "" if
  /// the checkpoint has no ensemble.
  std::string name;
  /// The ensemble's architecture if the checkpoint's iteration has selected it.
  std::optional<Architecture> selected;
  /// True if the loss of every candidate is NaN, so that none is better than
  /// another.
  bool hasDiverged = false;
};

/// Finds the ensemble with which `checkpoint` predicts: the one that its
/// iteration has selected, by the architecture file in `directory`, or else the
/// candidate with the lowest moving average of the AdaNet loss. Candidates are
/// the previous ensemble and those new ensembles that have been trained for a
/// step and were not dropped; a NaN never wins. Among equal averages, the first
/// candidate predicts, as in selectBest(). If all averages are NaN, the
/// previous ensemble predicts or, in iteration 0, the first candidate.
/// Candidates are in the program's order (MemberOrder.h) or, without that
/// file, sorted by name. Returns DataLoss, naming the file, if a file is
/// damaged.
Expected<BestEnsemble> findBestEnsemble(FileSystem &fileSystem,
                                        const std::string &directory,
                                        const CheckpointReader &checkpoint);

/// Reads the ensemble that `iteration`, the iteration of `checkpoint`, has
/// selected at the checkpoint's global step. Returns std::nullopt if there is
/// no architecture file, or if the file does not fit the checkpoint because
/// - the search was set back after the file was written (AN-113),
/// - an interrupted prune wrote the file, and the checkpoint does not have its
///   ensemble, or
/// - an older version of the runtime wrote the file, in an iteration without a
///   step.
Expected<std::optional<Architecture>>
readSelection(FileSystem &fileSystem, const std::string &directory,
              const CheckpointReader &checkpoint, int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_BESTENSEMBLE_H
