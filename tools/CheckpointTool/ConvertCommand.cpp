//===- ConvertCommand.cpp - ingot-ckpt convert and reshard ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/OutputFile.h"
#include "tools/CheckpointTool/CopyCheckpoint.h"

#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Support/DType.h"

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec convertFlags[] = {
    {"--to", "v2|v1|safetensors|npz", "write this format"},
    {"-o", "OUT", "write this prefix (v2, v1) or file"},
    {"--shards", "N", "v2, v1: write N data shards (default: as in the input)"},
    {"--variable-names", nullptr,
     "object-based checkpoints: write variables' names instead of objects' "
     "paths"},
    forceFlag,
    helpFlag,
};

static const FlagSpec reshardFlags[] = {
    {"--shards", "N", "write N data shards"},
    outputFlag,
    forceFlag,
    helpFlag,
};

/// Replaces the keys of `items`, from an object-based checkpoint, by the names
/// of their variables. Drops tensors that are not variables.
static Status useVariableNames(const CheckpointReader &reader,
                               std::vector<TensorToSave> &items) {
  INGOT_ASSIGN_OR_RETURN(ObjectCheckpointNames objects,
                         ObjectCheckpointNames::read(reader));
  if (!objects.isObjectBased())
    return Status(
        StatusCode::InvalidArgument,
        "--variable-names: the checkpoint is not object-based, so its "
        "keys are variables' names already");
  std::vector<TensorToSave> named;
  for (TensorToSave &item : items) {
    if (objects.isBookkeeping(item.key))
      continue;
    std::string name = objects.nameOf(item.key);
    // Checks that the name is unique: if several keys have this variable name,
    // keyOf() fails and lists them.
    INGOT_RETURN_IF_ERROR(
        objects.keyOf(reader, name).takeStatus().withContext("'" + name + "'"));
    item.key = std::move(name);
    named.push_back(std::move(item));
  }
  items = std::move(named);
  return Status::ok();
}

static int runConvert(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string format = tool.flags.get("--to");
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  if (error)
    return tool.usage(*error);
  if (format != "v2" && format != "v1" && format != "safetensors" &&
      format != "npz")
    return tool.usage(
        {"--to: expected v2, v1, safetensors or npz, found '" + format + "'",
         ""});
  if (shards > 0 && format != "v2" && format != "v1")
    return tool.usage({"--shards: only checkpoints of format v1 or v2 have "
                       "shards, a file of format " +
                           format + " has none",
                       ""});
  auto reader = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!reader)
    return tool.fail(reader.status());
  bool toBundle = format == "v2" || format == "v1";
  std::vector<TensorToSave> items =
      itemsOf(tool, **reader, !toBundle, format != "v2");
  if (tool.flags.has("--variable-names"))
    if (Status status = useVariableNames(**reader, items); !status.isOk())
      return tool.fail(status);
  if (toBundle)
    return writeItems(tool, output, std::move(items), shards,
                      format == "v1" ? CheckpointFormat::V1
                                     : CheckpointFormat::V2);

  bool force = tool.flags.has("--force");
  auto leaveOut = [&](const TensorToSave &item, const std::string &why) {
    tool.console.warning("'" + item.key + "' " + why + "; left out");
  };
  Expected<size_t> written = size_t(0);
  if (format == "npz") {
    written = writeNpz(tool.fileSystem, output, force, items, leaveOut);
  } else {
    std::vector<TensorToSave> fitting;
    for (TensorToSave &item : items) {
      if (fitsSafetensors(item.dtype))
        fitting.push_back(std::move(item));
      else
        leaveOut(item, "is " + dtypeName(item.dtype) + shapeText(item.shape) +
                           ", which safetensors files cannot hold");
    }
    Status status = writeSafetensors(tool.fileSystem, output, force, fitting);
    written = status.isOk() ? Expected(fitting.size()) : std::move(status);
  }
  if (!written)
    return failWriting(tool, written.status());
  return tool.print(output + ": " + counted(*written, "tensor") + "\n");
}

static int runReshard(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  if (!error && shards == 0)
    error = UsageError{
        "--shards N is missing: it gives the number of shards to write", ""};
  if (error)
    return tool.usage(*error);
  auto reader = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!reader)
    return tool.fail(reader.status());
  return writeItems(tool, output, itemsOf(tool, **reader), shards);
}

const ToolSubcommand ckpt::convertVerb = {
    "convert",
    "PREFIX --to v2|v1|safetensors|npz -o OUT [--shards N] [--variable-names] "
    "[--force]",
    "convert a checkpoint to another format",
    "run/model.ckpt-60 --to safetensors -o model.safetensors",
    1,
    1,
    convertFlags,
    runConvert,
};

const ToolSubcommand ckpt::reshardVerb = {
    "reshard",
    "PREFIX --shards N -o OUT [--force]",
    "rewrite a checkpoint with another number of data shards",
    "run/model.ckpt-60 --shards 4 -o resharded",
    1,
    1,
    reshardFlags,
    runReshard,
};
