//===- PatchBlock.h - Some patches of whichever images ----------*- C++ -*-===//
//
// Where it is not known how many patches an image has, a block of them goes on
// with the next row's, or the next image's, anywhere.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PATCHBLOCK_H
#define INGOT_CODEGEN_CPU_PATCHBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// A tensor of the sizes `block`, [patches, taps, channels], with some of what
/// the op `patches` makes: from patch number `row` of all images on, of each
/// from number `element` of its elements on. Behind the last patch there are
/// more of it. The op's destination is a `tensor.empty`.
mlir::Value patchesFrom(mlir::ImplicitLocOpBuilder &b,
                        mlir::linalg::GenericOp patches,
                        llvm::ArrayRef<int64_t> block, mlir::Value row,
                        mlir::Value element);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PATCHBLOCK_H
