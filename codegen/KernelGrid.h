//===- KernelGrid.h - How many iterations a kernel's loop has ---*- C++ -*-===//
#ifndef INGOT_CODEGEN_KERNELGRID_H
#define INGOT_CODEGEN_KERNELGRID_H

#include "codegen/Backend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::codegen {

/// How many iterations a loop of a kernel on buffers has, where that is what a
/// grid can say: a linear expression of sizes of the kernel's arguments.
std::optional<Grid> gridOf(mlir::scf::ForOp loop);

/// Adds `factor` times a size to `sum`, where it is such an expression; what
/// `sum` then is says nothing where it is none.
bool addLinear(mlir::Value size, int64_t factor, Grid &sum);

/// The slot of a kernel's argument table that holds a dynamic size of
/// `argument`, a buffer.
int64_t slotOfSize(mlir::BlockArgument argument, int64_t dim);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_KERNELGRID_H
