//===- Sights.h - Which writes each op sees ---------------------*- C++ -*-===//
#ifndef INGOT_CODEGEN_SIGHTS_H
#define INGOT_CODEGEN_SIGHTS_H

#include "codegen/AccessTrace.h"

#include "llvm/ADT/BitVector.h"

namespace ingot::codegen {

/// For each number of an op, what its accesses see, sorted: of each a hash of
/// the writes of the same memory before it, and of those after it that an
/// iteration of a loop has done before the next one.
using Sights = std::vector<llvm::SmallVector<size_t, 2>>;

/// Of the ops in `alive` alone. What others copy is taken to be read where it
/// comes from, as before the copy was made or after it is gone.
/// Iterations hand on writes in `loops` only.
Sights sightsOf(const AccessTrace &trace, const llvm::BitVector &alive,
                const llvm::BitVector &loops);

/// Whether a loop has a copy that is not in `alive`: it hands on what an
/// iteration has written, which is not followed.
bool copiesInLoops(const AccessTrace &trace, const llvm::BitVector &alive);

/// The first op that reads a buffer of which another one, in the same bytes of
/// a block, has overwritten what had been written there; null where none does.
mlir::Operation *findClobbered(const AccessTrace &trace);

/// The first op of a grid's loop that was not there before (it has no number)
/// which shares with other iterations what one of them writes; null where none
/// does.
mlir::Operation *findShared(const AccessTrace &trace);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_SIGHTS_H
