//===- ReachingWrites.h - Writes that may reach each access -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_REACHINGWRITES_H
#define INGOT_CODEGEN_REACHINGWRITES_H

#include "codegen/MemoryAccessTrace.h"

#include "llvm/ADT/BitVector.h"

namespace ingot::codegen {

/// For each op, indexed by its number, the sorted hashes of its accesses. The
/// hash of an access identifies the set of writes that may reach it, as in an
/// analysis of reaching definitions: writes to the same memory that are earlier
/// in the program, or in a previous iteration of a loop.
using ReachingWrites = std::vector<llvm::SmallVector<size_t, 2>>;

/// Returns the reaching writes of the ops whose numbers are in `alive`: the ops
/// that exist both before and after a pass. A copy that is not in `alive`
/// exists only before or only after the pass. To make the programs before and
/// after the pass comparable, writes to the source of such a copy count as
/// writes to its target. Writes reach the next iteration of a loop only if the
/// loop's number is in `loops`.
ReachingWrites reachingWritesOf(const MemoryAccessTrace &trace,
                                const llvm::BitVector &alive,
                                const llvm::BitVector &loops);

/// Whether a loop contains a copy that exists only before or only after a pass,
/// because it is not in `alive`. The analysis finds the writes that reach an
/// access through such a copy in the same iteration, but not those from a
/// previous iteration.
bool copiesInLoops(const MemoryAccessTrace &trace,
                   const llvm::BitVector &alive);

/// Returns the first op that reads a buffer after its contents have been
/// overwritten through an overlapping buffer. Returns null if there is no such
/// op.
mlir::Operation *findClobbered(const MemoryAccessTrace &trace);

/// Returns the first op that races with the parallel iterations of a grid loop
/// that the checked pass has made (a loop without a number), or null. The op
/// accesses a buffer that the loop writes. It races if it is outside of the
/// loop, where each thread runs it, or if it is in the loop but accesses the
/// same indices in all iterations.
mlir::Operation *findShared(const MemoryAccessTrace &trace);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_REACHINGWRITES_H
