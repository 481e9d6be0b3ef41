//===- KernelGrid.h - How many iterations a kernel's loop has ---*- C++ -*-===//
#ifndef INGOT_CODEGEN_KERNELGRID_H
#define INGOT_CODEGEN_KERNELGRID_H

#include "codegen/Backend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::codegen {

/// How many iterations a loop of `kernel`, on buffers, has, where that is what
/// a grid can say: a linear expression of sizes of the kernel's arguments.
std::optional<Grid> gridOf(mlir::func::FuncOp kernel, mlir::scf::ForOp loop);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_KERNELGRID_H
