//===- MemoryLimit.h - The flag --max-memory --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// Returns a usage error if the value of --max-memory is not a size, or if the
/// run needs more memory than that for its variables, their copy while they are
/// being saved, and the arenas of its step and evaluation. This does not
/// include elements of input, buffers of dynamic size and the program's code,
/// whose sizes are not known in advance.
std::optional<UsageError> checkMemory(const CommandContext &command,
                                      const TrainOptions &options);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H
