//===- KernelGrid.h - Trip counts of a kernel's grid ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_KERNELGRID_H
#define INGOT_CODEGEN_KERNELGRID_H

#include "codegen/Backend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::codegen {

/// The trip count of a loop of a kernel on buffers, if it is linear in sizes of
/// the kernel's arguments.
std::optional<Grid> gridOf(mlir::scf::ForOp loop);

/// Adds `factor` times a size to `sum` and returns true, if the size is linear
/// in sizes of arguments; else returns false, and `sum` is unspecified.
bool addLinear(mlir::Value size, int64_t factor, Grid &sum);

/// The slot of a kernel's argument table that holds a dynamic size of
/// `argument`, a buffer.
int64_t slotOfSize(mlir::BlockArgument argument, int64_t dim);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_KERNELGRID_H
