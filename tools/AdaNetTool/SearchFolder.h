//===- SearchFolder.h - Files that a search keeps ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Files that a search keeps beside AdaNet's own: the trainer of each iteration,
// which also evaluates and predicts, and the search's plan.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_ADANETTOOL_SEARCHFOLDER_H
#define INGOT_TOOLS_ADANETTOOL_SEARCHFOLDER_H

#include "runtime/CommandLine/VerbTool.h"
#include "runtime/Support/Expected.h"
#include "tools/AdaNetTool/SearchProgramCompiler.h"

#include <string>
#include <vector>

namespace ingot::adanet {

/// Returns `<directory>/trainers`.
std::string trainerFolder(const std::string &directory);
/// Returns `<directory>/trainers/iteration-<iteration>`, with "-pruned" at its
/// end if `ingot-adanet prune` has made the iteration. The names differ because
/// `ingot-adanet train` may make an iteration of the same number, before the
/// prune or after the search is set back to an older checkpoint.
std::string trainerPath(const std::string &directory, int64_t iteration,
                        bool isPruned = false);

/// Returns `<directory>/trainers/builders-<iteration>.json`, the hparams and
/// attributes of builders for reports.
std::string factsPath(const std::string &directory, int64_t iteration);

/// Returns `<directory>/trainers/hooks-<iteration>.json`, the hooks of builders
/// and ensemblers.
std::string hooksPath(const std::string &directory, int64_t iteration);

/// Writes `<directory>/trainers/plan.json`, with which the verbs evaluate and
/// predict can compile a trainer later. The file has `text`, the settings that
/// ingotc or the user's search program has printed for --search-plan. Its
/// member "search" is the absolute path of `search`, the search file or
/// program.
Status writePlan(FileSystem &fileSystem, const std::string &directory,
                 const std::string &text, const std::string &search);
/// Reads `<directory>/trainers/plan.json`. Returns default settings if there is
/// no such file or it cannot be parsed.
SearchSettings readPlan(FileSystem &fileSystem, const std::string &directory);

/// Returns the value of --model-dir without trailing slashes; "" if the flag is
/// missing.
std::string modelDirectory(const tools::ToolContext &tool);

/// Returns the flags that the user has set and that `specs` contains, except
/// for those in `without`. Each has the form "--name=value", for the command
/// line of another program.
std::vector<std::string> forwarded(const ParsedFlags &flags,
                                   std::span<const FlagSpec> specs,
                                   std::span<const std::string_view> without);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_SEARCHFOLDER_H
