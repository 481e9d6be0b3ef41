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

#include "codegen/CPU/Target.h"

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
  /// The rows of a block of the grid (BLIS's mc). The rows of A stay in a
  /// core's own caches for the whole block, and each block packs every panel of
  /// B anew.
  int64_t rowsOfBlock = 192;
  /// The maximum number of elements of a block of im2col.
  int64_t patchElements = CPUTargetLimits::patchElements;
};

/// The plans that autotuning measures. The first one is used without
/// autotuning.
inline constexpr TilingPlan plans[] = {
    {},
    {.tileRows = 8},
    {.tileRows = 8, .tileVectors = 3},
    {.tileRows = 6, .tileVectors = 4},
    {.rowsOfBlock = 96, .patchElements = CPUTargetLimits::patchElements / 2},
    {.rowsOfBlock = 384, .patchElements = 2 * CPUTargetLimits::patchElements},
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_TILINGPLAN_H
