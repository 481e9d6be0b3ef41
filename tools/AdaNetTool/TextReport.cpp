//===- TextReport.cpp - An AdaNet directory as text -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/VerbTool.h"
#include "tools/AdaNetTool/ModelOverview.h"

#include <algorithm>
#include <cstdio>

using namespace ingot;
using namespace ingot::adanet;
using tools::counted;

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

static std::string heading(const ModelOverview &model,
                           const IterationOverview &view) {
  std::string text = "iteration " + std::to_string(view.number) + ": ";
  if (!view.architecture)
    return text + (view.number == model.current ? "under way" : "unknown");
  const EnsembleArchitecture &won = *view.architecture;
  text += won.candidate + " won";
  if (won.globalStep)
    text += " at step " + std::to_string(*won.globalStep);
  if (won.ensembler)
    text += " (" + *won.ensembler + ")";
  for (size_t i = 0; i < won.members.size(); ++i)
    text += (i ? ", " : ": ") + won.members[i].name();
  return text;
}

static std::string state(const std::optional<int64_t> &steps,
                         const std::string &marker) {
  std::string text = steps ? counted(*steps, "step") : "";
  if (!marker.empty())
    text += (text.empty() ? "" : ", ") + std::string("done: ") + marker;
  return text;
}

/// Returns the metrics of an evaluation as a line of text; "" if there was no
/// evaluation.
static std::string text(const EvaluatedMetrics &metrics) {
  std::string text;
  for (const auto &[name, value] : metrics.values)
    text += (text.empty() ? "" : ", ") + name + " " + number(value);
  return text.empty() ? ""
                      : "    evaluated at step " +
                            number(double(metrics.step)) + ": " + text + "\n";
}

/// Returns a member as text: its state, then a line for each layer with the
/// layer's variables.
static std::string text(const Member &member) {
  std::string text = "  member " + member.name + ": " +
                     state(member.steps, member.marker) + ", " +
                     counted(member.parameters, "parameter") + "\n";
  size_t width = 0;
  for (const MemberLayerOverview &layer : member.layers)
    width = std::max(width, layer.name.size());
  for (const MemberLayerOverview &layer : member.layers) {
    text += "    " + layer.name + std::string(width - layer.name.size(), ' ');
    for (const MemberLayerOverview::Variable &variable : layer.variables)
      text += "  " + variable.name + " " + shapeText(variable.shape);
    text += "\n";
  }
  return text + ::text(member.evaluated);
}

/// Returns a mixture weight as a line of text: its member, shape, norm, share
/// of all norms and, if known, complexity, factor and penalty.
static std::string text(const MixtureWeight &weight) {
  char line[128];
  std::snprintf(line, sizeof(line), "  |w| %.6g, share %.4f", weight.norm,
                weight.share);
  std::string text = "    " +
                     (weight.member.empty() ? "unknown" : weight.member) +
                     (weight.head.empty() ? "" : ", head " + weight.head) +
                     "  " + shapeText(weight.shape) + line;
  if (weight.complexity)
    text += ", complexity " + number(*weight.complexity);
  if (weight.factor)
    text += ", factor " + number(*weight.factor);
  if (weight.penalty)
    text += ", penalty " + number(*weight.penalty);
  return text + "\n";
}

/// Returns an ensemble as text: its state and loss, its mixture weights, then
/// bias, λ, β and penalty.
static std::string text(const Ensemble &ensemble) {
  std::string text = "  ensemble " + ensemble.name +
                     (ensemble.isBest ? " (best)" : "") + ": " +
                     state(ensemble.steps, ensemble.marker);
  if (ensemble.loss)
    text += ", AdaNet loss " + number(*ensemble.loss);
  if (ensemble.lossSteps)
    text += " over " + number(*ensemble.lossSteps) + " steps";
  text += "\n";
  for (const MixtureWeight &weight : ensemble.weights)
    text += ::text(weight);
  std::string rest;
  auto add = [&](const std::string &word) {
    rest += (rest.empty() ? "" : ", ") + word;
  };
  if (ensemble.bias)
    add("bias " + shapeText(*ensemble.bias));
  if (ensemble.lambda)
    add("λ " + number(*ensemble.lambda));
  if (ensemble.beta)
    add("β " + number(*ensemble.beta));
  if (ensemble.penalty)
    add("penalty " + number(*ensemble.penalty));
  return text + (rest.empty() ? "" : "    " + rest + "\n") +
         ::text(ensemble.evaluated);
}

std::string adanet::textReport(const ModelOverview &model) {
  std::string all = model.directory + ": iteration " +
                    std::to_string(model.current) + ", global step " +
                    std::to_string(model.globalStep) + ", read from '" +
                    model.checkpoint + "'\n";
  if (model.graph.empty())
    all += "no graph of this iteration: λ, β and complexities are unknown\n";
  for (const IterationOverview &view : model.iterations) {
    all += "\n" + heading(model, view) + "\n";
    for (const Member &member : view.members)
      all += text(member);
    for (const Ensemble &ensemble : view.ensembles)
      all += text(ensemble);
  }
  all += "\nunfinished:";
  if (model.unfinished.empty())
    all += " nothing";
  all += "\n";
  for (const std::string &line : model.unfinished)
    all += "  " + line + "\n";
  return all;
}
