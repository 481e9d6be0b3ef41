//===- ScratchLayout.h - Layout of a kernel's scratch memory ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Lays out a kernel's scratch memory on a device: global memory for
// temporaries, which each launch of the kernel provides.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H
#define INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H

#include "codegen/Backend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::ptx {

/// The layout of a kernel's scratch memory: the temporaries that all blocks
/// share, then a part for each block. The sizes of temporaries may be dynamic
/// if they are linear in sizes of the kernel's arguments, which the launch
/// knows.
class ScratchLayout {
public:
  ScratchLayout(mlir::func::FuncOp kernel,
                llvm::ArrayRef<mlir::memref::AllocOp> common,
                llvm::ArrayRef<mlir::memref::AllocOp> ofBlocks)
      : kernel(kernel), common(common), ofBlocks(ofBlocks) {}

  /// Computes how many bytes the temporaries need. Returns "" on success,
  /// otherwise the reason why the sizes cannot be computed.
  llvm::StringRef measure();

  /// Adds scratch memory as the kernel's last argument, and replaces the
  /// allocations by views of it.
  void place();

private:
  /// An upper bound on a number of bytes: the constant `base`, plus multiples
  /// of the arguments' dynamic sizes.
  using Bytes = codegen::DynamicScratchSize;
  /// An offset in scratch memory: the sum of a value that the kernel computes
  /// and a constant.
  struct ScratchOffset {
    mlir::Value value; // null: only the constant
    int64_t constant = 0;
  };

  /// Adds the size of a temporary in bytes to `sum`. Returns false if the size
  /// is not linear in dynamic sizes of the arguments.
  bool addBytes(mlir::memref::AllocOp allocation, Bytes &sum);
  /// Adds the size of all blocks' parts in bytes to `sum`. `block` is the size
  /// of the part of one block.
  void addBlocks(const Bytes &block, Bytes &sum);
  /// Emits a memref.dim for the dynamic size that is in slot `slot` of the
  /// kernel's argument table.
  mlir::Value sizeInSlot(mlir::OpBuilder &builder, int64_t slot);
  void advance(mlir::OpBuilder &builder, const Bytes &bytes,
               ScratchOffset &offset);
  void place(mlir::memref::AllocOp allocation, mlir::Value scratch,
             mlir::OpBuilder &entry, ScratchOffset &offset);

  mlir::func::FuncOp kernel;
  llvm::ArrayRef<mlir::memref::AllocOp> common, ofBlocks;
  Bytes total, block;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H
