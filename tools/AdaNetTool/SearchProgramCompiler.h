//===- SearchProgramCompiler.h - Compiles a search's programs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_SEARCHPROGRAMCOMPILER_H
#define INGOT_TOOLS_ADANETTOOL_SEARCHPROGRAMCOMPILER_H

#include "runtime/CommandLine/VerbTool.h"
#include "runtime/Support/Expected.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// The settings of a search, as its compiler prints them with --search-plan.
struct SearchSettings {
  int64_t maxIterationSteps = 0;
  std::optional<int64_t> maxIterations, maxSteps;
  /// The folder to which relative names of data files refer.
  std::string dataDirectory;
  bool evaluates = false, reports = false;
  std::string reportDirectory; // "": `report` in the model directory
  /// The absolute path of the search file or program, as `ingot-adanet train`
  /// has found it; "" if it is unknown.
  std::string search;
  /// The default value of each column, keyed by column, in the form that flag
  /// --missing takes. An example that has no value for a column gets the
  /// column's default.
  std::map<std::string, std::string> valuesWhereMissing;
  /// Flags that the search file sets for trainers.
  std::vector<std::string> trainFlags;

  /// Parses the output of --search-plan. Returns std::nullopt if it is not JSON
  /// or lacks `max_iteration_steps`.
  static std::optional<SearchSettings> parse(const std::string &text);
};

/// Compiles the programs of a search. Runs either `ingotc` with a search file,
/// or a program that the user wrote with `ingot/adanet.h`, whose searchMain
/// takes the same flags.
class SearchProgramCompiler {
public:
  /// Chooses the compiler. If file `search` is an ELF executable, it is the
  /// user's program. Otherwise it is a search file for ingotc, which is at path
  /// `ingotc` or, if that is "", in the folder of this program. Returns
  /// NotFound if `search` does not exist.
  static Expected<SearchProgramCompiler> create(const tools::ToolContext &tool,
                                                const std::string &search,
                                                const std::string &ingotc);

  /// Returns the search's settings, and in `text` the plan as it was printed.
  /// Returns InvalidArgument if the search is wrong; the compiler has printed
  /// the reason.
  Expected<SearchSettings> plan(std::string &text) const;
  /// Compiles the trainer of an iteration into `output`. Returns
  /// InvalidArgument if the search is wrong; the compiler has printed the
  /// reason.
  Status compile(const std::string &directory, int64_t iteration,
                 const std::vector<std::string> &flags,
                 const std::string &output) const;

  /// Compiles the trainer for the iteration of checkpoint `prefix` in
  /// `directory`. This iteration may be earlier than that of the newest
  /// checkpoint.
  Status compileFor(const std::string &directory, const std::string &prefix,
                    const std::vector<std::string> &flags,
                    const std::string &output) const;

  /// Compiles a program that predicts with the best ensemble in `directory`.
  Status compilePredictor(const std::string &directory,
                          const std::vector<std::string> &flags,
                          const std::string &output) const;
  /// Writes a SavedModel of the best ensemble to `folder`, which is created.
  /// `signatures` lists the signatures in the format of ingotc's flag
  /// `--signatures`.
  Status saveModel(FileSystem &fileSystem, const std::string &directory,
                   const std::string &signatures,
                   const std::string &folder) const;

private:
  Status compileStage(const std::string &directory, const std::string &flag,
                      const std::string &value,
                      const std::vector<std::string> &flags,
                      const std::string &output) const;

  std::vector<std::string> command;
};

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_SEARCHPROGRAMCOMPILER_H
