//===- CheckpointState.cpp - The state file of a directory ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointState.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/TextProtoScanner.h"
#include "runtime/Support/ReplaceFile.h"

#include <cstdio>
#include <cstdlib>

using namespace ingot;

namespace {

// The start of a comment line that records a checkpoint whose removal has
// begun, so that recovery can finish the removal.
constexpr std::string_view removingMark = "# removing: ";

// The size limit of a state file, in bytes. A real state file has one line per
// checkpoint, so a larger file is damaged or something else.
constexpr uint64_t maxStateFileSize = 16 << 20;

/// Quotes a string as protobuf's text format does: with C escapes, and octal
/// escapes for bytes that are not printable ASCII.
std::string quotedText(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '"':
    case '\'':
    case '\\':
      out += '\\';
      out += c;
      break;
    default:
      if (c >= ' ' && c <= '~') {
        out += c;
      } else {
        char octal[8];
        std::snprintf(octal, sizeof(octal), "\\%03o",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        out += octal;
      }
    }
  }
  return out + "\"";
}

/// Prints the shortest decimal number that reads back as `value`, with a
/// decimal point or an exponent.
std::string numberText(double value) {
  char buffer[40];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  std::string text = buffer;
  if (text.find_first_not_of("-0123456789") == std::string::npos)
    text += ".0";
  return text;
}

/// Parses the value of a field, or a list of values in brackets. Calls
/// `takeOne`, which parses a single value, for each value.
template <typename TakeOne>
Status takeValues(TextProtoScanner &scanner, TakeOne takeOne) {
  if (!scanner.takeIf('['))
    return takeOne();
  if (scanner.takeIf(']'))
    return Status::ok();
  do
    INGOT_RETURN_IF_ERROR(takeOne());
  while (scanner.takeIf(','));
  return scanner.expect(']');
}

/// Parses one field of a CheckpointState message.
Status takeField(TextProtoScanner &scanner, CheckpointState &state) {
  INGOT_ASSIGN_OR_RETURN(std::string name, scanner.takeName());
  INGOT_RETURN_IF_ERROR(scanner.expect(':'));
  auto takeString = [&](auto store) -> Status {
    return takeValues(scanner, [&]() -> Status {
      INGOT_ASSIGN_OR_RETURN(std::string value, scanner.takeString());
      store(std::move(value));
      return Status::ok();
    });
  };
  auto takeNumber = [&](auto store) -> Status {
    return takeValues(scanner, [&]() -> Status {
      INGOT_ASSIGN_OR_RETURN(double value, scanner.takeNumber());
      store(value);
      return Status::ok();
    });
  };
  if (name == "model_checkpoint_path")
    return takeString([&](std::string value) {
      state.modelCheckpointPath = std::move(value);
    });
  if (name == "all_model_checkpoint_paths")
    return takeString([&](std::string value) {
      state.allModelCheckpointPaths.push_back(std::move(value));
    });
  if (name == "all_model_checkpoint_timestamps")
    return takeNumber([&](double value) {
      state.allModelCheckpointTimestamps.push_back(value);
    });
  if (name == "last_preserved_timestamp")
    return takeNumber(
        [&](double value) { state.lastPreservedTimestamp = value; });
  return scanner.failure(
      "'" + name +
      "' isn't a field of a checkpoint state, expected model_checkpoint_path, "
      "all_model_checkpoint_paths, all_model_checkpoint_timestamps or "
      "last_preserved_timestamp");
}

/// Collects the paths in comments that begin with `removingMark`. They are
/// searched for in the text, as TextProtoScanner skips comments.
Status takeRemovals(std::string_view text, CheckpointState &state) {
  size_t start = 0;
  while (start < text.size()) {
    size_t end = text.find('\n', start);
    std::string_view line = text.substr(start, end - start);
    start = end == std::string_view::npos ? text.size() : end + 1;
    if (!line.starts_with(removingMark))
      continue;
    TextProtoScanner scanner(line.substr(removingMark.size()));
    INGOT_ASSIGN_OR_RETURN(std::string path, scanner.takeString());
    state.removing.push_back(std::move(path));
  }
  return Status::ok();
}

} // namespace

Expected<CheckpointState> ingot::parseCheckpointState(std::string_view text) {
  CheckpointState state;
  TextProtoScanner scanner(text);
  while (!scanner.atEnd()) {
    INGOT_RETURN_IF_ERROR(takeField(scanner, state));
    if (!scanner.takeIf(';'))
      scanner.takeIf(',');
  }
  INGOT_RETURN_IF_ERROR(takeRemovals(text, state));
  return state;
}

std::string ingot::printCheckpointState(const CheckpointState &state) {
  std::string text;
  auto field = [&](const char *name, const std::string &value) {
    text += std::string(name) + ": " + value + "\n";
  };
  if (!state.modelCheckpointPath.empty())
    field("model_checkpoint_path", quotedText(state.modelCheckpointPath));
  for (const std::string &path : state.allModelCheckpointPaths)
    field("all_model_checkpoint_paths", quotedText(path));
  for (double time : state.allModelCheckpointTimestamps)
    field("all_model_checkpoint_timestamps", numberText(time));
  if (state.lastPreservedTimestamp != 0)
    field("last_preserved_timestamp", numberText(state.lastPreservedTimestamp));
  for (const std::string &path : state.removing)
    text += std::string(removingMark) + quotedText(path) + "\n";
  return text;
}

Expected<CheckpointState>
ingot::readCheckpointState(FileSystem &fileSystem, const std::string &directory,
                           const std::string &fileName) {
  std::string path = directory + "/" + fileName;
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                         fileSystem.openForReading(path));
  if (file->size() > maxStateFileSize)
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "' has " + std::to_string(file->size()) +
                      " bytes: a state file has at most " +
                      std::to_string(maxStateFileSize));
  std::string text(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size, file->read(0, text.size(), text.data()));
  text.resize(size);
  Expected<CheckpointState> state = parseCheckpointState(text);
  if (!state)
    return state.takeStatus().withContext("'" + path + "'");
  return state;
}

Status ingot::writeCheckpointState(FileSystem &fileSystem,
                                   const std::string &directory,
                                   const CheckpointState &state,
                                   const std::string &fileName) {
  std::string path = directory + "/" + fileName;
  std::string temporary = path + std::string(temporarySuffix);
  std::string text = printCheckpointState(state);
  INGOT_RETURN_IF_ERROR(
      replaceFile(fileSystem, path, temporary, contentsOf(text)));
  return fileSystem.syncDirectory(directory);
}

std::string ingot::resolvePath(const std::string &directory,
                               const std::string &path) {
  if (path.starts_with('/') || directory.empty())
    return path;
  return directory + "/" + path;
}
