//===- Growth.h - The next iteration's first checkpoint ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes the first checkpoint of a new iteration, `increment.ckpt-<t>`, from the
// last checkpoint of the previous iteration. The new checkpoint has the old
// values of variables that both iterations have, and the initial values of
// variables that the new iteration adds. AdaNet calls this overwriting the
// checkpoint.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_GROWTH_H
#define INGOT_RUNTIME_ADANET_GROWTH_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/SessionLogger.h"

namespace ingot::adanet {

/// The base name of the first checkpoints of new iterations, as in
/// "increment.ckpt-1".
inline constexpr const char *incrementBasename = "increment.ckpt";

/// Where the input of a new iteration begins.
///
/// - AsSaved: iterators that the graph's saver names stay at their positions,
///   others start at their first elements, as in AdaNet.
/// - Continue: iterators continue at the positions where the previous iteration
///   left them, unless that iteration's input has ended. An iterator whose
///   position does not fit the program's input starts at its first element,
///   with a note (AN-027). Random ops continue their sequences.
/// - Restart: all iterators start at their first elements.
enum class InputPositionPolicy { AsSaved, Continue, Restart };

struct NextIterationCheckpointOptions {
  InputPositionPolicy input = InputPositionPolicy::AsSaved;
};

/// Saves the first checkpoint of the program's iteration if the newest
/// checkpoint of the model directory (`checkpoints.directory`) belongs to the
/// previous iteration. Otherwise does nothing.
///
/// The state file, which names the newest checkpoint, is written last. A call
/// that was interrupted can therefore be repeated: it starts from the same old
/// checkpoint and writes the same bytes (AN-067, 068).
///
/// Returns FailedPrecondition if the previous iteration has not selected an
/// ensemble, or if a member of the selected ensemble is not among the frozen
/// members of the program.
Status growIfDue(const ingot_program &program, const SessionOptions &session,
                 FileSystem &fileSystem,
                 const CheckpointManagerOptions &checkpoints,
                 const NextIterationCheckpointOptions &options,
                 SessionLogger &reporter);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_GROWTH_H
