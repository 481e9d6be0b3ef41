//===- LossesFileHook.cpp - A JSON line for every step --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/LossesFileHook.h"

#include "runtime/Support/Json.h"

#include <charconv>
#include <optional>

using namespace ingot;

/// Reads the line that begins at `offset` into `line`, without its newline.
/// Returns the offset after the newline, or std::nullopt if the line has none
/// because a crash has truncated it.
static Expected<std::optional<uint64_t>>
readLine(const RandomAccessFile &file, uint64_t offset, std::string &line) {
  char buffer[4096];
  line.clear();
  for (uint64_t at = offset; at < file.size();) {
    INGOT_ASSIGN_OR_RETURN(size_t got, file.read(at, sizeof(buffer), buffer));
    std::string_view bytes(buffer, got);
    size_t end = bytes.find('\n');
    line += bytes.substr(0, end);
    if (end != std::string_view::npos)
      return std::optional<uint64_t>(at + end + 1);
    if (got == 0)
      break;
    at += got;
  }
  return std::optional<uint64_t>();
}

/// Parses the step from a line, which begins at `offset` of the file.
static Expected<int64_t> stepOf(std::string_view line, uint64_t offset) {
  constexpr std::string_view start = "{\"step\":";
  int64_t step = 0;
  if (line.starts_with(start) && line.ends_with('}') &&
      std::from_chars(line.data() + start.size(), line.data() + line.size(),
                      step)
              .ec == std::errc())
    return step;
  return Status(StatusCode::InvalidArgument,
                "at byte " + std::to_string(offset) +
                    ", expected a line {\"step\":...}, found '" +
                    std::string(line.substr(0, 40)) + "'");
}

Expected<uint64_t> ingot::lossesUpTo(const RandomAccessFile &file,
                                     int64_t step) {
  // Finds the first line to drop by binary search, as the steps of lines
  // ascend. Lines before offset `kept` stay, lines from offset `dropped` on are
  // dropped. The first iteration parses the file's first line, so a file that
  // is not a losses file always fails.
  uint64_t kept = 0, dropped = file.size();
  uint64_t at = 0;
  std::string line;
  while (kept < dropped) {
    INGOT_ASSIGN_OR_RETURN(std::optional<uint64_t> end,
                           readLine(file, at, line));
    bool stays = false;
    if (end) {
      INGOT_ASSIGN_OR_RETURN(int64_t found, stepOf(line, at));
      stays = found <= step;
    }
    if (stays)
      kept = *end;
    else
      dropped = at;
    // Continue the binary search with the first line that begins after the
    // middle of [kept, dropped). If no line begins there, continue with the
    // first line of the range.
    at = kept + (dropped - kept) / 2;
    INGOT_ASSIGN_OR_RETURN(end, readLine(file, at, line));
    at = end && *end < dropped ? *end : kept;
  }
  return kept;
}

/// Truncates the losses file at `path`: only the lines of steps up to `step`
/// remain.
static Status cutAfter(FileSystem &fileSystem, const std::string &path,
                       int64_t step) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  auto keep = lossesUpTo(*file, step);
  if (!keep)
    return keep.takeStatus().withContext("'" + path + "' is not a losses file");
  return *keep == file->size() ? Status::ok()
                               : fileSystem.truncate(path, *keep);
}

Status LossesFileHook::afterCreateSession(SessionRunContext &context) {
  // Only a regular file can be truncated. A pipe or a device is just written.
  if (fileSystem.kindOf(path) == FileKind::Regular)
    INGOT_RETURN_IF_ERROR(cutAfter(fileSystem, path, context.globalStep));
  INGOT_ASSIGN_OR_RETURN(file, fileSystem.openForAppending(path));
  return Status::ok();
}

Status LossesFileHook::afterRun(SessionRunContext &context,
                                const SessionRunValues &values) {
  line = "{\"step\":";
  line += std::to_string(context.globalStep);
  for (const LoggedFetch &column : columns) {
    line += ',';
    appendJsonString(line, column.key);
    line += ':';
    appendJsonTensor(line, values.step.fetches()[column.fetch],
                     values.step.fetch(column.fetch));
  }
  line += "}\n";
  INGOT_RETURN_IF_ERROR(file->append(line));
  // Each line is flushed to the kernel after its step, so a crash of the
  // program loses no line.
  return file->flush();
}

Status LossesFileHook::end(SessionRunContext &) { return file->close(); }
