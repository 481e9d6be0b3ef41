//===- FeedFiles.h - Reads feeds from files ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Feeds from files. A file feeds one placeholder (NAME=@FILE, an array) or
// several (@FILE, an archive, or a table with a column for each placeholder).
// All examples are loaded first and split into batches later (FeedBatches.h).
// Only values from standard input are read step by step, as another program
// writes them to a pipe.
//
// The forms of --feed for files are:
//
// --feed x=@X.npy,y=@Y.npy   one .npy file for each placeholder
// --feed x=@F.npz:x          an array in a NumPy archive
// --feed @F.npz              an archive with an array for each placeholder,
//                            under the placeholder's name
// --feed @train.csv          a file with a column for each placeholder, under
//                            its name; also JSON lines and TFRecord
//                            (PredictionRows.h)
// --feed @-                  frames on standard input. A frame feeds one step:
//                            it is one .npy array for each placeholder that has
//                            no default and is not fed otherwise, in the order
//                            in which `info` lists them.
// --feed lr=@schedule.csv    values that depend on the step
//                            (FeedValueSchedule.h)
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDFILES_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDFILES_H

#include "runtime/CommandLine/Evaluation/PredictionRows.h"
#include "runtime/CommandLine/Feeds/FeedBatches.h"
#include "runtime/CommandLine/Feeds/FeedHook.h"
#include "runtime/CommandLine/Feeds/FeedValueSchedule.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Session/SessionLogger.h"

#include <deque>

namespace ingot {

/// Splits `texts`, the values of all --feed flags (or of a flag with the same
/// syntax), into one string per placeholder: "x=@X.npy,y=@Y.npy" becomes
/// "x=@X.npy" and "y=@Y.npy".
std::vector<std::string> splitFeeds(const std::vector<std::string> &texts,
                                    std::span<const ingot_tensor_spec> feeds);

/// Returns the names of those feeds of `entry` for which a file with several
/// feeds need not have values: the feeds with a --feed NAME=... of their own,
/// and the feeds with default values.
std::vector<std::string> feedsGivenAlone(const CommandContext &command,
                                         const ingot_entry &entry);

/// Loads the schedules that --feed gives for feeds of `entry`.
Expected<std::vector<FeedValueSchedule>>
loadSchedules(const CommandContext &command, const ingot_entry &entry);

/// isFeedFile() returns true if `text`, the value of a --feed, is "@FILE", a
/// file with several feeds. isFrames() returns true if it is "@-": standard
/// input, which has a frame of values for each step.
inline bool isFeedFile(std::string_view text) { return text.starts_with('@'); }
inline bool isFrames(std::string_view text) { return text == "@-"; }
inline bool isArchive(std::string_view path) { return path.ends_with(".npz"); }

/// All examples of the --feed flags, before they are split into batches.
class ExamplesFromFeedFlags {
public:
  /// Loads the values that --feed gives the feeds of `entry`. If
  /// `dynamicBatch`, arrays in files may have any number of examples; otherwise
  /// their first dimension must match the feed's.
  static Expected<std::unique_ptr<ExamplesFromFeedFlags>>
  load(const CommandContext &command, const ingot_entry &entry,
       bool dynamicBatch);

  /// Splits the examples into batches, which refer to this object's memory.
  Expected<FeedBatches> cut(const FeedBatchOptions &options) const;

  std::span<const ingot_tensor_spec> feeds() const { return specs; }
  const std::vector<ingot_tensor> &tensors() const { return values; }

private:
  /// Reads the arrays of an archive, or the rows of a file, for the feeds that
  /// feedsGivenAlone() does not name.
  Status loadArchive(const CommandContext &command, const std::string &path,
                     const ingot_entry &entry, bool dynamicBatch);
  Status loadRows(const CommandContext &command, const std::string &path,
                  const ingot_entry &entry,
                  std::vector<std::optional<ingot_tensor>> &found);

  std::vector<NamedFeed> arrays;
  std::deque<FeedBatchBuilder> columns;
  // `specs` are the feeds to which --feed gives a value, and `values` their
  // values, both in the order of the entry's feeds.
  std::vector<ingot_tensor_spec> specs;
  std::vector<ingot_tensor> values;
};

/// Feeds each step the next batch. A run that resumes from a checkpoint
/// continues after the batch of the saved step.
class FeedBatchesHook final : public SessionRunHook {
public:
  FeedBatchesHook(std::unique_ptr<ExamplesFromFeedFlags> examples,
                  FeedBatches batches, SessionLogger &reporter)
      : examples(std::move(examples)), batches(std::move(batches)),
        reporter(reporter) {}

  const char *name() const override { return "FeedBatches"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Expected<std::string> saveState() override { return batches.state(); }
  Status restoreState(std::string_view state) override;

private:
  std::unique_ptr<ExamplesFromFeedFlags> examples;
  FeedBatches batches;
  SessionLogger &reporter;
};

/// Feeds each step a frame from standard input. The program that writes the
/// frames starts with the first one again after a restart, so a run that
/// resumes from a checkpoint skips the frames that earlier steps consumed.
class StdinFeedHook final : public SessionRunHook {
public:
  /// A frame, the values of one step, has an array for each feed of `entry`
  /// that `given` does not name.
  StdinFeedHook(FileSystem &fileSystem, const ingot_entry &entry,
                std::span<const std::string> given);
  ~StdinFeedHook() override;

  const char *name() const override { return "Frames"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  /// Reads the values of one step into `frame`. Returns false at the end of
  /// standard input.
  Expected<bool> read();

  struct Stream;
  FileSystem &fileSystem;
  std::vector<ingot_tensor_spec> specs;
  std::vector<FeedValue> frame;
  std::unique_ptr<Stream> stream;
  /// `taken` counts the frames (values of one step each) that all steps have
  /// consumed, including steps before a restored checkpoint. If N of these
  /// frames must still be read from standard input and dropped, `skipped` is
  /// -N; it counts up to 0.
  int64_t taken = 0, skipped = 0;
  bool hasFrame = false; // `frame` holds a frame for the next step
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDFILES_H
