//===- AdaNetTrainerExtension.cpp - A trainer's extension for searches ----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetTrainerExtension.h"

#include "runtime/AdaNet/Growth.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/Placement.h"
#include "runtime/AdaNet/ResetSearchProgress.h"
#include "runtime/AdaNet/UseBestEnsemble.h"
#include "runtime/AdaNetTrainer/AdaNetEvaluation.h"
#include "runtime/AdaNetTrainer/AdaNetTrainingRunExtension.h"

using namespace ingot;

constinit const AdaNetTrainerExtension ingot_extension_adanet;

static constexpr FlagSpec evaluateFlags[] = {
    {"--select-by", "METRIC[:max]",
     "select the candidate with the lowest METRIC, or the highest (default: "
     "as in training)"},
};

std::span<const FlagSpec>
AdaNetTrainerExtension::flags(std::string_view verb) const {
  if (verb == "evaluate")
    return evaluateFlags;
  if (verb != "train" && verb != "train-and-evaluate")
    return {};
  static const AdaNetFlags own;
  static const std::vector<FlagSpec> specs = own.specs();
  return specs;
}

std::vector<std::string> AdaNetTrainerExtension::basenames() const {
  return {adanet::incrementBasename};
}

std::function<Status(const std::string &)>
AdaNetTrainerExtension::checkpointCheck(const ingot_program &program,
                                        FileSystem &fileSystem) const {
  return adanet::iterationCheck(program, fileSystem);
}

Status AdaNetTrainerExtension::prepareState(ingot_context &context,
                                            FileSystem &fileSystem,
                                            const std::string &prefix) const {
  return prefix.empty() ? Status::ok()
                        : adanet::useBestEnsemble(context, fileSystem, prefix);
}

Expected<bool>
AdaNetTrainerExtension::resetSearchProgress(ingot_context &context) const {
  return adanet::resetSearchProgress(context);
}

bool AdaNetTrainerExtension::isDistributed(const ingot_program &program) const {
  return adanet::processesOf(program) != 1;
}

std::optional<UsageError> AdaNetTrainerExtension::readTraining(
    const CommandContext &command,
    std::unique_ptr<TrainingRunExtension> &run) const {
  auto training = std::make_unique<AdaNetTrainingRunExtension>();
  if (auto error = training->parse(command.flags))
    return error;
  run = std::move(training);
  return std::nullopt;
}

Status AdaNetTrainerExtension::finishEvaluation(
    const CommandContext &command, const std::string &modelDirectory,
    const std::string &folder, EvaluationResults &evaluation) const {
  return finishAdaNetEvaluation(command, modelDirectory, folder, evaluation);
}
