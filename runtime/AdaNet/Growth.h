//===- Growth.h - The next iteration's first checkpoint ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet's overwrite-checkpoint: the variables of a finished iteration, and
// initial values of those that the next one adds, as `increment.ckpt-<t>`.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_GROWTH_H
#define INGOT_RUNTIME_ADANET_GROWTH_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/Session.h"

namespace ingot::adanet {

/// The base name of the checkpoints that growth writes: "increment.ckpt-1".
inline constexpr const char *incrementBasename = "increment.ckpt";

struct GrowthOptions {
  /// AN-027: iterators go on where the iteration before has left them, unless
  /// its input has ended. One that does not fit the program's input starts at
  /// its first element, with a note.
  bool continuesInput = false;
};

/// If the newest checkpoint of the model directory `checkpoints` belongs to the
/// iteration before the program's, and that iteration has selected its
/// ensemble, saves the program's first checkpoint, which is then the newest.
/// Otherwise does nothing.
///
/// The state file that names the new checkpoint is written last, and the
/// checkpoint depends only on the one that the state file named before:
/// interrupted anywhere and called again, it writes the same bytes (AN-067,
/// 068).
///
/// FailedPrecondition where the iteration has not selected, or has selected
/// other members than the program has frozen.
Status growIfDue(const ingot_program &program, const SessionOptions &session,
                 FileSystem &fileSystem,
                 const CheckpointManagerOptions &checkpoints,
                 const GrowthOptions &options, Reporter &reporter);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_GROWTH_H
