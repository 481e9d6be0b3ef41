//===- GEMMTile.h - Register tiles of GEMMs as vectors ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tells which GEMMs are register tiles, and divides the rows of a tile into
// vectors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_GEMMTILE_H
#define INGOT_CODEGEN_CPU_GEMMTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// Whether the op is a register tile: a GEMM on buffers with one or several K
/// loops. Its operands have the layouts that the micro-kernel reads, and it has
/// at most 16 rows and 64 columns, so that it can be unrolled.
bool isGEMMTile(mlir::linalg::LinalgOp op);

/// How the end of a row becomes vectors.
enum class RowEnd {
  /// Vectors of half as many lanes, a quarter and so on.
  Halves,
  /// One vector that is loaded with a mask and stored in parts, if it replaces
  /// several vectors: for AVX2, whose masked stores are slow.
  MaskedLoads,
  /// One masked vector.
  Masked
};

/// Returns how a micro-kernel for vectors of `vectorBits` bits divides the end
/// of a row whose elements have `elementBits` bits.
RowEnd rowEndOf(unsigned vectorBits, unsigned elementBits);

/// A vector in a row of a register tile: the column of its first lane, its
/// type, and the number of its lanes that hold elements of the row. The other
/// lanes of a masked vector are not used.
struct RegisterTileVector {
  int64_t column;
  mlir::VectorType type;
  int64_t used;
  RowEnd end = RowEnd::Masked;

  bool isWhole() const { return used == type.getNumElements(); }

  /// Load and store the vector whose first lane is at the indices `place` of
  /// the buffer. Lanes that are not in use are loaded as zeros, and are not
  /// stored.
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                   mlir::ValueRange place) const;
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value to,
             mlir::ValueRange place) const;

private:
  void storeParts(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                  mlir::Value to, mlir::ValueRange place) const;
};

/// Divides a row of `columns` elements into full vectors of `lanes` lanes, and
/// its end as `end` says, into vectors of at least `least` lanes.
llvm::SmallVector<RegisterTileVector> piecesOf(int64_t columns, int64_t lanes,
                                               mlir::Type element, RowEnd end,
                                               int64_t least = 1);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_GEMMTILE_H
