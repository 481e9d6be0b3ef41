//===- Tool.h - The verbs of ingot-adanet -----------------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANETTOOL_TOOL_H
#define INGOT_RUNTIME_ADANETTOOL_TOOL_H

#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Support/FileSystem.h"

#include <span>

namespace ingot::adanet {

// CheckpointFailed: no usable checkpoint, or a damaged file of the folder.
enum ExitCode { Done = 0, Failed = 1, Usage = 2, CheckpointFailed = 4 };

/// What every verb works with.
struct Tool {
  FileSystem &fileSystem;
  Console &console;
  ParsedFlags flags;

  int usage(const UsageError &error) const;
  /// Prints a failure; returns the exit code that is its kind's.
  int fail(const Status &status) const;
  /// Prints a text to stdout; returns the exit code.
  int print(const std::string &text) const;
};

struct Verb {
  const char *name;
  const char *arguments; // for the help, behind the name
  const char *summary;
  const char *example; // arguments of an example call
  std::span<const FlagSpec> flags;
  int (*run)(Tool &tool);
};

extern const Verb showVerb;

/// ingot-adanet's main().
int toolMain(int argc, char **argv, FileSystem &fileSystem);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_TOOL_H
