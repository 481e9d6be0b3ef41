//===- Trainer.h - A trainer embedded in another program --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The implementation of ingot_trainer, through which a host application trains:
// a training run whose loop is in the host application, or a session that only
// evaluates or predicts and changes no variable.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_EMBEDDING_TRAINER_H
#define INGOT_RUNTIME_EMBEDDING_TRAINER_H

#include "runtime/CommandLine/Evaluation/Evaluation.h"
#include "runtime/CommandLine/Verbs/TrainingRun.h"
#include "runtime/Embedding/Tensors.h"
#include "runtime/Session/FeedDefaults.h"

#include <deque>
#include <map>
#include <memory>
#include <span>

namespace ingot::embedding {

/// The options of a trainer, copied from ingot_trainer_options.
struct TrainerOptions {
  bool readOnly = false;
  std::string modelDirectory; // "": no directory
  std::vector<std::string> flags;
  Console::Sink log; // null: messages are dropped
  /// Called to give variables of a new model their values (init_fn); may be
  /// null.
  std::function<Status()> initFunction;
  /// If true (ingot_trainer_recover()), the variables get their values only
  /// from a checkpoint; if none exists, the trainer is opened without values.
  bool recovers = false;
};

class CallerFeedsHook;

/// A trainer that is embedded in another program. Not thread-safe.
class Trainer {
public:
  /// Makes a trainer that is not open yet (see open()). `program` and
  /// `fileSystem` must outlive it.
  Trainer(const ingot_program &program, FileSystem &fileSystem,
          TrainerOptions options);
  ~Trainer();

  /// Opens the trainer. May call the init function, which in turn may call
  /// run(), fetch(), read() and write().
  Status open();
  /// Returns whether variables have values. If ingot_trainer_recover() has
  /// found no checkpoint, they have none until the caller has initialized the
  /// model.
  bool isInitialized() const { return isReady; }

  /// Runs one training step. Returns false if the run is over; then end() of
  /// all its hooks has been called.
  Expected<bool> step(std::span<const ingot_trainer_tensor> feeds);
  Status run(std::string_view entry,
             std::span<const ingot_trainer_tensor> feeds);
  /// Return a fetch of the compiled function (entry) that step() or run() ran
  /// last. The tensor is valid until the next call.
  Expected<ingot_trainer_tensor> fetch(std::string_view name) const;
  Expected<ingot_trainer_tensor> fetch(size_t index) const;
  Expected<ingot_trainer_tensor> read(std::string_view variable);
  Status write(const ingot_trainer_tensor &value);
  Status save();
  /// Restores checkpoint `checkpoint`. If `checkpoint` is "", restores the
  /// newest checkpoint.
  Status restore(const std::string &checkpoint);
  Status evaluate(const std::string &entry, int64_t batches);
  int64_t globalStep() const;
  /// The metrics of the last evaluate(); valid until the next one.
  std::span<const ingot_trainer_metric> metrics() const { return figures; }

private:
  Status readFlags();
  Status openRun();
  Status openReader();
  Status callInitFunction();
  Status finishOpening();
  Status prepareReader(const std::string &checkpoint);
  Status checkReady() const;
  Status explain(Status status, bool failedOnCheckpoint) const;
  Status takeFeeds(const ingot_entry &entry,
                   std::span<const ingot_trainer_tensor> given,
                   std::vector<ingot_tensor> &tensors);
  Status afterStep(Status status);
  Expected<uint32_t> findVariable(std::string_view name) const;
  Session &session() const;

  TrainerOptions given;
  Console console;
  CommandContext command;
  std::vector<CallerTensorConverter> fed;
  /// An entry that run() has run before, bound to the session's memory, and the
  /// default values of its feeds.
  struct EntryPointWithFeedDefaults {
    BoundEntryPoint entry;
    FeedDefaults defaults;
  };
  std::map<const ingot_entry *, EntryPointWithFeedDefaults> runnable;
  const BoundEntryPoint *last = nullptr; // the entry that ran last
  Status broken = Status::ok(); // failure of a step; restore() clears it
  bool ended = false;
  bool isReady = false;        // the model is initialized, the loop is open
  bool isInitializing = false; // the init function is running
  std::deque<std::string> figureNames;
  std::vector<ingot_trainer_metric> figures;

  // The following members are used if the trainer was opened for training.
  TrainOptions options;
  std::unique_ptr<TrainingRun> training;
  /// The manager that restores the checkpoints which the caller passes to
  /// restore().
  std::optional<SessionManager> elsewhere;
  /// The hook with the caller's feeds and fetches. The training loop owns it.
  CallerFeedsHook *hook = nullptr;

  // The following members are used if the trainer was opened with `readOnly`.
  CheckpointManagerOptions folder;
  SessionStateSource waits; // how long to wait for a checkpoint
  SessionOptions readerOptions;
  std::unique_ptr<Session> reader;
};

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_TRAINER_H
