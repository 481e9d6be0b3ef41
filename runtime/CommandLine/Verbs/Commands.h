//===- Commands.h - The verbs of a trainer ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_COMMANDS_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_COMMANDS_H

#include "runtime/ABI/Tensor.h"
#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Support/FileSystem.h"

#include <span>

struct ingot_program;

namespace ingot {

/// What a verb's function receives: the program, the parsed command line, the
/// console and the file system.
struct CommandContext {
  const ingot_program &program;
  FileSystem &fileSystem;
  Console &console;
  const char *executable; // argv[0]
  ParsedFlags flags;

  /// Prints `error`, which says what is wrong with the command line, and
  /// returns the exit code for usage errors.
  int usage(const UsageError &error) const;
  /// Prints a failure and returns `code`, the exit code.
  int fail(const Status &status, int code = 1) const;
};

/// A verb of a trainer: its help, its flags and its function.
struct TrainerSubcommand {
  const char *name;
  const char *arguments; // what the help shows after the verb's name
  const char *summary;
  const char *example; // the arguments of an example in the help
  std::span<const FlagSpec> flags;
  int (*run)(CommandContext &command);
};

extern const TrainerSubcommand trainVerb, trainAndEvaluateVerb, evaluateVerb,
    predictVerb, runVerb, exportVerb, setVerb, plotVerb, reportVerb, infoVerb;

/// Returns the usage error for `name`, which is the name of no tensor in
/// `specs`. Its hint lists the names in `specs`: "the tensors that can be
/// fetched are: ...".
UsageError unknownTensor(const char *flag, const std::string &name,
                         const char *what,
                         std::span<const ingot_tensor_spec> specs,
                         const std::string &hint);

/// A parsed --feed NAME=VALUE: the index of feed NAME, and the text VALUE.
struct FeedFlag {
  size_t feed = 0;
  std::string value;
};

/// Parses the values "NAME=VALUE" of all --feed flags, or of all flags called
/// `flag`, into `result`. NAME is one of `feeds`, which error messages call
/// `what`; an unknown or repeated name is a usage error. If `takesFiles`,
/// values "@FILE", which name a file with several feeds, are skipped.
std::optional<UsageError> parseFeeds(const CommandContext &command,
                                     std::span<const ingot_tensor_spec> feeds,
                                     const char *what,
                                     std::vector<FeedFlag> &result,
                                     const char *flag = "--feed",
                                     bool takesFiles = false);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_COMMANDS_H
