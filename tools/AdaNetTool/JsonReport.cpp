//===- JsonReport.cpp - An AdaNet directory as JSON -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/ModelOverview.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/CommandLine/VerbTool.h"
#include "runtime/Support/Numeric.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace ingot;
using namespace ingot::adanet;
using Json = nlohmann::ordered_json;

/// Converts a number to JSON. NaN and infinities, which JSON lacks, become
/// strings such as "NaN", as in the output of trainers.
static Json number(double value) {
  if (std::isfinite(value))
    return value;
  std::string text;
  appendElement(text, INGOT_DOUBLE, &value);
  return Json::parse(text);
}
static Json number(int64_t value) { return value; }
static Json number(const std::string &value) { return value; }
static Json number(const Shape &value) { return value; }

template <typename T>
static void set(Json &json, const char *key, const std::optional<T> &value) {
  if (value)
    json[key] = number(*value);
}

static void set(Json &json, const EvaluatedMetrics &metrics) {
  if (metrics.values.empty())
    return;
  Json values = Json::object();
  for (const auto &[name, value] : metrics.values)
    values[name] = number(value);
  json["evaluated"] = {{"global_step", metrics.step}, {"metrics", values}};
}

static Json describe(const Member &member) {
  Json json;
  json["name"] = member.name;
  set(json, "steps", member.steps);
  if (!member.marker.empty())
    json["done"] = member.marker;
  json["parameters"] = member.parameters;
  json["layers"] = Json::array();
  for (const MemberLayerOverview &layer : member.layers) {
    Json variables = Json::object();
    for (const MemberLayerOverview::Variable &variable : layer.variables)
      variables[variable.name] = variable.shape;
    json["layers"].push_back({{"name", layer.name}, {"variables", variables}});
  }
  set(json, member.evaluated);
  return json;
}

static Json describe(const MixtureWeight &weight) {
  Json json;
  if (!weight.member.empty())
    json["member"] = weight.member;
  if (!weight.head.empty())
    json["head"] = weight.head;
  json["shape"] = weight.shape;
  json["norm"] = number(weight.norm);
  json["share"] = number(weight.share);
  set(json, "complexity", weight.complexity);
  set(json, "factor", weight.factor);
  set(json, "penalty", weight.penalty);
  return json;
}

static Json describe(const Ensemble &ensemble) {
  Json json;
  json["name"] = ensemble.name;
  json["best"] = ensemble.isBest;
  set(json, "steps", ensemble.steps);
  if (!ensemble.marker.empty())
    json["done"] = ensemble.marker;
  set(json, "adanet_loss", ensemble.loss);
  set(json, "adanet_loss_steps", ensemble.lossSteps);
  json["members"] = ensemble.members;
  json["weights"] = Json::array();
  for (const MixtureWeight &weight : ensemble.weights)
    json["weights"].push_back(describe(weight));
  set(json, "bias", ensemble.bias);
  set(json, "lambda", ensemble.lambda);
  set(json, "beta", ensemble.beta);
  set(json, "penalty", ensemble.penalty);
  set(json, ensemble.evaluated);
  return json;
}

static Json describe(const EnsembleArchitecture &architecture) {
  Json json;
  json["ensemble_candidate_name"] = architecture.candidate;
  set(json, "ensembler_name", architecture.ensembler);
  set(json, "global_step", architecture.globalStep);
  json["replay_indices"] = architecture.replayIndices;
  json["members"] = Json::array();
  for (const EnsembleArchitecture::Member &member : architecture.members)
    json["members"].push_back(member.name());
  return json;
}

std::string adanet::jsonReport(const ModelOverview &model) {
  Json json;
  json["model_dir"] = model.directory;
  json["checkpoint"] = model.checkpoint;
  if (!model.graph.empty())
    json["graph"] = model.graph;
  json["global_step"] = model.globalStep;
  json["current_iteration"] = model.current;
  json["iterations"] = Json::array();
  for (const IterationOverview &view : model.iterations) {
    Json iteration;
    iteration["iteration"] = view.number;
    if (view.architecture)
      iteration["architecture"] = describe(*view.architecture);
    iteration["members"] = Json::array();
    for (const Member &member : view.members)
      iteration["members"].push_back(describe(member));
    iteration["ensembles"] = Json::array();
    for (const Ensemble &ensemble : view.ensembles)
      iteration["ensembles"].push_back(describe(ensemble));
    json["iterations"].push_back(std::move(iteration));
  }
  json["unfinished"] = model.unfinished;
  return tools::jsonText(json);
}
