//===- KernelGrid.h - Trip counts as expressions ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_KERNELGRID_H
#define INGOT_CODEGEN_KERNELGRID_H

#include "codegen/Backend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::codegen {

/// Returns the trip count of a loop of a bufferized kernel, or std::nullopt if
/// it is not linear in sizes of the kernel's arguments.
std::optional<Grid> gridOf(mlir::scf::ForOp loop);

/// Adds `factor * size` to `sum` and returns true if `size` is linear in sizes
/// of the kernel's arguments. Otherwise returns false, and `sum` is
/// unspecified.
bool addLinear(mlir::Value size, int64_t factor, Grid &sum);

/// Returns the slot of a kernel's argument table that holds the size of the
/// dynamic dimension `dim` of the buffer `argument`. Each buffer has a slot for
/// its address, then one for each of its dynamic sizes.
int64_t slotOfSize(mlir::BlockArgument argument, int64_t dim);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_KERNELGRID_H
