//===- RunReport.cpp - A page about a run ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Report/RunReport.h"

#include "runtime/ABI/Program.h"
#include "runtime/Charts/Html.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/ProgramInfo.h"
#include "runtime/CommandLine/Report/RunWarnings.h"
#include "runtime/CommandLine/Report/TrainingRunCurves.h"
#include "runtime/Support/TensorSpec.h"

#include <ctime>

using namespace ingot;

static std::string timeText(double seconds) {
  std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  char text[32];
  ::gmtime_r(&time, &parts);
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

/// Escapes a text of several lines line by line, because htmlEscaped() would
/// replace the line feeds.
static std::string preformatted(const std::string &text) {
  std::string html;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    html += htmlEscaped(std::string_view(text).substr(begin, end - begin));
    html += '\n';
  }
  return html;
}

static std::string list(const std::vector<std::string> &items) {
  std::string html = "<ul>\n";
  for (const std::string &item : items)
    html += "<li>" + htmlEscaped(item) + "</li>\n";
  return html + "</ul>\n";
}

/// Returns the table of the checkpoints in `directory`, and stores the highest
/// step in `newest`.
static std::string checkpointTable(FileSystem &fileSystem,
                                   const std::string &directory,
                                   int64_t &newest) {
  auto names = fileSystem.list(directory);
  std::map<std::pair<int64_t, std::string>, uint64_t> sizes;
  for (const std::string &name : names ? *names : std::vector<std::string>())
    if (auto parsed = parseFileName(name);
        parsed &&
        (parsed->role == FileRole::Index || parsed->role == FileRole::Data)) {
      auto file = fileSystem.openForReading(directory + "/" + name);
      sizes[{stepOf(parsed->base).value_or(-1), parsed->base}] +=
          file ? (*file)->size() : 0;
    }
  std::string html =
      "<table><tr><th>checkpoint</th><th>step</th><th>bytes</th><th>written"
      "</th></tr>\n";
  for (const auto &[checkpoint, size] : sizes) {
    auto time = fileSystem.modificationTime(
        indexPath(directory + "/" + checkpoint.second));
    if (!time)
      continue; // without an index, the checkpoint is incomplete
    newest = std::max(newest, checkpoint.first);
    html += "<tr><td>" + htmlEscaped(checkpoint.second) + "</td><td>" +
            (checkpoint.first < 0 ? "" : std::to_string(checkpoint.first)) +
            "</td><td>" + std::to_string(size) + "</td><td>" + timeText(*time) +
            "</td></tr>\n";
  }
  return sizes.empty() ? "<p>There are none.</p>\n" : html + "</table>\n";
}

/// Describes the program. The output of the verb `info` is in a collapsible
/// section.
static std::string programSection(const ingot_program &program) {
  int64_t parameters = 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    bytes += variable.byte_size;
    if (variable.flags & INGOT_VARIABLE_TRAINABLE)
      parameters += elementCountOf(variable.spec);
  }
  return "<p>" + htmlEscaped(program.source) + ", compiled by " +
         htmlEscaped(program.compiler) + ": " + std::to_string(parameters) +
         " trainable parameters, " + std::to_string(program.num_variables) +
         " variables of " + std::to_string(bytes) + " bytes, " +
         std::to_string(program.num_kernels) +
         " kernels.</p>\n<details><summary>Entries, variables, iterators, "
         "kernels</summary><pre>" +
         preformatted(infoTable(program)) + "</pre></details>\n";
}

/// Describes the speed of the run, with its curve if there is one.
static std::string speedSection(const TrainingRunCurves &run) {
  std::string html;
  for (const auto &[tag, curve] : run.training) {
    if (!isSpeed(tag))
      continue;
    double sum = 0;
    for (const auto &[step, value] : curve)
      sum += value;
    html += "<p>" + htmlNumber(sum / static_cast<double>(curve.size())) +
            " steps a second on average.</p>\n<div class=charts>" +
            svgChart({tag,
                      {{"steps a second",
                        {curve.begin(), curve.end()},
                        2,
                        false,
                        true}}}) +
            "</div>\n";
  }
  return html.empty() ? "<p>The run was too short to measure it.</p>\n" : html;
}

Expected<std::string> ingot::reportPage(const CommandContext &command,
                                        const std::string &directory) {
  if (command.fileSystem.kindOf(directory) == FileKind::Regular)
    return Status(StatusCode::InvalidArgument,
                  "'" + directory +
                      "' is a file: a report is about a model "
                      "directory");
  INGOT_ASSIGN_OR_RETURN(TrainingRunCurves run,
                         readRunCurves(command.fileSystem, directory));
  int64_t newest = -1;
  std::string checkpoints =
      checkpointTable(command.fileSystem, run.name, newest);
  std::vector<std::string> warnings = warningsOf(run, newest);
  CheckpointManager manager(command.fileSystem,
                            modelDirectory(command.program, run.name));
  INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, manager.latestComplete());
  warnings.insert(warnings.end(), latest.warnings.begin(),
                  latest.warnings.end());
  if (std::string other = differenceOfPrograms(command, run.name);
      !other.empty())
    warnings.push_back("another program trained this run: " + other);
  std::string html =
      htmlPageStart(run.name, "pre { overflow-x: auto; font-size: 12px; }\n"
                              "li { margin: .2em 0; }\n");
  html +=
      "<p>" +
      (newest < 0 ? "No checkpoint yet" : "Step " + std::to_string(newest)) +
      ", written " + timeText(static_cast<double>(std::time(nullptr))) +
      ".</p>\n";
  html += "<h2>Warnings</h2>\n" +
          (warnings.empty() ? "<p>None.</p>\n" : list(warnings));
  html += "<h2>Curves</h2>\n<div class=charts>\n";
  for (const LineChart &chart : chartsOf({run}))
    html += svgChart(chart);
  html += "</div>\n<h2>Speed</h2>\n" + speedSection(run) +
          "<h2>Checkpoints</h2>\n" + checkpoints + "<h2>What is inside</h2>\n" +
          programSection(command.program);
  return html;
}
