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

/// A member or an ensemble, and the variable that counts its steps.
struct Spec {
  std::string name; // "t1_linear"
  uint32_t step;    // index of the variable
};

/// The members and ensembles that a program trains.
struct Iteration {
  int64_t number = 0;
  /// Added by this iteration.
  std::vector<Spec> members, ensembles;
  /// The ensemble that earlier iterations have left, a candidate like the new
  /// ones.
  std::optional<Spec> previous;
  /// Counters of the members of earlier iterations, which stand still.
  std::vector<Spec> frozen;
  /// Variable `current_iteration`; -1 if the program has none.
  int64_t current = -1;
};

/// Nothing for programs that are not AdaNet's.
std::optional<Iteration> findIteration(const ingot_program &program);

/// The iteration that a checkpoint is of: AdaNet's `current_iteration` or,
/// where it saves objects (enable_v2_checkpoint), its outermost iteration's
/// number.
std::optional<int64_t> iterationOf(const CheckpointReader &checkpoint);

/// FailedPrecondition, saying what to compile instead, where checkpoint
/// `prefix` belongs to another iteration than the program, or to another search
/// than the architecture file of the previous iteration beside it. Ok also for
/// an unreadable checkpoint: its restore reports why.
Status checkIteration(const ingot_program &program, FileSystem &fileSystem,
                      const std::string &prefix);

/// The function for StateSource::check.
inline auto iterationCheck(const ingot_program &program,
                           FileSystem &fileSystem) {
  return [&program, &fileSystem](const std::string &prefix) {
    return checkIteration(program, fileSystem, prefix);
  };
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATION_H
