//===- AdaNetFlags.h - The flags of a search's training run -----*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H

#include "runtime/AdaNet/SpecWatchHook.h"
#include "runtime/CommandLine/FlagSet.h"

namespace ingot {

/// The flags of `train` that only programs of AdaNet's have.
struct AdaNetFlags : FlagSet {
  Flag<int64_t> maxIterationSteps{
      this,
      "--max-iteration-steps",
      "N",
      "end an iteration when its members have N steps (default: as many as "
      "those of earlier iterations have)",
      -1,
      1};
  Flag<bool> forcesGrowth{
      this, "--force-grow", nullptr,
      "select a new ensemble at the end of an iteration, even where the "
      "previous one is better"};
  Flag<bool> dropsDiverged{
      this, "--drop-nan", nullptr,
      "neither train nor select a member or candidate whose loss is NaN or "
      "infinite; the others go on"};
  Flag<std::string> patience{
      this, "--patience", "STEPS[,min_delta=X]",
      "stop a member whose average loss was not lower, by more than X, for "
      "STEPS steps"};
  Flag<double> maxIterationSeconds{
      this, "--max-iteration-secs", "S",
      "end an iteration after S seconds, counted over all runs up to their "
      "newest checkpoints"};
  Flag<bool> inputEndsIteration{
      this, "--end-of-input-ends-iteration", nullptr,
      "end the iteration and select an ensemble where the input ends "
      "(default: only the run ends)"};
  Flag<bool> continuesInput{
      this, "--continue-input", nullptr,
      "start a new iteration's input where the one before has left it "
      "(default: at its first element, as AdaNet does)"};
  Flag<std::string> replayIndices{this, "--replay-indices", "I,J,...",
                                  "the candidate to select, by iteration"};
  Flag<std::string> evaluator{
      this, "--evaluator", "METRIC[:max]",
      "select the candidate that is best by this figure of the graph's "
      "evaluation (default: by the moving averages of their AdaNet losses)"};
  Flag<int64_t> evaluatorSteps{
      this,
      "--evaluator-steps",
      "N",
      "--evaluator: over N batches (default: until the evaluation's input "
      "ends)",
      -1,
      1};
  Flag<bool> reports{
      this, "--reports", nullptr,
      "write a report of each member at the end of an iteration, with the "
      "figures of the graph's evaluation, into DIR/report"};
  Flag<int64_t> reportSteps{
      this,
      "--report-steps",
      "N",
      "--reports: over N batches (default: until the evaluation's input ends)",
      -1,
      1};
  Flag<std::string> reportFacts{
      this, "--report-facts", "FILE.json",
      "--reports: hparams and attributes of builders, by their names"};
  Flag<int64_t> progressUntil{
      this,
      "--progress-until",
      "N",
      "end the progress line at global step N, where the search ends "
      "(default: where the run ends)",
      -1,
      1};
};

/// Those of a command line, checked.
struct AdaNetOptions : AdaNetFlags {
  adanet::SpecWatchHook::Options watch;
  std::vector<int64_t> replay; // candidates by iteration

  std::optional<UsageError> parse(const ParsedFlags &flags);
};

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H
