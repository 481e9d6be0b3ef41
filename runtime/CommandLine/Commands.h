//===- Commands.h - The verbs of a trainer ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_COMMANDS_H
#define INGOT_RUNTIME_COMMANDLINE_COMMANDS_H

#include "runtime/ABI/Tensor.h"
#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"
#include "runtime/Support/FileSystem.h"

#include <span>

struct ingot_program;

namespace ingot {

/// The environment of a verb.
struct Command {
  const ingot_program &program;
  FileSystem &fileSystem;
  Console &console;
  const char *executable; // as the user called it
  ParsedFlags flags;

  /// Prints a mistake in the command line; returns its exit code.
  int usage(const UsageError &error) const;
  /// Prints a failure; returns `code`.
  int fail(const Status &status, int code = 1) const;
};

/// One verb: its flags, its help and its function.
struct Verb {
  const char *name;
  const char *arguments; // for the help, after the name
  const char *summary;
  const char *example; // arguments of an example call
  std::span<const FlagSpec> flags;
  int (*run)(Command &command);
};

extern const Verb trainVerb, trainAndEvaluateVerb, evaluateVerb, predictVerb,
    runVerb, exportVerb, setVerb, infoVerb;

/// "the tensors that can be fetched are: ..." for a name that isn't one.
UsageError unknownTensor(const char *flag, const std::string &name,
                         const char *what,
                         std::span<const ingot_tensor_spec> specs,
                         const std::string &hint);

/// A value of --feed: which of the feeds it is for, and the text after the
/// equals sign.
struct FeedFlag {
  size_t feed = 0;
  std::string value;
};

/// Parses all --feed flags (or those of another name), each "NAME=VALUE" for
/// one of `feeds`, which messages call `what`; a usage error for an unknown or
/// duplicate name. `takesFiles`: files that give several feeds are skipped
/// here.
std::optional<UsageError>
parseFeeds(const Command &command, std::span<const ingot_tensor_spec> feeds,
           const char *what, std::vector<FeedFlag> &result,
           const char *flag = "--feed", bool takesFiles = false);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_COMMANDS_H
