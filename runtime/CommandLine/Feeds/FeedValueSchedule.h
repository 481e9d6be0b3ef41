//===- FeedValueSchedule.h - Feeds that depend on the step ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A schedule is a file whose rows have a step, and the value to feed from that
// step on. For --feed lr=@schedule.csv:
//
//     step,lr
//     0,0.1
//     1000,0.01
//
// A schedule file may also be JSON lines, {"step": 0, "lr": 0.1}, or TFRecord
// (PredictionRows.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUESCHEDULE_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUESCHEDULE_H

#include "runtime/CommandLine/Evaluation/PredictionRows.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Returns true if `value`, the text after "NAME=", names a schedule file.
bool isSchedule(std::string_view value);

/// The values of one feed, each of which is fed from a certain global step on.
class FeedValueSchedule {
public:
  /// Reads a schedule file for the feed `spec`. Returns InvalidArgument if
  /// `spec` has a dynamic dimension, if the steps are negative or not
  /// ascending, or if the file has no rows.
  static Expected<FeedValueSchedule> read(FileSystem &fileSystem,
                                          const std::string &path,
                                          const ingot_tensor_spec &spec);

  const std::string &feed() const { return name; }
  const std::string &path() const { return file; }
  int64_t firstStep() const { return steps.front(); }
  /// Returns the value for a step that begins at global step `step`. This is
  /// the value in the last row whose step is at most `step`, or std::nullopt
  /// before the first row. The value is valid until the next call.
  std::optional<ingot_tensor> at(int64_t step);

private:
  std::string name, file;
  std::vector<int64_t> steps;               // the step of each row, ascending
  std::unique_ptr<FeedBatchBuilder> column; // one row per element of `steps`
  ingot_tensor values;                      // the tensor of `column`
  std::vector<int64_t> dims; // shape of `column`: -1, then the feed's
  AlignedBuffer row;         // the value that at() returned last
  int64_t bytes = 0;         // bytes per row
};

/// Feeds each step the values of its schedules. The values depend on the global
/// step only, so a resumed run feeds the same values as an uninterrupted one.
class FeedValueScheduleHook final : public SessionRunHook {
public:
  FeedValueScheduleHook(std::vector<FeedValueSchedule> schedules,
                        const ingot_entry &entry)
      : schedules(std::move(schedules)), entry(entry) {}

  const char *name() const override { return "FeedSchedule"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;

private:
  std::vector<FeedValueSchedule> schedules;
  const ingot_entry &entry; // the training step
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUESCHEDULE_H
