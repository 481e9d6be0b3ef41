//===- ModelCommands.cpp - ingot-adanet evaluate, predict -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Evaluates and predicts by running the trainer that the search compiled for
// the checkpoint's iteration.
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNetTool/ChildProcess.h"
#include "runtime/AdaNetTool/SearchCompiler.h"
#include "runtime/AdaNetTool/SearchFolder.h"
#include "runtime/AdaNetTool/Tool.h"
#include "runtime/AdaNetTrainer/AdaNetExtension.h"
#include "runtime/CommandLine/Commands.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

/// Returns the path of the trainer of the checkpoint that --checkpoint names,
/// or of the newest checkpoint; `iteration` receives the checkpoint's
/// iteration.
static Expected<std::string> findTrainer(ToolContext &tool,
                                         const std::string &directory,
                                         int64_t &iteration) {
  std::string prefix = tool.flags.get("--checkpoint");
  if (prefix.empty()) {
    INGOT_ASSIGN_OR_RETURN(SearchProgress progress,
                           readProgress(tool.fileSystem, directory));
    if (progress.checkpoint.empty()) // AN-221: there is nothing to evaluate
      return Status(StatusCode::NotFound,
                    "'" + directory + "' has no checkpoint");
    iteration = progress.iteration;
    return trainerPath(directory, iteration, progress.hasPruned());
  }
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(tool.fileSystem, prefix));
  auto found = iterationOf(*reader);
  if (!found)
    return Status(
        StatusCode::NotFound,
        "'" + prefix +
            "' has no AdaNet iteration number: it is not a checkpoint of a "
            "search");
  iteration = *found;
  INGOT_ASSIGN_OR_RETURN(
      auto selected,
      readSelection(tool.fileSystem, directory, *reader, iteration));
  auto before = readArchitecture(tool.fileSystem, directory, iteration - 1);
  bool isPruned =
      selected && selected->isPrunedFrom(before ? &*before : nullptr);
  return trainerPath(directory, iteration, isPruned);
}

/// Compiles a trainer that is missing, as that of an iteration which prune has
/// made. Returns NotFound if the search's file is not where `train` found it.
static Status compileTrainer(ToolContext &tool, const std::string &directory,
                             int64_t iteration, const std::string &trainer,
                             const SearchPlan &plan) {
  if (plan.search.empty() || !tool.fileSystem.exists(plan.search))
    return Status(StatusCode::NotFound,
                  "'" + trainer +
                      "', the trainer of this iteration, is missing; 'ingotc " +
                      (plan.search.empty() ? "SEARCH.pbtxt" : plan.search) +
                      " --model-dir " + directory + " --iteration " +
                      std::to_string(iteration) + " -o " + trainer +
                      "' makes it");
  tool.console.note("compiling '" + trainer + "' from '" + plan.search + "'");
  INGOT_ASSIGN_OR_RETURN(auto compiler,
                         SearchCompiler::create(tool, plan.search, ""));
  return compiler.compile(directory, iteration, {"--cpu=native"}, trainer);
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
  int64_t iteration = 0;
  auto trainer = findTrainer(tool, directory, iteration);
  if (!trainer)
    return tool.fail(trainer.status());
  SearchPlan plan = readPlan(tool.fileSystem, directory);
  if (!tool.fileSystem.exists(*trainer))
    if (Status status =
            compileTrainer(tool, directory, iteration, *trainer, plan);
        !status.isOk())
      return tool.fail(status);
  std::vector<std::string> words = {*trainer, verb};
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

const tools::Verb &adanet::evaluateVerb() {
  static const tools::Verb verb = {
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

const tools::Verb &adanet::predictVerb() {
  static const tools::Verb verb = {
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
