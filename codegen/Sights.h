//===- Sights.h - Writes that may reach each access -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_SIGHTS_H
#define INGOT_CODEGEN_SIGHTS_H

#include "codegen/AccessTrace.h"

#include "llvm/ADT/BitVector.h"

namespace ingot::codegen {

/// For each op, by number, the sights of its accesses, sorted. A sight is a
/// hash of the writes that may reach an access (its reaching definitions):
/// writes of the same memory earlier in the program or in a previous iteration
/// of a loop.
using Sights = std::vector<llvm::SmallVector<size_t, 2>>;

/// Returns the sights of the ops whose numbers are in `alive`: the ops that
/// exist both before and after a pass. Copies by other ops are looked through,
/// as they exist only before or only after the pass. Writes are carried from
/// one iteration to the next only in loops whose numbers are in `loops`.
Sights sightsOf(const AccessTrace &trace, const llvm::BitVector &alive,
                const llvm::BitVector &loops);

/// Whether a loop contains a copy that is not in `alive`. Sights look through
/// such copies, but not from one iteration to the next.
bool copiesInLoops(const AccessTrace &trace, const llvm::BitVector &alive);

/// Returns the first op that reads a buffer after a write to another buffer in
/// the same bytes of a shared block has overwritten it; null if there is none.
mlir::Operation *findClobbered(const AccessTrace &trace);

/// Returns the first op that races: a grid loop that the pass made (it has no
/// number) writes a buffer, and the op accesses that buffer outside of the
/// loop, or without indices that depend on the loop's iteration. Null if there
/// is none.
mlir::Operation *findShared(const AccessTrace &trace);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_SIGHTS_H
