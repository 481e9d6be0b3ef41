//===- SearchPrograms.h - Builds programs from search files -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHPROGRAMS_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHPROGRAMS_H

#include "compiler/Ensemble/Predictor.h"
#include "ingot/adanet.h"
#include "runtime/Support/Expected.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ingot::adanet {
struct EnsembleArchitecture;
} // namespace ingot::adanet

namespace ingot::ensemble {

/// The iteration of a search that a program is built for, and options of the
/// program.
struct IterationOptions {
  /// AdaNet's model directory. Empty for the first iteration.
  std::string modelDirectory;
  /// The index of the iteration, or -1 for the one after all finished
  /// iterations in the model directory.
  int64_t iteration = -1;
  /// The JSON file to write the builders' hyperparameters to
  /// (runtime/AdaNet/Reports.h: readFacts). Empty if none is written.
  std::string factsFile = {};
  /// The JSON file to write the hooks of builders and ensemblers to
  /// (runtime/AdaNet/BuilderHooks.h). Empty if none is written.
  std::string hooksFile = {};
  /// The number of processes that train the iteration. Each process trains some
  /// of the iteration's members.
  int64_t processes = 1;
  /// A checkpoint in the model directory. If it is set, the program is built
  /// for the iteration that has written it, and `iteration` must be -1. If it
  /// is empty, `iteration` selects the iteration.
  std::string checkpoint = {};
};

/// Returns the text of the file at `path` if it is a search file. Returns
/// std::nullopt for any other file, or if the file cannot be read.
std::optional<std::string> readIfSearch(const std::string &path);

/// Returns the MLIR text of an iteration's program. `text` is the contents of
/// the search file at `path`. Returns std::nullopt on failure, after reporting
/// each problem.
std::optional<std::string>
buildSearchProgram(const std::string &path, llvm::StringRef text,
                   const IterationOptions &stage,
                   llvm::function_ref<void(const std::string &)> report);

/// Returns the MLIR text of the program of an iteration of `search`. `search`
/// was built with the C++ API, not read from a file, so error messages contain
/// `name` in place of a path. Returns std::nullopt on failure, after reporting
/// each problem.
std::optional<std::string>
buildSearchProgram(const adanet::Search &search, const std::string &name,
                   const IterationOptions &stage,
                   llvm::function_ref<void(const std::string &)> report);

/// Returns the MLIR text of a program that predicts with the best ensemble in
/// `modelDirectory` (Predictor.h). `text` is the contents of the search file at
/// `path`; `found` receives the names of the ensemble and its members. Returns
/// std::nullopt on failure, after reporting each problem.
std::optional<std::string> buildPredictorProgram(
    const std::string &path, llvm::StringRef text,
    const std::string &modelDirectory, const PredictionSignatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found);

/// Converts the contents of architecture files to the form that `traceLineage`
/// needs: for each iteration, the name and the members of the ensemble that it
/// has selected, and the members' weights. Reads the weights from the files in
/// `modelDirectory` in which trainers have recorded the candidates of each
/// iteration (runtime/AdaNet/Candidates.h). The weights are empty if an
/// iteration's file is missing or records another ensemble as selected.
Expected<std::vector<adanet::FinishedIteration>>
toFinished(const std::vector<adanet::EnsembleArchitecture> &architectures,
           const std::string &modelDirectory);

/// Returns the plan (SearchPlan.h) of a search file with contents `text` at
/// `path`. Returns std::nullopt on failure, after reporting each problem.
std::optional<std::string>
planSearch(const std::string &path, llvm::StringRef text,
           llvm::function_ref<void(const std::string &)> report);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHPROGRAMS_H
