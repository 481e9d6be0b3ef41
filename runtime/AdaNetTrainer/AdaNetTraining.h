//===- AdaNetTraining.h - A search's part of a training run -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINING_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINING_H

#include "runtime/AdaNet/IterationEnd.h"
#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/TrainerExtension.h"

namespace ingot {

/// Trains one iteration of a search: grows the model directory to it, ends it,
/// and selects an ensemble.
class AdaNetTraining final : public TrainingExtension {
public:
  /// Reads its flags.
  std::optional<UsageError> parse(const ParsedFlags &flags) {
    return own.parse(flags);
  }

  Status takeDirectory(const Command &command,
                       const TrainOptions &options) override;
  Status addHooks(TrainingLoop &loop, const Command &command,
                  const TrainOptions &options) override;
  std::unique_ptr<SessionRunHook>
  makeSummaryHook(const Command &command, const TrainOptions &options,
                  StepTimer timer,
                  std::function<EventWriter *()> events) override;
  std::shared_ptr<CheckpointSaverListener> makeSaverListener() override;
  // AN-046.
  bool savesBeforeAfterStep() const override { return true; }
  // AN-135: the graph's own loss is that of a member that has diverged.
  bool toleratesNan() const override { return own.dropsDiverged; }
  int64_t progressEnd() const override { return own.progressUntil; }
  std::string describeProgress(RunContext &context) const override;

private:
  Expected<std::shared_ptr<adanet::IterationEnd>>
  makeIterationEnd(const Command &command, const TrainOptions &options) const;
  Expected<bool> addPlacement(TrainingLoop &loop, const Command &command,
                              const TrainOptions &options) const;

  AdaNetOptions own;
  std::shared_ptr<adanet::IterationEnd> iterationEnd;
};

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINING_H
