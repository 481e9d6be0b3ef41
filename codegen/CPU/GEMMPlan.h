//===- GEMMPlan.h - How a GEMM is tiled, packed and blocked -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The decisions of TileGEMMs and BlockK, as functions of a GEMM's sizes, of a
// target's registers and of caches. They need no IR, so that tests can ask for
// the plans of machines that are not at hand.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_GEMMPLAN_H
#define INGOT_CODEGEN_CPU_GEMMPLAN_H

#include "codegen/CPU/CacheHierarchy.h"
#include "codegen/CPU/RegisterTile.h"

#include <optional>

namespace ingot::cpu {

/// A GEMM C [M, N] = A * B with an epilogue.
struct GEMMProblem {
  /// M, N and K. Assumed sizes stand for dynamic ones.
  int64_t rows, columns, depth;
  unsigned elementBits;
  bool hasDynamicRows = false, hasDynamicDepth = false;
  /// Whether A is stored as [K, M], and B as [N, K].
  bool isFirstTransposed = false, isSecondTransposed = false;
  /// Whether panels of pairs of bfloat16 may be packed, which halve the steps
  /// of K.
  bool mayPairFactors = false;
  /// Whether a loop around the GEMM is the kernel's grid.
  bool isInGrid = false;

  int64_t elementBytes() const { return (elementBits + 7) / 8; }
};

/// How a GEMM is divided into register tiles and into the iterations of a grid.
struct GEMMPlan {
  TileShape tile;
  /// Whether panels of B, as wide as a tile, are copied to contiguous memory.
  bool packs = false;
  /// The number of rows in a block of the grid, or 0 if the grid's iterations
  /// are single tiles or panels.
  int64_t rowsOfBlock = 0;
};

/// The maximum size of a packed panel of B, which is on the stack of each
/// thread that uses it.
inline constexpr int64_t maxPanelBytes = 1024 * 1024;

/// Plans a GEMM in tiles of the shape `tile`: whether panels of B are packed,
/// and whether blocks of about `rowsOfBlock` rows are the grid.
GEMMPlan planTiles(const GEMMProblem &gemm, TileShape tile,
                   const CacheHierarchy &caches, int64_t rowsOfBlock);

/// Returns the plan for the fastest tile, by an estimate, that `limits` allow.
GEMMPlan planGEMM(const GEMMProblem &gemm, const TileLimits &limits,
                  const CacheHierarchy &caches, int64_t rowsOfBlock);

/// How K is divided into blocks.
struct KBlocks {
  /// The rows and the columns of C that one iteration of the grid computes; 0
  /// means all of them. One of both is 0. The last iteration may have fewer.
  int64_t rows = 0, columns = 0;
  /// The steps of K in a block.
  int64_t depth = 0;
};

/// Returns how K is blocked, or std::nullopt if that would save no time.
std::optional<KBlocks> planKBlocks(const GEMMProblem &gemm,
                                   const TileLimits &limits,
                                   const CacheHierarchy &caches);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_GEMMPLAN_H
