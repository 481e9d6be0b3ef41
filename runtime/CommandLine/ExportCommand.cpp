//===- ExportCommand.cpp - trainer export ---------------------------------===//

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Checkpoint/SaveFiles.h"
#include "runtime/Checkpoint/ServingGraph.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/SaveFlags.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Session/Program.h"

#include <algorithm>

using namespace ingot;

static constexpr FlagSpec ownExportFlags[] = {
    {"--saved-model", "DIR",
     "a SavedModel with the trained variables and what the graph serves: its "
     "signatures for inference, and entries with feeds; DIR must not exist"},
    {"--model-dir", "DIR", "variables from its newest checkpoint"},
    {"--checkpoint", "PREFIX", "variables from this checkpoint"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto exportFlags =
    joinFlags(ownExportFlags, directoryFlags, helpFlag);

/// A feed or fetch is called as its tensor; callers leave ":0" out.
static ServingSignature::Tensor servedTensor(const ingot_tensor_spec &spec) {
  ServingSignature::Tensor tensor;
  tensor.tensor = spec.name;
  tensor.key = tensor.tensor.substr(0, tensor.tensor.rfind(":0"));
  if (tensor.tensor.find(':') == std::string::npos)
    tensor.tensor += ":0";
  tensor.dtype = spec.dtype;
  tensor.shape = shapeOf(spec);
  return tensor;
}

/// What entries make a signature: those that take feeds, change nothing, and
/// are no part of training.
static std::vector<ServingSignature>
entriesToServe(const ingot_program &program) {
  std::vector<ServingSignature> signatures;
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (entry.num_feeds == 0 || entry.num_fetches == 0 ||
        entry.num_assigned != 0 ||
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

/// The V2 checkpoint that is exported: its prefix.
static Expected<std::string> findCheckpoint(const Command &command,
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
                    "there is no checkpoint in '" + directory + "'");
    prefix = latest.found->prefix;
  }
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(command.fileSystem, prefix));
  if (reader->format() != CheckpointReader::Format::V2)
    return Status(StatusCode::InvalidArgument,
                  "'" + prefix +
                      "' is no V2 checkpoint, as SavedModels have: `ingot-ckpt "
                      "convert` makes one of it");
  return prefix;
}

static Status copyFile(FileSystem &fileSystem, const std::string &from,
                       const std::string &to) {
  INGOT_ASSIGN_OR_RETURN(auto source, fileSystem.openForReading(from));
  INGOT_ASSIGN_OR_RETURN(auto copy, fileSystem.create(to));
  std::string bytes(1 << 20, '\0');
  for (uint64_t at = 0; at < source->size();) {
    INGOT_ASSIGN_OR_RETURN(size_t size,
                           source->read(at, bytes.size(), bytes.data()));
    if (size == 0)
      return Status(StatusCode::DataLoss, "'" + from + "' ends early");
    INGOT_RETURN_IF_ERROR(
        copy->append(std::string_view(bytes).substr(0, size)));
    at += size;
  }
  INGOT_RETURN_IF_ERROR(copy->sync());
  return copy->close();
}

/// The files of a SavedModel.
static Status writeFiles(FileSystem &fileSystem, const std::string &directory,
                         const std::string &savedModel,
                         const std::string &prefix) {
  std::string variables = directory + "/variables";
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(variables));
  INGOT_ASSIGN_OR_RETURN(SaveFiles files, findSaveFiles(fileSystem, prefix));
  files.data.push_back(prefix + ".index");
  for (const std::string &path : files.data)
    INGOT_RETURN_IF_ERROR(
        copyFile(fileSystem, path,
                 variables + "/variables" + path.substr(prefix.size())));
  INGOT_ASSIGN_OR_RETURN(auto file,
                         fileSystem.create(directory + "/saved_model.pb"));
  INGOT_RETURN_IF_ERROR(file->append(savedModel));
  INGOT_RETURN_IF_ERROR(file->sync());
  return file->close();
}

/// Removes what an export that failed, or was killed, has left.
static void removeRest(FileSystem &fileSystem, const std::string &directory) {
  for (const std::string &folder : {directory + "/variables", directory}) {
    auto names = fileSystem.list(folder);
    for (const std::string &name : names ? *names : std::vector<std::string>())
      (void)fileSystem.remove(folder + "/" + name).isOk();
    (void)fileSystem.removeDirectory(folder).isOk();
  }
}

/// Makes the SavedModel, which appears whole or not at all.
static Status exportSavedModel(const Command &command,
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

static int runExport(Command &command) {
  const ParsedFlags &flags = command.flags;
  command.console.setQuiet(flags.has("--quiet"));
  std::optional<UsageError> error;
  CheckpointManagerOptions folder = readModelDirectory(command, error);
  std::string directory = flags.get("--saved-model");
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  if (!flags.positionals().empty())
    error = UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  else if (directory.empty())
    error = UsageError{"--saved-model is missing: it names what is made", ""};
  else if (!flags.has("--model-dir") && !flags.has("--checkpoint"))
    error = UsageError{"--model-dir is missing: it names the folder of "
                       "checkpoints",
                       ""};
  else if (!command.program.meta_graph)
    error = UsageError{"this program doesn't carry its graph",
                       "compile it from a graph, without --embed-graph=false"};
  if (error)
    return command.usage(*error);
  if (command.fileSystem.kindOf(directory) != FileKind::None)
    return command.fail(Status(StatusCode::AlreadyExists,
                               "'" + directory + "' exists already"));
  auto metaGraph = embeddedMetaGraph(command.program);
  if (!metaGraph)
    return command.fail(metaGraph.status());
  auto graph = servingGraph(*metaGraph, entriesToServe(command.program));
  if (!graph) {
    int code = command.fail(graph.status());
    if (graph.status().code() == StatusCode::InvalidArgument)
      command.console.hint("compile an entry in with --entry "
                           "predict=images->logits; info lists the entries");
    return code;
  }
  auto prefix = findCheckpoint(command, std::move(folder));
  if (!prefix)
    return command.fail(prefix.status(), ExitNoCheckpoint);
  if (Status status = exportSavedModel(command, directory, *graph, *prefix);
      !status.isOk())
    return command.fail(status);
  std::string line = "exported '" + *prefix + "' to '" + directory + "', with ";
  for (size_t i = 0; i < graph->signatures.size(); ++i)
    line += (i > 0 ? ", '" : "'") + graph->signatures[i] + "'";
  command.console.log(line);
  return ExitDone;
}

const Verb ingot::exportVerb = {
    "export",
    "--saved-model DIR --model-dir DIR [FLAGS]",
    "writes the trained model for TensorFlow to serve",
    "--saved-model served/1 --model-dir run",
    exportFlags,
    runExport,
};
