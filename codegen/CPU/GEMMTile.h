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

/// The smallest vector size, in bits, at which masked loads and stores are as
/// fast as full ones (AVX-512).
inline constexpr unsigned bitsWithMasks = 512;

/// A vector in a row of a register tile: the column of its first lane, its
/// type, and the number of its lanes that hold elements of the row. The other
/// lanes of a masked vector are not used.
struct RegisterTileVector {
  int64_t column;
  mlir::VectorType type;
  int64_t used;

  bool isWhole() const { return used == type.getNumElements(); }

  /// Load and store the vector whose first lane is at the indices `place` of
  /// the buffer. Lanes that are not in use are loaded as zeros, and are not
  /// stored.
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                   mlir::ValueRange place) const;
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value to,
             mlir::ValueRange place) const;
};

/// Divides a row of `columns` elements into full vectors of `lanes` lanes, and
/// its remainder into vectors of half as many lanes, a quarter and so on, down
/// to `least` lanes. With `hasMasks`, the remainder is one masked vector
/// instead.
llvm::SmallVector<RegisterTileVector> piecesOf(int64_t columns, int64_t lanes,
                                               mlir::Type element,
                                               bool hasMasks,
                                               int64_t least = 1);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_GEMMTILE_H
