//===- RestoreMessages.cpp - TensorFlow's words for failures --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/RestoreMessages.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstdio>

using namespace ingot;

/// Returns the name of a type in TensorFlow's C++ messages.
static std::string kernelName(int32_t dtype) {
  switch (dtype) {
  case INGOT_FLOAT:
    return "float";
  case INGOT_DOUBLE:
    return "double";
  case INGOT_HALF:
    return "half";
  default:
    return dtypeName(dtype);
  }
}

/// Returns a shape in the form of TensorFlow's messages: "[2,3]", "[]".
static std::string dims(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

/// Returns the shape of the full tensor that the Saver's slice text `slice`
/// states.
static std::string fullDims(const std::string &slice) {
  Expected<ShapeAndSlice> parsed = parseShapeAndSlice(slice);
  return parsed ? dims(parsed->fullShape) : "";
}

static std::string typeSentence(const UnrestorableItem &unfit, bool isV1) {
  std::string wanted = kernelName(unfit.item->dtype),
              found = kernelName(unfit.entry->dtype);
  if (isV1)
    return "Expected to restore a tensor of type " + wanted +
           ", got a tensor of type " + found +
           " instead: tensor_name = " + unfit.key;
  return "tensor_name = " + unfit.key + "; expected dtype " + wanted +
         " does not equal original dtype " + found;
}

static std::string shapeSentence(const UnrestorableItem &unfit) {
  const TensorToRestore &item = *unfit.item;
  const Shape &found = unfit.entry->shape;
  if (!item.slice.empty())
    return "tensor_name = " + unfit.key + "; shape in shape_and_slice spec " +
           fullDims(item.slice) +
           " does not match the shape stored in checkpoint: " + dims(found);
  if (item.reshape)
    return "Input to reshape is a tensor with " +
           std::to_string(elementCount(found).value_or(0)) +
           " values, but the requested shape has " +
           std::to_string(elementCount(item.shape).value_or(0));
  return "Assign requires shapes of both tensors to match. lhs shape= " +
         dims(item.shape) + " rhs shape= " + dims(found);
}

static std::string joined(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Returns the message of Saver.restore for a failure of the restore op, whose
/// own message is `original`.
static std::string wrapped(const std::string &reason,
                           const std::string &original) {
  return "Restoring from checkpoint failed. This is most likely due to " +
         reason +
         " from the checkpoint. Please ensure that you have not altered the "
         "graph expected based on the checkpoint. Original error:\n\n" +
         original;
}

static std::string missingSentence(const std::string &name) {
  return wrapped("a Variable name or other graph key that is missing", name);
}

std::string ingot::mismatchSentence(const CheckpointReader &reader,
                                    const std::string &prefix,
                                    const ObjectCheckpointNameMatch *objects,
                                    std::span<const UnrestorableItem> unfit) {
  bool isV1 = reader.format() == CheckpointReader::Format::V1;
  std::vector<std::string> missing;
  std::vector<const UnrestorableItem *> typed, shaped;
  for (const UnrestorableItem &one : unfit) {
    if (!one.entry)
      missing.push_back(one.key);
    else if (one.entry->dtype != one.item->dtype)
      typed.push_back(&one);
    else
      shaped.push_back(&one);
  }
  // The restore op looks its tensors up by ascending name, so its messages name
  // them in this order.
  auto byName = [](const UnrestorableItem *a, const UnrestorableItem *b) {
    return a->key < b->key;
  };
  std::sort(missing.begin(), missing.end());
  std::sort(typed.begin(), typed.end(), byName);
  std::sort(shaped.begin(), shaped.end(), byName);
  if (!missing.empty() && objects)
    return "Existing variables not in the checkpoint: " + joined(missing) +
           "\n\nVariables names when this checkpoint was written which don't "
           "exist now: " +
           joined(objects->unused) + "\n\n(" +
           std::to_string(objects->numMatched) +
           " variable name(s) did match)\n";
  if (!missing.empty() && isV1)
    return missingSentence("Tensor name \"" + missing[0] +
                           "\" not found in checkpoint files " + prefix);
  if (!missing.empty())
    return missingSentence("Key " + missing[0] + " not found in checkpoint");
  std::string text;
  for (const UnrestorableItem *one : typed)
    if (text.empty() || !isV1)
      text += (text.empty() ? "" : "\n") + typeSentence(*one, isV1);
  if (text.empty() && !shaped.empty())
    text = shapeSentence(*shaped[0]);
  return text.empty()
             ? text
             : wrapped("a mismatch between the current graph and the graph",
                       text);
}

std::string ingot::openSentence(FileSystem &fileSystem,
                                const std::string &prefix) {
  std::string index = indexPath(prefix);
  if (!checkpointExists(fileSystem, prefix))
    return "The passed save_path is not a valid checkpoint: " + prefix;
  auto file = fileSystem.openForReading(index);
  if (!file)
    return "";
  constexpr uint64_t footerSize = 48;
  if ((*file)->size() < footerSize)
    return "file is too short to be an sstable";
  Expected<bool> isTable = hasTableFooter(**file);
  if (!isTable)
    return "";
  if (!*isTable)
    return "not an sstable (bad magic number)";
  return "Unable to read file (" + index +
         "). Perhaps the file is corrupt or was produced by a newer version of "
         "TensorFlow with format changes (failed to seek to header entry): "
         "block checksum mismatch";
}

std::string ingot::readSentence(FileSystem &fileSystem,
                                const CheckpointReader &reader,
                                const std::string &prefix,
                                const std::string &key) {
  const CheckpointEntry *entry = reader.find(key);
  if (!entry || reader.format() != CheckpointReader::Format::V2 ||
      !entry->slices.empty())
    return "";
  const auto &stored = static_cast<const BundleEntry &>(*entry);
  std::string path = reader.shardPath(stored.shard);
  if (!fileSystem.exists(path))
    return path + "; No such file or directory";
  auto file = fileSystem.openForReading(path);
  if (!file)
    return "";
  if ((*file)->size() < stored.offset ||
      (*file)->size() - stored.offset < stored.size)
    return "Read less bytes than requested";
  if (dtypeSize(stored.dtype) == 0)
    return "";
  uint32_t found = 0;
  char buffer[16 * 1024];
  for (uint64_t at = 0; at < stored.size;) {
    auto wanted = static_cast<size_t>(
        std::min<uint64_t>(sizeof(buffer), stored.size - at));
    Expected<size_t> size = (*file)->read(stored.offset + at, wanted, buffer);
    if (!size || *size == 0)
      return "";
    found = crc32c(found, buffer, *size);
    at += *size;
  }
  uint32_t expected = unmaskCrc32c(stored.crc32c);
  if (found == expected)
    return "";
  char digits[24];
  std::snprintf(digits, sizeof(digits), "%08u", expected);
  return "TensorBundle at " + prefix + " shard " +
         std::to_string(stored.shard) + " (" + std::to_string(stored.size) +
         " bytes): Checksum does not match: stored " + digits +
         " vs. calculated on the restored bytes " + std::to_string(found);
}

Status ingot::afterSentence(std::string sentence, Status status) {
  if (sentence.empty() || status.isOk())
    return status;
  return Status(status.code(), std::move(sentence) + ": " + status.message());
}
