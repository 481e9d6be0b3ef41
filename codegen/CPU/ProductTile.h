//===- ProductTile.h - Tiles of products, as vectors have them --*- C++ -*-===//
#ifndef INGOT_CODEGEN_CPU_PRODUCTTILE_H
#define INGOT_CODEGEN_CPU_PRODUCTTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// Whether a product on buffers, over one dimension or several, has the form
/// that the lowering writes, small enough to be unrolled into registers.
bool isProductTile(mlir::linalg::LinalgOp op);

/// Vectors of this size load and store some of their elements as fast as all
/// (AVX-512).
inline constexpr unsigned bitsWithMasks = 512;

/// A vector's place in a row of the tile, and how many of its elements are in
/// that row.
struct Piece {
  int64_t column;
  mlir::VectorType type;
  int64_t used;

  bool isWhole() const { return used == type.getNumElements(); }

  /// The part of a row at `place`: zero, where the piece has more elements.
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                   mlir::ValueRange place) const;
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value to,
             mlir::ValueRange place) const;
};

/// A row of `columns` as whole vectors, then halves, quarters and so on down to
/// `least` lanes; where that would be several, and vectors can be loaded in
/// part, as one that is not used up.
llvm::SmallVector<Piece> piecesOf(int64_t columns, int64_t lanes,
                                  mlir::Type element, bool hasMasks,
                                  int64_t least = 1);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PRODUCTTILE_H
