//===- ModelCommands.cpp - ingot-adanet evaluate, predict -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Evaluates and predicts by running the trainer that the search compiled for
// the checkpoint's iteration.
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNetTrainer/AdaNetTrainerExtension.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "tools/AdaNetTool/ChildProcess.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/SearchProgramCompiler.h"
#include "tools/AdaNetTool/Tool.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

/// Returns how far the search had come at the checkpoint that --checkpoint
/// names, or at the newest one.
static Expected<SearchProgress> findProgress(ToolContext &tool,
                                             const std::string &directory) {
  std::string prefix = tool.flags.get("--checkpoint");
  if (!prefix.empty())
    return readProgressAt(tool.fileSystem, directory, prefix);
  INGOT_ASSIGN_OR_RETURN(SearchProgress progress,
                         readProgress(tool.fileSystem, directory));
  if (progress.checkpoint.empty()) // AN-221: there is nothing to evaluate
    return Status(StatusCode::NotFound,
                  "'" + directory +
                      "' has no checkpoint: train first, or give another "
                      "--model-dir");
  return progress;
}

/// Compiles the trainer of the checkpoint's iteration. Called if the search
/// folder lacks this trainer, for instance because `ingot-adanet prune` has
/// made the iteration. Returns NotFound if the search file is not where
/// `ingot-adanet train` found it.
static Status compileTrainer(ToolContext &tool, const std::string &directory,
                             const SearchProgress &progress,
                             const std::string &trainer,
                             const SearchSettings &plan) {
  if (plan.search.empty() || !tool.fileSystem.exists(plan.search))
    return Status(StatusCode::NotFound,
                  "'" + trainer +
                      "', the trainer of this iteration, is missing; 'ingotc " +
                      (plan.search.empty() ? "SEARCH.pbtxt" : plan.search) +
                      " --model-dir " + directory + " --checkpoint " +
                      progress.checkpoint + " -o " + trainer + "' makes it");
  tool.console.note("compiling '" + trainer + "' from '" + plan.search + "'");
  INGOT_ASSIGN_OR_RETURN(auto compiler,
                         SearchProgramCompiler::create(tool, plan.search, ""));
  return compiler.compileFor(directory, progress.checkpoint, {"--cpu=native"},
                             trainer);
}

/// Replaces this process by the trainer of the checkpoint's iteration, with
/// verb `verb` and those flags of `specs` that the user has given.
static int runTrainer(ToolContext &tool, const char *verb,
                      std::span<const FlagSpec> specs) {
  std::string directory = modelDirectory(tool);
  if (directory.empty())
    return tool.usage({"--model-dir is missing: it names the folder of the "
                       "search",
                       ""});
  auto progress = findProgress(tool, directory);
  if (!progress)
    return tool.fail(progress.status());
  std::string trainer =
      trainerPath(directory, progress->iteration, progress->hasPruned());
  SearchSettings plan = readPlan(tool.fileSystem, directory);
  if (!tool.fileSystem.exists(trainer))
    if (Status status =
            compileTrainer(tool, directory, *progress, trainer, plan);
        !status.isOk())
      return tool.fail(status);
  std::vector<std::string> words = {trainer, verb};
  for (std::string &word : forwarded(tool.flags, specs, {}))
    words.push_back(std::move(word));
  // Adds the settings of the search's plan, such as the data directory, as
  // flags unless the user has set them. The best ensemble is stored in the
  // checkpoint, so it needs no flag.
  auto add = [&](std::string_view flag, const std::string &value) {
    bool isKnown =
        std::any_of(specs.begin(), specs.end(),
                    [&](const FlagSpec &spec) { return spec.name == flag; });
    if (isKnown && !value.empty() && !tool.flags.has(flag))
      words.push_back(std::string(flag) + "=" + value);
  };
  add("--data-dir", plan.dataDirectory);
  // Passes the default value of each column, for examples that lack the
  // column's value, as flag --missing. Skips columns for which the user has set
  // this flag.
  const std::vector<std::string> &given = tool.flags.all("--missing");
  bool takesMissing =
      std::any_of(specs.begin(), specs.end(), [](const FlagSpec &spec) {
        return spec.name == std::string_view("--missing");
      });
  for (const auto &[column, value] : plan.valuesWhereMissing)
    if (takesMissing &&
        std::none_of(given.begin(), given.end(), [&](const std::string &one) {
          return one.starts_with(column + "=");
        }))
      words.push_back("--missing=" + column + "=" + value);
  return tool.fail(becomeProgram(words));
}

/// Returns the flags of `evaluate`, including those that only trainers of
/// AdaNet searches have.
static std::span<const FlagSpec> evaluateSpecs() {
  static const std::vector<FlagSpec> specs = withOwnFlags(
      ingot_extension_adanet, "evaluate", ingot::evaluateVerb.flags);
  return specs;
}

static int runEvaluate(ToolContext &tool) {
  return runTrainer(tool, "evaluate", evaluateSpecs());
}

static int runPredict(ToolContext &tool) {
  return runTrainer(tool, "predict", ingot::predictVerb.flags);
}

const tools::ToolSubcommand &adanet::evaluateVerb() {
  static const tools::ToolSubcommand verb = {
      "evaluate",
      "--model-dir DIR [FLAGS]",
      "evaluate the best ensemble and all candidates",
      "--model-dir run",
      0,
      0,
      evaluateSpecs(),
      runEvaluate};
  return verb;
}

const tools::ToolSubcommand &adanet::predictVerb() {
  static const tools::ToolSubcommand verb = {
      "predict",
      "--model-dir DIR --input FILE --output FILE [FLAGS]",
      "predict examples with the best ensemble",
      "--model-dir run --input rows.csv --output predictions.csv",
      0,
      0,
      ingot::predictVerb.flags,
      runPredict};
  return verb;
}
