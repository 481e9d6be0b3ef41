//===- SearchFlags.cpp - Flags of AdaNet searches -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/ingotc/Flags.h"

#include "compiler/Ensemble/SearchPrograms.h"

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace ingot::driver;
using namespace ingot::command;

static cl::opt<std::string>
    modelDir("model-dir",
             cl::desc("of a search: compile the next iteration of this folder "
                      "(default: the first iteration)"),
             cl::value_desc("folder"), cl::cat(category));
static cl::opt<long>
    iteration("iteration",
              cl::desc("of a search: iteration to compile (default: the one "
                       "after those that --model-dir has finished)"),
              cl::value_desc("T"), cl::init(-1), cl::cat(category));
static cl::opt<std::string>
    checkpoint("checkpoint",
               cl::desc("of a search: compile the iteration of this checkpoint "
                        "in --model-dir, instead of one after the newest"),
               cl::value_desc("prefix"), cl::cat(category));

static cl::opt<std::string>
    reportFacts("report-facts",
                cl::desc("of a search: write the reports' facts about the "
                         "iteration's builders, as JSON"),
                cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    hooksFile("hooks-file",
              cl::desc("of a search: write the hooks of the iteration's "
                       "builders and ensemblers, as JSON"),
              cl::value_desc("file"), cl::cat(category));
static cl::opt<unsigned>
    processes("processes",
              cl::desc("of a search: number of processes that share the "
                       "folder and divide the iteration's members"),
              cl::value_desc("N"), cl::init(1), cl::cat(category));
cl::opt<bool> ingot::command::searchPlan(
    "search-plan",
    cl::desc("compile nothing: print the trainers that the search "
             "INPUT needs, as JSON"),
    cl::cat(category));

static cl::opt<bool>
    predictor("predictor",
              cl::desc("of a search: compile a predictor of the best ensemble "
                       "in --model-dir, with its weights"),
              cl::cat(category));
static cl::opt<std::string> signatures(
    "signatures",
    cl::desc("with --predictor: additional entries, like the signatures of an "
             "exported model: the head, members' last layers, their logits"),
    cl::value_desc("head,last_layer,logits"), cl::cat(category));
static void reportProblem(const std::string &problem) {
  WithColor::error() << problem << '\n';
}

int ingot::command::printSearchPlan() {
  std::optional<std::string> text = ingot::ensemble::readIfSearch(input);
  if (!text)
    return usageError("--search-plan needs an AdaNet search, which '" + input +
                      "' is not");
  auto plan = ingot::ensemble::planSearch(input, *text, reportProblem);
  if (plan)
    outs() << *plan;
  return plan ? 0 : 2;
}

int ingot::command::readSearch(CompileOptions &options) {
  std::optional<std::string> text = ingot::ensemble::readIfSearch(input);
  if (!text) {
    if (!modelDir.empty() || iteration >= 0 || !checkpoint.empty() || predictor)
      return usageError("--model-dir, --iteration, --checkpoint and "
                        "--predictor need an AdaNet search, which '" +
                        input + "' is not");
    return 0;
  }
  if (options.isParallel && processes > 1)
    return usageError(
        "--parallel and --processes exclude each other: processes either "
        "compute slices of each batch, or train different networks");
  if (predictor && modelDir.empty())
    return usageError("--predictor needs a --model-dir with the weights");
  if (!checkpoint.empty() && modelDir.empty())
    return usageError("--checkpoint needs --model-dir");
  if (!checkpoint.empty() && (iteration >= 0 || predictor))
    return usageError(
        "--checkpoint cannot be used with --iteration or --predictor: the "
        "checkpoint determines the iteration");
  auto wanted = ingot::ensemble::PredictionSignatures::parse(signatures);
  if (!wanted)
    return usageError("--signatures: expected a list of head, last_layer and "
                      "logits, found '" +
                      signatures + "'");
  std::string found;
  auto program =
      predictor ? ingot::ensemble::buildPredictorProgram(
                      input, *text, modelDir, *wanted, reportProblem, found)
                : ingot::ensemble::buildSearchProgram(input, *text,
                                                      {modelDir, iteration,
                                                       reportFacts, hooksFile,
                                                       processes, checkpoint},
                                                      reportProblem);
  if (!program)
    return 2;
  if (predictor)
    WithColor::note() << "predicts by " << found << '\n';
  options.program = std::move(*program);
  return 0;
}
