//===- EnsembleSelection.h - Selects an iteration's ensemble ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ENSEMBLESELECTION_H
#define INGOT_RUNTIME_ADANET_ENSEMBLESELECTION_H

#include "runtime/AdaNet/Candidates.h"
#include "runtime/AdaNet/EnsembleArchitecture.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/SessionLogger.h"

#include <functional>
#include <map>

struct ingot_context;

namespace ingot::adanet {

/// Derives from the name of an ensemble its members, the name of its candidate,
/// and its ensembler. In the result, members that the ensemble keeps from the
/// ensemble `previous` precede new members. Returns std::nullopt if a
/// user-defined strategy, not one of AdaNet's, has chosen the name, and
/// `iteration` does not list the ensemble's members either.
std::optional<EnsembleArchitecture>
parseEnsembleName(const std::string &name, const Iteration &iteration,
                  const EnsembleArchitecture *previous);

/// The evaluator of a search, which measures candidates on data that they were
/// not trained on (AN-139, 145). `measure` returns one value per candidate, in
/// the order of `candidates`. `measure` is null if the user has set no
/// evaluator.
struct Evaluator {
  std::string metric; // the metric's name, for the log
  bool selectsHighest = false;
  std::function<Expected<std::vector<double>>(
      const std::vector<const MemberOrEnsemble *> &candidates)>
      measure; // null if there is no evaluator
};

/// Rules of selectBest() besides the comparison of the candidates' losses.
struct SelectionRules {
  /// If true, the previous ensemble must not be selected again (--force-grow).
  bool forcesGrowth = false;
  /// The members and ensembles that were dropped because they diverged, with
  /// the reasons, keyed by name.
  std::map<std::string, std::string> dropped;
  /// The indices of the candidates to select, indexed by iteration
  /// (--replay-indices, AN-226).
  std::vector<int64_t> replayIndices;
  /// If `evaluator.measure` is set, candidates are compared by the values that
  /// this function returns instead of the moving averages of their losses. The
  /// function is not called if only one candidate can be selected (AN-062).
  Evaluator evaluator;
};

/// Checks the index in `indices` (--replay-indices) for this iteration. Returns
/// InvalidArgument, listing the candidates, if no candidate has this index
/// (AN-228).
Status checkReplay(const Iteration &iteration,
                   const std::vector<int64_t> &indices);

/// The result of an iteration: the selected ensemble, and the values of all
/// candidates.
struct EnsembleSelection {
  EnsembleArchitecture architecture;
  Candidates candidates;
};

/// Selects the ensemble of an iteration: the candidate with the lowest moving
/// average of the AdaNet loss or, with an evaluator, with the best value of its
/// metric. Among equal values, the first candidate is selected. NaN is never
/// selected. `rules` may exclude candidates or prescribe one.
///
/// Returns FailedPrecondition if no candidate can be selected, or if the
/// members of the selected one cannot be derived from its name. Returns the
/// errors of the evaluator.
Expected<EnsembleSelection>
selectBest(const ingot_context &context, const Iteration &iteration,
           const EnsembleArchitecture *previous, int64_t globalStep,
           const SelectionRules &rules, SessionLogger &reporter);

/// Writes `architecture` to the file `<directory>/architecture-<t>.json`, where
/// t is the iteration, with exactly the bytes that AdaNet writes.
Status writeArchitecture(FileSystem &fileSystem, const std::string &directory,
                         const EnsembleArchitecture &architecture);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ENSEMBLESELECTION_H
