//===- HookOptions.h - Hooks that the command line asks for -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The hooks that training, evaluations and predictions have in common: user
// libraries, traces, numeric checks, a watchdog.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_HOOKOPTIONS_H
#define INGOT_RUNTIME_COMMANDLINE_HOOKOPTIONS_H

#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Hooks/CheckpointSaverListener.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot {

class RankGroup;
class TrainingLoop;

/// The hooks that the command line requests.
struct HookOptions {
  std::vector<std::string> libraries; // LIB.so[:ARGUMENTS]
  std::string trace;                  // file of the trace; "": no trace
  int64_t traceSteps = 100;
  bool checksNumerics = false;
  double watchdogSeconds = 0; // 0: no watchdog
  bool observeOnly = false;   // for UserLibraryHook::observeOnly()
  RankGroup *ranks = nullptr; // the ranks of this run, or null

  /// Returns true if there is no hook.
  bool empty() const {
    return libraries.empty() && trace.empty() && !checksNumerics &&
           watchdogSeconds <= 0;
  }
};

/// The flags that set HookOptions, for verbs other than `train` that run the
/// model batch by batch.
inline constexpr FlagSpec hookFlags[] = {
    {"--hook", "LIB.so[:ARGS]", "load a hook (ingot/hook.h)", true},
    {"--trace", "FILE.json", "write a trace of batches for Perfetto"},
    {"--trace-steps", "N", "--trace: trace the first N batches (default: 100)"},
    {"--check-numerics", nullptr,
     "fail at the first NaN that a node computes, and name the node"},
    {"--watchdog-secs", "T",
     "after T seconds without progress, log each thread's activity and exit"},
};

/// Reads hookFlags. The first usage error is stored in `error`.
HookOptions readUserHooks(const ParsedFlags &flags,
                          std::optional<UsageError> &error);

/// Loads the user's libraries and adds all `hooks` to `loop`, before the first
/// step, so that a faulty library fails early. `command` must outlive `loop`.
/// If `listeners` is not null, appends to it the listeners that the libraries
/// have for the checkpoint saver.
Status addUserHooks(
    TrainingLoop &loop, const CommandContext &command, const HookOptions &hooks,
    std::vector<std::shared_ptr<CheckpointSaverListener>> *listeners = nullptr);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_HOOKOPTIONS_H
