//===- TiledGEMM.h - A GEMM tile on CUDA cores ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM tile in f32, without tensor cores. Tiles of both operands are staged
// in shared memory. Each thread keeps a register tile of the result, and
// computes the epilogue from there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TILEDGEMM_H
#define INGOT_CODEGEN_PTX_TILEDGEMM_H

#include "codegen/PTX/GEMMTile.h"

namespace ingot::ptx {

/// A block has 16 x 16 threads. A tile consists of strips of 64 rows, and of
/// strips of 64 columns; each thread computes 4 rows and 4 columns of each
/// strip.
class TiledGEMM : public GEMMTile {
public:
  static constexpr int64_t strip = 64; // 16 threads with 4 rows or columns each

  /// The tile has `rowStrips` strips of 64 rows and `columnStrips` strips of 64
  /// columns: 1 or 2 of each.
  TiledGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
            int64_t rowStrips, int64_t columnStrips);

  /// Emits the whole work of block `block` of the grid.
  void emit(mlir::Value block);

private:
  /// Emits a block of K, from step `first` on: loads it to shared memory and
  /// adds its products to `sums`. `length`, an index or a constant, is the
  /// number of steps.
  mlir::SmallVector<mlir::Value>
  chunk(mlir::Value first, mlir::OpFoldResult length, mlir::ValueRange sums);
  /// Loads a block of K of operand `number` to shared memory.
  void loadFactor(unsigned number, mlir::Value first,
                  mlir::OpFoldResult length);
  /// Adds the products of one step of K to the thread's sums.
  mlir::SmallVector<mlir::Value> step(mlir::Value k, mlir::ValueRange sums);
  /// Return the row in the result of the thread's row `i`, and the column in
  /// the result of its column `j`.
  mlir::Value rowAt(int64_t i);
  mlir::Value columnAt(int64_t j);

  int64_t rowStrips, columnStrips;
  mlir::Value rowThread, columnThread, thread;
  mlir::Value tiles[2]; // the operands' shared memory, as vectors of 4 elements
  mlir::Value words[2]; // the same memory, as single elements
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TILEDGEMM_H
