//===- LossesFileHook.cpp - A JSON line for every step --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/LossesFileHook.h"

#include "runtime/Support/Json.h"

#include <charconv>
#include <optional>
#include <utility>

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

/// Returns how many bytes the complete lines of steps before `step` take up at
/// the start of the file.
static Expected<uint64_t> lossesBefore(const RandomAccessFile &file,
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
      stays = found < step;
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

Expected<KeptLosses> ingot::lossesUpTo(const RandomAccessFile &file,
                                       int64_t step, uint64_t lines) {
  KeptLosses kept;
  INGOT_ASSIGN_OR_RETURN(kept.bytes, lossesBefore(file, step));
  std::string line;
  while (kept.lines < lines) {
    INGOT_ASSIGN_OR_RETURN(std::optional<uint64_t> end,
                           readLine(file, kept.bytes, line));
    if (!end)
      break;
    INGOT_ASSIGN_OR_RETURN(int64_t found, stepOf(line, kept.bytes));
    if (found != step)
      break;
    kept.bytes = *end;
    ++kept.lines;
  }
  return kept;
}

/// Truncates the losses file at `path`: only the lines of steps before `step`
/// and at most `lines` lines of `step` remain. Returns how many of the latter.
static Expected<uint64_t> cutAfter(FileSystem &fileSystem,
                                   const std::string &path, int64_t step,
                                   uint64_t lines) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  auto keep = lossesUpTo(*file, step, lines);
  if (!keep)
    return keep.takeStatus().withContext("'" + path + "' is not a losses file");
  if (keep->bytes != file->size())
    INGOT_RETURN_IF_ERROR(fileSystem.truncate(path, keep->bytes));
  return keep->lines;
}

/// Returns how many lines have the step of a checkpoint that does not say so:
/// the line of the run that reached the step. No run reaches step 0.
static uint64_t defaultLines(int64_t step) { return step == 0 ? 0 : 1; }

Expected<std::string> LossesFileHook::saveState() {
  return lines == defaultLines(step) ? std::string() : std::to_string(lines);
}

Status LossesFileHook::restoreState(std::string_view state) {
  uint64_t number = 0;
  const char *end = state.data() + state.size();
  auto [stop, failure] = std::from_chars(state.data(), end, number);
  if (failure != std::errc() || stop != end)
    return Status(StatusCode::DataLoss,
                  "the state of the losses file must be a number of lines, but "
                  "is '" +
                      std::string(state) + "'");
  restored = number;
  return Status::ok();
}

Status LossesFileHook::afterCreateSession(SessionRunContext &context) {
  step = context.globalStep;
  lines = 0;
  uint64_t most =
      std::exchange(restored, std::nullopt).value_or(defaultLines(step));
  // Only a regular file can be truncated. A pipe or a device is just written.
  if (fileSystem.kindOf(path) == FileKind::Regular) {
    INGOT_ASSIGN_OR_RETURN(lines, cutAfter(fileSystem, path, step, most));
  }
  INGOT_ASSIGN_OR_RETURN(file, fileSystem.openForAppending(path));
  return Status::ok();
}

Status LossesFileHook::afterRun(SessionRunContext &context,
                                const SessionRunValues &values) {
  if (step != context.globalStep) {
    step = context.globalStep;
    lines = 0;
  }
  ++lines;
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
