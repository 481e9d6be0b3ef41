//===- SearchCompiler.h - Who builds a search's programs --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTOOL_SEARCHCOMPILER_H
#define INGOT_RUNTIME_ADANETTOOL_SEARCHCOMPILER_H

#include "runtime/CommandLine/VerbTool.h"
#include "runtime/Support/Expected.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// A search's settings.
struct SearchPlan {
  int64_t maxIterationSteps = 0;
  std::optional<int64_t> maxIterations, maxSteps;
  /// The folder of relative names of data files.
  std::string dataDirectory;
  bool evaluates = false, reports = false;
  /// Flags for trainers.
  std::vector<std::string> trainFlags;

  /// Parses the output of --search-plan.
  static std::optional<SearchPlan> parse(const std::string &text);
};

/// `ingotc` and a search file; or a program of the user's own that takes
/// ingotc's flags for searches (ingot/adanet.h: searchMain).
class SearchCompiler {
public:
  /// Decides which of the two `search` is; ingotc is beside this program unless
  /// `ingotc` gives its path. NotFound if the file does not exist.
  static Expected<SearchCompiler> create(const tools::Tool &tool,
                                         const std::string &search,
                                         const std::string &ingotc);

  /// InvalidArgument where the search is wrong, which the compiler has said.
  /// `text`: the plan as it was printed.
  Expected<SearchPlan> plan(std::string &text) const;
  /// Compiles the trainer of an iteration. Likewise.
  Status compile(const std::string &directory, int64_t iteration,
                 const std::vector<std::string> &flags,
                 const std::string &output) const;

  /// Compiles a predictor of the best ensemble in `directory`.
  Status compilePredictor(const std::string &directory,
                          const std::vector<std::string> &flags,
                          const std::string &output) const;
  /// The same as a SavedModel, a folder that is made, with the signatures that
  /// `--signatures` of ingotc lists.
  Status saveModel(FileSystem &fileSystem, const std::string &directory,
                   const std::string &signatures,
                   const std::string &folder) const;

private:
  std::vector<std::string> command;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_SEARCHCOMPILER_H
