//===- Tool.h - The verbs of ingot-adanet -----------------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANETTOOL_TOOL_H
#define INGOT_RUNTIME_ADANETTOOL_TOOL_H

#include "runtime/CommandLine/VerbTool.h"

namespace ingot::adanet {

using tools::Tool;
using tools::Verb;

extern const Verb showVerb, reportVerb;

/// ingot-adanet's main().
int toolMain(int argc, char **argv, FileSystem &fileSystem);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_TOOL_H
