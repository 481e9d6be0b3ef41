//===- CounterMain.cpp - The counter program as a trainer -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The trainer of the counter program, which tests start, kill and resume as a
// process. COUNTER_PASSES=N ends the input after N passes; COUNTER_LINES=FILE
// reads lines of FILE as input; with COUNTER_PREFETCH set, a thread reads them
// ahead of the steps; with COUNTER_PLACED set, a chief and workers train parts
// of the program.
//
//===----------------------------------------------------------------------===//

#include "CounterProgram.h"

#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/TrainerMain.h"

#include <cstdlib>

using namespace ingot;

namespace {

/// Has no flags, hooks or checks of its own.
class PlacedExtension final : public TrainerExtension {
public:
  std::span<const FlagSpec> flags(std::string_view) const override {
    return {};
  }
  std::vector<std::string> basenames() const override { return {}; }
  std::function<Status(const std::string &)>
  checkpointCheck(const ingot_program &, FileSystem &) const override {
    return nullptr;
  }
  Status prepareState(ingot_context &, FileSystem &,
                      const std::string &) const override {
    return Status::ok();
  }
  Expected<bool> resetSearchProgress(ingot_context &) const override {
    return false;
  }
  bool isDistributed(const ingot_program &) const override { return true; }
  std::optional<UsageError>
  readTraining(const CommandContext &,
               std::unique_ptr<TrainingRunExtension> &) const override {
    return std::nullopt;
  }
  Status finishEvaluation(const CommandContext &, const std::string &,
                          const std::string &,
                          EvaluationResults &) const override {
    return Status::ok();
  }
};

constexpr PlacedExtension placed;

} // namespace

int main(int argc, char **argv) {
  const char *passes = std::getenv("COUNTER_PASSES");
  const char *lines = std::getenv("COUNTER_LINES");
  ingot_program program =
      lines ? ingot::test::lineProgram(lines, std::getenv("COUNTER_PREFETCH") !=
                                                  nullptr)
            : ingot::test::counterProgram(passes ? std::atoll(passes) : -1);
  if (std::getenv("COUNTER_PLACED"))
    program.extension = static_cast<const TrainerExtension *>(&placed);
  return ingot::trainerMain(argc, argv, program);
}
