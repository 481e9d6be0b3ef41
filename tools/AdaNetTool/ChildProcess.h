//===- ChildProcess.h - Programs that a tool runs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_CHILDPROCESS_H
#define INGOT_TOOLS_ADANETTOOL_CHILDPROCESS_H

#include "runtime/Support/Expected.h"

#include <string>
#include <vector>

namespace ingot::adanet {

/// Runs a program to its end. `command` is the program's path, then its
/// arguments. SIGINT and SIGTERM that arrive meanwhile are forwarded to the
/// program, and the kernel kills it if this process dies. If `output` is set,
/// the program's stdout is appended to it. Returns the exit code, or 128 plus
/// the number of the signal that ended the program; NotFound if it could not be
/// started.
Expected<int> runProgram(const std::vector<std::string> &command,
                         std::string *output = nullptr);

/// Returns the last signal that runProgram forwarded; 0 if there was none.
int forwardedSignal();

/// Replaces this process by the program `command` (execvp). Returns only if
/// that fails.
Status becomeProgram(const std::vector<std::string> &command);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_CHILDPROCESS_H
