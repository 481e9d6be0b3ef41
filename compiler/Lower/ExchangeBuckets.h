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
  /// Whether the exchange starts after `lastDefinition` in a process's last
  /// slice, beside the kernels that come later, and not after the loop.
  bool startsInLoop = false;
};

/// Divides the results of a slice region that are exchanged, which excludes
/// those that each process keeps, into buckets. Exchanges run in the order of
/// buckets: first those that start in the loop.
std::vector<ExchangeBucket> formExchangeBuckets(mlir::ingot::SliceRegionOp op);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_EXCHANGEBUCKETS_H
