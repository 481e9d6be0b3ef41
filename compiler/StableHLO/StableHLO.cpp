//===- StableHLO.cpp - Training steps in StableHLO ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/StableHLO.h"

#include "compiler/StableHLO/Parser.h"
#include "compiler/StableHLO/StepGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;
using mlir::failure;
using mlir::success;

namespace ingot::stablehlo {

bool isModule(StringRef text) {
  if (text.contains("ingot.entry") || text.contains("ingot.program"))
    return false;
  // Front ends' attributes come first, so that also half a file is recognized.
  return any_of(ArrayRef<StringRef>{"stablehlo.", "chlo.", "mhlo.", "jax."},
                [&](StringRef word) { return text.contains(word); });
}

static std::optional<std::string> readFile(const std::string &path,
                                           std::string &error) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) {
    error = "cannot read '" + path + "': " + buffer.getError().message();
    return std::nullopt;
  }
  return (*buffer)->getBuffer().str();
}

static std::string rolesPath(StringRef path, StringRef roles) {
  SmallString<128> file(roles);
  if (file.empty()) {
    file = path;
    sys::path::replace_extension(file, "json");
  }
  return file.str().str();
}

// Parses a module. Malformed text is a problem at its line. `label` begins the
// message: it names a file other than the input.
static bool parseModule(StringRef text, const Twine &label, Module &module,
                        importer::ImportErrors &problems) {
  Parser parser(text, module);
  if (parser.parse())
    return true;
  problems.malformed(label + parser.message());
  return false;
}

// Puts the arguments of the step in the order of the roles: first the state,
// then the batch. Front ends may order arguments by their first use. Returns
// what is wrong with "arguments".
static std::string orderArguments(const Roles &roles, Module &module) {
  auto step = module.functions.find(roles.function);
  if (roles.arguments.empty() || step == module.functions.end())
    return "";
  auto &arguments = step->second->body.arguments;
  std::vector<std::string> names;
  for (const StateRole &state : roles.state)
    names.push_back(state.name);
  append_range(names, roles.batch);
  if (names.size() != arguments.size() ||
      roles.arguments.size() != names.size())
    return ("arguments: function '@" + roles.function + "' has " +
            Twine(arguments.size()) + ", but there are " +
            Twine(roles.arguments.size()) + " names here and " +
            Twine(names.size()) + " in \"state\" and \"batch\"")
        .str();
  auto ordered = arguments;
  for (auto [index, name] : enumerate(names)) {
    auto found = find(roles.arguments, name);
    if (found == roles.arguments.end() || count(names, name) != 1)
      return "arguments: '" + name + "' is not there, or stands for two";
    ordered[index] = arguments[found - roles.arguments.begin()];
  }
  arguments = ordered;
  return "";
}

// Adds the entries, each from the step's module or from a file of its own.
static void addEntries(const Roles &roles, const Module &module, StringRef path,
                       const RoleFiles &files, StepGraph &graph, SHA256 &hash) {
  std::vector<std::unique_ptr<Module>> others;
  for (const EntryRole &entry : roles.entries) {
    if (entry.file.empty()) {
      graph.addEntry(entry, module, path);
      continue;
    }
    std::string error, name = files.path(entry.file);
    auto text = readFile(name, error);
    Module &other = *others.emplace_back(std::make_unique<Module>());
    if (!text)
      graph.problems().unknownName("entries." + entry.name + ": " + error);
    else if (parseModule(*text, name + ": ", other, graph.problems()))
      graph.addEntry(entry, other, name);
    hash.update(text.value_or(""));
  }
}

LogicalResult readStep(importer::GraphFile &file, StringRef path,
                       StringRef rolesFile, importer::ImportOptions &options,
                       importer::ImportErrors &problems) {
  std::string name = rolesPath(path, rolesFile), error;
  auto json = readFile(name, error);
  if (!json) {
    problems.unknownName(error + "; a step in StableHLO needs a file of roles, "
                                 "which says what its arguments and results "
                                 "are (--roles)");
    return failure();
  }
  std::vector<std::string> wrong;
  Roles roles = parseRoles(*json, wrong);
  for (const std::string &message : wrong)
    problems.unknownName(name + ": " + message);
  Module module;
  if (!parseModule(file.text, "", module, problems) || !problems.empty())
    return failure();
  if (std::string why = orderArguments(roles, module); !why.empty()) {
    problems.unknownName(name + ": " + why);
    return failure();
  }
  RoleFiles files(sys::path::parent_path(name));
  proto::MetaGraphDef meta;
  StepGraph graph(module, roles, files, path, meta);
  graph.addStep();
  SHA256 hash;
  hash.update(file.text);
  hash.update(*json);
  addEntries(roles, module, path, files, graph, hash);
  graph.finish();
  problems.merge(std::move(graph.problems()));
  if (!problems.empty())
    return failure();
  llvm::append_range(options.observe, graph.observed());
  // Values of an archive are part of the graph, those of a checkpoint are not:
  // like a SavedModel's, they may change while the graph stays.
  if (auto archive = graph.initialValues().archive(); !archive.empty())
    hash.update(readFile(archive, error).value_or(""));
  file.checkpoint = graph.initialValues().checkpoint();
  file.kind = file.checkpoint.empty() ? importer::GraphFile::MetaGraph
                                      : importer::GraphFile::SavedModel;
  file.graph = std::move(meta);
  file.text.clear();
  file.hash = toHex(hash.final(), /*LowerCase=*/true);
  return success();
}

} // namespace ingot::stablehlo
