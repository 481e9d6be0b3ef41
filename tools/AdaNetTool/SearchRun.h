//===- SearchRun.h - Runs iterations of a search ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The loop over the iterations of a search. All state is in the model
// directory, so a new process can continue at any iteration.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_ADANETTOOL_SEARCHRUN_H
#define INGOT_TOOLS_ADANETTOOL_SEARCHRUN_H

#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNet/WaitForIteration.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/SearchProgramCompiler.h"
#include "tools/AdaNetTool/Tool.h"

namespace ingot::adanet {

/// One call of `ingot-adanet train`: a loop over iterations that compiles (in
/// the chief) and runs the trainer of each, until the search ends.
class SearchRun {
public:
  SearchRun(ToolContext &tool, std::vector<std::string> flags)
      : tool(tool), files(tool.fileSystem), directory(modelDirectory(tool)),
        flags(std::move(flags)) {}

  int run();

private:
  std::optional<UsageError> readFlags();
  std::optional<UsageError> readRanks();
  void printPlan(const SearchProgress &progress) const;
  /// Returns why the search has ended; "" if iterations remain.
  std::string reasonToEnd(const SearchProgress &progress) const;
  Status compileTrainer(const SearchProgramCompiler &compiler,
                        int64_t iteration);
  Expected<std::vector<std::string>>
  trainerWords(int64_t iteration, const SearchProgress &progress) const;
  void logArchitectures(const SearchProgress &progress) const;
  Expected<int> trainIteration(const SearchProgramCompiler &compiler,
                               const SearchProgress &progress);
  static int64_t nextIteration(const SearchProgress &progress) {
    return progress.iteration + (progress.selected ? 1 : 0);
  }
  /// Returns the global step at which an iteration begins: the step at which
  /// the previous iteration ended.
  static int64_t firstStep(const SearchProgress &progress, int64_t iteration) {
    return iteration
               ? progress.architectures[iteration - 1].globalStep.value_or(0)
               : 0;
  }
  int end(const SearchProgress &progress, const std::string &reason) const;
  Status readCluster();
  int runChief(const SearchProgramCompiler &compiler, const std::string &text);
  int runWorker();
  Expected<bool> waitForRun(int64_t iteration);
  Expected<WaitResult> waitForChief(int64_t iteration,
                                    const SearchProgress &progress);
  /// Returns the global step at which the trainer of an iteration is to stop;
  /// -1 if it stops at the iteration's end.
  int64_t lastStepOf(int64_t iteration, const SearchProgress &progress) const;

  ToolContext &tool;
  FileSystem &files;
  std::string directory;
  // The user's flags that are forwarded to trainers.
  std::vector<std::string> flags;
  SearchSettings plan;
  int64_t maxSteps = -1, maxIterations = -1, moreSteps = -1;
  ProcessCluster cluster;
  // The words of the command that starts trainers, such as mpirun; empty if
  // they are started directly.
  std::vector<std::string> launcher;
  WorkerWaitOptions wait;
  // Set in workers only. `trainedFor` is the id of the chief's run for which
  // this worker has trained last: another id for the same iteration means that
  // the chief has restarted the iteration. `endBefore` is the text of
  // `placed/end.json` when this process started: a new text means that the
  // chief has ended the search.
  std::string trainedFor, endBefore;
};

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_SEARCHRUN_H
