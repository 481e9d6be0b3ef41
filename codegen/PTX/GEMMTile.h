//===- GEMMTile.h - A block's tile of a GEMM --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The mapping of blocks to tiles and batch elements, and the epilogue of each
// element. Derived classes compute the sums.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_GEMMTILE_H
#define INGOT_CODEGEN_PTX_GEMMTILE_H

#include "codegen/Backend.h"
#include "codegen/PTX/Product.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

class GEMMTile {
public:
  static constexpr int64_t threads = 256;

  /// `rows` and `columns`: of the tile.
  GEMMTile(mlir::ImplicitLocOpBuilder &builder, Product &product, int64_t rows,
           int64_t columns);

  /// The number of tiles. With a dynamic M it may exceed the tiles needed, by
  /// less than a row of tiles: such a block has no element in the result.
  codegen::Grid grid() const;

protected:
  /// Computes the first row and column and the batch indices of block `block`.
  void locate(mlir::Value block);

  mlir::Value at(int64_t index);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sizeOf(unsigned loop);
  mlir::Value isBelow(mlir::Value index, mlir::OpFoldResult bound);
  /// `body`'s value where `condition` holds, else `other`.
  mlir::Value guarded(mlir::Value condition, mlir::Value other,
                      llvm::function_ref<mlir::Value()> body);
  /// Indices of an element of factor 0 or 1: row or column `place`, step `k` of
  /// K.
  mlir::SmallVector<mlir::Value> indicesOf(unsigned factor, mlir::Value place,
                                           mlir::Value k);
  /// An element of a factor, or `width` neighbours of its last dimension, which
  /// canReadGroups allows.
  mlir::Value readFactor(unsigned number, mlir::Value place, mlir::Value k,
                         int64_t width = 1);
  bool canReadGroups(unsigned number, int64_t width) const;
  /// Whether K is the contiguous dimension of factor 0 or 1.
  bool isSumInner(unsigned factor) const;
  mlir::Value factor(unsigned number) const;
  mlir::Value isInResult(mlir::Value row, mlir::Value column);
  /// The initial value of an accumulator.
  mlir::Value start(mlir::Value row, mlir::Value column);
  /// Stores an element, and computes its epilogue.
  void finish(mlir::Value row, mlir::Value column, mlir::Value sum);
  void finishInside(mlir::Value row, mlir::Value column, mlir::Value sum);

  mlir::ImplicitLocOpBuilder &b;
  Product &product;
  int64_t rows, columns;
  mlir::Value firstRow, firstColumn;

  mlir::SmallVector<unsigned> loopsFromInside() const;

  mlir::SmallVector<mlir::Value> batch; // by loop; the others are null

private:
  mlir::SmallVector<mlir::Value> positionOf(mlir::Value row,
                                            mlir::Value column);
  mlir::SmallVector<mlir::Value>
  indicesOf(mlir::AffineMap map, mlir::ArrayRef<mlir::Value> position);
  int64_t tilesOf(unsigned loop) const;
  mlir::Value elementOf(mlir::OpOperand &operand,
                        mlir::ArrayRef<mlir::Value> position);
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_GEMMTILE_H
