//===- EditCommands.cpp - ingot-ckpt merge, rename, strip -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/CopyCheckpoint.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNameMap.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"

#include <map>
#include <regex.h>
#include <set>

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec mergeFlags[] = {
    outputFlag,
    {"--prefer", "first|last",
     "take a duplicate tensor from the first or last checkpoint (default: "
     "fail)"},
    shardsFlag,
    forceFlag,
    helpFlag,
};

static const FlagSpec renameFlags[] = {
    {"--map", "REGEX=REPL",
     "replace every match in each name; \\1 is the first group", true},
    outputFlag,
    shardsFlag,
    forceFlag,
    helpFlag,
};

static const FlagSpec stripFlags[] = {
    {"--drop", "REGEX", "leave out tensors with a match in their name", true},
    {"--optimizer-slots", nullptr, "leave out optimizers' slot variables"},
    {"--iterators", nullptr, "leave out iterators' states"},
    outputFlag,
    shardsFlag,
    forceFlag,
    helpFlag,
};

/// Opens all checkpoints on the command line.
static Expected<std::vector<std::unique_ptr<CheckpointReader>>>
openAll(const ToolContext &tool) {
  std::vector<std::unique_ptr<CheckpointReader>> readers;
  for (const std::string &path : tool.arguments()) {
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                           CheckpointReader::open(tool.fileSystem, path));
    readers.push_back(std::move(reader));
  }
  return readers;
}

static int runMerge(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  std::string prefer = tool.flags.get("--prefer");
  if (!error && !prefer.empty() && prefer != "first" && prefer != "last")
    error = UsageError{
        "--prefer: expected first or last, found '" + prefer + "'", ""};
  if (error)
    return tool.usage(*error);
  auto readers = openAll(tool);
  if (!readers)
    return tool.fail(readers.status());
  // Collects the tensors of all checkpoints by key, each with the index of its
  // checkpoint. A whole tensor must come from one checkpoint only; slices of a
  // partitioned tensor may come from several.
  std::map<std::string, std::vector<std::pair<size_t, TensorToSave>>> tensors;
  uint32_t firstShard = 0;
  for (size_t i = 0; i < readers->size(); ++i) {
    const CheckpointReader &reader = *(*readers)[i];
    for (TensorToSave &item : itemsOf(tool, reader)) {
      item.shard += firstShard;
      tensors[item.key].emplace_back(i, std::move(item));
    }
    firstShard += reader.numShards();
  }
  std::string conflicts;
  std::vector<TensorToSave> items;
  for (auto &[key, parts] : tensors) {
    std::set<size_t> sources;
    bool isWhole = false;
    for (const auto &[source, item] : parts) {
      sources.insert(source);
      isWhole |= item.slice.empty();
    }
    if (isWhole && sources.size() > 1) {
      if (prefer.empty()) {
        conflicts += "\n  '" + key + "', in";
        for (size_t source : sources)
          conflicts += " '" + tool.arguments()[source] + "'";
        continue;
      }
      size_t kept = prefer == "first" ? *sources.begin() : *sources.rbegin();
      std::erase_if(parts,
                    [&](const auto &part) { return part.first != kept; });
    }
    for (auto &[source, item] : parts)
      items.push_back(std::move(item));
  }
  if (!conflicts.empty()) {
    tool.console.error("several checkpoints have these tensors:" + conflicts);
    tool.console.hint("--prefer first|last chooses one");
    return Failed;
  }
  return writeItems(tool, output, std::move(items), shards);
}

static int runRename(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  std::vector<std::pair<std::string, std::string>> renames;
  for (const std::string &map : tool.flags.all("--map")) {
    size_t equals = map.find('=');
    if (equals == std::string::npos || equals == 0)
      return tool.usage(
          {"--map: expected REGEX=REPL, found '" + map + "'", ""});
    renames.emplace_back(map.substr(0, equals), map.substr(equals + 1));
  }
  if (!error && renames.empty())
    error = UsageError{"nothing to rename: give --map REGEX=REPL", ""};
  if (error)
    return tool.usage(*error);
  auto names = CheckpointNameMap::create(renames);
  if (!names)
    return tool.usage({"--map: " + names.status().message(), ""});
  auto reader = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!reader)
    return tool.fail(reader.status());
  std::map<std::string, std::set<std::string>> sources;
  std::vector<TensorToSave> items = itemsOf(tool, **reader);
  std::string problems;
  for (TensorToSave &item : items) {
    std::string name = names->apply(item.key);
    sources[name].insert(item.key);
    if (name.empty())
      problems += "\n  '" + item.key + "' would have no name";
    item.key = std::move(name);
  }
  for (const auto &[name, from] : sources) {
    if (from.size() < 2)
      continue;
    problems += "\n  '" + name + "' would be the name of";
    for (const std::string &key : from)
      problems += " '" + key + "'";
  }
  if (!problems.empty()) {
    tool.console.error("--map results in empty or duplicate names:" + problems);
    return Failed;
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const TensorToSave &a, const TensorToSave &b) {
                     return a.key < b.key;
                   });
  return writeItems(tool, output, std::move(items), shards);
}

/// Returns true for tensors with the state of an iterator, in Ingot's or
/// TensorFlow's form, and for the stamp that marks states saved together
/// (`setKey`).
static bool isIterator(const CheckpointReader &reader, const std::string &key) {
  std::string last = baseOf(key);
  return key.starts_with("ingot/iterator/") || key == setKey ||
         reader.find(key)->dtype == INGOT_VARIANT ||
         last.starts_with("IteratorV2") || last.starts_with("iterator_state");
}

static int runStrip(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  bool slots = tool.flags.has("--optimizer-slots");
  bool iterators = tool.flags.has("--iterators");
  std::vector<std::string> patterns = tool.flags.all("--drop");
  if (!error && !slots && !iterators && patterns.empty())
    error = UsageError{"nothing to leave out: give --drop, --optimizer-slots "
                       "or --iterators",
                       ""};
  if (error)
    return tool.usage(*error);
  // CheckpointNameMap can only replace names. To find the names that match
  // --drop, replace each of its patterns by the character \1: a name that
  // changes has matched.
  std::vector<std::pair<std::string, std::string>> marks;
  for (const std::string &pattern : patterns)
    marks.emplace_back(pattern, std::string(1, '\1'));
  auto map = CheckpointNameMap::create(marks);
  if (!map)
    return tool.usage({"--drop: " + map.status().message(), ""});
  auto reader = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!reader)
    return tool.fail(reader.status());
  std::vector<TensorToSave> items;
  std::set<std::string> dropped;
  for (TensorToSave &item : itemsOf(tool, **reader)) {
    if ((slots && isOptimizerSlot(**reader, item.key)) ||
        (iterators && isIterator(**reader, item.key)) ||
        map->apply(item.key) != item.key)
      dropped.insert(item.key);
    else
      items.push_back(std::move(item));
  }
  for (const std::string &key : dropped)
    tool.console.note("tensor '" + key + "' is left out of the new checkpoint");
  return writeItems(tool, output, std::move(items), shards);
}

const ToolSubcommand ckpt::mergeVerb = {
    "merge",
    "PREFIX PREFIX... -o OUT [--prefer first|last] [--shards N] [--force]",
    "merge several checkpoints into one",
    "encoder.ckpt decoder.ckpt -o both.ckpt",
    2,
    SIZE_MAX,
    mergeFlags,
    runMerge,
};

const ToolSubcommand ckpt::renameVerb = {
    "rename",
    "PREFIX --map REGEX=REPL ... -o OUT [--shards N] [--force]",
    "rename tensors by regular expressions",
    "run/model.ckpt-60 --map '^tower_0/=' -o renamed.ckpt",
    1,
    1,
    renameFlags,
    runRename,
};

const ToolSubcommand ckpt::stripVerb = {
    "strip",
    "PREFIX [--drop REGEX ...] [--optimizer-slots] [--iterators] -o OUT "
    "[--shards N] [--force]",
    "remove tensors, such as those that only training needs",
    "run/model.ckpt-60 --optimizer-slots --iterators -o model.ckpt",
    1,
    1,
    stripFlags,
    runStrip,
};
