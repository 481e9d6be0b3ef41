//===- Candidates.cpp - Files with the losses of candidates ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Candidates.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/Reports.h"
#include "runtime/Support/Json.h"

#include <limits>

using namespace ingot;
using namespace ingot::adanet;
using nlohmann::json;

static std::string fileNameOf(int64_t iteration) {
  return "candidates-" + std::to_string(iteration) + ".json";
}

Status adanet::writeCandidates(FileSystem &fileSystem,
                               const std::string &modelDirectory,
                               const Candidates &candidates) {
  std::string text =
      "{\"iteration_number\": " + std::to_string(candidates.iteration) +
      ", \"global_step\": " + std::to_string(candidates.globalStep) +
      ", \"metric\": ";
  appendJsonString(text, candidates.metric);
  text += ", \"selected\": " + std::to_string(candidates.selected) +
          ", \"candidates\": [";
  for (size_t i = 0; i < candidates.values.size(); ++i) {
    const CandidateScore &one = candidates.values[i];
    text += i ? ", {\"name\": " : "{\"name\": ";
    appendJsonString(text, one.name);
    text += ", \"steps\": " + std::to_string(one.steps) +
            ", \"adanet_loss\": " + printReportValue(one.average);
    if (one.value)
      text += ", \"value\": " + printReportValue(*one.value);
    if (!one.dropped.empty()) {
      text += ", \"dropped\": ";
      appendJsonString(text, one.dropped);
    }
    for (size_t k = 0; k < one.weights.size(); ++k)
      text +=
          (k ? ", " : ", \"weights\": [") + printReportValue(one.weights[k]);
    text += one.weights.empty() ? "}" : "]}";
  }
  return writeSmallFile(fileSystem, reportDirectory(modelDirectory),
                        fileNameOf(candidates.iteration), text + "]}");
}

static double numberIn(const json &object, const char *key) {
  auto found = object.find(key);
  return found == object.end() || !found->is_number()
             ? std::numeric_limits<double>::quiet_NaN()
             : found->get<double>();
}

static std::string textIn(const json &object, const char *key) {
  auto found = object.find(key);
  return found == object.end() || !found->is_string()
             ? std::string()
             : found->get<std::string>();
}

static int64_t countIn(const json &object, const char *key) {
  auto found = object.find(key);
  return found == object.end() || !found->is_number_integer()
             ? -1
             : found->get<int64_t>();
}

Expected<Candidates> adanet::readCandidates(FileSystem &fileSystem,
                                            const std::string &modelDirectory,
                                            int64_t iteration) {
  std::string path =
      reportDirectory(modelDirectory) + "/" + fileNameOf(iteration);
  INGOT_ASSIGN_OR_RETURN(json object, readJsonFile(fileSystem, path));
  Candidates candidates;
  candidates.iteration = countIn(object, "iteration_number");
  candidates.globalStep = countIn(object, "global_step");
  candidates.metric = textIn(object, "metric");
  int64_t selected = countIn(object, "selected");
  auto list = object.find("candidates");
  if (candidates.iteration != iteration || list == object.end() ||
      !list->is_array() || selected < 0 ||
      static_cast<uint64_t>(selected) >= list->size())
    return damagedJson(path, 0,
                       "does not say which candidate of iteration " +
                           std::to_string(iteration) + " was selected");
  candidates.selected = static_cast<size_t>(selected);
  for (const json &entry : *list) {
    CandidateScore one;
    if (entry.is_object())
      one.name = textIn(entry, "name");
    if (one.name.empty())
      return damagedJson(path, 0, "an element of 'candidates' has no 'name'");
    one.steps = countIn(entry, "steps");
    one.average = numberIn(entry, "adanet_loss");
    if (entry.contains("value"))
      one.value = numberIn(entry, "value");
    one.dropped = textIn(entry, "dropped");
    if (auto weights = entry.find("weights"); weights != entry.end())
      for (const json &weight : *weights) {
        if (!weights->is_array() || !weight.is_number())
          return damagedJson(
              path, 0, "'weights' of '" + one.name + "' are not all numbers");
        one.weights.push_back(weight.get<double>());
      }
    candidates.values.push_back(std::move(one));
  }
  return candidates;
}
