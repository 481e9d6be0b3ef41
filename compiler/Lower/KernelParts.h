//===- KernelParts.h - Parts of a kernel as kernels of their own -*- C++
//-*-===//
#ifndef INGOT_COMPILER_LOWER_KERNELPARTS_H
#define INGOT_COMPILER_LOWER_KERNELPARTS_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ingot::lower {

/// Moves what `value` takes into a kernel that is launched before `launch`,
/// which gets `value` as its last input.
void launchBefore(mlir::host::LaunchOp launch, mlir::func::FuncOp kernel,
                  mlir::Value value, mlir::SymbolTable &symbols);

/// Leaves nothing in the kernel that it does not need any more.
void tidy(mlir::host::LaunchOp launch, mlir::func::FuncOp kernel);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_KERNELPARTS_H
