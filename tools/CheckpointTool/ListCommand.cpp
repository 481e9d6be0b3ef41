//===- ListCommand.cpp - ingot-ckpt ls ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace ingot;
using namespace ingot::ckpt;
using Json = nlohmann::ordered_json;

static const FlagSpec lsFlags[] = {
    {"--slices", nullptr, "list the slices of partitioned tensors too"},
    {"--json", nullptr, "print one JSON object"},
    {"--help", nullptr, "print this"},
};

static Json placeJson(const CheckpointReader &reader,
                      const TensorLocation &part) {
  Json json;
  json["shard"] = part.shard;
  json["offset"] = part.offset;
  if (reader.format() != CheckpointReader::Format::V1)
    json["bytes"] = part.size;
  return json;
}

/// Describes all tensors of a checkpoint, with the locations of their bytes, as
/// JSON.
static Json listJson(const std::string &path, const CheckpointReader &reader,
                     const ObjectCheckpointNames &objects) {
  Json json;
  json["checkpoint"] = path;
  json["format"] = formatName(reader.format());
  json["shards"] = Json::array();
  for (uint32_t shard = 0; shard < reader.numShards(); ++shard)
    json["shards"].push_back(reader.shardPath(shard));
  json["tensors"] = Json::array();
  for (const std::string &key : reader.keys()) {
    const CheckpointEntry &entry = *reader.find(key);
    Json tensor;
    tensor["name"] = key;
    if (std::string name = objects.nameOf(key); name != key)
      tensor["variable"] = name;
    tensor["dtype"] = dtypeName(entry.dtype);
    tensor["shape"] = entry.shape;
    tensor["bytes"] = bytesOf(reader, key);
    std::vector<TensorLocation> parts = reader.parts(key);
    if (entry.slices.empty()) {
      tensor.update(placeJson(reader, parts.front()));
    } else {
      for (const TensorLocation &part : parts) {
        Json slice;
        slice["slice"] = part.slice.text();
        slice.update(placeJson(reader, part));
        tensor["slices"].push_back(std::move(slice));
      }
    }
    json["tensors"].push_back(std::move(tensor));
  }
  return json;
}

/// Formats rows of cells as lines of text. Each column is as wide as its widest
/// cell; `right` tells which columns are right-aligned.
static std::string table(const std::vector<std::vector<std::string>> &rows,
                         const std::vector<bool> &right) {
  std::vector<size_t> widths(right.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string space(widths[i] - row[i].size(), ' ');
      line +=
          (i > 0 ? "  " : "") + (right[i] ? space + row[i] : row[i] + space);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Describes all tensors of a checkpoint as a table, with a line of totals.
static std::string listTable(const CheckpointReader &reader,
                             const ObjectCheckpointNames &objects,
                             bool withSlices) {
  std::vector<std::vector<std::string>> rows = {
      {"name", "type", "slices", "shard", "bytes"}};
  uint64_t total = 0;
  for (const std::string &key : reader.keys()) {
    const CheckpointEntry &entry = *reader.find(key);
    std::vector<TensorLocation> parts = reader.parts(key);
    uint64_t bytes = bytesOf(reader, key);
    total += bytes;
    std::string name = key;
    if (std::string variable = objects.nameOf(key); variable != key)
      name += " (" + variable + ")";
    rows.push_back(
        {name, typeText(entry),
         entry.slices.empty() ? "" : std::to_string(parts.size()),
         entry.slices.empty() ? std::to_string(parts.front().shard) : "",
         std::to_string(bytes)});
    if (withSlices && !entry.slices.empty())
      for (const TensorLocation &part : parts)
        rows.push_back({"  " + part.slice.text(), "", "",
                        std::to_string(part.shard),
                        reader.format() == CheckpointReader::Format::V1
                            ? ""
                            : std::to_string(part.size)});
  }
  return table(rows, {false, false, true, true, true}) + "\n" +
         formatName(reader.format()) + ", " +
         counted(reader.keys().size(), "tensor") + ", " +
         counted(total, "byte") + ", " + counted(reader.numShards(), "shard") +
         "\n";
}

static int runLs(ToolContext &tool) {
  const std::string &path = tool.arguments()[0];
  auto reader = CheckpointReader::open(tool.fileSystem, path);
  if (!reader)
    return tool.fail(reader.status());
  // If the description of an object-based checkpoint is damaged, the tensors
  // are listed without the names of their variables.
  Expected<ObjectCheckpointNames> objects =
      ObjectCheckpointNames::read(**reader);
  ObjectCheckpointNames none;
  if (!objects)
    tool.console.warning(objects.status().message());
  const ObjectCheckpointNames &names = objects ? *objects : none;
  if (tool.flags.has("--json"))
    return tool.print(tools::jsonText(listJson(path, **reader, names)));
  return tool.print(listTable(**reader, names, tool.flags.has("--slices")));
}

const ToolSubcommand ckpt::lsVerb = {
    "ls",
    "PREFIX [--slices] [--json]",
    "list the tensors: name, type, shape, slices, shard, bytes",
    "run/model.ckpt-60",
    1,
    1,
    lsFlags,
    runLs,
};
