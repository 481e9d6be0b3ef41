//===- SearchPrograms.cpp - Builds programs from search files -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchPrograms.h"

#include "compiler/Ensemble/BuilderReports.h"
#include "compiler/Ensemble/IterationProgramBuilder.h"
#include "compiler/Ensemble/SearchFile.h"
#include "compiler/Ensemble/SearchFromProto.h"
#include "compiler/Ensemble/SearchPlan.h"
#include "runtime/AdaNet/Candidates.h"
#include "runtime/AdaNet/SearchProgress.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace ingot::ensemble {

std::optional<std::string> readIfSearch(const std::string &path) {
  if (path == "-" || !sys::fs::is_regular_file(path))
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer || !looksLikeSearch((*buffer)->getBuffer()))
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

/// Returns true if the iteration that `stage` selects is finished and was made
/// by the prune command. Such an iteration is not trained. If `stage` names a
/// checkpoint, sets `stage.iteration` to the checkpoint's iteration.
static Expected<bool> isPruned(IterationOptions &stage) {
  FileSystem &files = FileSystem::posix();
  if (!stage.checkpoint.empty()) {
    INGOT_ASSIGN_OR_RETURN(
        auto progress,
        adanet::readProgressAt(files, stage.modelDirectory, stage.checkpoint));
    stage.iteration = progress.iteration;
    return progress.hasPruned();
  }
  if (stage.modelDirectory.empty() || stage.iteration < 1)
    return false;
  auto own =
      adanet::readArchitecture(files, stage.modelDirectory, stage.iteration);
  if (!own || !own->isPruned())
    return false;
  INGOT_ASSIGN_OR_RETURN(auto before,
                         adanet::readArchitecture(files, stage.modelDirectory,
                                                  stage.iteration - 1));
  if (!own->isPrunedFrom(&before))
    return false;
  INGOT_ASSIGN_OR_RETURN(auto progress,
                         adanet::readProgress(files, stage.modelDirectory));
  return progress.iteration > stage.iteration ||
         (progress.iteration == stage.iteration && progress.selected);
}

/// Reads the architecture files that the iterations before `stage.iteration`
/// have written to the model directory.
static Expected<std::vector<adanet::EnsembleArchitecture>>
readFinished(const IterationOptions &stage) {
  if (stage.modelDirectory.empty() || stage.iteration == 0)
    return std::vector<adanet::EnsembleArchitecture>();
  FileSystem &files = FileSystem::posix();
  int64_t count = stage.iteration;
  if (count < 0) {
    INGOT_ASSIGN_OR_RETURN(
        count, adanet::countArchitectures(files, stage.modelDirectory));
    if (count == 0)
      return std::vector<adanet::EnsembleArchitecture>();
  }
  return adanet::readArchitectures(files, stage.modelDirectory, count);
}

/// Returns the norms of the mixture weights of the members that `architecture`
/// lists, as its iteration has recorded them; empty if nothing was recorded.
static Expected<std::vector<double>>
weightsOf(const adanet::EnsembleArchitecture &architecture,
          const std::string &modelDirectory) {
  auto candidates = adanet::readCandidates(FileSystem::posix(), modelDirectory,
                                           architecture.iteration);
  if (!candidates && candidates.status().code() != StatusCode::NotFound)
    return candidates.takeStatus();
  if (!candidates)
    return std::vector<double>();
  adanet::CandidateScore &selected = candidates->values[candidates->selected];
  return selected.name == architecture.ensembleName() &&
                 selected.weights.size() == architecture.members.size()
             ? std::move(selected.weights)
             : std::vector<double>();
}

Expected<std::vector<adanet::FinishedIteration>>
toFinished(const std::vector<adanet::EnsembleArchitecture> &architectures,
           const std::string &modelDirectory) {
  std::vector<adanet::FinishedIteration> finished;
  for (const adanet::EnsembleArchitecture &it : architectures) {
    adanet::FinishedIteration &one = finished.emplace_back();
    one.candidate = it.candidate;
    one.ensembler = it.ensembler.value_or("complexity_regularized");
    one.globalStep = it.globalStep.value_or(0);
    for (const adanet::EnsembleArchitecture::Member &member : it.members)
      one.members.emplace_back(member.iteration, member.builder);
    INGOT_ASSIGN_OR_RETURN(one.weights, weightsOf(it, modelDirectory));
  }
  return finished;
}

static std::optional<adanet::Search>
open(const std::string &path, StringRef text,
     function_ref<void(const std::string &)> report) {
  auto file = readSearch(path, text, report);
  if (!file)
    return std::nullopt;
  std::string error;
  // Make paths of data files absolute, as trainers run in another directory.
  SmallString<128> folder(path);
  sys::fs::make_absolute(folder);
  sys::path::remove_filename(folder);
  auto search = makeSearch(*file, folder, error);
  if (!search)
    report(path + ": " + error);
  return search;
}

std::optional<std::string>
planSearch(const std::string &path, StringRef text,
           function_ref<void(const std::string &)> report) {
  auto search = open(path, text, report);
  return search ? std::optional(searchPlan(*search)) : std::nullopt;
}

std::optional<std::string> buildPredictorProgram(
    const std::string &path, StringRef text, const std::string &modelDirectory,
    const PredictionSignatures &signatures,
    function_ref<void(const std::string &)> report, std::string &found) {
  auto search = open(path, text, report);
  return search ? buildPredictorProgram(*search, path, modelDirectory,
                                        signatures, report, found)
                : std::nullopt;
}

std::optional<std::string>
buildSearchProgram(const std::string &path, StringRef text,
                   const IterationOptions &stage,
                   function_ref<void(const std::string &)> report) {
  auto search = open(path, text, report);
  return search ? buildSearchProgram(*search, path, stage, report)
                : std::nullopt;
}

std::optional<std::string>
buildSearchProgram(const adanet::Search &search, const std::string &name,
                   const IterationOptions &stage,
                   function_ref<void(const std::string &)> report) {
  IterationOptions finishedStage = stage;
  auto pruned = isPruned(finishedStage);
  if (!pruned) {
    report(pruned.status().message());
    return std::nullopt;
  }
  finishedStage.iteration += *pruned;
  auto architectures = readFinished(finishedStage);
  if (!architectures) {
    report(architectures.status().message());
    return std::nullopt;
  }
  auto finished = toFinished(*architectures, stage.modelDirectory);
  if (!finished) {
    report(finished.status().message());
    return std::nullopt;
  }
  auto reports = readMemberReports(search, stage.modelDirectory);
  if (!reports) {
    report(reports.status().message());
    return std::nullopt;
  }
  std::string error;
  if ((!stage.factsFile.empty() &&
       !writeFacts(search, *finished, *reports, stage.factsFile, error)) ||
      (!stage.hooksFile.empty() &&
       !writeHooks(search, *finished, *reports, stage.hooksFile, error))) {
    report(error);
    return std::nullopt;
  }
  graph::Graph graph;
  bool isBuilt = *pruned
                     ? buildPrunedIteration(search, *finished, *reports, graph)
                     : adanet::buildIteration(search, *finished, *reports,
                                              graph, stage.processes);
  if (!isBuilt) {
    SmallVector<StringRef> lines;
    std::string all = graph.errors();
    StringRef(all).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      report(name + ": " + line.str());
    return std::nullopt;
  }
  return graph.toMLIR();
}

} // namespace ingot::ensemble
