//===- Plan.h - How products are cut into tiles -----------------*- C++ -*-===//
//
// Each element of a product is one chain of multiply-adds in the order of the
// sum, however the product is cut: plans differ in time, and in no bit.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PLAN_H
#define INGOT_CODEGEN_CPU_PLAN_H

#include "codegen/CPU/Target.h"

namespace ingot::cpu {

struct Plan {
  /// Rows of a register tile at the most, and the vectors of a row, unless
  /// other numbers divide the whole. Beyond a dozen rows nothing is gained, and
  /// code grows.
  int64_t tileRows = 12, tileVectors = 2;
  /// For about so many rows a panel is packed anew, where blocks of rows make
  /// the grid: they stay in a core's own caches while all panels pass.
  int64_t rowsOfBlock = 192;
  /// Of a block of patches.
  int64_t patchElements = Core::patchElements;
};

/// The first is taken where nobody has measured.
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
