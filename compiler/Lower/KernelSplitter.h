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
  mlir::host::LaunchOp getLaunch() const { return launch; }

  /// Moves the ops of the kernel that compute `value` to a new kernel, and
  /// launches the new kernel before the remaining one, which receives `value`
  /// as its last input. The new kernel's name is the kernel's name and
  /// `suffix`. Returns the result of the new launch.
  mlir::Value launchBefore(mlir::Value value,
                           llvm::StringRef suffix = "_blocks");

  /// Replaces `value`, which the kernel computes, by a new last input of the
  /// kernel, for which the launch passes `operand`.
  void receive(mlir::Value value, mlir::Value operand);

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
