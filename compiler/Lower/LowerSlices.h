//===- LowerSlices.h - Loops over the slices of a batch ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_LOWERSLICES_H
#define INGOT_COMPILER_LOWER_LOWERSLICES_H

#include "dialects/Ingot/IR/ParallelOps.h"

namespace ingot::lower {

/// Lowers `op` to a loop over the slices of the batch that this process
/// computes, and to runtime calls that combine the values of all processes'
/// slices. Each such combination is an exchange. `firstExchange` is the
/// program-wide index of the op's first exchange. Returns the number of its
/// exchanges.
unsigned lowerSliceRegion(mlir::ingot::SliceRegionOp op,
                          unsigned firstExchange);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_LOWERSLICES_H
