//===- CheckpointVariables.cpp - Which member owns a variable -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/CheckpointVariables.h"

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"

using namespace ingot;
using namespace ingot::adanet;

Expected<std::vector<CheckpointVariable>>
adanet::readOwn(const CheckpointReader &reader) {
  INGOT_ASSIGN_OR_RETURN(ObjectCheckpointNames objects,
                         ObjectCheckpointNames::read(reader));
  std::vector<CheckpointVariable> all;
  for (const std::string &key : reader.keys())
    all.push_back({objects.nameOf(key), key});
  return all;
}

bool adanet::isSlot(std::string_view rest) {
  return rest.find("adanet/iteration_") != std::string_view::npos ||
         rest.ends_with("_power") || rest.starts_with("training/");
}

Expected<std::string> adanet::checkpointOf(const tools::ToolContext &tool,
                                           const std::string &directory) {
  if (std::string prefix = tool.flags.get("--checkpoint"); !prefix.empty())
    return prefix;
  CheckpointManagerOptions options;
  options.directory = directory;
  INGOT_ASSIGN_OR_RETURN(
      LatestCheckpoint latest,
      CheckpointManager(tool.fileSystem, options).latestComplete());
  for (const std::string &warning : latest.warnings)
    tool.console.warning(warning);
  if (!latest.found)
    return Status(StatusCode::NotFound,
                  "no checkpoint in '" + directory +
                      "': train first, or give another --model-dir");
  return latest.found->prefix;
}
