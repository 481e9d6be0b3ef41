//===- FeedSchedule.h - A feed's value by step ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// --feed lr=@schedule.csv   rows of a step and the value from that step on:
//
//     step,lr
//     0,0.1
//     1000,0.01
//
// also as JSON lines, {"step": 0, "lr": 0.1}, and TFRecord (Rows.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDSCHEDULE_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDSCHEDULE_H

#include "runtime/CommandLine/Rows.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Whether the text after "NAME=" is a schedule.
bool isSchedule(std::string_view value);

/// The values of one feed, each from a step on.
class FeedSchedule {
public:
  /// Reads a file for the feed `spec`, whose dimensions are all known.
  /// InvalidArgument where its steps do not go up or are negative, or it has no
  /// rows.
  static Expected<FeedSchedule> read(FileSystem &fileSystem,
                                     const std::string &path,
                                     const ingot_tensor_spec &spec);

  const std::string &feed() const { return name; }
  const std::string &path() const { return file; }
  int64_t firstStep() const { return steps.front(); }
  /// The value for a step that begins at global step `step`: that of the last
  /// row that is not after it. Nothing before the first row. Valid until the
  /// next call.
  std::optional<ingot_tensor> at(int64_t step);

private:
  std::string name, file;
  std::vector<int64_t> steps;     // in ascending order
  std::unique_ptr<Column> column; // a row for each of them
  ingot_tensor values;            // the column's
  std::vector<int64_t> dims;      // of the column: -1, and those of a row
  AlignedBuffer row;              // the row returned last
  int64_t bytes = 0;              // of one row
};

/// Feeds a step the values of schedules. They depend on the global step only,
/// so a resumed run gets the values that it would have had.
class FeedScheduleHook final : public SessionRunHook {
public:
  FeedScheduleHook(std::vector<FeedSchedule> schedules,
                   const ingot_entry &entry)
      : schedules(std::move(schedules)), entry(entry) {}

  const char *name() const override { return "FeedSchedule"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(RunContext &context, RunRequest &request) override;

private:
  std::vector<FeedSchedule> schedules;
  const ingot_entry &entry; // the step
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDSCHEDULE_H
