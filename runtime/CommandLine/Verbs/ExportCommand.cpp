//===- ExportCommand.cpp - trainer export ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Checkpoint/CopyFiles.h"
#include "runtime/Checkpoint/ServingGraph.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/ExportGraph.h"
#include "runtime/CommandLine/Verbs/ExportWeights.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Session/Program.h"

#include <algorithm>

using namespace ingot;

static constexpr FlagSpec ownExportFlags[] = {
    {"--saved-model", "DIR",
     "write a SavedModel with the variables, the graph's inference signatures "
     "and entries with feeds; DIR must not exist"},
    {"--weights", "FILE",
     "write the weights alone: FILE.npz, FILE.safetensors or, for a Keras "
     "model, FILE.weights.h5 for model.load_weights(); FILE must not exist"},
    {"--meta-graph", "FILE",
     "write the graph alone, as tf.train.export_meta_graph does, without a "
     "checkpoint; FILE must not exist"},
    {"--model-dir", "DIR", "restore its newest checkpoint"},
    {"--checkpoint", "PREFIX", "restore this checkpoint"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto exportFlags =
    joinFlags(ownExportFlags, directoryFlags, metaGraphFlags, helpFlag);

/// Describes a feed or fetch for a signature of a SavedModel. Its key, by which
/// callers of the signature name it, is the tensor's name without ":0".
static ServingSignature::SignatureTensor
servedTensor(const ingot_tensor_spec &spec) {
  ServingSignature::SignatureTensor tensor;
  tensor.tensor = spec.name;
  tensor.key = tensor.tensor.substr(0, tensor.tensor.rfind(":0"));
  if (tensor.tensor.find(':') == std::string::npos)
    tensor.tensor += ":0";
  tensor.dtype = spec.dtype;
  tensor.shape = shapeOf(spec);
  return tensor;
}

/// Returns a signature for each entry that has feeds and fetches, changes no
/// state, and is not part of training.
static std::vector<ServingSignature>
entriesToServe(const ingot_program &program) {
  std::vector<ServingSignature> signatures;
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (entry.num_feeds == 0 || entry.num_fetches == 0 || changesState(entry) ||
        (entry.role != INGOT_ROLE_PREDICT && entry.role != INGOT_ROLE_OTHER))
      continue;
    ServingSignature &signature = signatures.emplace_back();
    signature.name = entry.name;
    for (const ingot_tensor_spec &feed : feedsOf(entry))
      signature.inputs.push_back(servedTensor(feed));
    for (const ingot_tensor_spec &fetch : fetchesOf(entry))
      signature.outputs.push_back(servedTensor(fetch));
  }
  return signatures;
}

/// Returns the prefix of the checkpoint to export: --checkpoint, or else the
/// newest complete checkpoint of the model directory.
static Expected<std::string> findCheckpoint(const CommandContext &command,
                                            CheckpointManagerOptions folder) {
  std::string prefix = command.flags.get("--checkpoint");
  if (prefix.empty()) {
    std::string directory = folder.directory;
    CheckpointManager checkpoints(command.fileSystem, std::move(folder));
    INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest,
                           checkpoints.latestComplete());
    for (const std::string &warning : latest.warnings)
      command.console.warning(warning);
    if (!latest.found)
      return Status(StatusCode::NotFound,
                    "no checkpoint in '" + directory +
                        "': train first, or give another --model-dir");
    prefix = latest.found->prefix;
  }
  INGOT_RETURN_IF_ERROR(
      CheckpointReader::open(command.fileSystem, prefix).takeStatus());
  return prefix;
}

/// Checks that the checkpoint is a V2 bundle, the only format that a
/// SavedModel's variables/ folder can have.
static Status checkFormat(const CommandContext &command,
                          const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(command.fileSystem, prefix));
  if (reader->format() != CheckpointReader::Format::V2)
    return Status(StatusCode::InvalidArgument,
                  "'" + prefix +
                      "' is not a V2 checkpoint, which SavedModels need: "
                      "convert it with `ingot-ckpt convert`");
  return Status::ok();
}

/// Writes saved_model.pb and the variables of a SavedModel into `directory`.
static Status writeFiles(FileSystem &fileSystem, const std::string &directory,
                         const std::string &savedModel,
                         const std::string &prefix) {
  std::string variables = directory + "/variables";
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(variables));
  INGOT_RETURN_IF_ERROR(
      copyCheckpointFiles(fileSystem, prefix, variables + "/variables"));
  INGOT_ASSIGN_OR_RETURN(auto file,
                         fileSystem.create(directory + "/saved_model.pb"));
  INGOT_RETURN_IF_ERROR(file->append(savedModel));
  INGOT_RETURN_IF_ERROR(file->sync());
  return file->close();
}

/// Removes the temporary SavedModel `directory` of a failed or killed export.
/// Errors are ignored: the files may not exist.
static void removeRest(FileSystem &fileSystem, const std::string &directory) {
  for (const std::string &folder : {directory + "/variables", directory}) {
    auto names = fileSystem.list(folder);
    for (const std::string &name : names ? *names : std::vector<std::string>())
      (void)fileSystem.remove(folder + "/" + name).isOk();
    (void)fileSystem.removeDirectory(folder).isOk();
  }
}

/// Writes the SavedModel to a temporary directory first and renames it, so that
/// `directory` appears complete or not at all.
static Status exportSavedModel(const CommandContext &command,
                               const std::string &directory,
                               const ServingGraph &graph,
                               const std::string &prefix) {
  FileSystem &fileSystem = command.fileSystem;
  std::string temporary = directory + ".temporary-export";
  removeRest(fileSystem, temporary);
  Status status = writeFiles(fileSystem, temporary, graph.savedModel, prefix);
  if (status.isOk())
    status = fileSystem.rename(temporary, directory);
  if (!status.isOk())
    removeRest(fileSystem, temporary);
  else
    status = fileSystem.syncDirectory(directoryOf(directory));
  return status;
}

/// The flags that name an output.
static constexpr const char *outputFlags[] = {"--saved-model", "--weights",
                                              "--meta-graph"};

/// Returns a usage error if a flag is not allowed for the requested output, or
/// if a required flag is missing. --meta-graph takes no --model-dir or
/// --checkpoint, because a meta graph has no values of variables. Other outputs
/// need one of these two, and take no metaGraphFlags.
static std::optional<UsageError> checkOutputFlags(const ParsedFlags &flags) {
  bool isGraph = flags.has("--meta-graph");
  for (const char *flag : {"--model-dir", "--checkpoint"})
    if (isGraph && flags.has(flag))
      return UsageError{std::string("--meta-graph and ") + flag +
                            " exclude one another: the graph comes from the "
                            "program, not from a checkpoint",
                        ""};
  for (const FlagSpec &flag : metaGraphFlags)
    if (!isGraph && flags.has(flag.name))
      return UsageError{std::string(flag.name) + " needs --meta-graph", ""};
  if (!isGraph && !flags.has("--model-dir") && !flags.has("--checkpoint"))
    return UsageError{"--model-dir is missing: it names the folder of "
                      "checkpoints",
                      ""};
  return std::nullopt;
}

/// Returns the value of the flag that names the output, without trailing
/// slashes. A usage error is stored in `error`.
static std::string outputOf(const CommandContext &command,
                            std::optional<UsageError> &error) {
  const ParsedFlags &flags = command.flags;
  const char *kind = nullptr;
  for (const char *flag : outputFlags) {
    if (kind && flags.has(flag))
      error = UsageError{
          std::string(kind) + " and " + flag + " exclude one another", ""};
    if (flags.has(flag))
      kind = flag;
  }
  std::string output = kind ? flags.get(kind) : "";
  while (output.size() > 1 && output.ends_with('/'))
    output.pop_back();
  if (!flags.positionals().empty())
    error = UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  if (error)
    return output;
  if (output.empty())
    error = UsageError{"--saved-model, --weights or --meta-graph is missing: "
                       "it names the output",
                       ""};
  else if (!command.program.meta_graph)
    error = UsageError{"this program does not contain its graph",
                       "compile it from a graph, without --embed-graph=false"};
  else if (flags.has("--weights"))
    error = checkWeightsFile(output);
  if (!error)
    error = checkOutputFlags(flags);
  return output;
}

static int runGraph(CommandContext &command, const std::string &path) {
  if (Status status = exportGraph(command, path); !status.isOk())
    return command.fail(status);
  command.console.log("exported the graph to '" + path + "'");
  return ExitDone;
}

static int runWeights(CommandContext &command, const std::string &path,
                      const std::string &prefix) {
  auto count = exportWeights(command, path, prefix);
  if (!count)
    return command.fail(count.status());
  command.console.log("exported " + std::to_string(*count) + " tensors of '" +
                      prefix + "' to '" + path + "'");
  return ExitDone;
}

static int runExport(CommandContext &command) {
  const ParsedFlags &flags = command.flags;
  command.console.setQuiet(flags.has("--quiet"));
  std::optional<UsageError> error;
  CheckpointManagerOptions folder = readModelDirectory(command, error);
  std::string output = outputOf(command, error);
  if (error)
    return command.usage(*error);
  if (command.fileSystem.kindOf(output) != FileKind::None)
    return command.fail(
        Status(StatusCode::AlreadyExists, "'" + output +
                                              "' exists already: remove it, or "
                                              "choose another name"));
  if (flags.has("--meta-graph"))
    return runGraph(command, output);
  warnOfOtherProgram(command);
  if (flags.has("--weights")) {
    auto prefix = findCheckpoint(command, std::move(folder));
    return prefix ? runWeights(command, output, *prefix)
                  : command.fail(prefix.status(), ExitNoCheckpoint);
  }
  auto metaGraph = embeddedMetaGraph(command.program);
  if (!metaGraph)
    return command.fail(metaGraph.status());
  auto graph = servingGraph(*metaGraph, entriesToServe(command.program));
  if (!graph) {
    int code = command.fail(graph.status());
    if (graph.status().code() == StatusCode::InvalidArgument)
      command.console.hint(
          "compile the program with an entry that predicts, for "
          "example --entry 'predict=images->logits'");
    return code;
  }
  auto prefix = findCheckpoint(command, std::move(folder));
  if (!prefix)
    return command.fail(prefix.status(), ExitNoCheckpoint);
  if (Status status = checkFormat(command, *prefix); !status.isOk())
    return command.fail(status, ExitNoCheckpoint);
  if (Status status = exportSavedModel(command, output, *graph, *prefix);
      !status.isOk())
    return command.fail(status);
  std::string line = "exported '" + *prefix + "' to '" + output + "', with ";
  for (size_t i = 0; i < graph->signatures.size(); ++i)
    line += (i > 0 ? ", '" : "'") + graph->signatures[i] + "'";
  command.console.log(line);
  return ExitDone;
}

const TrainerSubcommand ingot::exportVerb = {
    "export",
    "--saved-model DIR|--weights FILE|--meta-graph FILE [--model-dir DIR] "
    "[FLAGS]",
    "export the trained model for TensorFlow, its weights, or the graph",
    "--saved-model served/1 --model-dir run",
    exportFlags,
    runExport,
};
