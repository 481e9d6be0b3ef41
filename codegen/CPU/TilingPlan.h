//===- TilingPlan.h - Tile sizes that autotuning chooses from ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each element of a GEMM is one chain of multiply-adds in the order of K,
// however the GEMM is tiled. So plans differ in the time that a kernel takes,
// and in no bit of its results.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_TILINGPLAN_H
#define INGOT_CODEGEN_CPU_TILINGPLAN_H

#include "codegen/CPU/CacheHierarchy.h"

namespace ingot::cpu {

/// The sizes with which a kernel's GEMMs are tiled. Autotuning chooses between
/// several plans.
struct TilingPlan {
  /// The shape of a register tile: the maximum number of rows, and the width in
  /// vectors. TileGEMMs may choose another shape, which divides M and N more
  /// evenly. A tile of 12 x 2 vectors has 24 accumulators, which fit into the
  /// 32 registers of AVX-512 and hide the latency of FMAs. More rows would gain
  /// no speed, and make the unrolled code longer.
  int64_t tileRows = 12, tileVectors = 2;
  /// The rows of A in a block of the grid, and the elements of a block of
  /// im2col, as a percentage of those that follow from the caches
  /// (CacheHierarchy.h).
  int64_t blockPercent = 100;
};

/// The plans that autotuning measures. The first one is used without
/// autotuning.
inline constexpr TilingPlan plans[] = {
    {},
    {.tileRows = 8},
    {.tileRows = 8, .tileVectors = 3},
    {.tileRows = 6, .tileVectors = 4},
    {.blockPercent = 50},
    {.blockPercent = 200},
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TILINGPLAN_H
