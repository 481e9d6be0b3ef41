//===- MemoryLimit.h - The flag --max-memory --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// Returns a usage error if --max-memory is no size, or if the run needs more
/// memory than that for its variables, the copy of them that is being saved,
/// and the arenas of its step and evaluation. Elements of input, buffers of
/// dynamic size and the program's code come on top, and are not known before.
std::optional<UsageError> checkMemory(const CommandContext &command,
                                      const TrainOptions &options);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_MEMORYLIMIT_H
