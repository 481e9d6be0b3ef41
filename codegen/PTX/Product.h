//===- Product.h - A kernel's product and what follows on it ----*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_PRODUCT_H
#define INGOT_CODEGEN_PTX_PRODUCT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"

namespace ingot::ptx {

/// A factor that no memory holds: its rows are patches of images, which are
/// computed where they are multiplied.
struct Patches {
  /// Loops over images, rows, columns, taps and channels; null for none.
  mlir::linalg::GenericOp op;
  /// Shows them as a matrix: a row for each patch.
  mlir::Operation *view = nullptr;
};

/// A product of a kernel on buffers, and what is computed with each element.
struct Product {
  /// Its loops are the result's dimensions, in their order, and the sum's.
  mlir::linalg::GenericOp op;
  /// Of the result's dimensions, the one that only operand `factors[0]` has,
  /// and the one that only `factors[1]` has. All others are a batch's: each of
  /// their indices is a product by itself.
  unsigned row = 0, column = 0;
  unsigned factors[2] = {0, 1};
  Patches patches[2]; // by operand
  /// What its elements start with, where that is one number and not what lies
  /// in the result's buffer; or null.
  mlir::Value start;
  mlir::linalg::FillOp fill;
  /// Elementwise, in their order.
  mlir::SmallVector<mlir::linalg::GenericOp> consumers;
  /// Buffers that nothing else knows: their elements stay in registers.
  mlir::DenseSet<mlir::Value> temporaries;

  unsigned sum() const { return mlir::linalg::GenericOp(op).getNumLoops() - 1; }
  /// The type of what is multiplied, as it lies in memory.
  mlir::Type factorType() const;
  /// Whether it is one of f32, multiplied and added as such.
  bool isExact() const;
  /// The size of a loop, or ShapedType::kDynamic.
  int64_t sizeOf(unsigned loop) const;
  /// A buffer that tells the size of a loop, and its dimension.
  std::pair<mlir::Value, unsigned> placeOf(unsigned loop) const;
  bool hasPatches() const { return patches[0].op || patches[1].op; }

  /// Takes all of it out of its kernel.
  void erase();
};

/// The kernel's product, where the kernel is one product and what follows on
/// its elements, and what one block writes no other one reads.
std::optional<Product> findProduct(mlir::func::FuncOp kernel);

/// The slot of the kernel's table that tells a dynamic size of a loop.
std::optional<int64_t> slotOf(const Product &product, unsigned loop);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PRODUCT_H
