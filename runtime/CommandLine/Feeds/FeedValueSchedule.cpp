//===- FeedValueSchedule.cpp - Feeds that depend on the step --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedValueSchedule.h"

#include "runtime/Session/FeedDefaults.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

bool ingot::isSchedule(std::string_view value) {
  return value.starts_with('@') &&
         findRowFormat("", std::string(value.substr(1))).has_value();
}

static Status wrong(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

Expected<FeedValueSchedule>
FeedValueSchedule::read(FileSystem &fileSystem, const std::string &path,
                        const ingot_tensor_spec &spec) {
  FeedValueSchedule schedule;
  schedule.name = spec.name;
  schedule.file = path;
  schedule.bytes = byteSizeOf(spec);
  std::string place = "'" + path + "', the schedule of '" + spec.name + "', ";
  if (schedule.bytes < 0)
    return wrong("'" + std::string(spec.name) + "' is " + typeText(spec) +
                 ": a schedule needs a static shape");
  schedule.dims = shapeOf(spec);
  schedule.dims.insert(schedule.dims.begin(), -1);
  ingot_tensor_spec rows = {spec.name, spec.dtype, spec.rank + 1,
                            schedule.dims.data()};
  INGOT_ASSIGN_OR_RETURN(
      schedule.row, AlignedBuffer::allocate(
                        static_cast<uint64_t>(schedule.bytes), "a schedule"));
  std::vector<FeedBatchBuilder> row;
  row.emplace_back(
      ingot_tensor_spec{"step", INGOT_INT64, 1, schedule.dims.data()});
  row.emplace_back(rows);
  schedule.column = std::make_unique<FeedBatchBuilder>(rows);
  INGOT_ASSIGN_OR_RETURN(
      auto reader,
      PredictionRowReader::open(fileSystem, path, *findRowFormat("", path)));
  for (;;) {
    for (FeedBatchBuilder &column : row)
      column.clear();
    INGOT_ASSIGN_OR_RETURN(bool more, reader->next(row));
    if (!more)
      break;
    INGOT_ASSIGN_OR_RETURN(ingot_tensor number, row[0].tensor(1));
    int64_t step = *static_cast<const int64_t *>(number.data);
    if (step < 0 || (!schedule.steps.empty() && step <= schedule.steps.back()))
      return wrong(place + "has step " + std::to_string(step) +
                   (step < 0 ? "" : " after step ") +
                   (step < 0 ? "" : std::to_string(schedule.steps.back())) +
                   ": steps must rise from 0");
    schedule.steps.push_back(step);
    schedule.column->append(row[1]);
  }
  if (schedule.steps.empty())
    return wrong(place +
                 "has no rows, expected at least one of a step and a value");
  INGOT_ASSIGN_OR_RETURN(
      schedule.values,
      schedule.column->tensor(static_cast<int64_t>(schedule.steps.size())));
  return schedule;
}

std::optional<ingot_tensor> FeedValueSchedule::at(int64_t step) {
  auto next = std::upper_bound(steps.begin(), steps.end(), step);
  if (next == steps.begin())
    return std::nullopt;
  std::memcpy(row.data(),
              static_cast<const char *>(values.data) +
                  (next - steps.begin() - 1) * bytes,
              static_cast<size_t>(bytes));
  return ingot_tensor{row.data(), dims.data() + 1,
                      static_cast<uint32_t>(dims.size() - 1), values.dtype};
}

Status FeedValueScheduleHook::beforeRun(SessionRunContext &context,
                                        SessionRunArgs &request) {
  for (FeedValueSchedule &schedule : schedules) {
    if (auto value = schedule.at(context.globalStep))
      request.feeds.push_back({schedule.feed(), *value});
    else if (!hasDefault(context.session.program(), entry, schedule.feed()))
      return wrong(
          "'" + schedule.path() + "', the schedule of '" + schedule.feed() +
          "', begins at step " + std::to_string(schedule.firstStep()) +
          ", but the run is at step " + std::to_string(context.globalStep) +
          ": add a row for this step or an earlier one");
  }
  return Status::ok();
}
