//===- SearchInput.h - Programs of search files -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHINPUT_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHINPUT_H

#include "compiler/Ensemble/Predictor.h"
#include "ingot/adanet.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace ingot::adanet {
struct Architecture;
} // namespace ingot::adanet

namespace ingot::ensemble {

/// An iteration of a search.
struct SearchStage {
  /// AdaNet's model folder; empty for the first iteration.
  std::string modelDirectory;
  /// -1: the iteration after those that the folder has finished.
  int64_t iteration = -1;
  /// The path of a JSON file with the hyperparameters of the iteration's
  /// builders (runtime/AdaNet/Reports.h: readFacts); empty: none.
  std::string factsFile = {};
  /// The number of processes that share the members between them.
  int64_t processes = 1;
};

/// The text of the file at `path`, if it is a search; nothing if it is
/// something else, or cannot be read.
std::optional<std::string> readIfSearch(const std::string &path);

/// The program, as text, of an iteration of the search `text`, the file at
/// `path`. Nothing on failure, with each problem reported.
std::optional<std::string>
buildSearchProgram(const std::string &path, llvm::StringRef text,
                   const SearchStage &stage,
                   llvm::function_ref<void(const std::string &)> report);

/// The same for a search in memory; `name` is used in messages.
std::optional<std::string>
buildSearchProgram(const adanet::Search &search, const std::string &name,
                   const SearchStage &stage,
                   llvm::function_ref<void(const std::string &)> report);

/// The program that only predicts (Predictor.h) of the best ensemble in a
/// folder.
std::optional<std::string> buildPredictorProgram(
    const std::string &path, llvm::StringRef text,
    const std::string &modelDirectory, const Signatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found);

/// The architecture files of finished iterations.
std::vector<adanet::FinishedIteration>
toFinished(const std::vector<adanet::Architecture> &architectures);

/// The plan (SearchPlan.h) of the search `text`, the file at `path`. Nothing on
/// failure, with each problem reported.
std::optional<std::string>
planSearch(const std::string &path, llvm::StringRef text,
           llvm::function_ref<void(const std::string &)> report);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHINPUT_H
