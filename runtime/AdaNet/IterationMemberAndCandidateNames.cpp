//===- IterationMemberAndCandidateNames.cpp - Names in order --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/IterationMemberAndCandidateNames.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/Reports.h"
#include "runtime/Support/Json.h"

using namespace ingot;
using namespace ingot::adanet;

static std::string fileNameOf(int64_t iteration) {
  return "iteration-" + std::to_string(iteration) + ".json";
}

static void appendNames(std::string &text,
                        const std::vector<std::string> &names) {
  text += "[";
  for (size_t i = 0; i < names.size(); ++i) {
    text += i ? ", " : "";
    appendJsonString(text, names[i]);
  }
  text += "]";
}

Status adanet::writeOrder(FileSystem &fileSystem,
                          const std::string &modelDirectory,
                          const Iteration &iteration) {
  IterationMemberAndCandidateNames order;
  for (const MemberOrEnsemble &member : iteration.members)
    order.members.push_back(member.name);
  for (const MemberOrEnsemble *candidate : candidatesOf(iteration))
    order.candidates.push_back(candidate->name);
  std::string text =
      "{\"iteration_number\": " + std::to_string(iteration.number) +
      ", \"members\": ";
  appendNames(text, order.members);
  text += ", \"candidates\": ";
  appendNames(text, order.candidates);
  bool isFirst = true;
  for (const MemberOrEnsemble &ensemble : iteration.ensembles) {
    if (ensemble.members.empty())
      continue;
    text += isFirst ? ", \"own\": {" : ", ";
    isFirst = false;
    appendJsonString(text, ensemble.name);
    text += ": {\"candidate\": ";
    appendJsonString(text, ensemble.candidate);
    text += ", \"members\": ";
    appendNames(text, ensemble.members);
    text += "}";
  }
  text += isFirst ? "}" : "}}";
  std::string path =
      reportDirectory(modelDirectory) + "/" + fileNameOf(iteration.number);
  if (auto there = readSmallFile(fileSystem, path); there && *there == text)
    return Status::ok();
  return writeSmallFile(fileSystem, reportDirectory(modelDirectory),
                        fileNameOf(iteration.number), text);
}

/// Reads the strings in list `key` of `object`, which is the contents of file
/// `path`, into `names`.
static Status readNames(const nlohmann::json &object, const char *key,
                        const std::string &path,
                        std::vector<std::string> &names) {
  auto list = object.find(key);
  if (list == object.end() || !list->is_array())
    return damagedJson(path, 0, std::string("list '") + key + "' is missing");
  for (const auto &name : *list) {
    if (!name.is_string())
      return damagedJson(path, 0,
                         std::string("'") + key +
                             "' has an element that is not a string");
    names.push_back(name.get<std::string>());
  }
  return Status::ok();
}

Expected<IterationMemberAndCandidateNames>
adanet::readOrder(FileSystem &fileSystem, const std::string &modelDirectory,
                  int64_t iteration) {
  std::string path =
      reportDirectory(modelDirectory) + "/" + fileNameOf(iteration);
  INGOT_ASSIGN_OR_RETURN(auto object, readJsonFile(fileSystem, path));
  IterationMemberAndCandidateNames order;
  INGOT_RETURN_IF_ERROR(readNames(object, "members", path, order.members));
  INGOT_RETURN_IF_ERROR(
      readNames(object, "candidates", path, order.candidates));
  auto own = object.find("own");
  if (own == object.end())
    return order;
  if (!own->is_object())
    return damagedJson(
        path, 0, "'own' must be an object whose keys are names of ensembles");
  for (const auto &[name, ensemble] : own->items()) {
    auto candidate =
        ensemble.is_object() ? ensemble.find("candidate") : ensemble.end();
    if (candidate == ensemble.end() || !candidate->is_string())
      return damagedJson(path, 0,
                         "'" + name + "' in 'own' has no text 'candidate'");
    MemberOrEnsemble one = {name, 0, candidate->get<std::string>(), {}};
    INGOT_RETURN_IF_ERROR(readNames(ensemble, "members", path, one.members));
    order.own.push_back(std::move(one));
  }
  return order;
}
