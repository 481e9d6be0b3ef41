//===- Tool.h - The verbs of ingot-adanet -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_TOOL_H
#define INGOT_TOOLS_ADANETTOOL_TOOL_H

#include "runtime/CommandLine/VerbTool.h"

namespace ingot::adanet {

using tools::ToolContext;

extern const tools::ToolSubcommand exportVerb, showVerb, reportVerb,
    extractVerb, pruneVerb;
// Return verbs whose flags include trainers' flags. A verb is built at its
// first use rather than as a static object: those flags are static objects of
// another file, and may be initialized later.
const tools::ToolSubcommand &trainVerb();
const tools::ToolSubcommand &evaluateVerb();
const tools::ToolSubcommand &predictVerb();

/// The main function of ingot-adanet. Returns the exit code.
int toolMain(int argc, char **argv, FileSystem &fileSystem);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_TOOL_H
