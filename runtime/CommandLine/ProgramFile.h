//===- ProgramFile.h - Which program a model directory belongs to -*- C++ -*-//
// SPDX-License-Identifier: Apache-2.0
//
// `program.json` in a model directory says which program trains there, by the
// fingerprint of its training step (GraphFingerprint.h). Another program whose
// variables happen to have the same names and shapes would silently go on with
// the first one's weights.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H
#define INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Commands.h"

namespace ingot {

inline constexpr const char *programFileName = "program.json";

/// Returns the contents of program.json for `program`; "" if it does not
/// contain its graph, or if that does not say what a step is.
Expected<std::string> programFileText(const ingot_program &program);

/// Returns how the program that has trained in `directory` differs from
/// `program`: by its variables, or else by the ops of its step. Returns "" if
/// they are the same, or if the directory does not say: it has no program.json,
/// or that of a future version, as directories of earlier versions and of
/// TensorFlow.
std::string differenceOfPrograms(const Command &command,
                                 const std::string &directory);

/// For verbs that read the folder of --model-dir or --checkpoint: warns if
/// another program has trained there.
void warnOfOtherProgram(const Command &command);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H
