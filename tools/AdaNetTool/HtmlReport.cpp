//===- HtmlReport.cpp - An AdaNet directory as a page ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Charts/Html.h"
#include "tools/AdaNetTool/Html.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

static constexpr const char *style = R"(
section { margin: 1.5em 0; }
.row { display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-end; }
.member, .ensemble { border: 1px solid var(--line); border-radius: 6px; padding: .6em; background: var(--card); }
.ensemble { min-width: 22em; } .ensemble.best { border: 2px solid var(--s2); }
.layer { background: var(--paper); border: 1px solid var(--line); margin: .2em 0; padding: .1em .5em; text-align: center; }
.bar { background: var(--line); height: .8em; } .bar div { background: var(--s0); height: 100%; }
td { padding: 0 .6em 0 0; } .unfinished { color: var(--s1); }
)";

static std::string box(const Member &member) {
  std::string html =
      "<div class=member><b>" + htmlEscaped(member.name) + "</b>";
  // Draws the last layer, the output, on top, as diagrams of networks usually
  // do.
  for (auto layer = member.layers.rbegin(); layer != member.layers.rend();
       ++layer) {
    html += "<div class=layer>" + htmlEscaped(layer->name);
    for (const MemberLayerOverview::Variable &variable : layer->variables)
      html += " <small>" + htmlEscaped(variable.name) + " " +
              shapeText(variable.shape) + "</small>";
    html += "</div>";
  }
  html += "<small>" + std::to_string(member.parameters) + " parameters";
  if (member.steps)
    html += ", " + std::to_string(*member.steps) + " steps";
  if (!member.marker.empty())
    html += "<br>" + htmlEscaped(member.marker);
  return html + "</small></div>\n";
}

static std::string row(const MixtureWeight &weight) {
  double share = std::clamp(weight.share, 0.0, 1.0);
  std::string html =
      "<tr><td>" +
      htmlEscaped(weight.member.empty() ? "unknown" : weight.member) +
      (weight.head.empty() ? "" : ", head " + htmlEscaped(weight.head)) +
      "</td><td style='width:8em'><div class=bar><div style='width:" +
      htmlNumber(share * 100) + "%'></div></div></td><td>" + htmlNumber(share) +
      "</td><td><small>" + shapeText(weight.shape) + ", |w| " +
      htmlNumber(weight.norm);
  if (weight.complexity)
    html += ", complexity " + htmlNumber(*weight.complexity);
  if (weight.factor)
    html += ", factor " + htmlNumber(*weight.factor);
  if (weight.penalty)
    html += ", penalty " + htmlNumber(*weight.penalty);
  return html + "</small></td></tr>";
}

static std::string box(const Ensemble &ensemble) {
  std::string html = std::string("<div class='ensemble") +
                     (ensemble.isBest ? " best" : "") + "'><b>" +
                     htmlEscaped(ensemble.name) + "</b>" +
                     (ensemble.isBest ? " &larr; best" : "") + "<table>";
  for (const MixtureWeight &weight : ensemble.weights)
    html += row(weight);
  html += "</table><small>";
  if (ensemble.loss)
    html += "AdaNet loss " + htmlNumber(*ensemble.loss);
  if (ensemble.lossSteps)
    html += " (mean over " + htmlNumber(*ensemble.lossSteps) + " steps)";
  if (ensemble.lambda)
    html += ", &lambda; " + htmlNumber(*ensemble.lambda);
  if (ensemble.beta)
    html += ", &beta; " + htmlNumber(*ensemble.beta);
  if (ensemble.penalty)
    html += ", penalty " + htmlNumber(*ensemble.penalty);
  if (!ensemble.marker.empty())
    html += "<br>" + htmlEscaped(ensemble.marker);
  return html + "</small></div>\n";
}

std::string adanet::htmlReport(const ModelOverview &model) {
  std::string html = htmlPageStart(model.directory, style) + "<p>Iteration " +
                     std::to_string(model.current) + ", global step " +
                     std::to_string(model.globalStep) + ", read from " +
                     htmlEscaped(model.checkpoint) + ".</p>\n";
  // Say what the curves and losses of the page mean (AN-211).
  html += "<p><small>A member's loss is that of its own output; an ensemble's "
          "AdaNet loss is that of the weighted members and the penalty of "
          "their weights, averaged over steps; the model that evaluates and "
          "predicts is the ensemble called best.</small></p>\n";
  for (const IterationOverview &view : model.iterations) {
    html += "<section><h2>Iteration " + std::to_string(view.number);
    if (view.architecture)
      html += ": " + htmlEscaped(view.architecture->candidate) + " won";
    else if (view.number == model.current)
      html += ": under way";
    html += "</h2>\n<div class=row>\n";
    for (const Member &member : view.members)
      html += box(member);
    html += "</div><br><div class=row>\n";
    for (const Ensemble &ensemble : view.ensembles)
      html += box(ensemble);
    html += "</div>" + htmlCurves(view.curves) + "</section>\n";
  }
  if (!model.unfinished.empty()) {
    html += "<section class=unfinished><h2>Unfinished</h2><ul>\n";
    for (const std::string &line : model.unfinished)
      html += "<li>" + htmlEscaped(line) + "</li>\n";
    html += "</ul></section>\n";
  }
  return html;
}
