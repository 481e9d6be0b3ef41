//===- EventFiles.cpp - Reading and cutting event files -------------------===//

#include "runtime/Summary/EventFiles.h"

#include "proto/Event.pb.h"
#include "runtime/Support/Crc32c.h"

#include <cstring>
#include <functional>

using namespace ingot;

static constexpr size_t headerSize = 12, trailerSize = 4;

static uint32_t readCrc(const char *data) {
  uint32_t crc;
  std::memcpy(&crc, data, sizeof(crc));
  return crc;
}

/// Calls visit(record, event) for every whole record; returns how many bytes
/// they take. A length or checksum that is wrong ends it.
static size_t forEachEvent(
    std::string_view bytes,
    const std::function<void(std::string_view, const proto::Event &)> &visit) {
  size_t at = 0;
  while (bytes.size() - at >= headerSize + trailerSize) {
    const char *record = bytes.data() + at;
    uint64_t length;
    std::memcpy(&length, record, sizeof(length));
    if (readCrc(record + 8) != maskCrc32c(crc32c(0, record, 8)) ||
        length > bytes.size() - at - headerSize - trailerSize)
      break;
    const char *data = record + headerSize;
    if (readCrc(data + length) != maskCrc32c(crc32c(0, data, length)))
      break;
    proto::Event event;
    if (!event.ParseFromArray(data, static_cast<int>(length)))
      break;
    size_t size = headerSize + length + trailerSize;
    visit(bytes.substr(at, size), event);
    at += size;
  }
  return at;
}

static Expected<std::string> readWhole(FileSystem &fileSystem,
                                       const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto reader, fileSystem.openForReading(path));
  std::string bytes(reader->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size,
                         reader->read(0, bytes.size(), bytes.data()));
  bytes.resize(size);
  return bytes;
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

/// Rewrites the event files without the events that `drops` says.
static Status rewrite(FileSystem &fileSystem, const std::string &directory,
                      const std::function<bool(const proto::Event &)> &drops) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         listEventFiles(fileSystem, directory));
  for (const std::string &path : paths) {
    // What a link leads to is another directory's.
    if (fileSystem.kindOf(path) != FileKind::Regular)
      continue;
    INGOT_ASSIGN_OR_RETURN(std::string bytes, readWhole(fileSystem, path));
    std::string kept;
    size_t whole = forEachEvent(
        bytes, [&](std::string_view record, const proto::Event &event) {
          if (!drops(event))
            kept += record;
        });
    // Nothing of it is an event: it is not ours to judge.
    if (kept.size() == bytes.size() || whole == 0)
      continue;
    std::string temporary = path + ".tmp";
    INGOT_ASSIGN_OR_RETURN(auto file, createTemporary(fileSystem, temporary));
    INGOT_RETURN_IF_ERROR(file->append(kept));
    INGOT_RETURN_IF_ERROR(file->sync());
    INGOT_RETURN_IF_ERROR(file->close());
    INGOT_RETURN_IF_ERROR(fileSystem.rename(temporary, path));
  }
  return Status::ok();
}

Status ingot::dropEventsAfter(FileSystem &fileSystem,
                              const std::string &directory, int64_t step) {
  return rewrite(fileSystem, directory, [&](const proto::Event &event) {
    return event.step() > step &&
           (event.has_summary() || event.has_session_log());
  });
}

Status ingot::dropEventsOf(FileSystem &fileSystem, const std::string &directory,
                           int64_t step) {
  return rewrite(fileSystem, directory, [&](const proto::Event &event) {
    return event.step() == step && event.has_summary();
  });
}

Expected<std::map<int64_t, std::map<std::string, double>>>
ingot::readScalars(FileSystem &fileSystem, const std::string &directory) {
  std::map<int64_t, std::map<std::string, double>> scalars;
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                         listEventFiles(fileSystem, directory));
  for (const std::string &path : paths) {
    INGOT_ASSIGN_OR_RETURN(std::string bytes, readWhole(fileSystem, path));
    forEachEvent(bytes, [&](std::string_view, const proto::Event &event) {
      for (const proto::Summary::Value &value : event.summary().value())
        if (value.value_case() == proto::Summary::Value::kSimpleValue)
          scalars[event.step()][value.tag()] =
              static_cast<double>(value.simple_value());
    });
  }
  return scalars;
}
