//===- EventFiles.h - Reading and cutting event files -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_EVENTFILES_H
#define INGOT_RUNTIME_SUMMARY_EVENTFILES_H

#include "runtime/Support/FileSystem.h"

#include <cstdint>
#include <map>
#include <string>

namespace ingot {

/// Removes from the event files in `directory` all that a run that continues
/// after `step` will write again: values of later steps, and a last record that
/// a crash has cut. Only the ends of files are read, as far back as later steps
/// go, and a record at a time: neither time nor memory grow with a file. Files
/// without such records are not changed, nor are other files. Does nothing if
/// the directory does not exist.
Status dropEventsAfter(FileSystem &fileSystem, const std::string &directory,
                       int64_t step);

/// Removes the values of one step, wherever they are; a file that has them is
/// replaced at once.
Status dropEventsOf(FileSystem &fileSystem, const std::string &directory,
                    int64_t step);

/// The scalars of the event files in `directory` by step and tag; of a step
/// that was written twice, the last.
Expected<std::map<int64_t, std::map<std::string, double>>>
readScalars(FileSystem &fileSystem, const std::string &directory);

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_EVENTFILES_H
