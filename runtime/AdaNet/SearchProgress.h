//===- SearchProgress.h - How far a search has come -------------*- C++ -*-===//
//
// What whoever builds the programs of a search, one for each iteration, has to
// know of its model directory to build the next.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
#define INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H

#include "runtime/AdaNet/Architecture.h"

namespace ingot::adanet {

struct SearchProgress {
  /// The iteration that the newest checkpoint is of; 0 where there is none.
  int64_t iteration = 0;
  int64_t globalStep = 0;
  /// The newest checkpoint; "" where there is none.
  std::string checkpoint;
  /// The iteration is over and has left its ensemble: the program of the next
  /// is to be built, and its trainer finds this checkpoint, grows the increment
  /// from it, and trains. False: the program of this iteration is to be run.
  bool selected = false;
  /// Of the iterations before, and of this one where it is selected.
  std::vector<Architecture> architectures;
};

/// Reads the directory; one that is not there, or has no checkpoint, is at the
/// beginning. An architecture file that was selected at another global step
/// than the checkpoint's is none: somebody went back since. NotFound and
/// DataLoss name the file that is missing or damaged; FailedPrecondition where
/// the checkpoint is none of AdaNet's.
Expected<SearchProgress> readProgress(FileSystem &fileSystem,
                                      const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SEARCHPROGRESS_H
