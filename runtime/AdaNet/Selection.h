//===- Selection.h - Selects an iteration's ensemble ------------*- C++ -*-===//
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

/// Parses the name of an ensemble into its members, its candidate's name and
/// its ensembler. Members of `previous` that the ensemble keeps come before the
/// new ones. Returns std::nullopt for names that a user's own strategy made.
std::optional<Architecture> parseEnsembleName(const std::string &name,
                                              const Iteration &iteration,
                                              const Architecture *previous);

/// AN-139, 145: measures candidates on examples other than those they were
/// trained on. `measure` returns one value per candidate, indexed like its
/// argument; it is null if the user has set no evaluator.
struct Evaluator {
  std::string metric; // the metric's name, for the log
  bool selectsHighest = false;
  std::function<Expected<std::vector<double>>(
      const std::vector<const Spec *> &candidates)>
      measure; // null without an evaluator
};

/// What selectBest() takes into account besides the candidates' losses.
struct SelectionRules {
  /// If true, the previous ensemble is not selected when there are new ones.
  bool forcesGrowth = false;
  /// The specs that are dropped because they diverged, with the reasons.
  std::map<std::string, std::string> dropped;
  /// AN-226: the candidate to select in each iteration, by iteration number.
  std::vector<int64_t> replayIndices;
  /// If set, the evaluator's values are compared instead of the moving
  /// averages, unless only one candidate is eligible (AN-062).
  Evaluator evaluator;
};

/// AN-034: returns the candidates in the order of their indices: the previous
/// ensemble, if there is one, then the new ensembles.
std::vector<const Spec *> candidatesOf(const Iteration &iteration);

/// Checks the index that `indices` has for the iteration. Returns
/// InvalidArgument, listing the candidates, if no candidate has this index
/// (AN-228).
Status checkReplay(const Iteration &iteration,
                   const std::vector<int64_t> &indices);

/// The result of an iteration: the selected ensemble, and the values of all
/// candidates.
struct Selection {
  Architecture architecture;
  Candidates candidates;
};

/// Selects the candidate with the lowest moving average of the AdaNet loss or,
/// with an evaluator, with the best value of its metric. NaN is never selected;
/// of equal values the first one is. `rules` may exclude candidates or choose
/// one. Returns FailedPrecondition if no candidate is left or if the selected
/// one's members cannot be told from its name; errors of the evaluator are
/// passed on.
Expected<Selection> selectBest(const ingot_context &context,
                               const Iteration &iteration,
                               const Architecture *previous, int64_t globalStep,
                               const SelectionRules &rules, Reporter &reporter);

/// Writes `<directory>/architecture-<t>.json` byte for byte as AdaNet does.
Status writeArchitecture(FileSystem &fileSystem, const std::string &directory,
                         const Architecture &architecture);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SELECTION_H
