//===- KernelParts.h - Parts of a kernel as kernels of their own -*- C++
//-*-===//
#ifndef INGOT_COMPILER_LOWER_KERNELPARTS_H
#define INGOT_COMPILER_LOWER_KERNELPARTS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace ingot::lower {

/// A kernel and its one launch, from which parts are taken.
class KernelParts {
public:
  KernelParts(mlir::host::LaunchOp launch, mlir::SymbolTable &symbols);
  mlir::func::FuncOp kernel() const { return rest; }

  /// Moves what `value` takes into a kernel that is launched before this one,
  /// which gets `value` as its last input.
  void launchBefore(mlir::Value value);

  /// Leaves nothing in the kernel that it does not need any more, where parts
  /// were taken from it.
  void tidy();

private:
  mlir::host::LaunchOp launch;
  mlir::SymbolTable &symbols;
  mlir::func::FuncOp rest;
  bool isDivided = false;
};

/// Calls `divide` with each kernel that `program` launches, but not with parts
/// of them; what is left of a kernel is tidied.
void divideKernels(mlir::ModuleOp program,
                   llvm::function_ref<void(KernelParts &)> divide);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_KERNELPARTS_H
