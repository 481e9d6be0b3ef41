//===- KernelParts.h - Splits kernels ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_KERNELPARTS_H
#define INGOT_COMPILER_LOWER_KERNELPARTS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::lower {

/// A kernel and its only launch, from which parts are split off as kernels of
/// their own.
class KernelParts {
public:
  KernelParts(mlir::host::LaunchOp launch, mlir::SymbolTable &symbols);
  mlir::func::FuncOp kernel() const { return rest; }

  /// Moves the ops that compute `value` to a new kernel, which is launched
  /// before this one. This kernel receives `value` as its last input.
  void launchBefore(mlir::Value value);

  /// Erases dead ops and arguments of the kernel after a split.
  void tidy();

private:
  mlir::host::LaunchOp launch;
  mlir::SymbolTable &symbols;
  mlir::func::FuncOp rest;
  bool isDivided = false;
};

/// Calls `divide` with each kernel that `program` launches, but not with parts
/// that were split from them; then erases dead ops.
void divideKernels(mlir::ModuleOp program,
                   llvm::function_ref<void(KernelParts &)> divide);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_KERNELPARTS_H
