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

#include "codegen/CPU/CacheHierarchy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace ingot::cpu {

/// The size of C or of a register tile of C.
struct TileShape {
  int64_t rows = 0, columns = 0;

  bool operator==(const TileShape &) const = default;
};

/// A target's vectors.
struct VectorUnits {
  unsigned bits;     // of a register
  int64_t registers; // their number
  /// Whether units compute a vector as two halves, one after the other.
  bool areHalved = false;
};

/// The vector registers of a target, and the size of the largest register tile
/// that the TilingPlan allows.
struct TileLimits {
  int64_t lanes;     // elements of a vector
  int64_t registers; // number of vector registers
  int64_t mostRows, mostVectors;
  /// The cycles that each load of an operand adds to a step of K, on average,
  /// while operands come from L2 and L3.
  double cyclesOfLoad = 0;
  Cache l1;
  /// The distance of A's rows in bytes, if tiles read them in place, else 0.
  int64_t strideOfA = 0;

  /// Returns the limits for elements of `elementBits` bits.
  static TileLimits of(VectorUnits units, unsigned elementBits,
                       int64_t mostRows, int64_t mostVectors, Cache l1);

  /// Returns the maximum number of rows, at most `mostRows`, that a tile of
  /// `columns` columns can have without spilling registers. If a row of the
  /// tile has v vectors, rows * v registers are accumulators, v registers hold
  /// a row of B, and two hold broadcast elements of A.
  int64_t maxRows(int64_t columns) const;

  /// Whether the cache lines of A that a tile of `rows` rows reads in one step
  /// of K evict each other from L1, as `strideOfA` is a multiple of a large
  /// power of two. Each line is used in 16 consecutive steps.
  bool evictsRows(int64_t rows) const;
};

/// Returns a tile that divides `gemm`, if possible. Its width is `mostVectors`
/// vectors, or N if that is less. If this width does not divide N, the widths
/// 3, 2.5, 2, 1.5 and 1 vectors are tried in this order. Its height is a
/// divisor of M that is more than half of the largest height, min(maxRows(),
/// M). If M has no such divisor, the height is the largest height, which does
/// not divide M.
TileShape findDividingTile(TileShape gemm, TileLimits limits);

/// Returns the tile of findDividingTile(), unless a tile that does not divide
/// `gemm` is estimated to be faster, including the smaller tiles that it needs
/// at the borders. The estimate is multiplied by what `penalty`, if given,
/// returns for the tile.
TileShape
findFastestTile(TileShape gemm, TileLimits limits,
                llvm::function_ref<double(TileShape)> penalty = nullptr);

/// Estimates how much longer a grid over parts of `size` that have `part`
/// elements, the last one what remains, takes than if threads divided it
/// evenly: the mean for one, two and four threads.
double imbalanceOf(int64_t size, int64_t part);

/// Returns an estimate of the cycles that a step of K takes for all tiles of
/// `gemm` of the shape of findFastestTile().
double cyclesOfGEMM(TileShape gemm, TileLimits limits);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_REGISTERTILE_H
