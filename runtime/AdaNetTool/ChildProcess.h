//===- ChildProcess.h - Programs that a tool runs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTOOL_CHILDPROCESS_H
#define INGOT_RUNTIME_ADANETTOOL_CHILDPROCESS_H

#include "runtime/Support/Expected.h"

#include <string>
#include <vector>

namespace ingot::adanet {

/// Runs a program to its end: `command` is its path and its arguments. SIGINT
/// and SIGTERM that arrive meanwhile are forwarded to it, and it does not
/// outlive this process. With `output` its stdout is collected there. Returns
/// its exit code, or 128 plus the number of the signal that ended it; NotFound
/// where it could not be started.
Expected<int> runProgram(const std::vector<std::string> &command,
                         std::string *output = nullptr);

/// The last signal that was forwarded to such a program; 0 for none.
int forwardedSignal();

/// Becomes `command`; returns only where that fails.
Status becomeProgram(const std::vector<std::string> &command);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_CHILDPROCESS_H
