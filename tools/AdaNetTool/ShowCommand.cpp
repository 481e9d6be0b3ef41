//===- ShowCommand.cpp - ingot-adanet show --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/ModelOverview.h"
#include "tools/AdaNetTool/Tool.h"

using namespace ingot;
using namespace ingot::adanet;

static const FlagSpec showFlags[] = {
    {"--model-dir", "DIR", "the model directory of AdaNet's estimator"},
    {"--checkpoint", "PREFIX", "read this checkpoint (default: the newest)"},
    {"--json", nullptr, "print one JSON object"},
    {"--html", nullptr, "print an HTML page with diagrams"},
    {"--help", nullptr, "print this"},
};

static int runShow(ToolContext &tool) {
  std::string directory = tool.flags.get("--model-dir");
  if (directory.empty())
    return tool.usage(
        {"--model-dir is missing: it names the model directory of "
         "AdaNet's estimator",
         ""});
  if (tool.flags.has("--json") && tool.flags.has("--html"))
    return tool.usage({"--json and --html exclude one another", ""});
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  auto model = readModel(tool.fileSystem, directory,
                         tool.flags.get("--checkpoint"), tool.console);
  if (!model)
    return tool.fail(model.status());
  readObjectives(tool.fileSystem, *model, tool.console);
  readEvaluations(tool.fileSystem, *model, tool.console);
  if (tool.flags.has("--html"))
    readCurves(tool.fileSystem, *model, tool.console);
  return tool.print(tool.flags.has("--json")   ? jsonReport(*model)
                    : tool.flags.has("--html") ? htmlReport(*model)
                                               : textReport(*model));
}

const tools::ToolSubcommand adanet::showVerb = {
    "show",
    "--model-dir DIR [--checkpoint PREFIX] [--json | --html]",
    "print iterations, members, ensembles and unfinished work",
    "--model-dir run",
    0,
    0,
    showFlags,
    runShow,
};
