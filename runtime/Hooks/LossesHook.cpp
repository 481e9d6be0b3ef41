//===- LossesHook.cpp - A JSON line for every step ------------------------===//

#include "runtime/Hooks/LossesHook.h"

#include "runtime/Support/Json.h"

#include <charconv>

using namespace ingot;

Expected<size_t> ingot::lossesUpTo(std::string_view contents, int64_t step) {
  constexpr std::string_view start = "{\"step\":";
  size_t at = 0;
  while (at < contents.size()) {
    size_t end = contents.find('\n', at);
    if (end == std::string_view::npos)
      break; // a crash cut the last line
    std::string_view line = contents.substr(at, end - at);
    int64_t found = 0;
    const char *digits = line.data() + start.size();
    if (!line.starts_with(start) || !line.ends_with('}') ||
        std::from_chars(digits, line.data() + line.size(), found).ec !=
            std::errc())
      return Status(StatusCode::InvalidArgument,
                    "at byte " + std::to_string(at) +
                        ", expected a line {\"step\":...}, found '" +
                        std::string(line.substr(0, 40)) + "'");
    if (found > step)
      break;
    at = end + 1;
  }
  return at;
}

static Expected<std::string> readWhole(FileSystem &fileSystem,
                                       const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto reader, fileSystem.openForReading(path));
  std::string contents(reader->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size,
                         reader->read(0, contents.size(), contents.data()));
  contents.resize(size);
  return contents;
}

Status LossesHook::afterCreateSession(RunContext &context) {
  if (fileSystem.exists(path)) {
    INGOT_ASSIGN_OR_RETURN(std::string contents, readWhole(fileSystem, path));
    auto keep = lossesUpTo(contents, context.globalStep);
    if (!keep)
      return keep.takeStatus().withContext("'" + path +
                                           "' is not a losses file");
    if (*keep != contents.size()) {
      contents.resize(*keep);
      std::string temporary = path + ".tmp";
      INGOT_ASSIGN_OR_RETURN(auto copy, createTemporary(fileSystem, temporary));
      INGOT_RETURN_IF_ERROR(copy->append(contents));
      INGOT_RETURN_IF_ERROR(copy->sync());
      INGOT_RETURN_IF_ERROR(copy->close());
      INGOT_RETURN_IF_ERROR(fileSystem.rename(temporary, path));
    }
  }
  INGOT_ASSIGN_OR_RETURN(file, fileSystem.openForAppending(path));
  return Status::ok();
}

Status LossesHook::afterRun(RunContext &context, const RunValues &values) {
  line = "{\"step\":";
  line += std::to_string(context.globalStep);
  for (const Column &column : columns) {
    line += ',';
    appendJsonString(line, column.key);
    line += ':';
    appendJsonTensor(line, values.step.fetches()[column.fetch],
                     values.step.fetch(column.fetch));
  }
  line += "}\n";
  INGOT_RETURN_IF_ERROR(file->append(line));
  // Whole lines reach the system step by step: a crash of the program loses
  // none.
  return file->flush();
}

Status LossesHook::end(RunContext &) { return file->close(); }
