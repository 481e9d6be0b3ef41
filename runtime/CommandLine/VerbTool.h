//===- VerbTool.h - Command-line tools that consist of verbs ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common part of ingot-ckpt and ingot-adanet: `TOOL VERB ARGUMENTS`, their
// help, mistakes in the command line, and exit codes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H
#define INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H

#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Support/FileSystem.h"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace ingot::tools {

// CheckpointFailed: the checkpoint does not exist or is damaged.
enum ExitCode { Done = 0, Failed = 1, Usage = 2, CheckpointFailed = 4 };

/// The environment of a verb.
struct Tool {
  FileSystem &fileSystem;
  Console &console;
  ParsedFlags flags;

  /// The arguments that aren't flags: checkpoints, mostly.
  const std::vector<std::string> &arguments() const {
    return flags.positionals();
  }

  /// Prints a mistake in the command line; returns its exit code.
  int usage(const UsageError &error) const;
  /// Prints a failure; returns the exit code that is its kind's.
  int fail(const Status &status) const;
  /// Prints a text to stdout; returns the exit code.
  int print(const std::string &text) const;
};

/// The exit code for a failure: CheckpointFailed where a checkpoint isn't there
/// or is damaged, that of a signal where one stopped the work, else Failed.
int exitCodeOf(const Status &status);

/// One verb: its flags, its help and its function.
struct Verb {
  const char *name;
  const char *arguments; // for the help, after the name
  const char *summary;
  const char *example; // arguments of an example call
  size_t minArguments;
  size_t maxArguments;
  std::span<const FlagSpec> flags;
  int (*run)(Tool &tool);
};

/// A tool's description of itself.
struct ToolHelp {
  const char *name;
  const char *summary;                // what the tool works on
  const char *usage;                  // after the name
  const char *details;                // after the list of verbs
  const char *exitCodes;              // those that are not every tool's
  const char *formats;                // the formats that it reads and writes
  std::span<const Verb *const> verbs; // the first one is the help's example
};

/// The tool's main(): the exit code.
int runTool(const ToolHelp &help, int argc, char **argv,
            FileSystem &fileSystem);

/// "1 tensor", "3 tensors".
std::string counted(uint64_t count, const std::string &noun);

/// A report, indented, with a line's end. Bytes that are no UTF-8 are replaced.
std::string jsonText(const nlohmann::ordered_json &json);

} // namespace ingot::tools

#endif // INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H
