//===- ExchangeBuckets.h - Values that are exchanged together ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_EXCHANGEBUCKETS_H
#define INGOT_COMPILER_LOWER_EXCHANGEBUCKETS_H

#include "dialects/Ingot/IR/ParallelOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::lower {

/// Values of a slice region that processes exchange together, as one message.
struct ExchangeBucket {
  /// The indices of the region's results, in order of their definition.
  llvm::SmallVector<unsigned> results;
  /// The op of the region's body after which all values are computed, or null
  /// if none of them is computed in the body.
  mlir::Operation *lastDefinition = nullptr;
  /// Whether the exchange starts in a process's last slice, right after
  /// `lastDefinition`, so that it overlaps with later kernels. Otherwise it
  /// starts after the loop over slices.
  bool startsInLoop = false;
};

/// Divides the results of a slice region into the buckets in which they are
/// exchanged. Results that each process keeps are in no bucket. Buckets are
/// exchanged in order: first those whose exchange starts in the loop.
std::vector<ExchangeBucket> formExchangeBuckets(mlir::ingot::SliceRegionOp op);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_EXCHANGEBUCKETS_H
