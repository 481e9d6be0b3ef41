//===- Runs.h - Runs trainers to compare their results ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each compilation and each run is a process of its own, so that a crash is a
// result like others. Compilers are forked from the calling process: nothing is
// loaded again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_TRIALS_RUNS_H
#define INGOT_TOOLS_TRIALS_RUNS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ingot::trials {

/// Runs `child` in a process of its own whose output goes to the file `log`.
/// Its exit code, or 128 and the signal that ended it: SIGXCPU after `seconds`
/// of CPU time.
int isolate(const std::string &log, unsigned seconds,
            llvm::function_ref<int()> child);

/// The content of a file; "" where it cannot be read.
std::string readFile(const std::string &path);

/// The results of a training run.
struct Outcome {
  int code = 0;
  std::string message; // where the run failed
  std::string losses;  // the file --losses writes
  std::string data;    // the last checkpoint's bytes
  /// Floats of the checkpoint by variable, and of all lines of the losses by
  /// "fetch NAME".
  std::map<std::string, std::vector<double>> tensors;
};

/// Trains for `steps` in `folder`, which gets beside it FOLDER.log and
/// FOLDER.losses. `flags` are further ones of the trainer's.
Outcome train(const std::string &trainer, const std::string &folder,
              int64_t steps, const std::vector<std::string> &flags);

/// The largest difference between elements; infinite where one is not a number
/// and the other is, or numbers of elements differ. `where`: its index.
double distance(const std::vector<double> &a, const std::vector<double> &b,
                size_t *where = nullptr);

/// The largest finite magnitude.
double largest(const std::vector<double> &values);

} // namespace ingot::trials

#endif // INGOT_TOOLS_TRIALS_RUNS_H
