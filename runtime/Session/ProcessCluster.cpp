//===- ProcessCluster.cpp - The processes of a training -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ProcessCluster.h"

#include "runtime/Support/Json.h"

#include <nlohmann/json.hpp>

using namespace ingot;
using nlohmann::json;

static const char *chiefType(const ProcessCluster &cluster) {
  for (const char *type : {"chief", "master"})
    if (cluster.tasks.count(type))
      return type;
  return "worker";
}

static std::string describe(const ProcessCluster &cluster,
                            const std::string &type, int64_t index) {
  auto found = cluster.tasks.find(type);
  std::string text = type + " " + std::to_string(index);
  if (found != cluster.tasks.end() &&
      static_cast<size_t>(index) < found->second.size())
    text += " (" + found->second[static_cast<size_t>(index)] + ")";
  return text;
}

bool ProcessCluster::isChief() const {
  return tasks.empty() ? !isEvaluator()
                       : type == chiefType(*this) && index == 0;
}

size_t ProcessCluster::numWorkers() const {
  size_t count = 0;
  for (const char *type : {"chief", "master", "worker"})
    if (auto found = tasks.find(type); found != tasks.end())
      count += found->second.size();
  return tasks.empty() ? 1 : count;
}

std::string ProcessCluster::self() const {
  return describe(*this, type, index);
}

std::string ProcessCluster::chief() const {
  if (tasks.empty())
    return "the chief";
  return "the chief, " + describe(*this, chiefType(*this), 0);
}

static Status broken(const std::string &what) {
  return Status(StatusCode::InvalidArgument, "TF_CONFIG: " + what);
}

/// Reads the addresses of all processes from the field `cluster`.
static Status readTasks(const json &config, ProcessCluster &cluster) {
  auto tasks = config.find("cluster");
  if (tasks == config.end())
    return Status::ok();
  if (!tasks->is_object())
    return broken("'cluster' is not an object");
  for (const auto &[type, addresses] : tasks->items()) {
    std::vector<std::string> &list = cluster.tasks[type];
    // The addresses of a task type are a list or, as TensorFlow allows too, an
    // object that maps indices to addresses.
    if (!addresses.is_array() && !addresses.is_object())
      return broken("'cluster' has no list of addresses for '" + type + "'");
    for (const json &address : addresses) {
      if (!address.is_string())
        return broken("an address of '" + type + "' is not a string");
      list.push_back(address.get<std::string>());
    }
  }
  for (const char *type : {"chief", "master"})
    if (auto found = cluster.tasks.find(type);
        found != cluster.tasks.end() && found->second.size() != 1)
      return broken("'cluster' has " + std::to_string(found->second.size()) +
                    " tasks of type '" + type + "', expected one");
  return Status::ok();
}

Expected<ProcessCluster> ingot::parseCluster(const std::string &text) {
  ProcessCluster cluster;
  if (text.empty())
    return cluster;
  if (nestingOfJson(text) > mostJsonLevels)
    return broken("has more than " + std::to_string(mostJsonLevels) +
                  " levels");
  json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object())
    return broken("is not a JSON object");
  INGOT_RETURN_IF_ERROR(readTasks(config, cluster));
  auto task = config.find("task");
  if (task != config.end() && !task->is_object())
    return broken("'task' is not an object");
  if (task != config.end()) {
    if (auto type = task->find("type"); type != task->end()) {
      if (!type->is_string())
        return broken("the task's 'type' is not a string");
      cluster.type = type->get<std::string>();
    }
    if (auto index = task->find("index"); index != task->end()) {
      if (!index->is_number_integer() || index->get<int64_t>() < 0)
        return broken("the task's 'index' is " + index->dump() +
                      ", expected a whole number, 0 or more");
      cluster.index = index->get<int64_t>();
    }
  }
  if (cluster.tasks.empty() || cluster.isEvaluator())
    return cluster;
  if (task == config.end() || !task->contains("type"))
    return broken("'cluster' is given, but the task's 'type' is missing");
  auto own = cluster.tasks.find(cluster.type);
  if (own == cluster.tasks.end())
    return broken("the task is of type '" + cluster.type +
                  "', which 'cluster' does not have");
  if (static_cast<size_t>(cluster.index) >= own->second.size())
    return broken("the task is " + cluster.type + " " +
                  std::to_string(cluster.index) +
                  ", the number of such tasks in 'cluster' is " +
                  std::to_string(own->second.size()));
  return cluster;
}
