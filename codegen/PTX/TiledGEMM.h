//===- TiledGEMM.h - A GEMM tile on CUDA cores ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of both operands are staged in shared memory; each thread keeps a
// register tile of the result, and computes the epilogue there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TILEDGEMM_H
#define INGOT_CODEGEN_PTX_TILEDGEMM_H

#include "codegen/PTX/GEMMTile.h"

namespace ingot::ptx {

/// 16 x 16 threads, each with 4 rows and 4 columns of each strip.
class TiledGEMM : public GEMMTile {
public:
  static constexpr int64_t strip = 64; // of a block: 16 threads, 4 rows each

  /// `rowStrips` and `columnStrips` of a tile: 1 or 2.
  TiledGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
            int64_t rowStrips, int64_t columnStrips);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

private:
  /// A block of K, from `first` on, of `length` steps: an index or a constant
  /// where it is shorter than a whole block.
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

#endif // INGOT_CODEGEN_PTX_TILEDGEMM_H
