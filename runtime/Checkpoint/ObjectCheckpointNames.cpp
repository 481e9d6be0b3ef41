//===- ObjectCheckpointNames.cpp - Variables' names in object-based files -===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/ProtoConversions.h"

#include "proto/TrackableObjectGraph.pb.h"

using namespace ingot;

Expected<ObjectCheckpointNames>
ObjectCheckpointNames::read(const CheckpointReader &reader) {
  ObjectCheckpointNames result;
  const CheckpointEntry *entry = reader.find(objectGraphKey);
  if (!entry || entry->dtype != INGOT_STRING || !entry->shape.empty())
    return result;
  INGOT_ASSIGN_OR_RETURN(TensorData tensor, readTensor(reader, objectGraphKey));
  proto::TrackableObjectGraph graph;
  if (!parseMessage(graph, tensor.strings[0]))
    return Status(StatusCode::DataLoss,
                  "tensor " + quotedKey(objectGraphKey) +
                      ": its description of the checkpoint's objects is no "
                      "valid TrackableObjectGraph: the checkpoint is damaged");
  result.objectBased = true;
  for (const auto &node : graph.nodes())
    for (const auto &attribute : node.attributes()) {
      auto [at, isNew] = result.names.emplace(attribute.checkpoint_key(),
                                              attribute.full_name());
      if (isNew && !attribute.full_name().empty())
        result.keys.emplace(attribute.full_name(), attribute.checkpoint_key());
    }
  return result;
}

Expected<std::string>
ObjectCheckpointNames::keyOf(const CheckpointReader &reader,
                             const std::string &name) const {
  auto [begin, end] = keys.equal_range(name);
  if (reader.find(name) || begin == end)
    return name;
  if (std::next(begin) == end)
    return begin->second;
  std::string all;
  for (auto at = begin; at != end; ++at)
    all += (all.empty() ? "'" : ", '") + at->second + "'";
  return Status(StatusCode::InvalidArgument,
                "several variables of the checkpoint have the name '" + name +
                    "', so give the key of one: " + all);
}

std::string ObjectCheckpointNames::nameOf(const std::string &key) const {
  auto found = names.find(key);
  return found == names.end() || found->second.empty() ? key : found->second;
}

bool ObjectCheckpointNames::isBookkeeping(const std::string &key) const {
  if (key == objectGraphKey)
    return true;
  if (!objectBased)
    return false;
  auto found = names.find(key);
  return key == "save_counter/.ATTRIBUTES/VARIABLE_VALUE" ||
         (found != names.end() && found->second.empty());
}

bool ingot::isOptimizerSlot(const CheckpointReader &reader,
                            const std::string &key) {
  if (key.find("/.OPTIMIZER_SLOT/") != std::string::npos ||
      key.starts_with("optimizer/") ||
      key.find("/optimizer/") != std::string::npos)
    return true;
  std::string last = baseOf(key);
  for (const char *power : {"beta1_power", "beta2_power"})
    if (last == power || last.starts_with(std::string(power) + "_"))
      return true;
  if (last.starts_with("ExponentialMovingAverage"))
    return false;
  size_t slash = key.rfind('/');
  return slash != std::string::npos &&
         reader.find(std::string_view(key).substr(0, slash)) != nullptr;
}
