//===- ManagementCommands.cpp - Verbs for a directory's checkpoints -------===//
// SPDX-License-Identifier: Apache-2.0
//
// The verbs that take the place of functions of tf.train and of methods of its
// Saver, and have the same names.
//
//===----------------------------------------------------------------------===//

#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointManagement.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/Numeric.h"

#include <limits>

using namespace ingot;
using namespace ingot::ckpt;

static constexpr FlagSpec helpFlag = {"--help", nullptr, "print this"};
static constexpr FlagSpec stateFlag = {
    "--latest-filename", "NAME", "use this state file (default: checkpoint)"};

static std::string stateFile(const ToolContext &tool) {
  return tool.flags.get(stateFlag.name, "checkpoint");
}

static const FlagSpec latestFlags[] = {stateFlag, helpFlag};

static int runLatest(ToolContext &tool) {
  auto prefix =
      latestCheckpoint(tool.fileSystem, tool.arguments()[0], stateFile(tool));
  return prefix ? tool.print(*prefix + "\n") : tool.fail(prefix.status());
}

const ToolSubcommand ckpt::latestVerb = {
    "latest-checkpoint",
    "DIR [--latest-filename NAME]",
    "print the prefix that the state file names; exit code 4: none",
    "run",
    1,
    1,
    latestFlags,
    runLatest,
};

static const FlagSpec stateFlags[] = {stateFlag, helpFlag};

static int runState(ToolContext &tool) {
  auto state =
      checkpointState(tool.fileSystem, tool.arguments()[0], stateFile(tool));
  return state ? tool.print(printCheckpointState(*state))
               : tool.fail(state.status());
}

const ToolSubcommand ckpt::stateVerb = {
    "get-checkpoint-state",
    "DIR [--latest-filename NAME]",
    "print the state file with whole prefixes: the newest checkpoint, and "
    "those "
    "that are kept with their times; exit code 4: none",
    "run",
    1,
    1,
    stateFlags,
    runState,
};

static const FlagSpec lastFlags[] = {
    stateFlag,
    {"--times", nullptr,
     "print before each prefix when it was written, in seconds since 1970"},
    helpFlag};

static int runLast(ToolContext &tool) {
  auto list =
      lastCheckpoints(tool.fileSystem, tool.arguments()[0], stateFile(tool));
  if (!list)
    return tool.fail(list.status());
  std::string text;
  for (const LastCheckpointsEntry &checkpoint : *list)
    text += (tool.flags.has("--times") ? numberText(checkpoint.time) + " "
                                       : std::string()) +
            checkpoint.prefix + "\n";
  return tool.print(text);
}

const ToolSubcommand ckpt::lastVerb = {
    "last-checkpoints",
    "DIR [--times] [--latest-filename NAME]",
    "print the prefixes that the state file lists and that exist, oldest first",
    "run",
    1,
    1,
    lastFlags,
    runLast,
};

static const FlagSpec timesFlags[] = {helpFlag};

static int runTimes(ToolContext &tool) {
  std::string text;
  for (double time : checkpointTimes(tool.fileSystem, tool.arguments()))
    text += numberText(time) + "\n";
  return tool.print(text);
}

const ToolSubcommand ckpt::timesVerb = {
    "get-checkpoint-mtimes",
    "PREFIX...",
    "print when each checkpoint that exists was written, in seconds since 1970",
    "run/model.ckpt-60 run/model.ckpt-120",
    1,
    SIZE_MAX,
    timesFlags,
    runTimes,
};

static const FlagSpec removeFlags[] = {
    {"--meta-graph-suffix", "SUFFIX",
     "remove the meta graph with this suffix (default: meta)"},
    helpFlag};

static int runRemove(ToolContext &tool) {
  std::string suffix = tool.flags.get("--meta-graph-suffix", "meta");
  for (const std::string &prefix : tool.arguments())
    if (Status status = removeCheckpoint(tool.fileSystem, prefix, suffix);
        !status.isOk())
      return tool.fail(status);
  return Done;
}

const ToolSubcommand ckpt::removeVerb = {
    "remove-checkpoint",
    "PREFIX... [--meta-graph-suffix SUFFIX]",
    "remove a checkpoint's files and its meta graph, and change no state file",
    "run/model.ckpt-60",
    1,
    SIZE_MAX,
    removeFlags,
    runRemove,
};

static const FlagSpec setFlags[] = {stateFlag, helpFlag};

static int setList(ToolContext &tool,
                   std::span<const LastCheckpointsEntry> list) {
  for (const LastCheckpointsEntry &checkpoint : list)
    if (!checkpointExists(tool.fileSystem, checkpoint.prefix))
      tool.console.warning("there is no checkpoint '" + checkpoint.prefix +
                           "'");
  Status status = setLastCheckpoints(tool.fileSystem, tool.arguments()[0], list,
                                     stateFile(tool));
  return status.isOk() ? int(Done) : tool.fail(status);
}

static int runSet(ToolContext &tool) {
  // An infinite `time` means that a checkpoint's files stay on disk when the
  // checkpoint leaves the state file's list, as after
  // Saver.set_last_checkpoints.
  std::vector<LastCheckpointsEntry> list;
  for (const std::string &prefix : std::span(tool.arguments()).subspan(1))
    list.push_back({prefix, std::numeric_limits<double>::infinity()});
  return setList(tool, list);
}

const ToolSubcommand ckpt::setLastVerb = {
    "set-last-checkpoints",
    "DIR PREFIX... [--latest-filename NAME]",
    "replace the state file's list of checkpoints, oldest first; their files "
    "stay when they leave it",
    "run run/model.ckpt-60 run/model.ckpt-120",
    1,
    SIZE_MAX,
    setFlags,
    runSet,
};

static int runSetTimed(ToolContext &tool) {
  const std::vector<std::string> &arguments = tool.arguments();
  std::vector<LastCheckpointsEntry> list;
  for (size_t i = 1; i < arguments.size(); i += 2) {
    LastCheckpointsEntry &listed = list.emplace_back();
    listed.prefix = arguments[i];
    if (i + 1 == arguments.size())
      return tool.usage({"'" + arguments[i] +
                             "' has no time: give the time at which it was "
                             "written, in seconds since 1970, after it",
                         ""});
    if (!parseElement(arguments[i + 1], INGOT_DOUBLE, &listed.time))
      return tool.usage({"expected the time of '" + arguments[i] +
                             "' in seconds since 1970, found '" +
                             arguments[i + 1] + "'",
                         ""});
  }
  return setList(tool, list);
}

const ToolSubcommand ckpt::setLastTimedVerb = {
    "set-last-checkpoints-with-time",
    "DIR [PREFIX TIME]... [--latest-filename NAME]",
    "the same, with the time at which each was written",
    "run run/model.ckpt-60 1700000000",
    1,
    SIZE_MAX,
    setFlags,
    runSetTimed,
};
