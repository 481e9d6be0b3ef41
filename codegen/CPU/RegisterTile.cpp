//===- RegisterTile.cpp - Chooses the register tile of a GEMM -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/RegisterTile.h"

#include "codegen/CPU/TileAndFuse.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace ingot::cpu {

TileLimits TileLimits::of(VectorUnits units, unsigned elementBits,
                          int64_t mostRows, int64_t mostVectors, Cache l1) {
  // Operands in L2 and L3 slow loads of 512 bits down most: with the same
  // number of FMAs, tiles of 8 x 3 vectors take 8 % less time than tiles of
  // 12 x 2 (Granite Rapids). With AVX2, 4 x 3 vectors take as long as 6 x 2. On
  // units of 256 bits, FMAs leave as much time for loads as with AVX2: forward
  // GEMMs of an MLP take 5 to 7 % less time with 12 x 2 (Zen 4).
  constexpr unsigned wide = 512;
  return {units.bits / elementBits,
          units.registers,
          mostRows,
          mostVectors,
          units.bits >= wide && !units.areHalved ? 0.4 : 0.1,
          l1};
}

int64_t TileLimits::maxRows(int64_t columns) const {
  int64_t vectors = llvm::divideCeil(columns, lanes);
  int64_t rows = (registers - vectors - 2) / vectors;
  // A row of a transposed A is read from fewer cache lines by tiles of eight
  // than of nine rows.
  constexpr int64_t even = 8;
  return std::min(rows > even ? rows / 2 * 2 : rows, mostRows);
}

bool TileLimits::evictsRows(int64_t rows) const {
  return strideOfA != 0 && l1.evicts(rows, strideOfA);
}

/// Estimates the cycles that one tile takes for a step of K, as Low et al. do
/// (Analytical Modeling Is Enough for High-Performance BLIS, 2016). It is
/// assumed that two FMAs and two loads can start in each cycle, and that the
/// next FMA of the same accumulator can start after four cycles.
static double cyclesOfTile(TileShape tile, TileLimits limits) {
  auto vectors =
      static_cast<double>(halvesOfRow(tile.columns, limits.lanes)) / 2;
  auto rows = static_cast<double>(tile.rows);
  double cycles = std::max({rows * vectors / 2, (rows + vectors) / 2, 4.0});
  // An FMA that waits for a load delays its accumulator's chain, unless other
  // accumulators are ready: eight, which hide the latency, reach 88 % of the
  // peak, ten 95 %, and twelve 99 % (Granite Rapids, AVX2, operands in L1).
  constexpr double enough = 12, wait = 0.14;
  cycles += wait * std::max(enough - rows * vectors, 0.0);
  cycles += limits.cyclesOfLoad * (rows + vectors);
  // Each element of A then comes from L2: 256x2048x1000 in tiles of 12 x 32
  // takes a third longer than in tiles of 8 x 48 (Zen 4).
  constexpr double miss = 0.5;
  if (limits.evictsRows(tile.rows))
    cycles += miss * rows;
  // Accumulators that have no register are loaded and stored in each step of K,
  // which takes additional cycles.
  double spilled =
      rows * vectors + vectors + 2 - static_cast<double>(limits.registers);
  return cycles + std::max(spilled, 0.0);
}

/// Estimates the cycles that a step of K takes for a column of tiles that
/// covers `rows` rows of C. The last tile may have fewer rows than `tile`.
static double cyclesOfPanel(int64_t rows, TileShape tile, TileLimits limits) {
  int64_t rest = rows % tile.rows;
  double whole =
      static_cast<double>(rows / tile.rows) * cyclesOfTile(tile, limits);
  return rest == 0 ? whole : whole + cyclesOfTile({rest, tile.columns}, limits);
}

/// Estimates the cycles that a step of K takes for all tiles of `gemm`, with
/// the smaller tiles at its borders.
static double estimateCycles(TileShape gemm, TileShape tile,
                             TileLimits limits) {
  int64_t rest = gemm.columns % tile.columns;
  double whole = static_cast<double>(gemm.columns / tile.columns) *
                 cyclesOfPanel(gemm.rows, tile, limits);
  return rest == 0
             ? whole
             : whole + cyclesOfPanel(gemm.rows, {tile.rows, rest}, limits);
}

TileShape findDividingTile(TileShape gemm, TileLimits limits) {
  int64_t width = std::min(gemm.columns, limits.mostVectors * limits.lanes);
  for (int64_t other = 3 * limits.lanes;
       gemm.columns % width != 0 && other >= limits.lanes;
       other -= limits.lanes / 2)
    if (gemm.columns % other == 0)
      width = other;
  int64_t limit = std::min(limits.maxRows(width), gemm.rows);
  return {evenRows(gemm.rows, limit).value_or(limit), width};
}

double imbalanceOf(int64_t size, int64_t part) {
  int64_t whole = size / part, rest = size % part;
  double sum = 0;
  constexpr int64_t counts[] = {1, 2, 4};
  for (int64_t threads : counts) {
    int64_t longest = whole / threads * part;
    longest += whole % threads != 0 ? part : rest;
    if (threads == 1)
      longest = size;
    sum += static_cast<double>(longest * threads) / static_cast<double>(size);
  }
  return sum / std::size(counts);
}

TileShape findFastestTile(TileShape gemm, TileLimits limits,
                          llvm::function_ref<double(TileShape)> penalty) {
  // A tile that does not divide C needs smaller tiles at the borders. Their
  // code costs compile time, so a tile that does not divide C is chosen only if
  // it makes the GEMM faster by the factor `minGain`. It does where
  // findDividingTile() returns a slow tile. For N = 1000 on AVX2, for example,
  // findDividingTile() returns a tile of 20 columns (two and a half vectors),
  // for which only three rows fit into the registers: too few independent FMAs
  // to hide the latency of an FMA.
  constexpr double minGain = 1.02;
  auto estimate = [&](TileShape tile) {
    double cycles = estimateCycles(gemm, tile, limits);
    return penalty ? cycles * penalty(tile) : cycles;
  };
  TileShape best = findDividingTile(gemm, limits);
  double fewest = estimate(best) / minGain;
  int64_t maxVectors = std::max<int64_t>(limits.mostVectors, 3);
  // Tiles of one vector need a broadcast for each FMA, which is not worth an
  // even grid.
  int64_t vectors = gemm.columns > limits.lanes ? 2 : 1;
  for (; vectors <= maxVectors; ++vectors) {
    int64_t columns = std::min(gemm.columns, vectors * limits.lanes);
    int64_t limit = std::min(limits.maxRows(columns), gemm.rows);
    for (int64_t rows = limit; 2 * rows > limit; --rows) {
      double cycles = estimate({rows, columns});
      if (cycles < fewest) {
        best = {rows, columns};
        fewest = cycles;
      }
    }
  }
  return best;
}

double cyclesOfGEMM(TileShape gemm, TileLimits limits) {
  return estimateCycles(gemm, findFastestTile(gemm, limits), limits);
}

} // namespace ingot::cpu
