//===- KernelGEMM.h - A kernel's GEMM and its epilogue ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds a kernel's GEMM, its im2col operands and its epilogue, in the form from
// which the tiles are generated.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_KERNELGEMM_H
#define INGOT_CODEGEN_PTX_KERNELGEMM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// An operand that is im2col and is not stored in memory: its elements are
/// loaded from the image when they are multiplied (implicit GEMM).
struct Im2colOperand {
  /// The op with loops over images, rows, columns, taps and channels; null if
  /// the operand is not im2col.
  mlir::linalg::GenericOp op;
  /// The op that views the im2col tensor as a matrix, with one row for each
  /// patch.
  mlir::Operation *view = nullptr;
};

/// The (batched) GEMM of a kernel on buffers, and its elementwise epilogue.
struct KernelGEMM {
  /// The GEMM. Its loops are the dimensions of the result, in order, and K as
  /// the last one.
  mlir::linalg::GenericOp op;
  /// The loops of M and of N. Of the two operands, only operand `factors[0]`
  /// has M, and only `factors[1]` has N. The other loops of the result are
  /// batch dimensions.
  unsigned row = 0, column = 0;
  unsigned factors[2] = {0, 1};
  Im2colOperand patches[2]; // the im2col of each operand; null if none
  /// The scalar with which a fill initializes the accumulators; null if they
  /// start from the values in the result's buffer.
  mlir::Value start;
  mlir::linalg::FillOp fill;
  /// The ops of the epilogue, which are elementwise, in the order in which they
  /// run.
  mlir::SmallVector<mlir::linalg::GenericOp> consumers;
  /// Temporaries that only the GEMM and its epilogue use: their elements stay
  /// in registers.
  mlir::DenseSet<mlir::Value> temporaries;

  /// Returns the index of the loop over K, the GEMM's last loop.
  unsigned sum() const { return mlir::linalg::GenericOp(op).getNumLoops() - 1; }
  /// Returns the operands' element type in memory.
  mlir::Type factorType() const;
  /// Whether operands and result are f32, without any rounding of operands.
  bool isExact() const;
  /// Returns the trip count of a loop, or ShapedType::kDynamic.
  int64_t sizeOf(unsigned loop) const;
  /// Returns a buffer that has a dimension indexed by `loop`, and the index of
  /// that dimension.
  std::pair<mlir::Value, unsigned> placeOf(unsigned loop) const;
  bool hasPatches() const { return patches[0].op || patches[1].op; }

  /// Erases the GEMM, its fill, its epilogue and its im2col.
  void erase();
};

/// Returns the kernel's GEMM if the kernel is one GEMM with an elementwise
/// epilogue, and no block reads what another block writes; else std::nullopt.
/// May interchange the GEMM's loops.
std::optional<KernelGEMM> findProduct(mlir::func::FuncOp kernel);

/// Returns the buffer that `buffer` is a reshape of; else `buffer` itself.
mlir::Value sourceOf(mlir::Value buffer);

/// Returns the slot of the kernel's argument table that has the dynamic size of
/// a loop, or std::nullopt if the loop indexes no dimension of an argument.
std::optional<int64_t> slotOf(const KernelGEMM &product, unsigned loop);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_KERNELGEMM_H
