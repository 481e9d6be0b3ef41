//===- EventFiles.cpp - Reads and truncates event files -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"

#include "proto/Event.pb.h"
#include "runtime/Summary/EventFileReader.h"
#include "runtime/Support/ReplaceFile.h"

#include <algorithm>
#include <optional>

using namespace ingot;

/// Reads the next event. Returns false, and stays where it is, if the next
/// bytes are not a complete record of an event.
static Expected<bool> readEvent(EventFileReader &records, proto::Event &event) {
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

/// Calls visit(event) for every event from the position of `records` up to the
/// file's end, or up to the first record that is incomplete or damaged.
template <typename FunctionT>
static Status forEachEvent(EventFileReader &records, FunctionT visit) {
  while (true) {
    proto::Event event;
    INGOT_ASSIGN_OR_RETURN(bool found, readEvent(records, event));
    if (!found)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(visit(event));
  }
}

/// Returns the paths of the event files in `directory`, oldest first.
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

/// Returns true if the event belongs to a training step. A run that resumes at
/// an earlier step writes the events of later steps again. It does not repeat
/// other events, such as the graph and the file's version.
static bool isOfStep(const proto::Event &event) {
  return event.has_summary() || event.has_session_log();
}

/// Moves `records` to a record that precedes all events of steps after `step`.
/// Searches backwards from the end of the file, where these events are, so that
/// a long file is not read as a whole. Returns false if the file does not begin
/// with an event.
static Expected<bool> seekEventsAfter(EventFileReader &records, int64_t step) {
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

/// Removes events of steps after `step` from a file, and an incomplete last
/// record, which a crash leaves. The file is truncated at the first removed
/// event. Events after this place that must stay, such as those about
/// checkpoints of earlier steps, are then appended again.
static Status cut(FileSystem &fileSystem, const std::string &path,
                  int64_t step) {
  INGOT_ASSIGN_OR_RETURN(EventFileReader records,
                         EventFileReader::open(fileSystem, path));
  INGOT_ASSIGN_OR_RETURN(bool isEventFile, seekEventsAfter(records, step));
  if (!isEventFile)
    return Status::ok(); // not an event file: leave it alone
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
    // Skip links, because their targets may be outside of `directory`.
    if (fileSystem.kindOf(path) == FileKind::Regular)
      INGOT_RETURN_IF_ERROR(cut(fileSystem, path, step));
  return Status::ok();
}

/// Replaces a file by a copy without the summaries of `step`.
static Status rewriteWithout(FileSystem &fileSystem, const std::string &path,
                             int64_t step) {
  INGOT_ASSIGN_OR_RETURN(EventFileReader records,
                         EventFileReader::open(fileSystem, path));
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
    INGOT_ASSIGN_OR_RETURN(EventFileReader records,
                           EventFileReader::open(fileSystem, path));
    bool any = false;
    INGOT_RETURN_IF_ERROR(forEachEvent(records, [&](const proto::Event &event) {
      any |= event.step() == step && event.has_summary();
      return Status::ok();
    }));
    // Rewriting also drops an incomplete last record that a crash left.
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
    INGOT_ASSIGN_OR_RETURN(EventFileReader records,
                           EventFileReader::open(fileSystem, path));
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
