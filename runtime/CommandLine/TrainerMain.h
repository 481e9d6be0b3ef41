//===- TrainerMain.h - Runs the verbs of a trainer --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H

#include "runtime/Support/FileSystem.h"

struct ingot_program;

namespace ingot {

/// The exit codes of a trainer; scripts may rely on them. Code 3 is left out,
/// because the compiler returns it for a graph that it cannot compile.
enum ExitCode : int {
  ExitDone = 0,
  ExitFailed = 1,
  ExitUsage = 2,
  ExitNoCheckpoint = 4,
  ExitSignal = 128, // plus the signal's number: 130, 143
};

/// The main function of a trainer: parses the command line, runs a verb of
/// `program` on `fileSystem`, prints errors to stderr and returns the exit
/// code.
int trainerMain(int argc, char **argv, const ingot_program &program,
                FileSystem &fileSystem = FileSystem::posix());

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINERMAIN_H
