//===- ScratchLayout.h - Layout of a kernel's scratch memory ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H
#define INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H

#include "codegen/Backend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::ptx {

/// A kernel's scratch memory: temporaries shared by all blocks, then a part for
/// each block. Temporaries may have dynamic sizes that are linear in sizes of
/// the kernel's arguments, which the launch knows.
class ScratchLayout {
public:
  ScratchLayout(mlir::func::FuncOp kernel,
                llvm::ArrayRef<mlir::memref::AllocOp> common,
                llvm::ArrayRef<mlir::memref::AllocOp> ofBlocks)
      : kernel(kernel), common(common), ofBlocks(ofBlocks) {}

  /// Computes the sizes; returns why they cannot be, or "".
  llvm::StringRef measure();

  /// Takes the memory as the kernel's last argument, and the allocations there.
  void place();

private:
  /// An upper bound: `base` bytes, and some for each dynamic size.
  using Bytes = codegen::DynamicScratch;
  /// Bytes within the memory that code computes, and others.
  struct Offset {
    mlir::Value value; // null: 0
    int64_t constant = 0;
  };

  bool addBytes(mlir::memref::AllocOp allocation, Bytes &sum);
  void addBlocks(const Bytes &block, Bytes &sum);
  mlir::Value sizeInSlot(mlir::OpBuilder &builder, int64_t slot);
  void advance(mlir::OpBuilder &builder, const Bytes &bytes, Offset &offset);
  void place(mlir::memref::AllocOp allocation, mlir::Value scratch,
             mlir::OpBuilder &entry, Offset &offset);

  mlir::func::FuncOp kernel;
  llvm::ArrayRef<mlir::memref::AllocOp> common, ofBlocks;
  Bytes total, block;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_SCRATCHLAYOUT_H
