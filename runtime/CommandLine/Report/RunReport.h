//===- RunReport.h - A page about a run -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_REPORT_RUNREPORT_H
#define INGOT_RUNTIME_COMMANDLINE_REPORT_RUNREPORT_H

#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Support/Expected.h"

namespace ingot {

/// Returns an HTML page about the run in `directory`: warnings, curves, speed,
/// checkpoints, and a description of the program. The page loads no other file.
Expected<std::string> reportPage(const CommandContext &command,
                                 const std::string &directory);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_REPORT_RUNREPORT_H
