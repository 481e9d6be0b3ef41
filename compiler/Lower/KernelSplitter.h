//===- KernelSplitter.h - Splits kernels ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_KERNELSPLITTER_H
#define INGOT_COMPILER_LOWER_KERNELSPLITTER_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::lower {

/// A kernel and its only launch, for passes that split the kernel into several
/// kernels.
class KernelSplitter {
public:
  KernelSplitter(mlir::host::LaunchOp launch, mlir::SymbolTable &symbols);
  mlir::func::FuncOp kernel() const { return rest; }

  /// Moves the ops of the kernel that compute `value` to a new kernel, and
  /// launches it before the rest. The rest of the kernel receives `value` as
  /// its last input.
  void launchBefore(mlir::Value value);

  /// Erases dead ops and arguments of the kernel after a split.
  void tidy();

private:
  mlir::host::LaunchOp launch;
  mlir::SymbolTable &symbols;
  mlir::func::FuncOp rest;
  bool isDivided = false;
};

/// Calls `divide` for each kernel that `program` launches, but not for the
/// kernels that `divide` splits off. Then erases ops that became dead.
void divideKernels(mlir::ModuleOp program,
                   llvm::function_ref<void(KernelSplitter &)> divide);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_KERNELSPLITTER_H
