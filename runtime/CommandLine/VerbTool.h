//===- VerbTool.h - Command-line tools that consist of verbs ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What ingot-ckpt and ingot-adanet have in common: command lines of the form
// `TOOL VERB ARGUMENTS`, help, usage errors and exit codes.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H
#define INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H

#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Support/FileSystem.h"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace ingot::tools {

// The tool's exit codes. CheckpointFailed means that the checkpoint does not
// exist or is damaged.
enum ExitCode { Done = 0, Failed = 1, Usage = 2, CheckpointFailed = 4 };

/// What a verb's function receives: the file system and the parsed command
/// line.
struct ToolContext {
  FileSystem &fileSystem;
  Console &console;
  ParsedFlags flags;

  /// Returns the positional arguments, most of which are checkpoints.
  const std::vector<std::string> &arguments() const {
    return flags.positionals();
  }

  /// Prints `error`, which says what is wrong with the command line, and
  /// returns the exit code for usage errors.
  int usage(const UsageError &error) const;
  /// Prints a failure and returns its exit code, exitCodeOf(status).
  int fail(const Status &status) const;
  /// Prints `text` to stdout. Returns Done, or the exit code of a failed write.
  int print(const std::string &text) const;
};

/// Returns the exit code for a failure: CheckpointFailed for a checkpoint that
/// is missing or damaged, the signal's code if a signal stopped the work,
/// Failed otherwise.
int exitCodeOf(const Status &status);

/// A verb of a tool: its help, its flags and its function.
struct ToolSubcommand {
  const char *name;
  const char *arguments; // what the help shows after the verb's name
  const char *summary;
  const char *example; // the arguments of an example in the help
  size_t minArguments;
  size_t maxArguments;
  std::span<const FlagSpec> flags;
  int (*run)(ToolContext &tool);
};

/// The parts of a tool's help text, and its verbs.
struct ToolHelp {
  const char *name;
  const char *summary;   // what the tool is for, in one line
  const char *usage;     // arguments, after the tool's name
  const char *details;   // text after the list of verbs
  const char *exitCodes; // exit codes that only this tool has
  const char *formats;   // formats that the tool reads and writes
  /// The verbs. The help shows the example of the first one.
  std::span<const ToolSubcommand *const> verbs;
};

/// The main function of a tool. Returns the exit code.
int runTool(const ToolHelp &help, int argc, char **argv,
            FileSystem &fileSystem);

/// Returns the number and the noun in the singular or plural: "1 tensor", "3
/// tensors".
std::string counted(uint64_t count, const std::string &noun);

/// Returns an indented JSON text that ends in a line feed. Bytes that are not
/// UTF-8 are replaced.
std::string jsonText(const nlohmann::ordered_json &json);

} // namespace ingot::tools

#endif // INGOT_RUNTIME_COMMANDLINE_VERBTOOL_H
