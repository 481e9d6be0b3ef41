//===- PlotCommand.cpp - trainer plot and trainer report ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Report/RunReport.h"
#include "runtime/CommandLine/Report/TrainingRunCurves.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Support/ReplaceFile.h"

using namespace ingot;

static const FlagSpec plotFlags[] = {
    {"-o", "FILE", "write this file, FILE.svg"},
    {"--metric", "NAME", "show this metric, not all", true},
    {"--help", nullptr, "print this"},
};

static const FlagSpec reportFlags[] = {
    {"-o", "FILE", "write this file, FILE.html"},
    {"--help", nullptr, "print this"},
};

/// Writes `contents` to the file that the flag -o names.
static int writeOutput(const CommandContext &command,
                       const std::string &contents) {
  std::string path = command.flags.get("-o");
  if (Status status = replaceFile(command.fileSystem, path, path + ".tmp",
                                  contentsOf(contents));
      !status.isOk())
    return command.fail(status);
  return ExitDone;
}

/// Returns a usage error unless the output file's name ends in `ending`, and
/// the command line names at least one run and at most `most` runs.
static std::optional<UsageError> checkOutput(const CommandContext &command,
                                             const std::string &ending,
                                             size_t most) {
  const auto &runs = command.flags.positionals();
  if (runs.empty())
    return UsageError{"no run is given: name its model directory", ""};
  if (runs.size() > most)
    return UsageError{"unexpected argument '" + runs.back() +
                          "': a report is about one run",
                      "'PROGRAM plot RUN RUN -o FILE.svg' compares runs"};
  std::string path = command.flags.get("-o");
  if (path.empty())
    return UsageError{"-o is missing: it names the file to write", ""};
  if (!path.ends_with(ending))
    return UsageError{"-o: expected FILE" + ending + ", found '" + path + "'",
                      ""};
  return std::nullopt;
}

static int runPlot(CommandContext &command) {
  if (auto error = checkOutput(command, ".svg", SIZE_MAX))
    return command.usage(*error);
  std::vector<TrainingRunCurves> runs;
  for (const std::string &path : command.flags.positionals()) {
    auto run = readRunCurves(command.fileSystem, path);
    if (!run)
      return command.fail(run.status());
    runs.push_back(std::move(*run));
  }
  std::vector<std::string> metrics = command.flags.all("--metric");
  std::vector<LineChart> charts = chartsOf(runs, metrics);
  if (charts.empty()) {
    std::string known;
    for (const LineChart &chart : chartsOf(runs))
      known += (known.empty() ? "" : ", ") + chart.title;
    return command.usage({"--metric: these runs have no such metric",
                          "their metrics are: " + known});
  }
  return writeOutput(command, svgFile(charts));
}

static int runReport(CommandContext &command) {
  if (auto error = checkOutput(command, ".html", 1))
    return command.usage(*error);
  auto page = reportPage(command, command.flags.positionals().front());
  if (!page)
    return command.fail(page.status());
  return writeOutput(command, *page);
}

const TrainerSubcommand ingot::plotVerb = {
    "plot",
    "RUN... -o FILE.svg [--metric NAME]",
    "draw the curves of runs: model directories, or files of --losses",
    "run other-run -o curves.svg",
    plotFlags,
    runPlot,
};

const TrainerSubcommand ingot::reportVerb = {
    "report",
    "RUN -o FILE.html",
    "write a page about a run: curves, speed, checkpoints, what is inside",
    "run -o report.html",
    reportFlags,
    runReport,
};
