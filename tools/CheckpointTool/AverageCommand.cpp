//===- AverageCommand.cpp - ingot-ckpt average ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/CopyCheckpoint.h"
#include "tools/CheckpointTool/ElementText.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec averageFlags[] = {
    outputFlag,
    shardsFlag,
    forceFlag,
    helpFlag,
};

using Readers = std::vector<std::unique_ptr<CheckpointReader>>;

/// Converts `value` to the floating-point type `dtype`, of 8, 4 or 2 bytes, and
/// stores it at `to`.
static void storeElement(int32_t dtype, double value, char *to) {
  switch (dtypeSize(dtype)) {
  case 8:
    std::memcpy(to, &value, 8);
    return;
  case 4: {
    auto narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, 4);
    return;
  }
  default: {
    auto narrow = static_cast<float>(value);
    uint16_t bits = dtypeName(dtype) == "bfloat16" ? floatToBfloat16(narrow)
                                                   : floatToHalf(narrow);
    std::memcpy(to, &bits, 2);
  }
  }
}

/// Returns the mean of a tensor, or of a slice of it, over all checkpoints.
/// Sums in float64, in the order of the checkpoints.
static Expected<TensorData> mean(const Readers &readers, const std::string &key,
                                 const std::string &slice, int32_t dtype) {
  ElementScalarCountAndType components = componentsOf(dtype);
  size_t size = dtypeSize(components.dtype);
  std::vector<double> sum;
  TensorData tensor;
  for (const auto &reader : readers) {
    INGOT_RETURN_IF_ERROR(checkStopped());
    INGOT_ASSIGN_OR_RETURN(tensor, readTensor(*reader, key, slice));
    sum.resize(tensor.bytes.size() / size);
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] +=
          elementAsDouble(components.dtype, tensor.bytes.data() + i * size);
  }
  for (size_t i = 0; i < sum.size(); ++i)
    storeElement(components.dtype, sum[i] / static_cast<double>(readers.size()),
                 tensor.bytes.data() + i * size);
  return tensor;
}

static int runAverage(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string output = outputOf(tool, error);
  uint32_t shards = shardsOf(tool, error);
  if (error)
    return tool.usage(*error);
  Readers readers;
  for (const std::string &path : tool.arguments()) {
    auto reader = CheckpointReader::open(tool.fileSystem, path);
    if (!reader)
      return tool.fail(reader.status());
    readers.push_back(std::move(*reader));
  }
  const CheckpointReader &last = *readers.back();
  std::string problems;
  for (size_t i = 0; i + 1 < readers.size(); ++i) {
    const CheckpointReader &other = *readers[i];
    const std::string &path = tool.arguments()[i];
    for (const std::string &key : last.keys())
      if (const CheckpointEntry *entry = other.find(key); !entry)
        problems += "\n  '" + key + "' is not in '" + path + "'";
      else if (!isAveraged(entry->dtype) &&
               entry->dtype == last.find(key)->dtype)
        // Tensors of types other than floating-point ones are copied from the
        // last checkpoint instead of averaged, so their shapes may differ.
        // Iterator states, for instance, grow.
        continue;
      else if (entry->dtype != last.find(key)->dtype ||
               entry->shape != last.find(key)->shape)
        problems += "\n  '" + key + "' is " + typeText(*entry) + " in '" +
                    path + "', " + typeText(*last.find(key)) + " in '" +
                    tool.arguments().back() + "'";
    for (const std::string &key : other.keys())
      if (!last.find(key))
        problems +=
            "\n  '" + key + "' is not in '" + tool.arguments().back() + "'";
  }
  if (!problems.empty()) {
    tool.console.error(
        "only checkpoints of one model can be averaged, but these differ:" +
        problems);
    return Failed;
  }
  std::vector<TensorToSave> items = itemsOf(tool, last);
  for (TensorToSave &item : items)
    if (isAveraged(item.dtype))
      item.load = [&readers, key = item.key, slice = item.slice,
                   dtype = item.dtype] {
        return mean(readers, key, slice, dtype);
      };
  return writeItems(tool, output, std::move(items), shards);
}

const ToolSubcommand ckpt::averageVerb = {
    "average",
    "PREFIX PREFIX... -o OUT [--shards N] [--force]",
    "average floats (in float64); other tensors come from the last",
    "run/model.ckpt-40 run/model.ckpt-60 -o averaged.ckpt",
    2,
    SIZE_MAX,
    averageFlags,
    runAverage,
};
