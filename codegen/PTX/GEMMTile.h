//===- GEMMTile.h - A block's tile of a GEMM --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The base class of GEMM tiles: the mapping of blocks to tiles and batch
// elements, the addresses of operands' elements, and the epilogue of each
// element. Derived classes compute the sums.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_GEMMTILE_H
#define INGOT_CODEGEN_PTX_GEMMTILE_H

#include "codegen/Backend.h"
#include "codegen/PTX/KernelGEMM.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Generates the code with which a block of threads computes a tile of a GEMM.
/// The operands are called factors: factor 0 is the one whose rows are rows of
/// the result (A), factor 1 the one whose columns are columns of it (B).
class GEMMTile {
public:
  static constexpr int64_t threads = 256; // threads of a block

  /// The tile has `rows` rows and `columns` columns of the result.
  GEMMTile(mlir::ImplicitLocOpBuilder &builder, KernelGEMM &product,
           int64_t rows, int64_t columns);

  /// Returns the grid of the kernel: one block for each tile of the result. If
  /// M is dynamic, the grid may have additional blocks, whose tiles are outside
  /// of the result. Their number is less than the product of the numbers of
  /// tiles along all other dimensions.
  codegen::Grid grid() const;

protected:
  /// Sets the first row, the first column and the batch indices of the tile
  /// that block `block` computes.
  void locate(mlir::Value block);

  mlir::Value at(int64_t index);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sizeOf(unsigned loop);
  /// Builds the unsigned comparison `index` < `bound`.
  mlir::Value isBelow(mlir::Value index, mlir::OpFoldResult bound);
  /// Builds a branch: returns the value of `body` if `condition` is true, else
  /// `other`.
  mlir::Value guarded(mlir::Value condition, mlir::Value other,
                      llvm::function_ref<mlir::Value()> body);
  /// Returns the indices of an element of a factor. `place` is its row (of
  /// factor 0) or its column (of factor 1), and `k` its index along K.
  mlir::SmallVector<mlir::Value> indicesOf(unsigned factor, mlir::Value place,
                                           mlir::Value k);
  /// Loads the element of factor `number` at `place` (its row or column) and
  /// step `k`. If `width` is greater than 1, loads that number of elements as
  /// one vector, along the last dimension of the buffer; canReadGroups() must
  /// be true.
  mlir::Value readFactor(unsigned number, mlir::Value place, mlir::Value k,
                         int64_t width = 1);
  /// Whether `width` neighbouring elements of operand `number` of the GEMM, A
  /// (0) or B (1), can be loaded by one aligned vector load.
  bool canReadGroups(unsigned number, int64_t width) const;
  /// Whether K is the contiguous dimension of factor 0 or 1.
  bool isKMajor(unsigned factor) const;
  /// Returns the kernel's buffer with factor `number` of the GEMM: A (0) or B
  /// (1).
  mlir::Value factor(unsigned number) const;
  mlir::Value isInResult(mlir::Value row, mlir::Value column);
  /// Loads the initial value of an accumulator from the result's buffer.
  mlir::Value start(mlir::Value row, mlir::Value column);
  /// Computes the epilogue of neighbouring elements of a row, which begin at
  /// `column`, and stores them together where that is possible. `column` is a
  /// multiple of their number. Those outside of the result are left out.
  void finish(mlir::Value row, mlir::Value column, mlir::ValueRange sums);
  /// Whether the epilogue reads other buffers than the GEMM's result.
  bool readsInEpilogue() const;

  mlir::ImplicitLocOpBuilder &b;
  KernelGEMM &product;
  int64_t rows, columns;
  mlir::Value firstRow, firstColumn;

  mlir::SmallVector<unsigned> loopsFromInside() const;

  /// The indices of the tile in the batch dimensions, indexed by loop. They are
  /// null for loops that are not batch dimensions.
  mlir::SmallVector<mlir::Value> batch;

private:
  mlir::SmallVector<mlir::Value> positionOf(mlir::Value row,
                                            mlir::Value column);
  mlir::SmallVector<mlir::Value>
  indicesOf(mlir::AffineMap map, mlir::ArrayRef<mlir::Value> position);
  bool canStoreLast() const;
  bool isAccessedInGroups(mlir::OpOperand &operand, int64_t width) const;
  mlir::SmallVector<mlir::Value> loadGroup(mlir::OpOperand &operand,
                                           mlir::Value row, mlir::Value column,
                                           int64_t width);
  void storeGroup(mlir::OpOperand &init, mlir::Value row, mlir::Value column,
                  mlir::ValueRange values);
  void finishInside(mlir::Value row, mlir::Value column, mlir::ValueRange sums);
  /// Clones the body of an op of the epilogue for one element, whose operands
  /// `mapping` has.
  void cloneBody(mlir::linalg::GenericOp op,
                 mlir::ArrayRef<mlir::Value> position,
                 mlir::IRMapping &mapping);
  int64_t tilesOf(unsigned loop) const;
  mlir::Value elementOf(mlir::OpOperand &operand,
                        mlir::ArrayRef<mlir::Value> position);
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_GEMMTILE_H
