//===- ExtractCommand.cpp - ingot-adanet extract --------------------------===//
//
// AN-225: a member's variables as a checkpoint, or as a file of arrays.
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNetTool/OwnVariables.h"
#include "runtime/AdaNetTool/SearchFolder.h"
#include "runtime/AdaNetTool/Tool.h"
#include "runtime/CheckpointTool/CopyCheckpoint.h"
#include "runtime/CommandLine/OutputFile.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

static const FlagSpec extractFlags[] = {
    {"--model-dir", "DIR", "the folder of the search"},
    {"--checkpoint", "PREFIX", "as of this checkpoint (default: the newest)"},
    {"--member", "NAME", "whose variables: t1_linear"},
    {"-o", "PREFIX", "the checkpoint to write"},
    {"--weights", "FILE.npz|FILE.safetensors",
     "write the variables into this file, too, or instead"},
    {"--strip-scope", nullptr,
     "call variables by what stands behind the member's scope: dense/kernel"},
    {"--optimizer-slots", nullptr, "also what its optimizer keeps for them"},
    {"--shards", "N", "data shards to write (default: as many as there are)"},
    {"--force", nullptr, "replace what is there"},
    {"--help", nullptr, "print this"},
};

/// The member's variables, or NotFound with who there is.
static Expected<std::vector<SaveItem>>
variablesOf(const Tool &tool, const CheckpointReader &reader,
            const std::string &prefix) {
  std::string member = tool.flags.get("--member");
  INGOT_ASSIGN_OR_RETURN(std::vector<OwnVariable> all, readOwn(reader));
  std::vector<SaveItem> items =
      ckpt::itemsOf(tool, reader, /*assembled=*/tool.flags.get("-o").empty());
  std::vector<SaveItem> taken;
  std::vector<std::string> members;
  for (const OwnVariable &variable : all) {
    auto own = variable.own();
    if (!own || own->kind != OwnName::Member)
      continue;
    if (std::string owner(own->owner);
        std::find(members.begin(), members.end(), owner) == members.end())
      members.push_back(owner);
    if (own->owner != member ||
        (isSlot(own->rest) && !tool.flags.has("--optimizer-slots")))
      continue;
    for (const SaveItem &item : items)
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

/// Writes the file that --weights names.
static Status writeWeights(const Tool &tool, std::vector<SaveItem> items) {
  std::string path = tool.flags.get("--weights");
  bool force = tool.flags.has("--force");
  auto leaveOut = [&](const SaveItem &item, const std::string &why) {
    tool.console.warning("'" + item.key + "' " + why + "; left out");
  };
  if (path.ends_with(".npz"))
    return writeNpz(tool.fileSystem, path, force, items, leaveOut).takeStatus();
  std::erase_if(items, [&](const SaveItem &item) {
    bool fits = fitsSafetensors(item.dtype);
    if (!fits)
      leaveOut(item, "is of a type that safetensors files cannot hold");
    return !fits;
  });
  return writeSafetensors(tool.fileSystem, path, force, items);
}

static std::optional<UsageError> checkFlags(const Tool &tool) {
  std::string weights = tool.flags.get("--weights");
  if (modelDirectory(tool).empty())
    return UsageError{"--model-dir is missing: it names the folder of the "
                      "search",
                      ""};
  if (tool.flags.get("--member").empty())
    return UsageError{"--member is missing: it names whose variables to take",
                      "ingot-adanet show lists the members"};
  if (weights.empty() && tool.flags.get("-o").empty())
    return UsageError{"no output: give one with -o, or --weights", ""};
  if (!weights.empty() && !weights.ends_with(".npz") &&
      !weights.ends_with(".safetensors"))
    return UsageError{"--weights: expected a file .npz or .safetensors, "
                      "found '" +
                          weights + "'",
                      ""};
  return std::nullopt;
}

static int runExtract(Tool &tool) {
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

const tools::Verb adanet::extractVerb = {
    "extract",
    "--model-dir DIR --member NAME [-o PREFIX] [--weights FILE] [FLAGS]",
    "takes a member's variables out",
    "--model-dir run --member t1_linear --strip-scope -o linear.ckpt",
    0,
    0,
    extractFlags,
    runExtract,
};
