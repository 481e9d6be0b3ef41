//===- FeedFiles.h - Files with the examples that are fed -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// --feed x=@X.npy,y=@Y.npy   an array for each placeholder
// --feed x=@F.npz:x          an array of an archive of NumPy's
// --feed @F.npz              an array for each placeholder, by its name
// --feed @train.csv          a column for each placeholder, by its name; also
//                            JSON lines and TFRecord (Rows.h)
// --feed @-                  frames on standard input: for every step one .npy
//                            array for each placeholder that is not fed
//                            otherwise and has no default, in the order that
//                            `info` lists them
// --feed lr=@schedule.csv    values by step (FeedSchedule.h)
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDFILES_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDFILES_H

#include "runtime/CommandLine/Commands.h"
#include "runtime/CommandLine/FeedBatches.h"
#include "runtime/CommandLine/FeedHook.h"
#include "runtime/CommandLine/FeedSchedule.h"
#include "runtime/CommandLine/Rows.h"
#include "runtime/Session/Reporter.h"

#include <deque>

namespace ingot {

/// The texts of all --feed flags (or those of another name), one for each
/// placeholder: "x=@X.npy,y=@Y.npy" is two.
std::vector<std::string> splitFeeds(const std::vector<std::string> &texts,
                                    std::span<const ingot_tensor_spec> feeds);

/// The feeds of a step that are not read from files of several: those that
/// --feed gives a value or a schedule, and those that have defaults.
std::vector<std::string> feedsGivenAlone(const Command &command,
                                         const ingot_entry &entry);

/// The schedules that --feed names for feeds of `entry`.
Expected<std::vector<FeedSchedule>> loadSchedules(const Command &command,
                                                  const ingot_entry &entry);

/// Whether a text is a file of several feeds, and whether these are frames.
inline bool isFeedFile(std::string_view text) { return text.starts_with('@'); }
inline bool isFrames(std::string_view text) { return text == "@-"; }
inline bool isArchive(std::string_view path) { return path.ends_with(".npz"); }

/// Everything that is fed, as it is in its files.
class FedExamples {
public:
  /// Loads the flags' feeds of `entry`; `dynamicBatch`: arrays in files may
  /// have any number of examples.
  static Expected<std::unique_ptr<FedExamples>>
  load(const Command &command, const ingot_entry &entry, bool dynamicBatch);

  /// Cuts it into batches; refers to this object.
  Expected<FeedBatches> cut(const FeedBatchOptions &options) const;

  std::span<const ingot_tensor_spec> feeds() const { return specs; }
  const std::vector<ingot_tensor> &tensors() const { return values; }

private:
  /// Reads an archive's arrays, or a file of rows, into the feeds that nothing
  /// else gives.
  Status loadArchive(const Command &command, const std::string &path,
                     const ingot_entry &entry, bool dynamicBatch);
  Status loadRows(const Command &command, const std::string &path,
                  const ingot_entry &entry,
                  std::vector<std::optional<ingot_tensor>> &found);

  std::vector<NamedFeed> arrays;
  std::deque<Column> columns;
  // Of the feeds that have a value:
  std::vector<ingot_tensor_spec> specs;
  std::vector<ingot_tensor> values;
};

/// Feeds a batch in every step, and continues after the one at which a
/// checkpoint was saved.
class FeedBatchesHook final : public SessionRunHook {
public:
  FeedBatchesHook(std::unique_ptr<FedExamples> examples, FeedBatches batches,
                  Reporter &reporter)
      : examples(std::move(examples)), batches(std::move(batches)),
        reporter(reporter) {}

  const char *name() const override { return "FeedBatches"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Expected<std::string> saveState() override { return batches.state(); }
  Status restoreState(std::string_view state) override;

private:
  std::unique_ptr<FedExamples> examples;
  FeedBatches batches;
  Reporter &reporter;
};

/// Feeds frames from standard input. A run that continues a checkpoint skips as
/// many frames as had been read when it was saved: the writer starts again with
/// the first.
class FramesHook final : public SessionRunHook {
public:
  /// Reads the feeds of `entry` that `given` does not name.
  FramesHook(FileSystem &fileSystem, const ingot_entry &entry,
             std::span<const std::string> given);
  ~FramesHook() override;

  const char *name() const override { return "Frames"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  /// Reads one frame; false at the end.
  Expected<bool> read();

  struct Stream;
  FileSystem &fileSystem;
  std::vector<ingot_tensor_spec> specs;
  std::vector<FeedValue> frame;
  std::unique_ptr<Stream> stream;
  int64_t taken = 0, skipped = 0; // frames: by steps, and before the first
  bool hasFrame = false;          // that no step has taken yet
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDFILES_H
