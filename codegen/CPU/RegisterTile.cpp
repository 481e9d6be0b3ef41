//===- RegisterTile.cpp - Chooses the register tile of a GEMM -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/RegisterTile.h"

#include "codegen/CPU/TileAndFuse.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace ingot::cpu {

int64_t RegisterFile::maxRows(int64_t columns) const {
  int64_t vectors = llvm::divideCeil(columns, lanes);
  return std::min((registers - vectors - 2) / vectors, mostRows);
}

/// Estimates the cycles that one tile takes for a step of K, by the analytical
/// model of Low et al. (2016): two FMAs and two loads start in a cycle, and an
/// accumulator's next FMA starts four cycles after the one before.
static double cyclesOfTile(TileShape tile, RegisterFile file) {
  auto vectors = static_cast<double>(halvesOfRow(tile.columns, file.lanes)) / 2;
  auto rows = static_cast<double>(tile.rows);
  double cycles = std::max({rows * vectors / 2, (rows + vectors) / 2, 4.0});
  // Each accumulator that has no register is loaded and stored.
  double spilled =
      rows * vectors + vectors + 2 - static_cast<double>(file.registers);
  return cycles + std::max(spilled, 0.0);
}

/// Estimates the cycles of a step of K for a panel of `columns` columns.
static double cyclesOfPanel(int64_t rows, TileShape tile, RegisterFile file) {
  int64_t rest = rows % tile.rows;
  double whole =
      static_cast<double>(rows / tile.rows) * cyclesOfTile(tile, file);
  return rest == 0 ? whole : whole + cyclesOfTile({rest, tile.columns}, file);
}

double estimateCycles(TileShape gemm, TileShape tile, RegisterFile file) {
  int64_t rest = gemm.columns % tile.columns;
  double whole = static_cast<double>(gemm.columns / tile.columns) *
                 cyclesOfPanel(gemm.rows, tile, file);
  return rest == 0 ? whole
                   : whole + cyclesOfPanel(gemm.rows, {tile.rows, rest}, file);
}

TileShape findDividingTile(TileShape gemm, RegisterFile file) {
  int64_t width = std::min(gemm.columns, file.mostVectors * file.lanes);
  for (int64_t other = 3 * file.lanes;
       gemm.columns % width != 0 && other >= file.lanes;
       other -= file.lanes / 2)
    if (gemm.columns % other == 0)
      width = other;
  int64_t limit = std::min(file.maxRows(width), gemm.rows);
  return {evenRows(gemm.rows, limit).value_or(limit), width};
}

TileShape findFastestTile(TileShape gemm, RegisterFile file) {
  // Tiles at the borders are code of their own, which costs compile time. So
  // they must gain something. A divisor can be bad: of N = 1000, on AVX2, it is
  // 20, two and a half of three vectors, for which there are registers for only
  // three rows, and each FMA waits for the one before.
  constexpr double minGain = 1.08;
  TileShape best = findDividingTile(gemm, file);
  double fewest = estimateCycles(gemm, best, file) / minGain;
  int64_t maxVectors = std::max<int64_t>(file.mostVectors, 3);
  for (int64_t vectors = 1; vectors <= maxVectors; ++vectors) {
    int64_t columns = std::min(gemm.columns, vectors * file.lanes);
    int64_t limit = std::min(file.maxRows(columns), gemm.rows);
    for (int64_t rows = limit; 2 * rows > limit; --rows) {
      double cycles = estimateCycles(gemm, {rows, columns}, file);
      if (cycles < fewest) {
        best = {rows, columns};
        fewest = cycles;
      }
    }
  }
  return best;
}

} // namespace ingot::cpu
