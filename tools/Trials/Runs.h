//===- Runs.h - Runs trainers to compare their results ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs each compilation and each training in a process of its own, so that a
// crash is just another result. Compilers run in forks of the calling process,
// which need not load the compiler again.
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

/// Runs `child` in a process of its own, with its output in the file `log`.
/// Returns its exit code, or 128 plus the number of the signal that ended it,
/// which is SIGXCPU after `seconds` of CPU time.
int isolate(const std::string &log, unsigned seconds,
            llvm::function_ref<int()> child);

/// Returns the contents of a file, or "" if it cannot be read.
std::string readFile(const std::string &path);

struct TrainingOutcome {
  int code = 0;
  std::string message; // the error message, if the run failed
  std::string losses;  // contents of the --losses file
  std::string data;    // bytes of the last checkpoint
  /// The floats of each variable in the checkpoint, keyed by its name, and
  /// those of each fetch in all lines of the losses file, keyed by "fetch
  /// NAME".
  std::map<std::string, std::vector<double>> tensors;
};

/// Trains for `steps` steps in `folder`, and writes FOLDER.log and
/// FOLDER.losses beside it. `flags` are additional flags of `trainer train`.
/// `launcher` is the command that starts the trainer, such as {"mpirun", "-n",
/// "2"}; if it is empty, the trainer is started directly.
TrainingOutcome train(const std::string &trainer, const std::string &folder,
                      int64_t steps, const std::vector<std::string> &flags,
                      const std::vector<std::string> &launcher = {});

/// Returns the largest difference between two elements at the same index, and
/// sets `where` to this index. The difference is infinite if only one of the
/// two elements is NaN, or if the lengths differ.
double distance(const std::vector<double> &a, const std::vector<double> &b,
                size_t *where = nullptr);

/// Returns the largest absolute value of the finite numbers.
double largest(const std::vector<double> &values);

} // namespace ingot::trials

#endif // INGOT_TOOLS_TRIALS_RUNS_H
