//===- Iteration.h - AdaNet's names in programs and checkpoints -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATION_H
#define INGOT_RUNTIME_ADANET_ITERATION_H

#include "runtime/ABI/AdaNetNames.h"
#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointReader.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// A member or an ensemble, which AdaNet calls a spec, with the variable that
/// counts its training steps.
struct MemberOrEnsemble {
  std::string name; // "t1_linear"
  uint32_t step;    // index of the step counter's variable
  /// `candidate` is the part of `name` that is the candidate's name, and
  /// `members` lists the ensemble's members in order. Both are set only if a
  /// user-defined strategy has named the ensemble. Other names determine both.
  std::string candidate = {};
  std::vector<std::string> members = {};
};

/// The members and ensembles of an AdaNet search that a program contains: those
/// that it trains, and those of earlier iterations.
struct Iteration {
  int64_t number = 0;
  /// The members and ensembles that this iteration adds.
  std::vector<MemberOrEnsemble> members, ensembles;
  /// The ensemble that the previous iteration selected, if the program has it.
  /// It is a candidate in this iteration too.
  std::optional<MemberOrEnsemble> previous;
  /// The members of earlier iterations. They are not trained further, so their
  /// step counters do not change.
  std::vector<MemberOrEnsemble> frozen;
  /// The index of variable `current_iteration`; -1 if the program has none.
  int64_t current = -1;
};

/// Finds the members and ensembles of `program` by the names of its variables.
/// Returns std::nullopt if no variable belongs to a member, which means that
/// the program is not one of an AdaNet search.
std::optional<Iteration> findIteration(const ingot_program &program);

/// Returns the candidates of an iteration, in the order of their indices: first
/// the previous ensemble, if there is one, then the new ensembles (AN-034).
std::vector<const MemberOrEnsemble *> candidatesOf(const Iteration &iteration);

/// Returns the iteration to which a checkpoint belongs: the value of AdaNet's
/// variable `current_iteration` or, in an object-based checkpoint
/// (enable_v2_checkpoint), the iteration number that the root object holds.
/// Returns std::nullopt if the checkpoint has neither.
std::optional<int64_t> iterationOf(const CheckpointReader &checkpoint);

/// Checks that checkpoint `prefix` belongs to the iteration that `program`
/// trains, and to the same search as the architecture file of the previous
/// iteration in the checkpoint's directory. Otherwise returns
/// FailedPrecondition, saying which graph to compile. Returns ok for an
/// unreadable checkpoint, since restoring it reports the error.
Status checkIteration(const ingot_program &program, FileSystem &fileSystem,
                      const std::string &prefix);

/// Returns a function for SessionStateSource::check that calls checkIteration()
/// with the prefix of the checkpoint to restore. `program` and `fileSystem`
/// must outlive the function.
inline auto iterationCheck(const ingot_program &program,
                           FileSystem &fileSystem) {
  return [&program, &fileSystem](const std::string &prefix) {
    return checkIteration(program, fileSystem, prefix);
  };
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATION_H
