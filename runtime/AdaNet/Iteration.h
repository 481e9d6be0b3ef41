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

/// A member or an ensemble, with the variable that counts its training steps.
struct Spec {
  std::string name; // "t1_linear"
  uint32_t step;    // index of the step counter's variable
};

/// The members and ensembles that a program trains.
struct Iteration {
  int64_t number = 0;
  /// The members and ensembles that this iteration adds.
  std::vector<Spec> members, ensembles;
  /// The ensemble that the previous iteration selected. It is a candidate too.
  std::optional<Spec> previous;
  /// The members of earlier iterations. They are not trained further, so their
  /// step counters do not change.
  std::vector<Spec> frozen;
  /// The index of variable `current_iteration`; -1 if the program has none.
  int64_t current = -1;
};

/// Finds the members and ensembles of `program` by the names of its variables.
/// Returns std::nullopt if it has no variables of AdaNet's members.
std::optional<Iteration> findIteration(const ingot_program &program);

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

/// Returns the function for StateSource::check. It refers to both arguments.
inline auto iterationCheck(const ingot_program &program,
                           FileSystem &fileSystem) {
  return [&program, &fileSystem](const std::string &prefix) {
    return checkIteration(program, fileSystem, prefix);
  };
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATION_H
