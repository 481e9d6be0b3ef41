//===- CopyCheckpoint.cpp - Helpers to write checkpoints ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/CopyCheckpoint.h"
#include "runtime/Formats/OutputFile.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <set>

using namespace ingot;
using namespace ingot::ckpt;

Status ckpt::checkStopped() {
  if (!StopSignals::caught())
    return Status::ok();
  return Status(StatusCode::Cancelled,
                "stopped by a signal: nothing was written");
}

/// Converts NotFound, the error of reading a tensor whose file is missing, to
/// DataLoss: the input checkpoint is damaged. NotFound from writing has another
/// meaning, that the output's folder does not exist.
static Expected<TensorData> asInput(Expected<TensorData> tensor) {
  if (tensor || tensor.status().code() != StatusCode::NotFound)
    return tensor;
  return Status(StatusCode::DataLoss, tensor.status().message());
}

int ckpt::failWriting(const ToolContext &tool, const Status &status) {
  int code = tool.fail(status);
  return status.code() == StatusCode::NotFound ? int(Failed) : code;
}

/// Reads the variant tensor `key` as a whole: the serialized bytes of each
/// element.
static Expected<TensorData> readVariants(const CheckpointReader &reader,
                                         const std::string &key) {
  INGOT_RETURN_IF_ERROR(reader.checkPlaces(key));
  const CheckpointEntry &entry = *reader.find(key);
  std::optional<int64_t> count = elementCount(entry.shape);
  uint64_t bytes = reader.parts(key)[0].size;
  // Each element takes at least 5 bytes: a length, and a checksum of 4 bytes.
  if (!count || static_cast<uint64_t>(*count) > bytes / 5)
    return Status(StatusCode::DataLoss,
                  "'" + key + "' has " + std::to_string(bytes) +
                      " bytes, too few for a variant tensor of shape " +
                      shapeText(entry.shape) +
                      ", whose elements take at least 5 bytes each");
  TensorData variants;
  variants.strings.resize(static_cast<size_t>(*count));
  INGOT_RETURN_IF_ERROR(reader.read(key, "", INGOT_VARIANT, entry.shape,
                                    variants.strings.data()));
  return variants;
}

std::vector<TensorToSave> ckpt::itemsOf(const ToolContext &tool,
                                        const CheckpointReader &reader,
                                        bool assembled,
                                        bool leavesOutVariants) {
  std::vector<TensorToSave> items;
  for (const std::string &key : reader.keys()) {
    const CheckpointEntry &entry = *reader.find(key);
    // A variant tensor is copied only if it is stored as a whole, because
    // readVariants() reads no slices.
    bool isCopied = entry.dtype == INGOT_VARIANT && !leavesOutVariants &&
                    reader.parts(key).size() == 1 && entry.slices.empty();
    if (dtypeSize(entry.dtype) == 0 && entry.dtype != INGOT_STRING &&
        !isCopied) {
      tool.console.warning("'" + key + "' is " + typeText(entry) +
                           ", readable only by the program that wrote it: it "
                           "is left out of the new checkpoint");
      continue;
    }
    std::vector<TensorLocation> parts = reader.parts(key);
    if (assembled)
      parts = {{TensorSlice(), parts.front().shard, 0, 0}};
    for (const TensorLocation &part : parts) {
      TensorToSave item;
      item.key = key;
      item.slice = sliceSpec(entry.shape, part.slice);
      item.dtype = entry.dtype;
      // within() does not fail here, as opening the checkpoint has checked that
      // its slices are inside their tensors.
      if (Expected<TensorSlice> box = part.slice.within(entry.shape))
        item.shape = box->shape();
      item.shard = part.shard;
      item.load = [&reader, key, isCopied,
                   spec = item.slice]() -> Expected<TensorData> {
        INGOT_RETURN_IF_ERROR(checkStopped());
        return asInput(isCopied ? readVariants(reader, key)
                                : readTensor(reader, key, spec));
      };
      items.push_back(std::move(item));
    }
  }
  return items;
}

std::string ckpt::outputOf(const ToolContext &tool,
                           std::optional<UsageError> &error) {
  std::string output = tool.flags.get("-o");
  if (!error && baseOf(output).empty())
    error =
        UsageError{"no output: give the prefix or file to write with -o", ""};
  return output;
}

uint32_t ckpt::shardsOf(const ToolContext &tool,
                        std::optional<UsageError> &error) {
  int64_t shards = tool.flags.getInteger("--shards", 0, 1, error);
  if (!error && shards > 99999)
    error = UsageError{"--shards: expected a number up to 99999, found " +
                           std::to_string(shards),
                       ""};
  return static_cast<uint32_t>(shards);
}

int ckpt::writeItems(const ToolContext &tool, const std::string &prefix,
                     std::vector<TensorToSave> items, uint32_t numShards,
                     CheckpointFormat format) {
  bool isV1 = format == CheckpointFormat::V1;
  Status status =
      checkOutput(tool.fileSystem, isV1 ? prefix : indexPath(prefix),
                  tool.flags.has("--force"));
  if (!status.isOk())
    return tool.fail(status);
  if (numShards == 0) {
    // Renumbers the shards of the items from 0 without gaps, since no shard may
    // be empty. For instance, `strip` may have removed all tensors of a shard.
    std::set<uint32_t> used;
    for (const TensorToSave &item : items)
      used.insert(item.shard);
    for (TensorToSave &item : items)
      item.shard = static_cast<uint32_t>(
          std::distance(used.begin(), used.find(item.shard)));
    numShards = std::max<uint32_t>(static_cast<uint32_t>(used.size()), 1);
  } else {
    spreadOverShards(items, numShards);
  }
  status = isV1 ? writeV1Checkpoint(tool.fileSystem, prefix, numShards,
                                    numShards > 1, items)
                      .takeStatus()
                : writeCheckpoint(tool.fileSystem, prefix, numShards,
                                  numShards > 1, items);
  if (!status.isOk())
    return failWriting(tool, status);
  std::set<std::string> keys;
  for (const TensorToSave &item : items)
    keys.insert(item.key);
  return tool.print(prefix + ": " + counted(keys.size(), "tensor") + ", " +
                    counted(numShards, "shard") + "\n");
}
