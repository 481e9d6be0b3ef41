//===- CatCommand.cpp - ingot-ckpt cat ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/OutputFile.h"
#include "tools/CheckpointTool/ElementText.h"
#include "tools/CheckpointTool/Tool.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNameMap.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec catFlags[] = {
    {"--slice", "START,LENGTH:...",
     "print this slice: an interval or '-' for each dimension"},
    {"--limit", "N", "print the first N elements, 0: all (default: 1000)"},
    {"--json", nullptr, "print one JSON object, with all elements"},
    {"-o", "FILE.npy", "write the tensor to a NumPy file"},
    {"--force", nullptr, "-o: replace the file"},
    {"--help", nullptr, "print this"},
};

/// Returns the key of the tensor that a user calls `name`: the key itself or,
/// in an object-based checkpoint, the name of its variable.
static Expected<std::string> findKey(const CheckpointReader &reader,
                                     const ObjectCheckpointNames &objects,
                                     const std::string &name) {
  INGOT_ASSIGN_OR_RETURN(std::string key, objects.keyOf(reader, name));
  if (reader.find(key))
    return key;
  std::string near;
  for (const std::string &candidate : nearestNames(name, reader.keys()))
    near += (near.empty() ? "; nearest: '" : ", '") + candidate + "'";
  return Status(StatusCode::InvalidArgument,
                "'" + name + "' is not in the checkpoint" + near);
}

static int runCat(ToolContext &tool) {
  std::optional<UsageError> error;
  auto limit =
      static_cast<uint64_t>(tool.flags.getInteger("--limit", 1000, 0, error));
  if (error)
    return tool.usage(*error);
  auto reader = CheckpointReader::open(tool.fileSystem, tool.arguments()[0]);
  if (!reader)
    return tool.fail(reader.status());
  auto objects = ObjectCheckpointNames::read(**reader);
  if (!objects)
    return tool.fail(objects.status());
  std::span<const std::string> names(tool.arguments());
  names = names.subspan(1);
  bool asJson = tool.flags.has("--json");
  std::string output = tool.flags.get("-o");
  if (!output.empty() && names.size() != 1)
    return tool.usage({"-o: a .npy file holds one tensor, found " +
                           std::to_string(names.size()),
                       "convert --to npz writes several"});
  std::string text = asJson ? "{" : "";
  for (const std::string &name : names) {
    auto key = findKey(**reader, *objects, name);
    if (!key)
      return tool.fail(key.status());
    const CheckpointEntry &entry = *(*reader)->find(*key);
    std::string spec;
    Shape shape = entry.shape;
    if (tool.flags.has("--slice")) {
      for (int64_t size : entry.shape)
        spec += std::to_string(size) + " ";
      spec += tool.flags.get("--slice");
      auto part = parseShapeAndSlice(spec);
      if (!part)
        return tool.usage(
            {"--slice: " + part.status().message() + ", for '" + name + "'",
             ""});
      auto box = part->slice.within(part->fullShape);
      if (!box)
        return tool.usage({"--slice: " + box.status().message(), ""});
      shape = box->shape();
    }
    auto tensor = readTensor(**reader, *key, spec);
    if (!tensor)
      return tool.fail(tensor.status());
    if (!output.empty()) {
      Status status =
          writeNpyFile(tool.fileSystem, output, tool.flags.has("--force"), *key,
                       entry.dtype, shape, std::move(*tensor));
      return status.isOk() ? int(Done) : tool.fail(status);
    }
    if (asJson) {
      text += &name == &names.front() ? "\n" : ",\n";
      appendJsonString(text, name);
      text += ": {\"dtype\": \"" + dtypeName(entry.dtype) +
              "\", \"shape\": " + shapeText(shape) + ", \"values\": ";
      appendNested(text, entry.dtype, shape, *tensor, 0);
      text += "}";
    } else {
      text += name + " " + dtypeName(entry.dtype) + shapeText(shape) + "\n";
      appendNested(text, entry.dtype, shape, *tensor, limit);
      text += "\n";
    }
    // Prints one tensor at a time, because the text of all may not fit into
    // memory.
    if (int code = tool.print(text))
      return code;
    text.clear();
  }
  return asJson ? tool.print("\n}\n") : int(Done);
}

const ToolSubcommand ckpt::catVerb = {
    "cat",
    "PREFIX NAME... [--slice SLICE] [--limit N] [--json] [-o FILE.npy]",
    "print tensors' elements",
    "run/model.ckpt-60 hidden1/kernel --slice 0,2:-",
    2,
    SIZE_MAX,
    catFlags,
    runCat,
};
