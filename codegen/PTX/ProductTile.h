//===- ProductTile.h - What a block does with a product's tile --*- C++ -*-===//
//
// Which tile of which of a batch's products a block has, and what follows on
// each element of it; how the sums are taken derived classes say.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PRODUCTTILE_H
#define INGOT_CODEGEN_PTX_PRODUCTTILE_H

#include "codegen/Backend.h"
#include "codegen/PTX/Product.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

class ProductTile {
public:
  static constexpr int64_t threads = 256;

  /// The tile has so many rows and columns.
  ProductTile(mlir::ImplicitLocOpBuilder &builder, Product &product,
              int64_t rows, int64_t columns);

  /// The blocks that all tiles take. Where the number of rows is dynamic, there
  /// may be more than needed by less than a row of tiles: such a block finds no
  /// element of its own.
  codegen::Grid grid() const;

protected:
  /// Finds out where the tile of block `block` lies.
  void locate(mlir::Value block);

  mlir::Value at(int64_t index);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sizeOf(unsigned loop);
  mlir::Value isBelow(mlir::Value index, mlir::OpFoldResult bound);
  /// `body`'s value where `condition` holds, else `other`.
  mlir::Value guarded(mlir::Value condition, mlir::Value other,
                      llvm::function_ref<mlir::Value()> body);
  /// Indices of an element of factor 0 or 1: row or column `place`, and step
  /// `k` of the sum.
  mlir::SmallVector<mlir::Value> indicesOf(unsigned factor, mlir::Value place,
                                           mlir::Value k);
  /// An element of a factor, or `width` neighbours of its last dimension, which
  /// canReadGroups allows.
  mlir::Value readFactor(unsigned number, mlir::Value place, mlir::Value k,
                         int64_t width = 1);
  bool canReadGroups(unsigned number, int64_t width) const;
  /// Of what dimension of factor 0 or 1 neighbours lie side by side in memory:
  /// of the sum's.
  bool isSumInner(unsigned factor) const;
  mlir::Value factor(unsigned number) const;
  mlir::Value isInResult(mlir::Value row, mlir::Value column);
  /// What an element of the sum starts with.
  mlir::Value start(mlir::Value row, mlir::Value column);
  /// Stores an element, and computes all that follows on it.
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

#endif // INGOT_CODEGEN_PTX_PRODUCTTILE_H
