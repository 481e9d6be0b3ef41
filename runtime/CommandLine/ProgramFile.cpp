//===- ProgramFile.cpp - Which program a model directory belongs to -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ProgramFile.h"

#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/GraphFingerprint.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"

#include <nlohmann/json.hpp>

using namespace ingot;
using Json = nlohmann::ordered_json;

static Expected<GraphFingerprint> fingerprintOf(const ingot_program &program) {
  // Each iteration of an AdaNet search trains a different program, so a search
  // has no fingerprint.
  if (extensionOf(program) || !findEntry(program, INGOT_ROLE_STEP))
    return GraphFingerprint();
  // Leave out attributes with default values: only some exporters write them,
  // so they would change the fingerprint.
  MetaGraphExportOptions edits;
  edits.stripDefaultAttrs = true;
  INGOT_ASSIGN_OR_RETURN(std::string graph, embeddedMetaGraph(program, edits));
  if (graph.empty())
    return GraphFingerprint();
  return fingerprintOf(graph, program.loss ? program.loss : "");
}

/// Returns the types of the variables that checkpoints store, by name.
static std::map<std::string, std::string>
variablesOf(const ingot_program &program) {
  std::map<std::string, std::string> types;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if (!isRandomState(variable) && !(variable.flags & INGOT_VARIABLE_LOCAL))
      types[variable.spec.name] = typeText(variable.spec);
  }
  return types;
}

Expected<FileContents>
ingot::programFileContents(const ingot_program &program) {
  INGOT_ASSIGN_OR_RETURN(GraphFingerprint fingerprint, fingerprintOf(program));
  if (fingerprint.text.empty())
    return FileContents();
  Json json = {{"source", program.source},
               {"source_sha256", program.source_hash},
               {"fingerprint", fingerprint.text},
               {"variables", variablesOf(program)},
               {"ops", fingerprint.ops}};
  return FileContents(
      [text = json.dump(1, ' ', false, Json::error_handler_t::replace) +
              "\n"](WritableFile &file) { return file.append(text); });
}

Expected<FileContents> ingot::graphFileContents(const ingot_program &program) {
  INGOT_ASSIGN_OR_RETURN(std::string graph, embeddedMetaGraph(program));
  if (graph.empty())
    return FileContents();
  return FileContents([graph = std::move(graph)](WritableFile &file) {
    return printGraphDef(
        graph, [&](std::string_view text) { return file.append(text); });
  });
}

/// Reads program.json. Returns null if there is none, or if it is damaged.
static Json readProgramFile(FileSystem &fileSystem,
                            const std::string &directory) {
  auto file = fileSystem.openForReading(directory + "/" + programFileName);
  if (!file)
    return Json();
  std::string text((*file)->size(), '\0');
  auto size = (*file)->read(0, text.size(), text.data());
  if (!size || *size != text.size())
    return Json();
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json();
}

static std::string textIn(const Json &json, const char *key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : "";
}

/// Lists the ops of which `one` has more than `other`, and how many more: "1
/// Relu, 2 MatMul".
static std::string listMore(const std::map<std::string, int64_t> &one,
                            const std::map<std::string, int64_t> &other) {
  constexpr size_t most = 4;
  std::string text;
  size_t count = 0;
  for (const auto &[op, number] : one) {
    auto found = other.find(op);
    int64_t more = number - (found == other.end() ? 0 : found->second);
    if (more <= 0 || ++count > most)
      continue;
    text += (text.empty() ? "" : ", ") + std::to_string(more) + " " + op;
  }
  return count > most ? text + ", ..." : text;
}

/// Returns how the variables `theirs` differ from `ours`; "" if they are the
/// same.
static std::string
compareVariables(const std::map<std::string, std::string> &theirs,
                 const std::map<std::string, std::string> &ours) {
  std::string text;
  size_t count = 0;
  auto add = [&](const std::string &difference) {
    constexpr size_t most = 6;
    if (++count <= most)
      text += (text.empty() ? "" : ", ") + difference;
    else if (count == most + 1)
      text += ", ...";
  };
  for (const auto &[name, type] : theirs)
    if (auto found = ours.find(name); found == ours.end())
      add("'" + name + "' is only there");
    else if (found->second != type)
      add("'" + name + "' is " + type + " there and " + found->second +
          " here");
  for (const auto &[name, type] : ours)
    if (!theirs.contains(name))
      add("'" + name + "' is only here");
  return text;
}

std::string ingot::differenceOfPrograms(const CommandContext &command,
                                        const std::string &directory) {
  Json json = readProgramFile(command.fileSystem, directory);
  std::string theirs = textIn(json, "fingerprint");
  if (!theirs.starts_with("1-") ||
      textIn(json, "source_sha256") == command.program.source_hash)
    return "";
  auto ours = fingerprintOf(command.program);
  if (!ours || ours->text.empty() || ours->text == theirs)
    return "";
  std::map<std::string, std::string> variables;
  if (auto found = json.find("variables");
      found != json.end() && found->is_object())
    for (const auto &[name, type] : found->items())
      if (type.is_string())
        variables[name] = type.get<std::string>();
  if (std::string differ =
          compareVariables(variables, variablesOf(command.program));
      !variables.empty() && !differ.empty())
    return "its variables differ: " + differ;
  std::map<std::string, int64_t> ops;
  if (auto found = json.find("ops"); found != json.end() && found->is_object())
    for (const auto &[op, number] : found->items())
      if (number.is_number_integer())
        ops[op] = number.get<int64_t>();
  std::string removed = listMore(ops, ours->ops),
              added = listMore(ours->ops, ops);
  if (removed.empty() && added.empty())
    return "its step has the same ops as this one's, but other constants, "
           "attributes or connections";
  return "the step of '" + textIn(json, "source") + "' has " +
         (removed.empty() ? "no" : removed + " more than") +
         (removed.empty() ? " " + added + " that this one has"
          : added.empty() ? " this one"
                          : " this one, which has " + added + " more");
}

void ingot::warnOfOtherProgram(const CommandContext &command) {
  const std::string &checkpoint = command.flags.get("--checkpoint");
  std::string directory = checkpoint.empty() ? command.flags.get("--model-dir")
                                             : directoryOf(checkpoint);
  if (directory.empty())
    return;
  if (std::string other = differenceOfPrograms(command, directory);
      !other.empty())
    command.console.warning("the model in '" + directory +
                            "' was trained by another program: " + other);
}
