//===- AdaNetTrainingRunExtension.h - Searches in runs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETTRAININGRUNEXTENSION_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETTRAININGRUNEXTENSION_H

#include "runtime/AdaNet/IterationCompletion.h"
#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/TrainerExtension.h"

namespace ingot {

/// The part of a training run that is specific to AdaNet. Before training, it
/// makes the first checkpoint of a new iteration from the last one of the
/// previous iteration. During training, it decides when the iteration ends, and
/// then selects an ensemble.
class AdaNetTrainingRunExtension final : public TrainingRunExtension {
public:
  /// Parses the flags that only programs of AdaNet searches have.
  std::optional<UsageError> parse(const ParsedFlags &flags) {
    return own.parse(flags);
  }

  Status takeDirectory(const CommandContext &command,
                       const TrainOptions &options) override;
  Status addHooks(TrainingLoop &loop, const CommandContext &command,
                  const TrainOptions &options) override;
  std::unique_ptr<SessionRunHook>
  makeSummaryHook(const CommandContext &command, const TrainOptions &options,
                  SecondOrStepTimer timer,
                  std::function<EventWriter *()> events) override;
  std::shared_ptr<CheckpointSaverListener> makeSaverListener() override;
  // Returns true: like AdaNet, saves a checkpoint before the after-step entry
  // (a compiled function that runs after each step) and not after it (AN-046).
  bool savesBeforeAfterStep() const override { return true; }
  // With --drop-nan, a NaN loss must not end the run, because diverged
  // candidates are dropped instead. The loss of the graph is that of the best
  // candidate, and AdaNet takes NaN as the best, so the graph's loss is NaN if
  // any candidate has diverged (AN-135).
  bool toleratesNan() const override { return own.dropsDiverged; }
  int64_t progressEnd() const override { return own.progressUntil; }
  std::string describeProgress(SessionRunContext &context) const override;

private:
  Expected<std::shared_ptr<adanet::IterationCompletion>>
  makeIterationEnd(const CommandContext &command,
                   const TrainOptions &options) const;
  Expected<bool> addPlacement(TrainingLoop &loop, const CommandContext &command,
                              const TrainOptions &options) const;

  AdaNetOptions own;
  std::shared_ptr<adanet::IterationCompletion> iterationEnd;
};

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETTRAININGRUNEXTENSION_H
