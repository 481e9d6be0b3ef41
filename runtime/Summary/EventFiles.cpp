//===- EventFiles.cpp - Reading and cutting event files -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"

#include "proto/Event.pb.h"
#include "runtime/Summary/EventRecords.h"
#include "runtime/Support/ReplaceFile.h"

#include <algorithm>
#include <optional>

using namespace ingot;

/// Reads the next event; false, and nothing is read, where the bytes are not a
/// whole record of an event.
static Expected<bool> readEvent(EventRecords &records, proto::Event &event) {
  uint64_t begin = records.offset();
  INGOT_ASSIGN_OR_RETURN(bool found, records.next());
  if (found) {
    std::string_view bytes = records.event();
    if (event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      return true;
  }
  records.seek(begin);
  return false;
}

/// Calls visit(event) for every event from here to the first that can't be
/// read.
template <typename FunctionT>
static Status forEachEvent(EventRecords &records, FunctionT visit) {
  while (true) {
    proto::Event event;
    INGOT_ASSIGN_OR_RETURN(bool found, readEvent(records, event));
    if (!found)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(visit(event));
  }
}

/// The event files of a directory, oldest first.
static Expected<std::vector<std::string>>
listEventFiles(FileSystem &fileSystem, const std::string &directory) {
  std::vector<std::string> paths;
  if (!fileSystem.exists(directory))
    return paths;
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(directory));
  for (const std::string &name : names)
    if (name.find("events.out.tfevents.") != std::string::npos &&
        !name.ends_with(".tmp"))
      paths.push_back(directory + "/" + name);
  return paths;
}

/// Whether the event has something that a run which continues at its step
/// writes again.
static bool isOfStep(const proto::Event &event) {
  return event.has_summary() || event.has_session_log();
}

/// Moves to a record after which all events of later steps than `step` are,
/// from the file's end: a run appends, so that is near it, however long the
/// file is. False where the file begins with no event.
static Expected<bool> seekEventsAfter(EventRecords &records, int64_t step) {
  uint64_t size = records.fileSize();
  for (uint64_t span = 64 * 1024; span < size; span *= 4) {
    INGOT_ASSIGN_OR_RETURN(bool found, records.seekRecord(size - span));
    if (!found)
      continue;
    uint64_t begin = records.offset();
    std::optional<int64_t> first;
    while (!first) {
      proto::Event event;
      INGOT_ASSIGN_OR_RETURN(found, readEvent(records, event));
      if (!found)
        break;
      if (isOfStep(event))
        first = event.step();
    }
    records.seek(begin);
    if (first && *first <= step)
      return true;
  }
  records.seek(0);
  proto::Event event;
  INGOT_ASSIGN_OR_RETURN(bool any, readEvent(records, event));
  records.seek(0);
  return any;
}

/// Removes the events of later steps from a file, and a last record that a
/// crash has cut. Events that were written late but are of an earlier step,
/// such as the note of a checkpoint, are appended again.
static Status cut(FileSystem &fileSystem, const std::string &path,
                  int64_t step) {
  INGOT_ASSIGN_OR_RETURN(EventRecords records,
                         EventRecords::open(fileSystem, path));
  INGOT_ASSIGN_OR_RETURN(bool isEventFile, seekEventsAfter(records, step));
  if (!isEventFile)
    return Status::ok(); // it is not ours to judge
  std::optional<uint64_t> end;
  std::string late;
  uint64_t begin = records.offset();
  INGOT_RETURN_IF_ERROR(forEachEvent(records, [&](const proto::Event &event) {
    if (isOfStep(event) && event.step() > step)
      end = std::min(end.value_or(begin), begin);
    else if (end)
      late += records.framed();
    begin = records.offset();
    return Status::ok();
  }));
  if (!end && records.offset() == records.fileSize())
    return Status::ok();
  INGOT_RETURN_IF_ERROR(
      fileSystem.truncate(path, end.value_or(records.offset())));
  if (late.empty())
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForAppending(path));
  INGOT_RETURN_IF_ERROR(file->append(late));
  return file->close();
}

Status ingot::dropEventsAfter(FileSystem &fileSystem,
                              const std::string &directory, int64_t step) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         listEventFiles(fileSystem, directory));
  for (const std::string &path : paths)
    // Targets of links belong to another directory.
    if (fileSystem.kindOf(path) == FileKind::Regular)
      INGOT_RETURN_IF_ERROR(cut(fileSystem, path, step));
  return Status::ok();
}

/// Replaces a file by one without the summaries of `step`.
static Status rewriteWithout(FileSystem &fileSystem, const std::string &path,
                             int64_t step) {
  INGOT_ASSIGN_OR_RETURN(EventRecords records,
                         EventRecords::open(fileSystem, path));
  return replaceFile(fileSystem, path, path + ".tmp", [&](WritableFile &file) {
    return forEachEvent(records, [&](const proto::Event &event) {
      return event.step() == step && event.has_summary()
                 ? Status::ok()
                 : file.append(records.framed());
    });
  });
}

Status ingot::dropEventsOf(FileSystem &fileSystem, const std::string &directory,
                           int64_t step) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         listEventFiles(fileSystem, directory));
  for (const std::string &path : paths) {
    if (fileSystem.kindOf(path) != FileKind::Regular)
      continue;
    INGOT_ASSIGN_OR_RETURN(EventRecords records,
                           EventRecords::open(fileSystem, path));
    bool any = false;
    INGOT_RETURN_IF_ERROR(forEachEvent(records, [&](const proto::Event &event) {
      any |= event.step() == step && event.has_summary();
      return Status::ok();
    }));
    // One that a crash has cut is whole again, too.
    if (any ||
        (records.offset() != 0 && records.offset() != records.fileSize()))
      INGOT_RETURN_IF_ERROR(rewriteWithout(fileSystem, path, step));
  }
  return Status::ok();
}

Expected<std::map<int64_t, std::map<std::string, double>>>
ingot::readScalars(FileSystem &fileSystem, const std::string &directory) {
  std::map<int64_t, std::map<std::string, double>> scalars;
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         listEventFiles(fileSystem, directory));
  for (const std::string &path : paths) {
    INGOT_ASSIGN_OR_RETURN(EventRecords records,
                           EventRecords::open(fileSystem, path));
    INGOT_RETURN_IF_ERROR(forEachEvent(records, [&](const proto::Event &event) {
      for (const proto::Summary::Value &value : event.summary().value())
        if (value.value_case() == proto::Summary::Value::kSimpleValue)
          scalars[event.step()][value.tag()] =
              static_cast<double>(value.simple_value());
      return Status::ok();
    }));
  }
  return scalars;
}
