//===- GEMMTile.h - Register tiles of GEMMs as vectors ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_CPU_GEMMTILE_H
#define INGOT_CODEGEN_CPU_GEMMTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// Whether a GEMM on buffers, with one K loop or several, has operands in the
/// micro-kernel's order and is small enough to be unrolled into registers.
bool isGEMMTile(mlir::linalg::LinalgOp op);

/// Masked loads and stores of vectors of this size are as fast as full ones
/// (AVX-512).
inline constexpr unsigned bitsWithMasks = 512;

/// A vector in a row of the tile, and the number of its lanes that are in use.
struct Piece {
  int64_t column;
  mlir::VectorType type;
  int64_t used;

  bool isWhole() const { return used == type.getNumElements(); }

  /// Loads the piece at `place`; unused lanes are zero.
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                   mlir::ValueRange place) const;
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value to,
             mlir::ValueRange place) const;
};

/// Cuts a row of `columns` into full vectors, then into halves, quarters and so
/// on down to `least` lanes, or, with masks, into one masked vector.
llvm::SmallVector<Piece> piecesOf(int64_t columns, int64_t lanes,
                                  mlir::Type element, bool hasMasks,
                                  int64_t least = 1);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_GEMMTILE_H
