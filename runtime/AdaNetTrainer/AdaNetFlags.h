//===- AdaNetFlags.h - The flags of a search's training run -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H

#include "runtime/AdaNet/LossMonitorHook.h"
#include "runtime/CommandLine/FlagSet.h"

namespace ingot {

/// The flags of the verb `train` that only programs of AdaNet searches have.
struct AdaNetFlags : FlagSet {
  Flag<int64_t> maxIterationSteps{
      this,
      "--max-iteration-steps",
      "N",
      "end an iteration when its members have N steps (default: as in "
      "earlier iterations)",
      -1,
      1};
  Flag<bool> forcesGrowth{
      this, "--force-grow", nullptr,
      "select a new ensemble even if the previous one is better"};
  Flag<bool> dropsDiverged{this, "--drop-nan", nullptr,
                           "drop members and candidates whose loss is "
                           "NaN or infinite, and continue"};
  Flag<std::string> patience{this, "--patience", "STEPS[,min_delta=X]",
                             "stop a member after STEPS steps without "
                             "an average loss lower by more than X"};
  Flag<double> maxIterationSeconds{
      this, "--max-iteration-secs", "S",
      "end an iteration after S seconds, added up over runs to their "
      "newest checkpoints"};
  Flag<bool> inputEndsIteration{
      this, "--end-of-input-ends-iteration", nullptr,
      "end the iteration and select an ensemble when the input ends "
      "(default: end the run only)"};
  Flag<bool> continuesInput{this, "--continue-input", nullptr,
                            "continue the input from the previous "
                            "iteration (default: restart it, as AdaNet does, "
                            "unless the graph's saver names its iterator)"};
  Flag<bool> restartsInput{this, "--restart-input", nullptr,
                           "restart the input in each iteration, even if the "
                           "graph's saver names its iterator"};
  Flag<std::string> replayIndices{
      this, "--replay-indices", "I,J,...",
      "select candidate I in iteration 0, J in iteration 1, ..."};
  Flag<std::string> evaluator{
      this, "--evaluator", "METRIC[:max]",
      "select the candidate with the lowest METRIC of the graph's "
      "evaluation, or the highest (default: by moving averages of AdaNet "
      "losses)"};
  Flag<int64_t> evaluatorSteps{this,
                               "--evaluator-steps",
                               "N",
                               "--evaluator: evaluate N batches (default: "
                               "until the evaluation's input ends)",
                               -1,
                               1};
  Flag<std::string> evaluatorEntry{
      this, "--evaluator-entry", "NAME",
      "--evaluator: evaluate by entry NAME (default: the entry of role "
      "evaluate)"};
  Flag<bool> reports{this, "--reports", nullptr,
                     "write a report of each member, with the graph's "
                     "metrics, at the end of an iteration"};
  Flag<int64_t> reportSteps{this,
                            "--report-steps",
                            "N",
                            "--reports: evaluate N batches (default: until the "
                            "evaluation's input ends)",
                            -1,
                            1};
  Flag<std::string> reportEntry{
      this, "--report-entry", "NAME",
      "--reports: evaluate by entry NAME (default: the entry of role "
      "evaluate)"};
  Flag<std::string> reportDirectory{
      this, "--report-dir", "DIR",
      "--reports: write reports to DIR (default: report in the model "
      "directory)"};
  Flag<std::string> reportFacts{
      this, "--report-facts", "FILE.json",
      "--reports: take builders' hparams and attributes, by name, from FILE"};
  Flag<bool> noEnsembleSummaries{this, "--no-ensemble-summaries", nullptr,
                                 "write no curves of ensembles to event files"};
  Flag<bool> noSubnetworkSummaries{this, "--no-subnetwork-summaries", nullptr,
                                   "write no curves of members to event files"};
  Flag<int64_t> progressUntil{this,
                              "--progress-until",
                              "N",
                              "show progress up to global step N "
                              "(default: up to the end of the run)",
                              -1,
                              1};
};

/// The flags of AdaNetFlags, and values that parse() computes from them.
/// parse() returns the error in the first flag that is wrong.
struct AdaNetOptions : AdaNetFlags {
  adanet::LossMonitorHook::LossMonitorOptions watch;
  /// The candidate index to select in each iteration, from --replay-indices.
  std::vector<int64_t> replay;

  std::optional<UsageError> parse(const ParsedFlags &flags);
};

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETFLAGS_H
