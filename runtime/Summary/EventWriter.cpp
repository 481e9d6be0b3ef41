//===- EventWriter.cpp - Writes TensorBoard's event files -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventWriter.h"

#include "proto/Event.pb.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/ProtoWireReader.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace ingot;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "frames are written as integers lie in memory");

std::string ingot::frameRecord(std::string_view data) {
  uint64_t length = data.size();
  uint32_t lengthCrc = maskCrc32c(crc32c(0, &length, sizeof(length)));
  uint32_t dataCrc = maskCrc32c(crc32c(0, data.data(), data.size()));
  std::string record(sizeof(length) + sizeof(lengthCrc), '\0');
  std::memcpy(record.data(), &length, sizeof(length));
  std::memcpy(record.data() + sizeof(length), &lengthCrc, sizeof(lengthCrc));
  record += data;
  record.append(reinterpret_cast<const char *>(&dataCrc), sizeof(dataCrc));
  return record;
}

EventWriter::EventWriter(std::string path, std::unique_ptr<WritableFile> file,
                         std::function<double()> clock)
    : thePath(std::move(path)), file(std::move(file)), clock(std::move(clock)) {
}

Expected<std::unique_ptr<EventWriter>>
EventWriter::create(FileSystem &fileSystem, const std::string &directory,
                    std::function<double()> clock) {
  char host[256] = "localhost";
  (void)::gethostname(host, sizeof(host) - 1);
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%010lld",
                static_cast<long long>(clock()));
  std::string base = directory + "/events.out.tfevents." + seconds + "." + host;
  std::string path = base;
  for (int i = 1; fileSystem.kindOf(path) != FileKind::None; ++i) {
    char suffix[16];
    std::snprintf(suffix, sizeof(suffix), ".%04d", i);
    path = base + suffix;
  }
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(directory));
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.createNew(path));
  std::unique_ptr<EventWriter> writer(
      new EventWriter(path, std::move(file), std::move(clock)));
  proto::Event version;
  version.set_file_version("brain.Event:2");
  INGOT_RETURN_IF_ERROR(writer->write(version));
  return writer;
}

Status EventWriter::addScalars(int64_t step,
                               std::span<const ScalarSummary> scalars) {
  proto::Event event;
  event.set_step(step);
  proto::Summary *summary = event.mutable_summary();
  for (const ScalarSummary &scalar : scalars) {
    proto::Summary::Value *value = summary->add_value();
    value->set_tag(scalar.tag);
    value->set_simple_value(scalar.value);
  }
  return write(event);
}

Status EventWriter::addValues(int64_t step,
                              std::span<const SummaryValue> values) {
  for (size_t i = 0; i < values.size();) {
    int64_t own = values[i].step;
    proto::Event event;
    event.set_step(own < 0 ? step : own);
    for (; i < values.size() && values[i].step == own; ++i)
      if (!event.mutable_summary()->add_value()->ParseFromString(
              values[i].serialized))
        return Status(StatusCode::Internal,
                      "a summary op returned bytes that are not a serialized "
                      "Summary.Value");
    INGOT_RETURN_IF_ERROR(write(event));
  }
  return Status::ok();
}

/// Returns the serialized GraphDef in a serialized MetaGraphDef: its field 2,
/// graph_def.
static std::string_view graphOf(std::string_view metaGraph) {
  ProtoWireReader reader(metaGraph);
  std::string_view graph;
  uint32_t field, type;
  while (!reader.atEnd() && reader.readTag(field, type)) {
    if (field == 2 && type == Delimited ? !reader.readDelimited(graph)
                                        : !reader.skip(field, type))
      break;
  }
  return graph;
}

Status EventWriter::addMetaGraph(const std::string &metaGraph) {
  proto::Event event;
  event.set_graph_def(std::string(graphOf(metaGraph)));
  INGOT_RETURN_IF_ERROR(write(event));
  event.set_meta_graph_def(metaGraph);
  return write(event);
}

Status EventWriter::addStart(int64_t step) {
  proto::Event event;
  event.set_step(step);
  event.mutable_session_log()->set_status(proto::SessionLog::START);
  return write(event);
}

Status EventWriter::addCheckpoint(int64_t step, const std::string &prefix) {
  proto::Event event;
  event.set_step(step);
  event.mutable_session_log()->set_status(proto::SessionLog::CHECKPOINT);
  event.mutable_session_log()->set_checkpoint_path(prefix);
  return write(event);
}

Status EventWriter::write(proto::Event &event) {
  event.set_wall_time(clock());
  std::string data = event.SerializeAsString();
  // A graph may be large.
  event.Clear();
  INGOT_RETURN_IF_ERROR(file->append(frameRecord(data)));
  return file->flush();
}

Status EventWriter::close() { return file->close(); }
