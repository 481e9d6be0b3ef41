//===- IteratorCommand.cpp - ingot-ckpt iterator --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Support/Crc32c.h"

#include "proto/IteratorState.pb.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace ingot;
using namespace ingot::ckpt;
using Json = nlohmann::ordered_json;

static const FlagSpec iteratorFlags[] = {
    {"--json", nullptr, "print one JSON list"},
    {"--help", nullptr, "print this"},
};

constexpr std::string_view iteratorPrefix = "ingot/iterator/";

/// Converts the state of a dataset and its inputs to JSON. Numbers that are 0
/// are left out.
static Json nodeJson(const proto::IteratorNodeState &node) {
  Json json = Json::object();
  auto number = [&](const char *name, uint64_t value) {
    if (value != 0)
      json[name] = value;
  };
  number("position", node.position());
  number("epoch", node.epoch());
  if (node.ended())
    json["ended"] = true;
  number("file", node.file());
  number("offset", node.offset());
  number("record", node.record());
  number("seed", node.seed());
  number("seed2", node.seed2());
  number("seeds_drawn", node.seeds_drawn());
  number("drawn", node.drawn());
  number("read", node.read());
  number("source_seed", node.source_seed());
  number("source_seed2", node.source_seed2());
  if (node.has_origin())
    json["origin"] = nodeJson(node.origin());
  for (const proto::IteratorNodeState &input : node.inputs())
    json["inputs"].push_back(nodeJson(input));
  return json;
}

/// Appends an iterator's state as text: one line with the counters of each
/// dataset, indented like the tree of datasets.
static void appendNode(std::string &text, const Json &node, size_t indent) {
  std::string line;
  for (const auto &[name, value] : node.items())
    if (!value.is_structured())
      line += (line.empty() ? "" : ", ") + name + " " + value.dump();
  text += std::string(indent, ' ') + (line.empty() ? "-" : line) + "\n";
  if (node.contains("origin")) {
    text += std::string(indent + 2, ' ') +
            "the state from which its input is read again:\n";
    appendNode(text, node["origin"], indent + 4);
  }
  if (node.contains("inputs"))
    for (const Json &input : node["inputs"])
      appendNode(text, input, indent + 2);
}

/// Parses an iterator's state. Verifies the checksum first, which is the last
/// five bytes of the state (field 15, fixed32) and covers all bytes before.
static Expected<proto::IteratorState> parseState(const std::string &key,
                                                 const std::string &bytes) {
  auto damaged = [&](const std::string &what) {
    return Status(StatusCode::DataLoss,
                  "tensor '" + key + "', offset " +
                      std::to_string(bytes.size() < 5 ? 0 : bytes.size() - 5) +
                      " of " + std::to_string(bytes.size()) + ": " + what);
  };
  if (bytes.size() < 5 || bytes[bytes.size() - 5] != char(15 << 3 | 5))
    return damaged("the checksum at the end is missing: this is not the state "
                   "of an iterator");
  uint32_t stored;
  std::memcpy(&stored, bytes.data() + bytes.size() - 4, sizeof(stored));
  uint32_t found = maskCrc32c(crc32c(0, bytes.data(), bytes.size() - 5));
  if (found != stored)
    return damaged("checksum is " + std::to_string(found) + ", expected " +
                   std::to_string(stored));
  proto::IteratorState state;
  if (bytes.size() > INT32_MAX ||
      !state.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return damaged("not the state of an iterator");
  return state;
}

static int runIterator(ToolContext &tool) {
  const std::string &path = tool.arguments()[0];
  auto reader = CheckpointReader::open(tool.fileSystem, path);
  if (!reader)
    return tool.fail(reader.status());
  std::string text;
  Json all = Json::array();
  for (const std::string &key : (*reader)->keys()) {
    const CheckpointEntry &entry = *(*reader)->find(key);
    if (entry.dtype == INGOT_VARIANT) {
      tool.console.note("'" + key +
                        "' is a variant, which only the program that wrote it "
                        "can read: skipped");
      continue;
    }
    if (!key.starts_with(iteratorPrefix) || entry.dtype != INGOT_STRING ||
        !entry.shape.empty())
      continue;
    auto tensor = readTensor(**reader, key);
    if (!tensor)
      return tool.fail(tensor.status());
    std::optional<CheckpointSaveId> stamp = takeStamp(tensor->strings[0]);
    auto state = parseState(key, tensor->strings[0]);
    if (!state)
      return tool.fail(state.takeStatus().withContext("'" + path + "'"));
    Json json;
    json["iterator"] = state->iterator();
    json["version"] = state->version();
    if (stamp)
      json["step"] = stamp->step;
    json["elements"] = state->elements();
    for (const std::string &line : state->pipeline())
      json["pipeline"].push_back(line);
    json["state"] = nodeJson(state->root());
    text +=
        "iterator '" + state->iterator() + "', version " +
        std::to_string(state->version()) + ", " +
        (stamp ? "saved at step " + std::to_string(stamp->step) + ", " : "") +
        counted(state->elements(), "element") + " handed out\n";
    for (const std::string &line : state->pipeline())
      text += "  " + line + "\n";
    text += "state\n";
    appendNode(text, json["state"], 2);
    all.push_back(std::move(json));
  }
  if (tool.flags.has("--json"))
    return tool.print(tools::jsonText(all));
  return tool.print(all.empty() ? "the checkpoint has no iterator state\n"
                                : text);
}

const ToolSubcommand ckpt::iteratorVerb = {
    "iterator",
    "PREFIX [--json]",
    "print the position of each iterator",
    "run/model.ckpt-60",
    1,
    1,
    iteratorFlags,
    runIterator,
};
