//===- EventWriter.h - Writes TensorBoard's event files ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes TensorBoard's event files: TFRecord files of proto::Event. TensorBoard
// recognizes them by their name and their first record, the version.
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

/// Returns `data` as a TFRecord: length, masked checksum of the length, data,
/// masked checksum of the data, all little-endian.
std::string frameRecord(std::string_view data);

/// Writes one event file. Every call passes its event completely to the
/// operating system before it returns, so that a crash of the program loses no
/// event.
class EventWriter {
public:
  /// Creates file `<directory>/events.out.tfevents.<seconds>.<host>`. If this
  /// file exists, the new name has a suffix such as ".0001", so that it sorts
  /// right after the existing one. Never appends to an existing file, whose
  /// last record may be incomplete after a crash. `clock` returns the seconds
  /// since 1970.
  static Expected<std::unique_ptr<EventWriter>>
  create(FileSystem &fileSystem, const std::string &directory,
         std::function<double()> clock);

  /// Writes the scalars of one step as one event.
  Status addScalars(int64_t step, std::span<const ScalarSummary> scalars);

  /// Writes values of other kinds than scalars, each at its own step, or at
  /// `step` if it has none. Successive values of the same step share an event.
  Status addValues(int64_t step, std::span<const SummaryValue> values);

  /// Writes the program's graph twice: the serialized MetaGraphDef, and its
  /// GraphDef, which TensorBoard draws.
  Status addMetaGraph(const std::string &metaGraph);

  /// Writes that training starts (or resumes) with `step`: TensorBoard then
  /// drops events of this and later steps in earlier files.
  Status addStart(int64_t step);

  /// Writes that checkpoint `prefix` was saved at `step`.
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
