//===- LowerSlices.h - Loops over the slices of a batch ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_LOWERSLICES_H
#define INGOT_COMPILER_LOWER_LOWERSLICES_H

#include "dialects/Ingot/IR/ParallelOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Builds a call of the runtime that returns the range of slices of this
/// process: the index of the first one, and the index after the last one.
/// `slices` is the number of slices of a batch.
std::pair<mlir::Value, mlir::Value>
buildSliceRange(mlir::ImplicitLocOpBuilder &builder, int64_t slices);

/// Lowers `op` to a loop over the slices of this process, and to runtime calls
/// that combine the values that slices yield. Values are exchanged in buckets,
/// one message for several values (ExchangeBuckets.h). `firstBucket` is the
/// program-wide index of the op's first bucket. Returns the number of its
/// buckets.
unsigned lowerSliceRegion(mlir::ingot::SliceRegionOp op, unsigned firstBucket);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_LOWERSLICES_H
