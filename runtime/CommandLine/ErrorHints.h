//===- ErrorHints.h - Hints for failed runs ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_ERRORHINTS_H
#define INGOT_RUNTIME_COMMANDLINE_ERRORHINTS_H

#include "runtime/CommandLine/Verbs/Commands.h"

namespace ingot {

/// Returns a hint that names the flags of `train` which allow restoring a
/// checkpoint in spite of `failure`, or "" if no flag does.
std::string restoreHint(const Status &failure);

/// If a file was not found (`failure`), returns a hint that names the folder in
/// which relative file names are resolved; "" otherwise.
std::string dataHint(const CommandContext &command, const Status &failure);

/// Prints why a session could not be prepared or run, with a hint, and returns
/// the exit code. `verbRestores` says that the current verb (subcommand)
/// accepts the flags by which `train` controls restoring, so that the hint may
/// name them.
int failSession(const CommandContext &command, const Status &failure,
                bool failedOnCheckpoint, bool verbRestores = false);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_ERRORHINTS_H
