//===- Product.h - A kernel's GEMM and its epilogue -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_PRODUCT_H
#define INGOT_CODEGEN_PTX_PRODUCT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// An operand that is im2col and not in memory: its elements are loaded from
/// the image where they are multiplied (implicit GEMM).
struct Patches {
  /// Loops over images, rows, columns, taps and channels; null for none.
  mlir::linalg::GenericOp op;
  /// The view of them as a matrix, a row for each patch.
  mlir::Operation *view = nullptr;
};

/// The (batch) GEMM of a kernel on buffers, and its elementwise epilogue.
struct Product {
  /// Its loops are the result's dimensions, in order, then K.
  mlir::linalg::GenericOp op;
  /// M, a dimension that only operand `factors[0]` has, and N, one that only
  /// `factors[1]` has. The result's other dimensions are batch dimensions.
  unsigned row = 0, column = 0;
  unsigned factors[2] = {0, 1};
  Patches patches[2]; // by operand
  /// The initial value of accumulators, if it is a scalar that a fill stores;
  /// null if they start from the result's buffer.
  mlir::Value start;
  mlir::linalg::FillOp fill;
  /// The epilogue: elementwise ops, in order.
  mlir::SmallVector<mlir::linalg::GenericOp> consumers;
  /// Buffers that only the epilogue uses: their elements stay in registers.
  mlir::DenseSet<mlir::Value> temporaries;

  unsigned sum() const { return mlir::linalg::GenericOp(op).getNumLoops() - 1; }
  /// The operands' element type in memory.
  mlir::Type factorType() const;
  /// Whether operands and result are f32, without any rounding of operands.
  bool isExact() const;
  /// The size of a loop, or ShapedType::kDynamic.
  int64_t sizeOf(unsigned loop) const;
  /// A buffer with a dimension that loop `loop` indexes, and the dimension.
  std::pair<mlir::Value, unsigned> placeOf(unsigned loop) const;
  bool hasPatches() const { return patches[0].op || patches[1].op; }

  /// Erases all of its ops.
  void erase();
};

/// The kernel's GEMM, if the kernel is one GEMM with an elementwise epilogue,
/// and no block reads what another one writes.
std::optional<Product> findProduct(mlir::func::FuncOp kernel);

/// The slot of the kernel's argument table with the dynamic size of a loop.
std::optional<int64_t> slotOf(const Product &product, unsigned loop);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PRODUCT_H
