//===- IterationOrder.cpp - report/iteration-<t>.json ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/IterationOrder.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/Reports.h"
#include "runtime/AdaNet/Selection.h"
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
  IterationOrder order;
  for (const MemberOrEnsemble &member : iteration.members)
    order.members.push_back(member.name);
  for (const MemberOrEnsemble *candidate : candidatesOf(iteration))
    order.candidates.push_back(candidate->name);
  auto there = readOrder(fileSystem, modelDirectory, iteration.number);
  if (there && there->members == order.members &&
      there->candidates == order.candidates)
    return Status::ok();
  std::string text =
      "{\"iteration_number\": " + std::to_string(iteration.number) +
      ", \"members\": ";
  appendNames(text, order.members);
  text += ", \"candidates\": ";
  appendNames(text, order.candidates);
  return writeSmallFile(fileSystem, reportDirectory(modelDirectory),
                        fileNameOf(iteration.number), text + "}");
}

Expected<IterationOrder> adanet::readOrder(FileSystem &fileSystem,
                                           const std::string &modelDirectory,
                                           int64_t iteration) {
  std::string path =
      reportDirectory(modelDirectory) + "/" + fileNameOf(iteration);
  INGOT_ASSIGN_OR_RETURN(auto object, readJsonFile(fileSystem, path));
  IterationOrder order;
  for (auto [key, names] : {std::pair("members", &order.members),
                            std::pair("candidates", &order.candidates)}) {
    auto list = object.find(key);
    if (list == object.end() || !list->is_array())
      return damagedJson(path, 0, std::string("list '") + key + "' is missing");
    for (const auto &name : *list) {
      if (!name.is_string())
        return damagedJson(path, 0, std::string("'") + key + "' has no name");
      names->push_back(name.get<std::string>());
    }
  }
  return order;
}
