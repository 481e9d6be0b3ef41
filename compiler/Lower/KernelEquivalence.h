//===- KernelEquivalence.h - Whether kernels are alike ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_LOWER_KERNELEQUIVALENCE_H
#define INGOT_COMPILER_LOWER_KERNELEQUIVALENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/Hashing.h"

namespace ingot::lower {

/// Whether `op` is a constant that may as well be an argument, as no code
/// depends on its value: a floating-point number, the key or counter of random
/// numbers, or a tensor of up to four integers that only linalg ops read, as a
/// counter's offset is.
bool isParameter(mlir::Operation *op);

/// Returns a hash of the kernel without its name: identical kernels have equal
/// hashes, other kernels rarely do. If `ignoresParameters`, the hash does not
/// depend on the values of constants for which isParameter() holds.
llvm::hash_code hashOfKernel(mlir::func::FuncOp kernel, bool ignoresParameters);

/// Whether two kernels are identical, attributes included, apart from their
/// names.
bool areKernelsEqual(mlir::func::FuncOp one, mlir::func::FuncOp other);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_KERNELEQUIVALENCE_H
