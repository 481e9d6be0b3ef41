//===- TrainerExtension.h - What a kind of program adds ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A trainer of an AdaNet search has flags, hooks and checks that no other
// program needs. The program's tables point to them (ingot_program::extension),
// so they are linked only into trainers that have them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H

#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Commands.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/TrainingLoop.h"

#include <functional>
#include <memory>

struct ingot_context;

namespace ingot {

class EventWriter;
struct Evaluation;
struct EvaluationOptions;
struct TrainOptions;

/// An extension's part of one training run. What is passed to its functions
/// outlives the run.
class TrainingExtension {
public:
  virtual ~TrainingExtension() = default;

  /// Called when this process holds the model directory, before the session
  /// has its state; a failure is one of the checkpoints there.
  virtual Status takeDirectory(const Command &command,
                               const TrainOptions &options) = 0;
  /// Adds the hooks that end or change steps, before those that record them.
  virtual Status addHooks(TrainingLoop &loop, const Command &command,
                          const TrainOptions &options) = 0;

  // After addHooks():

  /// The hook that writes further summaries into event files; null: none.
  /// `events` gives the model directory's, once there is a session.
  virtual std::unique_ptr<SessionRunHook>
  makeSummaryHook(const Command &command, const TrainOptions &options,
                  StepTimer timer, std::function<EventWriter *()> events) = 0;
  /// What the saver tells of its checkpoints; null: nothing.
  virtual std::shared_ptr<CheckpointSaverListener> makeSaverListener() = 0;
  /// Whether checkpoints are saved before the entry that runs after a step.
  virtual bool savesBeforeAfterStep() const = 0;
  /// Whether a run goes on whose loss is NaN.
  virtual bool toleratesNan() const = 0;
  /// The global step at which the progress line ends, -1: the run's end; and
  /// what it says besides.
  virtual int64_t progressEnd() const = 0;
  virtual std::string describeProgress(RunContext &context) const = 0;
};

/// What a kind of program adds to its trainer. Constant: one object serves all
/// runs.
class TrainerExtension {
public:
  /// Flags of verb `verb`, besides those of all programs.
  virtual std::span<const FlagSpec> flags(std::string_view verb) const = 0;
  /// Names of checkpoints that are written besides the saver's.
  virtual std::vector<std::string> basenames() const = 0;
  /// What a checkpoint is held against before it is restored: a
  /// StateSource::check.
  virtual std::function<Status(const std::string &prefix)>
  checkpointCheck(const ingot_program &program,
                  FileSystem &fileSystem) const = 0;
  /// Puts state in order that evaluations and predictions are to be made with,
  /// restored from checkpoint `prefix` ("": initialized).
  virtual Status prepareState(ingot_context &context, FileSystem &fileSystem,
                              const std::string &prefix) const = 0;
  /// Whether several processes train parts of one model.
  virtual bool isDistributed(const ingot_program &program) const = 0;

  /// Reads its flags into a new `run`; the first wrong value.
  virtual std::optional<UsageError>
  readTraining(const Command &command,
               std::unique_ptr<TrainingExtension> &run) const = 0;
  /// Turns what an evaluation's fetches gave into what its users ask for, and
  /// writes further event files below `modelDirectory`, in folders called
  /// `folder`. What could not be written is in `evaluation.written`.
  virtual Status finishEvaluation(const Command &command,
                                  const std::string &modelDirectory,
                                  const std::string &folder,
                                  Evaluation &evaluation) const = 0;

protected:
  constexpr TrainerExtension() = default;
  constexpr ~TrainerExtension() = default;
};

/// The program's; null where it has none.
inline const TrainerExtension *extensionOf(const ingot_program &program) {
  return static_cast<const TrainerExtension *>(program.extension);
}

/// `flags` of verb `verb` with those of an extension.
std::vector<FlagSpec> withOwnFlags(const TrainerExtension &extension,
                                   std::string_view verb,
                                   std::span<const FlagSpec> flags);

/// The same with the program's extension, if it has one.
std::vector<FlagSpec> flagsOf(const ingot_program &program,
                              std::string_view verb,
                              std::span<const FlagSpec> flags);

/// As the extension's; a check of nothing where there is none.
std::function<Status(const std::string &prefix)>
checkpointCheck(const ingot_program &program, FileSystem &fileSystem);

/// As the extension's; nothing where there is none.
Status prepareState(ingot_context &context, FileSystem &fileSystem,
                    const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H
