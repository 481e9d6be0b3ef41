//===- TiledProduct.h - A product's tile, by a block of threads -*- C++ -*-===//
//
// Tiles of both operands go through shared memory; each thread keeps its part
// of the result in registers, and computes what follows on it there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TILEDPRODUCT_H
#define INGOT_CODEGEN_PTX_TILEDPRODUCT_H

#include "codegen/PTX/ProductTile.h"

namespace ingot::ptx {

/// 16 times 16 threads, each of which has strips of 4 rows and 4 columns.
class TiledProduct : public ProductTile {
public:
  static constexpr int64_t strip = 64; // of a block: 16 threads, 4 rows each

  /// `rowStrips` and `columnStrips` of a tile: 1 or 2.
  TiledProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
               int64_t rowStrips, int64_t columnStrips);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

private:
  /// A chunk of the sum, from `first` on, `length` long: an index or a constant
  /// where that is shorter than a whole chunk.
  mlir::SmallVector<mlir::Value>
  chunk(mlir::Value first, mlir::OpFoldResult length, mlir::ValueRange sums);
  void loadFactor(unsigned number, mlir::Value first,
                  mlir::OpFoldResult length);
  mlir::SmallVector<mlir::Value> step(mlir::Value k, mlir::ValueRange sums);
  mlir::Value rowAt(int64_t i);
  mlir::Value columnAt(int64_t j);

  int64_t rowStrips, columnStrips;
  mlir::Value rowThread, columnThread, thread;
  mlir::Value tiles[2]; // shared memory of the operands, as groups of 4
  mlir::Value words[2]; // the same, number by number
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TILEDPRODUCT_H
