//===- SearchFolder.cpp - Files that a search keeps -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/SearchFolder.h"

#include "runtime/AdaNet/JsonFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace ingot::adanet {

std::string trainerFolder(const std::string &directory) {
  return directory + "/trainers";
}

std::string trainerPath(const std::string &directory, int64_t iteration,
                        bool isPruned) {
  return trainerFolder(directory) + "/iteration-" + std::to_string(iteration) +
         (isPruned ? "-pruned" : "");
}

std::string factsPath(const std::string &directory, int64_t iteration) {
  return trainerFolder(directory) + "/builders-" + std::to_string(iteration) +
         ".json";
}

std::string hooksPath(const std::string &directory, int64_t iteration) {
  return trainerFolder(directory) + "/hooks-" + std::to_string(iteration) +
         ".json";
}

static constexpr const char *planName = "plan.json";

Status writePlan(FileSystem &fileSystem, const std::string &directory,
                 const std::string &text, const std::string &search) {
  std::string folder = trainerFolder(directory);
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(folder));
  auto plan = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!plan.is_object())
    return writeSmallFile(fileSystem, folder, planName, text);
  std::error_code unknown;
  std::string path = std::filesystem::absolute(search, unknown).string();
  if (!unknown)
    plan["search"] = path;
  return writeSmallFile(fileSystem, folder, planName, tools::jsonText(plan));
}

SearchSettings readPlan(FileSystem &fileSystem, const std::string &directory) {
  auto file =
      fileSystem.openForReading(trainerFolder(directory) + "/" + planName);
  if (!file)
    return SearchSettings();
  std::string text((*file)->size(), '\0');
  auto size = (*file)->read(0, text.size(), text.data());
  auto plan = size ? SearchSettings::parse(text) : std::nullopt;
  return plan.value_or(SearchSettings());
}

std::string modelDirectory(const tools::ToolContext &tool) {
  std::string directory = tool.flags.get("--model-dir");
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  return directory;
}

std::vector<std::string> forwarded(const ParsedFlags &flags,
                                   std::span<const FlagSpec> specs,
                                   std::span<const std::string_view> without) {
  std::vector<std::string> words;
  for (const FlagSpec &spec : specs) {
    std::string_view name = spec.name;
    if (!flags.has(name) ||
        std::find(without.begin(), without.end(), name) != without.end())
      continue;
    if (!spec.value) {
      words.emplace_back(name);
      continue;
    }
    for (const std::string &value : flags.all(name))
      words.push_back(std::string(name) + "=" + value);
  }
  return words;
}

} // namespace ingot::adanet
