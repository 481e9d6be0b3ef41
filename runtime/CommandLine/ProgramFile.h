//===- ProgramFile.h - Which program a model directory belongs to -*- C++ -*-//
// SPDX-License-Identifier: Apache-2.0
//
// `program.json` in a model directory identifies the program that trains there
// by the fingerprint of its training step (GraphFingerprint.h). Without it,
// another program whose variables happen to have the same names and shapes
// would silently continue with the weights of the first one.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H
#define INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Support/ReplaceFile.h"

namespace ingot {

inline constexpr const char *programFileName = "program.json";

/// Returns what appends the contents of program.json for `program`; null if the
/// program does not contain its graph, has no training step, or belongs to an
/// AdaNet search.
Expected<FileContents> programFileContents(const ingot_program &program);

/// Returns what appends the program's graph in text form; null if the program
/// does not contain its graph.
Expected<FileContents> graphFileContents(const ingot_program &program);

/// Returns how the program that has trained in `directory` differs from
/// `program`: by its variables, or else by the ops of its step. Returns "" if
/// they are the same. Also returns "" if the directory does not identify its
/// program: directories of earlier versions and of TensorFlow have no
/// program.json, and later versions may write the file in another form.
std::string differenceOfPrograms(const CommandContext &command,
                                 const std::string &directory);

/// For verbs that read the folder of --model-dir or --checkpoint: warns if
/// another program has trained there.
void warnOfOtherProgram(const CommandContext &command);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_PROGRAMFILE_H
