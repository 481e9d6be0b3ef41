//===- TrainerExtension.h - Parts that only some trainers have --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The interface to flags, hooks and checks that only some trainers have, such
// as those of AdaNet searches. The program's tables point to the extension
// (ingot_program::extension), so it is linked only into trainers that use it.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H

#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/TrainingLoop.h"

#include <functional>
#include <memory>

struct ingot_context;

namespace ingot {

class EventWriter;
struct EvaluationResults;
struct EvaluationOptions;
struct TrainOptions;

/// The flags, hooks and checks that an extension adds to one training run. The
/// arguments of all functions outlive the run.
class TrainingRunExtension {
public:
  virtual ~TrainingRunExtension() = default;

  /// Called after this process has locked the model directory, and before
  /// variables have values. If it fails, the trainer ends with the exit code
  /// for a missing or damaged checkpoint.
  virtual Status takeDirectory(const CommandContext &command,
                               const TrainOptions &options) = 0;
  /// Adds hooks that end the run or change steps; they are called before the
  /// hooks that record steps. If several ranks train together, each rank has
  /// these hooks. They must make the same decisions on all ranks, since all
  /// ranks run the same steps.
  virtual Status addHooks(TrainingLoop &loop, const CommandContext &command,
                          const TrainOptions &options) = 0;

  // The following functions are called after addHooks().

  /// Returns a hook that writes further summaries into event files, or null.
  /// Once there is a session, `events` returns the writer of the model
  /// directory's event file.
  virtual std::unique_ptr<SessionRunHook>
  makeSummaryHook(const CommandContext &command, const TrainOptions &options,
                  SecondOrStepTimer timer,
                  std::function<EventWriter *()> events) = 0;
  /// Returns a listener that the saver notifies of its checkpoints, or null.
  virtual std::shared_ptr<CheckpointSaverListener> makeSaverListener() = 0;
  /// Returns true if checkpoints are saved before, not after, the after-step
  /// entry: a compiled function that the program runs after each step.
  virtual bool savesBeforeAfterStep() const = 0;
  /// Returns true if a NaN loss does not end the run.
  virtual bool toleratesNan() const = 0;
  /// Returns the global step at which the progress bar is full, or -1 for the
  /// end of the run.
  virtual int64_t progressEnd() const = 0;
  /// Returns further text for the progress line.
  virtual std::string describeProgress(SessionRunContext &context) const = 0;
};

/// The functions that an extension adds to the trainers of its programs. One
/// constant object serves all runs.
class TrainerExtension {
public:
  /// Returns the flags that the extension adds to verb `verb`, such as `train`.
  virtual std::span<const FlagSpec> flags(std::string_view verb) const = 0;
  /// Returns the base names of checkpoints that the extension writes in
  /// addition to the saver's.
  virtual std::vector<std::string> basenames() const = 0;
  /// Returns a function that checks a checkpoint before it is restored, for
  /// SessionStateSource::check.
  virtual std::function<Status(const std::string &prefix)>
  checkpointCheck(const ingot_program &program,
                  FileSystem &fileSystem) const = 0;
  /// Called before evaluations and predictions, after the state was restored
  /// from checkpoint `prefix`, or initialized (""). The extension for AdaNet
  /// selects the best ensemble.
  virtual Status prepareState(ingot_context &context, FileSystem &fileSystem,
                              const std::string &prefix) const = 0;
  /// For SessionStateSource::resetSearchProgress: after --init-from has
  /// restored the variables, sets those that record how far a run has come,
  /// such as counters of steps, to their values before the first step. Returns
  /// false if it has left them as they are.
  virtual Expected<bool> resetSearchProgress(ingot_context &context) const = 0;
  /// Returns true if several processes can train parts of one model.
  virtual bool isDistributed(const ingot_program &program) const = 0;

  /// Parses the extension's flags into a new `run`. Returns the first usage
  /// error.
  virtual std::optional<UsageError>
  readTraining(const CommandContext &command,
               std::unique_ptr<TrainingRunExtension> &run) const = 0;
  /// Called with the metrics of a finished evaluation, so that the extension
  /// can add and remove metrics: the extension for AdaNet adds those that
  /// AdaNet reports, and moves the metrics of each candidate and member into
  /// event files of their own, in folders called `folder` below
  /// `modelDirectory`. A failed write is reported in `evaluation.written`.
  virtual Status finishEvaluation(const CommandContext &command,
                                  const std::string &modelDirectory,
                                  const std::string &folder,
                                  EvaluationResults &evaluation) const = 0;

protected:
  constexpr TrainerExtension() = default;
  constexpr ~TrainerExtension() = default;
};

/// Returns the program's extension, or null.
inline const TrainerExtension *extensionOf(const ingot_program &program) {
  return static_cast<const TrainerExtension *>(program.extension);
}

/// Returns `flags` of verb `verb` and the flags that `extension` adds.
std::vector<FlagSpec> withOwnFlags(const TrainerExtension &extension,
                                   std::string_view verb,
                                   std::span<const FlagSpec> flags);

/// Returns `flags` and, if the program has an extension, the flags that it
/// adds.
std::vector<FlagSpec> flagsOf(const ingot_program &program,
                              std::string_view verb,
                              std::span<const FlagSpec> flags);

/// Returns TrainerExtension::checkpointCheck() of the program's extension, or
/// null, which means no check.
std::function<Status(const std::string &prefix)>
checkpointCheck(const ingot_program &program, FileSystem &fileSystem);

/// Calls TrainerExtension::prepareState() of the program's extension, if any.
Status prepareState(ingot_context &context, FileSystem &fileSystem,
                    const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINEREXTENSION_H
