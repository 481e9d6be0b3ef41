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

#include "runtime/AdaNet/EnsembleArchitecture.h"
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

/// The ensemble that predicts if a model is evaluated or exported from a
/// checkpoint of an AdaNet search.
struct BestEnsemble {
  /// The checkpoint's iteration and global step.
  int64_t iteration = 0, globalStep = 0;
  /// The ensemble's full name, such as "t1_linear_grow_complexity_regularized";
  /// "" if the checkpoint has no ensemble.
  std::string name;
  /// The ensemble's architecture. Set only if the checkpoint's iteration has
  /// ended and selected the ensemble, and not if it is merely the best
  /// candidate so far.
  std::optional<EnsembleArchitecture> selected;
  /// True if the loss of every candidate is NaN, so that none is better than
  /// another.
  bool hasDiverged = false;
};

/// Finds the ensemble with which `checkpoint` predicts. If the checkpoint's
/// iteration has selected an ensemble, according to the architecture file in
/// `directory`, the result is this ensemble. Otherwise the result is the
/// candidate with the lowest moving average of the AdaNet loss. The first
/// candidate is the previous ensemble. The others are the new ensembles that
/// have been trained for a step and were not dropped. They have the order of
/// the file report/iteration-<t>.json (readOrder()) or, without that file, of
/// their names. A NaN never wins. Among equal averages the first one wins, as
/// in selectBest(). If no candidate wins, the result is the previous ensemble.
/// In iteration 0, which has no previous ensemble, the result is then the first
/// new ensemble that was not dropped, or the first one if all were dropped.
/// Returns DataLoss, naming the file, if a file is damaged.
Expected<BestEnsemble> findBestEnsemble(FileSystem &fileSystem,
                                        const std::string &directory,
                                        const CheckpointReader &checkpoint);

/// Reads the ensemble that `iteration`, the iteration of `checkpoint`, has
/// selected at the checkpoint's global step. Returns std::nullopt if there is
/// no architecture file, or if the file does not match the checkpoint because
/// - the model directory was set back to an earlier checkpoint after the file
///   was written (AN-113),
/// - `ingot-adanet prune` wrote the file but was interrupted before it wrote a
///   checkpoint with the pruned ensemble, or
/// - an older version of the runtime wrote the file at the end of an iteration
///   that had made no step.
Expected<std::optional<EnsembleArchitecture>>
readSelection(FileSystem &fileSystem, const std::string &directory,
              const CheckpointReader &checkpoint, int64_t iteration);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_BESTENSEMBLE_H
