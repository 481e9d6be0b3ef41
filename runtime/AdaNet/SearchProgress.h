//===- SearchProgress.h - How far a search has come -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The facts of a model directory from which the next program of a search, one
// per iteration, is built.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
#define INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H

#include "runtime/AdaNet/Architecture.h"

namespace ingot::adanet {

struct SearchProgress {
  /// The iteration of the newest checkpoint; 0 without checkpoints.
  int64_t iteration = 0;
  int64_t globalStep = 0;
  /// The newest checkpoint; "" if there is none.
  std::string checkpoint;
  /// The iteration has ended and selected its ensemble: the next program is to
  /// be built, and its trainer finds this checkpoint, grows the increment from
  /// it, and trains. False: this iteration's program is to be run.
  bool selected = false;
  /// The architectures of earlier iterations, and of this one once selected.
  std::vector<Architecture> architectures;
};

/// Reads the directory; one that does not exist, or has no checkpoint, is at
/// the beginning. An architecture file that was selected at another global step
/// than the checkpoint's does not count: the search was set back since.
/// NotFound and DataLoss name the file that is missing or damaged;
/// FailedPrecondition where the checkpoint is not AdaNet's.
Expected<SearchProgress> readProgress(FileSystem &fileSystem,
                                      const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
