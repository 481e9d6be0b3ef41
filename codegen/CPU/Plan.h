//===- Plan.h - Tile sizes that autotuning chooses from ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each element of a GEMM is one chain of multiply-adds in the order of K,
// however the GEMM is tiled: plans differ in time, and in no bit.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PLAN_H
#define INGOT_CODEGEN_CPU_PLAN_H

#include "codegen/CPU/Target.h"

namespace ingot::cpu {

struct Plan {
  /// The most rows of a register tile, and the vectors of a row, unless other
  /// numbers divide M and N. 12 x 2 accumulators use 24 of 32 registers and
  /// hide the latency of FMAs; more rows gain nothing, and code grows.
  int64_t tileRows = 12, tileVectors = 2;
  /// Rows of a block of the grid (BLIS's mc), for which each panel of B is
  /// packed anew: rows of A that stay in a core's own caches meanwhile.
  int64_t rowsOfBlock = 192;
  /// The most elements of a block of im2col.
  int64_t patchElements = Core::patchElements;
};

/// The first is the default without autotuning.
inline constexpr Plan plans[] = {
    {},
    {.tileRows = 8},
    {.tileRows = 8, .tileVectors = 3},
    {.tileRows = 6, .tileVectors = 4},
    {.rowsOfBlock = 96, .patchElements = Core::patchElements / 2},
    {.rowsOfBlock = 384, .patchElements = 2 * Core::patchElements},
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PLAN_H
