//===- SearchFolder.h - Files that a search keeps ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Beside AdaNet's files: the trainer of each iteration, which evaluates and
// predicts as well.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANETTOOL_SEARCHFOLDER_H
#define INGOT_RUNTIME_ADANETTOOL_SEARCHFOLDER_H

#include "runtime/AdaNetTool/SearchCompiler.h"
#include "runtime/CommandLine/VerbTool.h"
#include "runtime/Support/Expected.h"

#include <string>
#include <vector>

namespace ingot::adanet {

/// `<directory>/trainers`
std::string trainerFolder(const std::string &directory);
/// `<directory>/trainers/iteration-2`
std::string trainerPath(const std::string &directory, int64_t iteration);

/// `<directory>/trainers/builders-2.json`: facts of builders for reports.
std::string factsPath(const std::string &directory, int64_t iteration);

/// Keeps a search's plan, as its compiler prints it, for evaluations.
Status writePlan(FileSystem &fileSystem, const std::string &directory,
                 const std::string &text);
/// The plan; an empty one where the folder has none.
SearchPlan readPlan(FileSystem &fileSystem, const std::string &directory);

/// The value of --model-dir without slashes at its end; empty where it is
/// missing.
std::string modelDirectory(const tools::Tool &tool);

/// The flags of `specs` that the command line has, but for `without`, as
/// another command line takes them.
std::vector<std::string> forwarded(const ParsedFlags &flags,
                                   std::span<const FlagSpec> specs,
                                   std::span<const std::string_view> without);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_SEARCHFOLDER_H
