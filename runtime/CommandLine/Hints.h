//===- Hints.h - The flag that helps where a run fails ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_HINTS_H
#define INGOT_RUNTIME_COMMANDLINE_HINTS_H

#include "runtime/CommandLine/Commands.h"

namespace ingot {

/// The flags of `train` with which a mismatched checkpoint can be restored, by
/// the message of the failure; "" if none helps.
std::string restoreHint(const Status &failure);

/// A hint at the folder that relative file names refer to, if a file was not
/// found; else "".
std::string dataHint(const Command &command, const Status &failure);

/// Prints why a session could not be prepared or run, with the hint; returns
/// the exit code. `verbRestores`: the verb has train's flags about restoring.
int failSession(const Command &command, const Status &failure,
                bool failedOnCheckpoint, bool verbRestores = false);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_HINTS_H
