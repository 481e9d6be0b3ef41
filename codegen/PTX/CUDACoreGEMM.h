//===- CUDACoreGEMM.h - A GEMM tile on CUDA cores ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM tile in f32, without tensor cores. Tiles of both operands are double
// buffered in shared memory. Each thread keeps a register tile of the result,
// and computes the epilogue from there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_CUDACOREGEMM_H
#define INGOT_CODEGEN_PTX_CUDACOREGEMM_H

#include "codegen/PTX/GEMMTile.h"

namespace ingot::ptx {

/// Generates the code of a block of 16 x 16 threads. The rows (and columns) of
/// the tile are divided into strips of 16 groups of neighbouring rows
/// (columns), one group for each of 16 threads. So a thread computes one group
/// of rows in each strip of rows, and one group of columns in each strip of
/// columns.
class CUDACoreGEMM : public GEMMTile {
public:
  /// The tile has 32, 64 or 128 rows, and 32, 64 or 128 columns.
  CUDACoreGEMM(mlir::ImplicitLocOpBuilder &builder, KernelGEMM &product,
               int64_t rows, int64_t columns);

  /// Emits the whole work of block `block` of the grid.
  void emit(mlir::Value block);

private:
  /// The layout of an operand in shared memory, and the elements of the operand
  /// that one thread loads.
  struct OperandLayout {
    int64_t width; // rows or columns of the tile
    int64_t group; // neighbours that a thread reads at once from shared memory
    bool isKMajor; // whether global memory is K-major
    int64_t perLoad; // elements that a thread loads at once: a group, or one
    int64_t loads;   // loads of a thread for one stage
  };
  OperandLayout layoutOf(unsigned number) const;
  /// Loads the thread's elements of both operands for the stage that begins at
  /// step `first` of K.
  mlir::SmallVector<mlir::Value> load(mlir::Value first);
  mlir::Value loadOne(unsigned number, int64_t i, mlir::Value first);
  /// Stores the elements `loaded`, the result of load(), to the stage that
  /// begins at row `stage` of shared memory.
  void store(mlir::ValueRange loaded, mlir::Value stage);
  void storeOne(unsigned number, int64_t i, mlir::Value loaded,
                mlir::Value stage);
  /// Returns where in a stage the first element of the thread's load `i` of
  /// operand `number` is: its step of K in the stage, and its row or column in
  /// the tile.
  std::pair<mlir::Value, mlir::Value> placeOf(unsigned number, int64_t i);
  /// Adds the products of the first `length` steps of a stage to the thread's
  /// accumulators.
  mlir::SmallVector<mlir::Value>
  multiply(mlir::Value stage, mlir::OpFoldResult length, mlir::ValueRange sums);
  /// Adds the products of the step at row `line` of shared memory to the
  /// thread's accumulators.
  mlir::SmallVector<mlir::Value> step(mlir::Value line, mlir::ValueRange sums);
  /// Returns the index in the result of the thread's `i`-th row (for operand 0)
  /// or column (for operand 1).
  mlir::Value placeAt(unsigned number, int64_t i);
  /// Returns the number of rows (for operand 0) or columns (for operand 1) that
  /// a thread computes.
  int64_t sumsOf(unsigned number) const;

  OperandLayout layouts[2];
  mlir::Value thread;
  mlir::Value sides[2]; // the thread's row and column in the square of threads
  mlir::Value tiles[2]; // the operands' shared memory, as vectors of a group
  mlir::Value words[2]; // the same memory, as single elements
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_CUDACOREGEMM_H
