//===- TiledProduct.h - A product's tile, by a block of threads -*- C++ -*-===//
//
// Tiles of both operands go through shared memory; each thread keeps its part
// of the result in registers, and computes what follows on it there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TILEDPRODUCT_H
#define INGOT_CODEGEN_PTX_TILEDPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// A product of a kernel on buffers, and what is computed with each element.
struct Product {
  mlir::linalg::GenericOp op;
  /// What its elements start with, where that is one number and not what lies
  /// in the result's buffer; or null.
  mlir::Value start;
  mlir::linalg::FillOp fill;
  /// Elementwise, in their order.
  mlir::SmallVector<mlir::linalg::GenericOp> consumers;
  /// Buffers that nothing else knows: their elements stay in registers.
  mlir::DenseSet<mlir::Value> temporaries;
};

/// 16 times 16 threads, each of which has strips of 4 rows and 4 columns.
class TiledProduct {
public:
  static constexpr int64_t threads = 256;
  static constexpr int64_t strip = 64; // of a block: 16 threads, 4 rows each

  /// `rowStrips` and `columnStrips` of a tile: 1 or 2.
  TiledProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
               int64_t rowStrips, int64_t columnStrips);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

  /// How many tiles lie side by side in a row of them.
  int64_t tilesPerRow() const;

private:
  mlir::Value at(int64_t index);
  mlir::Value sizeOf(unsigned loop); // rows, columns, or the length of the sum
  /// A chunk of the sum, from `first` on, `length` long: an index or a constant
  /// where that is shorter than a whole chunk.
  mlir::SmallVector<mlir::Value>
  chunk(mlir::Value first, mlir::OpFoldResult length, mlir::ValueRange sums);
  void loadOperand(unsigned operand, mlir::Value first,
                   mlir::OpFoldResult length);
  mlir::SmallVector<mlir::Value> step(mlir::Value k, mlir::ValueRange sums);
  mlir::Value start(mlir::Value row, mlir::Value column);
  void finish(mlir::ValueRange sums);
  void finishElement(mlir::Value row, mlir::Value column, mlir::Value sum);
  mlir::Value guarded(mlir::Value condition, mlir::Value other,
                      llvm::function_ref<mlir::Value()> body);
  mlir::Value isBelow(mlir::Value index, mlir::OpFoldResult bound);
  mlir::Value rowAt(int64_t i);
  mlir::Value columnAt(int64_t j);

  mlir::ImplicitLocOpBuilder &b;
  Product &product;
  int64_t rowStrips, columnStrips;
  mlir::Value rowThread, columnThread, thread;
  mlir::Value firstRow, firstColumn;
  mlir::Value tiles[2]; // shared memory of the operands, as groups of 4
  mlir::Value words[2]; // the same, number by number
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TILEDPRODUCT_H
