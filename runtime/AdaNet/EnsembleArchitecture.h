//===- EnsembleArchitecture.h - Files of finished iterations ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The files in which AdaNet records finished iterations, architecture-<t>.json
// for iteration t: each lists the members of the ensemble that the iteration
// selected, by name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_ENSEMBLEARCHITECTURE_H
#define INGOT_RUNTIME_ADANET_ENSEMBLEARCHITECTURE_H

#include "runtime/Support/FileSystem.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::adanet {

/// The name of the candidate in architecture files that `ingot-adanet prune`
/// writes.
inline constexpr std::string_view prunedCandidate = "pruned";

/// The ensemble that an iteration selected, as architecture-<t>.json describes
/// it.
struct EnsembleArchitecture {
  /// A member of the ensemble: the builder that made it, and the iteration that
  /// added it.
  struct Member {
    int64_t iteration = 0;
    std::string builder;
    /// Returns the member's name, such as "t0_linear", which is part of the
    /// names of its variables.
    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + builder;
    }
  };
  int64_t iteration = 0;
  std::string candidate; // "linear_grow"
  /// If an older version of AdaNet wrote the file, `ensembler` and `globalStep`
  /// are not set, and `replayIndices` is empty.
  std::optional<std::string> ensembler;
  std::optional<int64_t> globalStep;

  /// Whether a member was added in the iteration that selected the ensemble.
  bool hasNewMember() const {
    return std::any_of(
        members.begin(), members.end(),
        [&](const Member &member) { return member.iteration == iteration; });
  }
  /// Whether `ingot-adanet prune` has made the ensemble, in this iteration or
  /// in an earlier one: an iteration that selects a pruned ensemble again keeps
  /// the candidate's name "pruned". Pruning adds no member, so an ensemble with
  /// a new member is not pruned even if its candidate happens to have that
  /// name.
  bool isPruned() const {
    return candidate == prunedCandidate && !hasNewMember();
  }
  /// Whether the ensemble has the same members as `other`.
  bool hasMembersOf(const EnsembleArchitecture &other) const {
    return std::equal(
        members.begin(), members.end(), other.members.begin(),
        other.members.end(),
        [](const Member &a, const Member &b) { return a.name() == b.name(); });
  }
  /// Whether `ingot-adanet prune` made the ensemble in this iteration. False if
  /// this iteration only selected an earlier pruned ensemble again. `before` is
  /// the architecture of the previous iteration, or null if it is unknown.
  bool isPrunedFrom(const EnsembleArchitecture *before) const {
    return isPruned() && (!before || !hasMembersOf(*before));
  }
  std::vector<int64_t> replayIndices;
  /// The members, in the order in which the ensemble lists them.
  std::vector<Member> members;

  /// Returns the iteration in whose name scope the ensemble's variables are.
  /// This is the iteration that added its newest member and so selected the
  /// ensemble first (AN-095).
  int64_t firstIteration() const;
  /// Returns the ensemble's full name, such as
  /// "t0_linear_grow_complexity_regularized". The number after "t" is
  /// firstIteration(). The last part, the ensembler's name, is missing if
  /// `ensembler` is not set.
  std::string ensembleName() const;
};

/// Returns the path `<directory>/architecture-<iteration>.json`.
std::string architecturePath(const std::string &directory, int64_t iteration);

/// Reads the architecture file of one iteration. Returns NotFound if the file
/// does not exist, and DataLoss, with file, offset and remedy, if it is damaged
/// or lacks a field that every version of AdaNet writes.
Expected<EnsembleArchitecture> readArchitecture(FileSystem &fileSystem,
                                                const std::string &directory,
                                                int64_t iteration);

/// Reads the architecture files of iterations 0 to `iterations` - 1. Returns
/// NotFound, naming the file, if one of them is missing.
Expected<std::vector<EnsembleArchitecture>>
readArchitectures(FileSystem &fileSystem, const std::string &directory,
                  int64_t iterations);

/// Returns the number of iterations, counted from 0, that have an architecture
/// file in `directory`. Returns NotFound, naming the file, if an iteration
/// below the highest one has none.
Expected<int64_t> countArchitectures(FileSystem &fileSystem,
                                     const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ENSEMBLEARCHITECTURE_H
