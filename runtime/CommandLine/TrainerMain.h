//===- TrainerMain.h - Runs the verbs of a trainer --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H

#include "runtime/Support/FileSystem.h"

struct ingot_program;

namespace ingot {

/// Exit codes that scripts may rely on. 3, a graph that cannot be compiled, is
/// the compiler's.
enum ExitCode : int {
  ExitDone = 0,
  ExitFailed = 1,
  ExitUsage = 2,
  ExitNoCheckpoint = 4,
  ExitSignal = 128, // and the signal's number: 130, 143
};

/// The whole of a trainer: reads the command line, runs a verb of `program` on
/// `fileSystem`, prints errors on stderr, and returns the exit code.
int trainerMain(int argc, char **argv, const ingot_program &program,
                FileSystem &fileSystem = FileSystem::posix());

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H
