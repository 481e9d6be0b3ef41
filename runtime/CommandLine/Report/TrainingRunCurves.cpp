//===- TrainingRunCurves.cpp - Curves of a run, from its files ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Report/TrainingRunCurves.h"

#include "runtime/Summary/EventFiles.h"
#include "runtime/Support/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ingot;
using Json = nlohmann::ordered_json;

/// Reads the scalars of the event files in `directory`.
static Status readEvents(FileSystem &fileSystem, const std::string &directory,
                         std::map<std::string, Curve> &curves) {
  INGOT_ASSIGN_OR_RETURN(auto scalars, readScalars(fileSystem, directory));
  for (const auto &[step, values] : scalars)
    for (const auto &[tag, value] : values)
      curves[tag][step] = value;
  return Status::ok();
}

static bool isNotFinite(const Json &value) {
  return value == "NaN" || value == "Infinity" || value == "-Infinity";
}

/// Reads a file that --losses wrote. Damaged lines are skipped.
static Status readLosses(FileSystem &fileSystem, const std::string &path,
                         std::map<std::string, Curve> &curves) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  std::string text(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size, file->read(0, text.size(), text.data()));
  text.resize(size);
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    if (nestingOfJson(line) > mostJsonLevels)
      continue;
    Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("step") ||
        !json["step"].is_number_integer())
      continue;
    auto step = json["step"].get<int64_t>();
    for (const auto &[name, value] : json.items())
      // The file has NaN and infinities as strings, because JSON has no such
      // numbers.
      if (name != "step" && (value.is_number() || isNotFinite(value)))
        curves[name.ends_with(":0") ? name.substr(0, name.size() - 2) : name]
              [step] = value.is_number() ? value.get<double>() : NAN;
  }
  return Status::ok();
}

Expected<TrainingRunCurves> ingot::readRunCurves(FileSystem &fileSystem,
                                                 const std::string &path) {
  TrainingRunCurves run;
  run.name = path;
  while (run.name.size() > 1 && run.name.ends_with('/'))
    run.name.pop_back();
  if (!fileSystem.exists(path))
    return Status(StatusCode::NotFound,
                  "'" + path + "' is neither a model directory nor a file");
  if (fileSystem.kindOf(path) == FileKind::Regular) {
    INGOT_RETURN_IF_ERROR(readLosses(fileSystem, path, run.training));
    if (run.training.empty())
      return Status(StatusCode::NotFound,
                    "'" + path + "' was not written by --losses");
    return run;
  }
  INGOT_RETURN_IF_ERROR(readEvents(fileSystem, run.name, run.training));
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(run.name));
  for (const std::string &name : names)
    if ((name == "eval" || name.starts_with("eval_")) &&
        fileSystem.kindOf(run.name + "/" + name) == FileKind::Directory)
      INGOT_RETURN_IF_ERROR(
          readEvents(fileSystem, run.name + "/" + name, run.evaluations[name]));
  std::erase_if(run.evaluations,
                [](const auto &found) { return found.second.empty(); });
  if (run.training.empty() && run.evaluations.empty())
    return Status(StatusCode::NotFound,
                  "'" + path +
                      "' has no event files with curves: train without "
                      "--summary-steps 0 and --no-curves");
  return run;
}

bool ingot::isSpeed(const std::string &metric) {
  return metric.ends_with("/sec");
}

/// Returns a metric's place in the order of diagrams: losses come first,
/// learning rates last.
static int rankOf(const std::string &metric) {
  return metric == "loss"                    ? 0
         : metric.ends_with("loss")          ? 1
         : metric.ends_with("learning_rate") ? 3
                                             : 2;
}

static void addCurve(LineChart &chart, std::string name, const Curve *curve,
                     size_t colour, bool isEvaluation) {
  if (curve && !curve->empty())
    chart.series.push_back({std::move(name),
                            {curve->begin(), curve->end()},
                            colour,
                            /*dashed=*/isEvaluation,
                            /*dots=*/isEvaluation});
}

static const Curve *findCurve(const std::map<std::string, Curve> &curves,
                              const std::string &metric) {
  auto found = curves.find(metric);
  return found == curves.end() ? nullptr : &found->second;
}

std::vector<LineChart>
ingot::chartsOf(const std::vector<TrainingRunCurves> &runs,
                const std::vector<std::string> &metrics) {
  std::set<std::pair<int, std::string>> shown;
  // If the caller names no metrics, a training curve gets a diagram only if it
  // has at least two points. A single point is shown only if there would be no
  // diagram otherwise.
  auto add = [&](const std::map<std::string, Curve> &curves, size_t least) {
    for (const auto &[metric, curve] : curves)
      if (metrics.empty() ? !isSpeed(metric) && curve.size() >= least
                          : std::find(metrics.begin(), metrics.end(), metric) !=
                                metrics.end())
        shown.emplace(rankOf(metric), metric);
  };
  for (const TrainingRunCurves &run : runs) {
    add(run.training, 2);
    for (const auto &[folder, curves] : run.evaluations)
      add(curves, 1);
  }
  for (const TrainingRunCurves &run : runs)
    if (shown.empty())
      add(run.training, 1);
  std::vector<LineChart> charts;
  for (const auto &[rank, metric] : shown) {
    LineChart &chart = charts.emplace_back();
    chart.title = metric;
    chart.mayBeLogarithmic = metric.ends_with("loss");
    for (size_t i = 0; i < runs.size(); ++i) {
      const TrainingRunCurves &run = runs[i];
      std::string of = runs.size() > 1 ? run.name + " " : "";
      addCurve(chart, of + "training", findCurve(run.training, metric), i,
               false);
      size_t colour = runs.size() > 1 ? i : 1;
      for (const auto &[folder, curves] : run.evaluations) {
        addCurve(chart,
                 of + (folder == "eval" ? "evaluation"
                                        : "evaluation " + folder.substr(5)),
                 findCurve(curves, metric), colour, true);
        colour += runs.size() == 1;
      }
    }
  }
  return charts;
}
