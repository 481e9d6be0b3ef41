//===- Tool.h - The verbs of ingot-ckpt -------------------------*- C++ -*-===//
//
// Checkpoints without TensorFlow: what is in them, whether they are whole, and
// others made from them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H
#define INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/CommandLine/Console.h"
#include "runtime/CommandLine/Flags.h"

#include <span>

namespace ingot::ckpt {

// CheckpointFailed: there is no such checkpoint, or it is damaged.
enum ExitCode { Done = 0, Failed = 1, Usage = 2, CheckpointFailed = 4 };

/// What every verb works with.
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

/// One verb: its flags, its help and what it does.
struct Verb {
  const char *name;
  const char *arguments; // for the help, behind the name
  const char *summary;
  const char *example; // arguments of an example call
  size_t minArguments;
  size_t maxArguments;
  std::span<const FlagSpec> flags;
  int (*run)(Tool &tool);
};

extern const Verb lsVerb, catVerb, diffVerb, verifyVerb, convertVerb, mergeVerb,
    reshardVerb, renameVerb, stripVerb, averageVerb, pruneVerb, iteratorVerb;

/// ingot-ckpt's main().
int toolMain(int argc, char **argv, FileSystem &fileSystem);

/// "1 tensor", "2 tensors".
std::string counted(uint64_t count, const std::string &noun);

/// "float32[2,3]".
std::string typeText(const CheckpointEntry &entry);

/// Bytes of the elements of tensor `key`; of V1's strings, which nothing says
/// without reading them, 0.
uint64_t bytesOf(const CheckpointReader &reader, const std::string &key);

} // namespace ingot::ckpt

#endif // INGOT_RUNTIME_CHECKPOINTTOOL_TOOL_H
