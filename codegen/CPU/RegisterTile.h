//===- RegisterTile.h - Chooses the register tile of a GEMM -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel of a GEMM keeps a tile of C in registers. Its shape decides
// whether FMAs, loads or the latency of FMAs limit the micro-kernel, and how
// much slower the smaller tiles at the borders of C are. No shape changes a bit
// of C.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_REGISTERTILE_H
#define INGOT_CODEGEN_CPU_REGISTERTILE_H

#include <cstdint>

namespace ingot::cpu {

/// The size of C or of a register tile of C.
struct TileShape {
  int64_t rows = 0, columns = 0;
};

/// The vector registers of a target, and the largest tiles that a plan permits.
struct TileLimits {
  int64_t lanes;     // elements of a vector
  int64_t registers; // number of vector registers
  int64_t mostRows, mostVectors;

  /// Returns the most rows of a tile of `columns` columns, at most `mostRows`,
  /// for which registers remain for a row of B and the broadcasts of A: rows *
  /// vectors accumulators + vectors + 2 registers.
  int64_t maxRows(int64_t columns) const;
};

/// Returns a tile that divides `gemm`, if possible. Its width is `mostVectors`
/// vectors if these divide N, otherwise the largest multiple of half a vector
/// that divides N and is at most three vectors. Its height is a divisor of M
/// that is more than half of maxRows(), or else maxRows().
TileShape findDividingTile(TileShape gemm, TileLimits limits);

/// Returns the tile of findDividingTile(), unless another one, with smaller
/// tiles at the borders, is estimated to be clearly faster.
TileShape findFastestTile(TileShape gemm, TileLimits limits);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_REGISTERTILE_H
