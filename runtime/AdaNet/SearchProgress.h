//===- SearchProgress.h - How far a search has come -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads from a model directory how far a search has come, which determines the
// program to build next. A search has one program per iteration.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
#define INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H

#include "runtime/AdaNet/EnsembleArchitecture.h"

namespace ingot::adanet {

/// How far a search has come, which determines the program to build and run
/// next.
struct SearchProgress {
  /// The iteration of the newest checkpoint; 0 if there is no checkpoint.
  int64_t iteration = 0;
  int64_t globalStep = 0;
  /// The prefix of the newest checkpoint, or of the one that the caller
  /// requested; "" if the directory has no checkpoint.
  std::string checkpoint;
  /// True if the iteration has ended and selected its ensemble. Then the
  /// program of the next iteration is to be built and run; it begins from this
  /// checkpoint. False if this iteration's program is to be run.
  bool selected = false;
  /// The architectures of earlier iterations, and of this iteration if
  /// `selected`.
  std::vector<EnsembleArchitecture> architectures;

  /// Returns true if `ingot-adanet prune` has made the newest checkpoint. Its
  /// iteration has no members of its own, and ends with the pruned ensemble.
  bool hasPruned() const {
    return selected &&
           architectures.back().isPrunedFrom(architectures.size() < 2
                                                 ? nullptr
                                                 : &*(architectures.end() - 2));
  }
};

/// Reads how far the search in `directory` has come. A directory that does not
/// exist or has no checkpoint counts as a search that has not begun. Ignores
/// the architecture file of the current iteration if the iteration has made no
/// step, or if the file is of another global step than the newest checkpoint:
/// the search was then set back to an older checkpoint.
///
/// Returns NotFound or DataLoss, naming the file, if a file is missing or
/// damaged, and FailedPrecondition if the checkpoint is not AdaNet's.
Expected<SearchProgress> readProgress(FileSystem &fileSystem,
                                      const std::string &directory);

/// Reads how far the search had come at checkpoint `prefix`. This need not be
/// the newest checkpoint: the search may have been set back to it later.
Expected<SearchProgress> readProgressAt(FileSystem &fileSystem,
                                        const std::string &directory,
                                        const std::string &prefix);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
