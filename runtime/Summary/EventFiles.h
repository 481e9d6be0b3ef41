//===- EventFiles.h - Reads and truncates event files -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_EVENTFILES_H
#define INGOT_RUNTIME_SUMMARY_EVENTFILES_H

#include "runtime/Support/FileSystem.h"

#include <cstdint>
#include <map>
#include <string>

namespace ingot {

/// Prepares the event files in `directory` for a run that resumes after `step`:
/// removes the values of later steps, which the run will write again, and an
/// incomplete last record that a crash left. Reads only the ends of files, back
/// to `step`, and one record at a time, so neither time nor memory grow with a
/// file's size. Files that are not event files stay unchanged. Does nothing if
/// the directory does not exist.
Status dropEventsAfter(FileSystem &fileSystem, const std::string &directory,
                       int64_t step);

/// Removes all values of step `step` from the event files in `directory`. A
/// file that contains such values is replaced by a copy without them.
Status dropEventsOf(FileSystem &fileSystem, const std::string &directory,
                    int64_t step);

/// Returns the scalars of the event files in `directory`, by step and tag. If a
/// step was written twice, the last value counts.
Expected<std::map<int64_t, std::map<std::string, double>>>
readScalars(FileSystem &fileSystem, const std::string &directory);

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_EVENTFILES_H
