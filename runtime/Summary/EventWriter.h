//===- EventWriter.h - TensorBoard's event files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An event file is a TFRecord file of proto::Event. TensorBoard recognizes it
// by its name and its first record, the version.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUMMARY_EVENTWRITER_H
#define INGOT_RUNTIME_SUMMARY_EVENTWRITER_H

#include "runtime/Summary/SummaryCollector.h"
#include "runtime/Support/FileSystem.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace ingot {

namespace proto {
class Event;
} // namespace proto

/// `data` in TFRecord's frame: length, masked checksum of the length, data,
/// masked checksum of the data; all little endian.
std::string frameRecord(std::string_view data);

/// Writes one event file. Every event is handed to the operating system whole
/// before its call returns, so that a crash of the program loses none.
class EventWriter {
public:
  /// Creates `<directory>/events.out.tfevents.<seconds>.<host>`, or a name
  /// that sorts right after it if that exists; never appends to a file
  /// whose end a crash may have cut.
  static Expected<std::unique_ptr<EventWriter>>
  create(FileSystem &fileSystem, const std::string &directory,
         std::function<double()> clock);

  /// The points of one step, as one event.
  Status addScalars(int64_t step, std::span<const ScalarSummary> scalars);

  /// Values of other kinds, each at its own step or else at `step`; neighbours
  /// of one step share an event.
  Status addValues(int64_t step, std::span<const SummaryValue> values);

  /// The graph that runs, a serialized MetaGraphDef, and its GraphDef alone,
  /// which TensorBoard draws.
  Status addMetaGraph(const std::string &metaGraph);

  /// Training starts (again) with `step`: TensorBoard drops earlier files'
  /// events from there on.
  Status addStart(int64_t step);

  /// Checkpoint `prefix` has been written at `step`.
  Status addCheckpoint(int64_t step, const std::string &prefix);

  Status close();

  const std::string &path() const { return thePath; }

private:
  EventWriter(std::string path, std::unique_ptr<WritableFile> file,
              std::function<double()> clock);

  Status write(proto::Event &event);

  std::string thePath;
  std::unique_ptr<WritableFile> file;
  std::function<double()> clock;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_EVENTWRITER_H
