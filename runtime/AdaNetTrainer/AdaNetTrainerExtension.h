//===- AdaNetTrainerExtension.h - Searches in trainers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINEREXTENSION_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINEREXTENSION_H

#include "runtime/CommandLine/TrainerExtension.h"

namespace ingot {

/// The additional functions of trainers of AdaNet searches: flags, checks of
/// checkpoints, the first checkpoint of a new iteration, the selection of an
/// ensemble, and AdaNet's names of metrics.
class AdaNetTrainerExtension final : public TrainerExtension {
public:
  std::span<const FlagSpec> flags(std::string_view verb) const override;
  std::vector<std::string> basenames() const override;
  std::function<Status(const std::string &)>
  checkpointCheck(const ingot_program &program,
                  FileSystem &fileSystem) const override;
  Status prepareState(ingot_context &context, FileSystem &fileSystem,
                      const std::string &prefix) const override;
  Expected<bool> resetSearchProgress(ingot_context &context) const override;
  bool isDistributed(const ingot_program &program) const override;
  std::optional<UsageError>
  readTraining(const CommandContext &command,
               std::unique_ptr<TrainingRunExtension> &run) const override;
  Status finishEvaluation(const CommandContext &command,
                          const std::string &modelDirectory,
                          const std::string &folder,
                          EvaluationResults &evaluation) const override;
};

} // namespace ingot

/// The descriptor of a program that trains an AdaNet iteration refers to this
/// object, so that only such programs link this library.
extern "C" const ingot::AdaNetTrainerExtension ingot_extension_adanet;

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETTRAINEREXTENSION_H
