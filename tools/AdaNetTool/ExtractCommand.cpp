//===- ExtractCommand.cpp - ingot-adanet extract --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes the variables of one member, or of the best ensemble and its members,
// to a checkpoint or to a file of arrays (.npz, .safetensors), as AN-225
// describes.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Formats/OutputFile.h"
#include "tools/AdaNetTool/CheckpointVariables.h"
#include "tools/AdaNetTool/ModelOverview.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/Tool.h"
#include "tools/CheckpointTool/CopyCheckpoint.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

static const FlagSpec extractFlags[] = {
    {"--model-dir", "DIR", "the model directory of the search"},
    {"--checkpoint", "PREFIX", "read this checkpoint (default: the newest)"},
    {"--member", "NAME", "extract this member's variables, such as t1_linear"},
    {"--ensemble", nullptr,
     "extract the variables of the best ensemble and its members"},
    {"-o", "PREFIX", "write this checkpoint"},
    {"--weights", "FILE.npz|FILE.safetensors",
     "write the variables to this file, with or without -o"},
    {"--strip-scope", nullptr,
     "drop the member's scope from names: dense/kernel"},
    {"--optimizer-slots", nullptr, "include the optimizer's slot variables"},
    {"--shards", "N", "write N data shards (default: as in the input)"},
    {"--force", nullptr, "replace existing files"},
    {"--help", nullptr, "print this"},
};

/// Returns the names of the ensemble that predicts and of its members.
static Expected<std::vector<std::string>>
findEnsemble(const ToolContext &tool, const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(
      ModelOverview model,
      readModel(tool.fileSystem, directoryOf(prefix), prefix, tool.console));
  std::vector<std::string> names;
  for (const IterationOverview &view : model.iterations)
    for (const Ensemble &ensemble : view.ensembles)
      if (ensemble.isBest) {
        names = ensemble.members;
        names.push_back(ensemble.name);
      }
  if (names.size() < 2)
    return Status(StatusCode::FailedPrecondition,
                  "--ensemble: the members of the best ensemble in '" + prefix +
                      "' are unknown: give --member with one of those that "
                      "ingot-adanet show lists");
  std::string list;
  for (size_t i = 0; i + 1 < names.size(); ++i)
    list += " " + names[i];
  tool.console.note("extracting ensemble '" + names.back() +
                    "' with the members" + list);
  return names;
}

/// Returns the variables to save: those of the member that --member names, or
/// of the best ensemble. Returns InvalidArgument, listing all members, if there
/// is no such member.
static Expected<std::vector<TensorToSave>>
variablesOf(const ToolContext &tool, const CheckpointReader &reader,
            const std::string &prefix) {
  std::string member = tool.flags.get("--member");
  std::vector<std::string> wanted = {member};
  if (tool.flags.has("--ensemble")) {
    INGOT_ASSIGN_OR_RETURN(wanted, findEnsemble(tool, prefix));
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<CheckpointVariable> all, readOwn(reader));
  std::vector<TensorToSave> items =
      ckpt::itemsOf(tool, reader, /*assembled=*/tool.flags.get("-o").empty());
  std::vector<TensorToSave> taken;
  std::vector<std::string> members;
  for (const CheckpointVariable &variable : all) {
    auto own = variable.own();
    if (!own || own->kind == AdaNetVariableName::Iteration)
      continue;
    if (std::string owner(own->owner);
        own->kind == AdaNetVariableName::Member &&
        std::find(members.begin(), members.end(), owner) == members.end())
      members.push_back(owner);
    // The moving averages in an ensemble's scope "candidate_<name>" belong to
    // the ensemble, although their names look like those of slot variables. So
    // isSlot() is not called for this scope.
    if (std::find(wanted.begin(), wanted.end(), own->owner) == wanted.end() ||
        (own->kind != AdaNetVariableName::Candidate && isSlot(own->rest) &&
         !tool.flags.has("--optimizer-slots")))
      continue;
    for (const TensorToSave &item : items)
      if (item.key == variable.key) {
        taken.push_back(item);
        taken.back().key = tool.flags.has("--strip-scope")
                               ? std::string(own->rest)
                               : variable.name;
      }
  }
  if (!taken.empty())
    return taken;
  std::string list;
  for (const std::string &name : members)
    list += (list.empty() ? "'" : ", '") + name + "'";
  return Status(StatusCode::InvalidArgument,
                "--member: '" + prefix + "' has no member '" + member +
                    "'; it has " + (list.empty() ? "none" : list));
}

/// Writes the file that --weights names. Warns about tensors whose type the
/// file's format does not support.
static Status writeWeights(const ToolContext &tool,
                           std::vector<TensorToSave> items) {
  std::string path = tool.flags.get("--weights");
  bool force = tool.flags.has("--force");
  auto leaveOut = [&](const TensorToSave &item, const std::string &why) {
    tool.console.warning("'" + item.key + "' " + why + "; left out");
  };
  if (path.ends_with(".npz"))
    return writeNpz(tool.fileSystem, path, force, items, leaveOut).takeStatus();
  std::erase_if(items, [&](const TensorToSave &item) {
    bool fits = fitsSafetensors(item.dtype);
    if (!fits)
      leaveOut(item, "has a type that safetensors files cannot hold");
    return !fits;
  });
  return writeSafetensors(tool.fileSystem, path, force, items);
}

static std::optional<UsageError> checkFlags(const ToolContext &tool) {
  std::string weights = tool.flags.get("--weights");
  if (modelDirectory(tool).empty())
    return UsageError{
        "--model-dir is missing: it names the model directory of the search",
        ""};
  bool takesEnsemble = tool.flags.has("--ensemble");
  if (tool.flags.get("--member").empty() && !takesEnsemble)
    return UsageError{"--member is missing: it names the member to extract",
                      "ingot-adanet show lists the members; --ensemble takes "
                      "all of the best ensemble"};
  for (const char *flag : {"--member", "--strip-scope"})
    if (takesEnsemble && tool.flags.has(flag))
      return UsageError{
          std::string("--ensemble and ") + flag + " exclude one another", ""};
  if (weights.empty() && tool.flags.get("-o").empty())
    return UsageError{"no output: give -o PREFIX, --weights FILE, or both", ""};
  if (!weights.empty() && !weights.ends_with(".npz") &&
      !weights.ends_with(".safetensors"))
    return UsageError{"--weights: expected a file .npz or .safetensors, "
                      "found '" +
                          weights + "'",
                      ""};
  return std::nullopt;
}

static int runExtract(ToolContext &tool) {
  std::optional<UsageError> error = checkFlags(tool);
  uint32_t shards = ckpt::shardsOf(tool, error);
  if (error)
    return tool.usage(*error);
  auto prefix = checkpointOf(tool, modelDirectory(tool));
  if (!prefix)
    return tool.fail(prefix.status());
  auto reader = CheckpointReader::open(tool.fileSystem, *prefix);
  if (!reader)
    return tool.fail(reader.status());
  auto items = variablesOf(tool, **reader, *prefix);
  if (!items)
    return tool.fail(items.status());
  if (!tool.flags.get("--weights").empty())
    if (Status status = writeWeights(tool, *items); !status.isOk())
      return ckpt::failWriting(tool, status);
  if (tool.flags.get("-o").empty())
    return tool.print(tool.flags.get("--weights") + ": " +
                      tools::counted(items->size(), "tensor") + "\n");
  return ckpt::writeItems(tool, tool.flags.get("-o"), std::move(*items),
                          shards);
}

const tools::ToolSubcommand adanet::extractVerb = {
    "extract",
    "--model-dir DIR (--member NAME | --ensemble) [-o PREFIX] [--weights FILE] "
    "[FLAGS]",
    "extract the variables of a member or of the best ensemble",
    "--model-dir run --member t1_linear --strip-scope -o linear.ckpt",
    0,
    0,
    extractFlags,
    runExtract,
};
