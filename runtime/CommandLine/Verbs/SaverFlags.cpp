//===- SaverFlags.cpp - Flags about saving checkpoints --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/SaverFlags.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/Support/ByteSizes.h"

#include <algorithm>

using namespace ingot;

/// Returns true if `flag` has the value `yes`, false if it has the value `no`,
/// and `fallback` if it is not given. Other values are a usage error, stored in
/// `error`.
static bool readChoice(const ParsedFlags &flags, const char *flag,
                       const char *yes, const char *no, bool fallback,
                       std::optional<UsageError> &error) {
  std::string value = flags.get(flag, fallback ? yes : no);
  if (value != yes && value != no && !error)
    error = UsageError{std::string(flag) + ": expected " + yes + " or " + no +
                           ", found '" + value + "'",
                       ""};
  return value == yes;
}

static VariablesToSave readVariables(const ParsedFlags &flags,
                                     std::optional<UsageError> &error) {
  std::string value = flags.get("--save-variables", "needed");
  if (value == "list")
    return VariablesToSave::Listed;
  if (value == "all")
    return VariablesToSave::All;
  if (value != "needed" && !error)
    error = UsageError{"--save-variables: expected list, needed or all, found "
                       "'" +
                           value + "'",
                       ""};
  return VariablesToSave::Needed;
}

/// Splits `text` at commas; empty parts are omitted.
static std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at)
      parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

static MetaGraphExportOptions readEdits(const ParsedFlags &flags) {
  MetaGraphExportOptions edits;
  edits.clearDevices = flags.has("--clear-devices");
  edits.stripDefaultAttrs = flags.has("--strip-default-attrs");
  edits.clearExtraneousSavers = flags.has("--clear-extraneous-savers");
  if (flags.has("--collection-list"))
    edits.collections = splitList(flags.get("--collection-list"));
  edits.exportScope = flags.get("--export-scope");
  return edits;
}

static Expected<std::string> unpackedGraph(const ingot_program &program) {
  return unpackMetaGraph({reinterpret_cast<const char *>(program.meta_graph),
                          program.meta_graph_size},
                         program.meta_graph_full_size);
}

static Expected<std::string> metaGraphFile(const ingot_program &program,
                                           const MetaGraphExportOptions &edits,
                                           bool asText) {
  INGOT_ASSIGN_OR_RETURN(std::string graph, embeddedMetaGraph(program, edits));
  return asText ? metaGraphText(graph) : std::move(graph);
}

Expected<std::string> ingot::metaGraphFile(const ParsedFlags &flags,
                                           const ingot_program &program) {
  return ::metaGraphFile(program, readEdits(flags), flags.has("--as-text"));
}

Expected<std::string> ingot::debugInfoFile(const ParsedFlags &flags,
                                           const ingot_program &program) {
  INGOT_ASSIGN_OR_RETURN(std::string graph, unpackedGraph(program));
  std::string debugInfo = debugInfoOf(graph);
  if (debugInfo.empty())
    return Status(
        StatusCode::NotFound,
        "--debug-info: this program's graph has no debug info: export the "
        "graph from TensorFlow with debug info, and compile it again");
  return flags.has("--as-text") ? debugInfoText(debugInfo)
                                : std::move(debugInfo);
}

std::function<Expected<std::string>()>
ingot::metaGraphOf(const ParsedFlags &flags, const ingot_program &program,
                   const std::string &saver) {
  if (!flags.has("--write-meta-graph"))
    return nullptr;
  MetaGraphExportOptions edits = readEdits(flags);
  edits.saver = saver;
  return [&program, asText = flags.has("--as-text"), edits] {
    return ::metaGraphFile(program, edits, asText);
  };
}

static std::optional<UsageError>
readMetaGraph(const ParsedFlags &flags, const ingot_program &program,
              CheckpointManagerOptions &checkpoints) {
  checkpoints.metaGraphSuffix =
      flags.get("--meta-graph-suffix", checkpoints.metaGraphSuffix);
  if (!flags.has("--write-meta-graph")) {
    if (flags.has("--meta-graph-suffix"))
      return UsageError{"--meta-graph-suffix needs --write-meta-graph", ""};
    for (const FlagSpec &flag : metaGraphFlags)
      if (flags.has(flag.name))
        return UsageError{std::string(flag.name) + " needs --write-meta-graph",
                          ""};
    return std::nullopt;
  }
  if (!program.meta_graph)
    return UsageError{
        "--write-meta-graph: this program does not contain its graph",
        "compile it from a graph, without --embed-graph=false"};
  checkpoints.metaGraph = metaGraphOf(flags, program);
  if (!flags.has("--debug-info"))
    return std::nullopt;
  auto debugInfo = debugInfoFile(flags, program);
  if (!debugInfo)
    return UsageError{debugInfo.status().message(),
                      "export the graph from TensorFlow with debug info"};
  checkpoints.debugInfo = [debugInfo = *debugInfo]() -> Expected<std::string> {
    return debugInfo;
  };
  return std::nullopt;
}

Expected<std::string>
ingot::embeddedMetaGraph(const ingot_program &program,
                         const MetaGraphExportOptions &edits) {
  if (!program.meta_graph)
    return std::string();
  INGOT_ASSIGN_OR_RETURN(std::string graph, unpackedGraph(program));
  return editMetaGraph(graph, edits);
}

std::optional<UsageError>
ingot::readSaveFlags(const ParsedFlags &flags, const ingot_program &program,
                     CheckpointManagerOptions &checkpoints,
                     CheckpointSavePolicy &policy) {
  std::optional<UsageError> error;
  checkpoints.maxToKeep = flags.getInteger("--keep-checkpoint-max",
                                           checkpoints.maxToKeep, 0, error);
  checkpoints.keepCheckpointEveryNHours =
      flags.getPositive("--keep-checkpoint-every-n-hours",
                        checkpoints.keepCheckpointEveryNHours, error);
  if (flags.has("--shards")) {
    int64_t shards = flags.getInteger("--shards", 1, 1, error);
    // Names of shards, such as data-00000-of-00002, have five digits.
    if (shards > 99999 && !error)
      error = UsageError{"--shards: expected a number from 1 to 99999, found " +
                             std::to_string(shards),
                         ""};
    checkpoints.numShards = static_cast<uint32_t>(shards);
    checkpoints.spread = true;
    checkpoints.sharded = shards > 1;
  }
  checkpoints.numbersSteps = !flags.has("--no-step-number");
  // Without step numbers, a checkpoint has the file name that the graph gives
  // the saver: TensorFlow's save op uses it if no other name is fed.
  if (!checkpoints.numbersSteps && program.num_savers > 0)
    checkpoints.basename = baseOf(program.savers[0].filename);
  checkpoints.basename =
      flags.get("--checkpoint-basename", checkpoints.basename);
  checkpoints.padStepNumber = flags.has("--pad-step-number");
  if (checkpoints.padStepNumber && !checkpoints.numbersSteps && !error)
    error = UsageError{
        "--no-step-number and --pad-step-number exclude one another", ""};
  policy.variables = readVariables(flags, error);
  checkpoints.stateFileName =
      flags.get("--latest-filename", checkpoints.stateFileName);
  checkpoints.saveRelativePaths =
      readChoice(flags, "--save-relative-paths", "true", "false",
                 checkpoints.saveRelativePaths, error);
  checkpoints.writesState = !flags.has("--no-state-file");
  checkpoints.writesV1 =
      readChoice(flags, "--write-version", "v1", "v2", false, error);
  policy.forTensorFlow = flags.has("--tensorflow-iterators");
  if (policy.forTensorFlow && checkpoints.writesV1 && !error)
    error = UsageError{"--tensorflow-iterators needs checkpoints of format V2, "
                       "which can hold variant tensors",
                       ""};
  policy.inBackground = !flags.has("--sync-saves");
  if (flags.has("--save-copy")) {
    std::string size = flags.get("--save-copy");
    policy.mostCopied = parseByteSize(size);
    if (!policy.mostCopied && !error)
      error =
          UsageError{"--save-copy: expected " + std::string(byteSizeSyntax) +
                         ", found '" + size + "'",
                     ""};
  }
  policy.toleratesFailures =
      !readChoice(flags, "--on-failed-save", "stop", "continue", true, error);
  if (!error)
    error = readMetaGraph(flags, program, checkpoints);
  if (error)
    return error;
  if (Status names = checkNames(checkpoints); !names.isOk())
    return UsageError{names.message(), ""};
  return std::nullopt;
}
