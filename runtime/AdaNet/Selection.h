//===- Selection.h - Which ensemble an iteration leaves ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_SELECTION_H
#define INGOT_RUNTIME_ADANET_SELECTION_H

#include "runtime/AdaNet/Architecture.h"
#include "runtime/AdaNet/Candidates.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/Reporter.h"

#include <functional>
#include <map>

struct ingot_context;

namespace ingot::adanet {

/// The members that an ensemble's name stands for, new ones after those of
/// `previous` where it keeps them, and the names of its candidate and
/// ensembler. Nothing for names that a user's own strategy made.
std::optional<Architecture> parseEnsembleName(const std::string &name,
                                              const Iteration &iteration,
                                              const Architecture *previous);

/// AN-139, 145: measures candidates on other examples than they were trained
/// on: a value for each of `candidates`, in their order.
struct Evaluator {
  std::string metric; // in the log
  bool selectsHighest = false;
  std::function<Expected<std::vector<double>>(
      const std::vector<const Spec *> &candidates)>
      measure; // may be null
};

/// Criteria of the selection besides the candidates' losses.
struct SelectionRules {
  /// The previous ensemble is not selected if there are new ones.
  bool forcesGrowth = false;
  /// Diverged specs, and the reasons.
  std::map<std::string, std::string> dropped;
  /// AN-226: by iteration, which candidate to select.
  std::vector<int64_t> replayIndices;
  /// If set, its values are compared instead of the averages, unless only one
  /// candidate is left (AN-062).
  Evaluator evaluator;
};

/// AN-034: the candidates by index: the ensemble that was left, where there is
/// one, then the new ones.
std::vector<const Spec *> candidatesOf(const Iteration &iteration);

/// InvalidArgument, listing the candidates, where `indices` has a number for
/// the iteration that no candidate has (AN-228).
Status checkReplay(const Iteration &iteration,
                   const std::vector<int64_t> &indices);

/// The result of an iteration, and the values of its candidates.
struct Selection {
  Architecture architecture;
  Candidates candidates;
};

/// The candidate with the lowest moving average of the AdaNet loss, or with the
/// best value of an evaluator, NaN excluded; the first one of equals; among
/// those that `rules` leave. FailedPrecondition where none is left, or where
/// its name does not tell its members; failures of the evaluator are returned.
Expected<Selection> selectBest(const ingot_context &context,
                               const Iteration &iteration,
                               const Architecture *previous, int64_t globalStep,
                               const SelectionRules &rules, Reporter &reporter);

/// Writes `<directory>/architecture-<t>.json` as AdaNet does.
Status writeArchitecture(FileSystem &fileSystem, const std::string &directory,
                         const Architecture &architecture);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SELECTION_H
