//===- ReportCommand.cpp - ingot-adanet report ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Prints, for each iteration, the steps and losses of its candidates, and the
// hparams, attributes and metrics of its builders, as a table, JSON or CSV
// (AN-146, AN-192 to AN-200).
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNet/Candidates.h"
#include "runtime/AdaNet/Reports.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "tools/AdaNetTool/ModelOverview.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/Tool.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace ingot;
using namespace ingot::adanet;
using Json = nlohmann::ordered_json;

static const FlagSpec reportFlags[] = {
    {"--model-dir", "DIR", "the model directory of AdaNet's estimator"},
    {"--report-dir", "DIR",
     "read reports from DIR (default: report in the model directory)"},
    {"--json", nullptr, "print one JSON object"},
    {"--csv", nullptr,
     "print one line per value: iteration, kind, name, selected, field, value"},
    {"--help", nullptr, "print this"},
};

namespace {

/// The candidates and the report of one iteration. Each is std::nullopt if its
/// file does not exist.
struct IterationCandidatesAndReport {
  int64_t iteration = 0;
  std::optional<Candidates> candidates;
  std::optional<IterationReport> report;
};

/// One value of a candidate or a builder, which is a row of the printed table.
struct IterationReportRow {
  int64_t iteration;
  const char *kind; // "ensemble" or "subnetwork"
  std::string name;
  bool isSelected;
  std::string field;
  ReportValue value;
};

} // namespace

/// Returns the candidates of an iteration that has no candidates file, as far
/// as the newest checkpoint still has them: all candidates of the current
/// iteration, but only the winner of an earlier iteration.
static std::optional<Candidates> candidatesIn(const IterationOverview &view) {
  Candidates found;
  found.iteration = view.number;
  found.metric = "adanet_loss";
  found.selected = SIZE_MAX;
  for (const Ensemble &ensemble : view.ensembles) {
    CandidateScore one;
    one.name = ensemble.name;
    one.steps = ensemble.steps.value_or(0);
    one.average = ensemble.loss.value_or(NAN);
    if (TrainingDoneMarkers::isDropped(ensemble.marker))
      one.dropped = ensemble.marker;
    if (view.architecture && view.architecture->ensembleName() == one.name)
      found.selected = found.values.size();
    found.values.push_back(std::move(one));
  }
  if (found.values.empty())
    return std::nullopt;
  return found;
}

/// Reads the candidates and reports of all iterations. Candidates come from the
/// candidates file if there is one, else from the checkpoint.
static Expected<std::vector<IterationCandidatesAndReport>>
readRounds(const ToolContext &tool, const std::string &directory) {
  INGOT_ASSIGN_OR_RETURN(
      ModelOverview model,
      readModel(tool.fileSystem, directory, "", tool.console));
  std::map<int64_t, IterationCandidatesAndReport> rounds;
  for (const IterationOverview &view : model.iterations) {
    IterationCandidatesAndReport &round = rounds[view.number];
    auto candidates = readCandidates(tool.fileSystem, directory, view.number);
    // A candidates file with another global step than the architecture file's
    // belongs to another run of the iteration and is ignored (AN-113).
    bool isStale =
        candidates && view.architecture &&
        view.architecture->globalStep.value_or(-1) != candidates->globalStep;
    if (candidates && !isStale)
      round.candidates = std::move(*candidates);
    else if (isStale || candidates.status().code() == StatusCode::NotFound)
      round.candidates = candidatesIn(view);
    else
      return candidates.takeStatus();
  }
  std::string folder = readPlan(tool.fileSystem, directory).reportDirectory;
  if (folder.empty())
    folder = reportDirectory(directory);
  INGOT_ASSIGN_OR_RETURN(
      auto reports,
      readReports(tool.fileSystem, tool.flags.get("--report-dir", folder)));
  for (IterationReport &report : reports)
    rounds[report.iteration].report = std::move(report);
  std::vector<IterationCandidatesAndReport> all;
  for (auto &[number, round] : rounds) {
    round.iteration = number;
    all.push_back(std::move(round));
  }
  return all;
}

/// Lists all values of an iteration as rows: first those of candidates, then
/// those of builders.
static std::vector<IterationReportRow>
rowsOf(const IterationCandidatesAndReport &round) {
  std::vector<IterationReportRow> rows;
  if (round.candidates)
    for (size_t i = 0; i < round.candidates->values.size(); ++i) {
      const CandidateScore &one = round.candidates->values[i];
      auto add = [&](const std::string &field, ReportValue value) {
        rows.push_back({round.iteration, "ensemble", one.name,
                        i == round.candidates->selected, field,
                        std::move(value)});
      };
      add("steps", one.steps);
      add("adanet_loss", one.average);
      if (one.value)
        add(round.candidates->metric, *one.value);
      if (!one.dropped.empty())
        add("dropped", one.dropped);
    }
  if (round.report)
    for (const SubnetworkReport &one : round.report->subnetworks)
      for (const auto &[scope, values] :
           {std::pair("hparams/", &one.hparams),
            std::pair("attributes/", &one.attributes),
            std::pair("metrics/", &one.metrics)})
        for (const auto &[name, value] : *values)
          rows.push_back({round.iteration, "subnetwork", one.name,
                          one.isIncluded, scope + name, value});
  return rows;
}

/// Quotes a field for CSV (RFC 4180) if it contains a separator.
static std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string all = "\"";
  for (char c : text)
    all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + "\"";
}

static std::string plain(const ReportValue &value) {
  const std::string *text = std::get_if<std::string>(&value);
  std::string printed = text ? *text : printReportValue(value);
  return !text && printed == "null" ? "" : printed;
}

static std::string
csvOf(const std::vector<IterationCandidatesAndReport> &rounds) {
  std::string text = "iteration,kind,name,selected,field,value\n";
  for (const IterationCandidatesAndReport &round : rounds)
    for (const IterationReportRow &row : rowsOf(round))
      text += std::to_string(row.iteration) + "," + row.kind + "," +
              quoted(row.name) + "," + (row.isSelected ? "true" : "false") +
              "," + quoted(row.field) + "," + quoted(plain(row.value)) + "\n";
  return text;
}

static std::string
textOf(const std::vector<IterationCandidatesAndReport> &rounds) {
  std::string text;
  for (const IterationCandidatesAndReport &round : rounds) {
    text += (text.empty() ? "" : "\n") + std::string("iteration ") +
            std::to_string(round.iteration) + "\n";
    std::string owner;
    for (const IterationReportRow &row : rowsOf(round)) {
      std::string name = std::string("  ") + row.kind + " " + row.name;
      if (name != owner)
        text += name + (row.isSelected ? " (selected)" : "") + "\n";
      owner = name;
      std::string value = plain(row.value);
      text +=
          "    " + row.field + "  " + (value.empty() ? "NaN" : value) + "\n";
    }
  }
  return text;
}

static std::string
jsonOf(const std::string &directory,
       const std::vector<IterationCandidatesAndReport> &rounds) {
  Json json;
  json["model_dir"] = directory;
  json["iterations"] = Json::array();
  for (const IterationCandidatesAndReport &round : rounds) {
    Json iteration;
    iteration["iteration"] = round.iteration;
    for (const char *kind : {"ensemble", "subnetwork"}) {
      Json &list = iteration[std::string(kind) + "s"] = Json::array();
      std::string last;
      for (const IterationReportRow &row : rowsOf(round)) {
        if (std::string_view(row.kind) != kind)
          continue;
        if (row.name != last)
          list.push_back({{"name", row.name}, {"selected", row.isSelected}});
        last = row.name;
        list.back()[row.field] = std::visit(
            [](const auto &value) { return Json(value); }, row.value);
      }
    }
    json["iterations"].push_back(std::move(iteration));
  }
  return tools::jsonText(json);
}

static int runReport(ToolContext &tool) {
  std::string directory = tool.flags.get("--model-dir");
  if (directory.empty())
    return tool.usage(
        {"--model-dir is missing: it names the model directory of "
         "AdaNet's estimator",
         ""});
  if (tool.flags.has("--json") && tool.flags.has("--csv"))
    return tool.usage({"--json and --csv exclude one another", ""});
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  auto rounds = readRounds(tool, directory);
  if (!rounds)
    return tool.fail(rounds.status());
  return tool.print(tool.flags.has("--json")  ? jsonOf(directory, *rounds)
                    : tool.flags.has("--csv") ? csvOf(*rounds)
                                              : textOf(*rounds));
}

const tools::ToolSubcommand adanet::reportVerb = {
    "report",
    "--model-dir DIR [--report-dir DIR] [--json | --csv]",
    "print the values of each iteration's candidates and builders",
    "--model-dir run",
    0,
    0,
    reportFlags,
    runReport,
};
