//===- GEMMPlanTest.cpp - Plans of GEMMs for eight chips ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Holds plans to what the literature asks of them (Goto and van de Geijn,
// Anatomy of High-Performance Matrix Multiplication, 2008; Low et al.,
// Analytical Modeling Is Enough for High-Performance BLIS, 2016), on the caches
// of eight chips as their vendors' manuals give them.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/GEMMPlan.h"
#include "codegen/CPU/TilingPlan.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ingot::cpu;

namespace {

struct Chip {
  const char *name;
  const char *caches; // as parseCaches() reads them
  VectorUnits units;
};

/// Names the chip in the output of tests.
void PrintTo(const Chip &chip, std::ostream *os) { *os << chip.name; }

constexpr Chip chips[] = {
    {"Haswell", "32K/8,256K/8,8M", {256, 16}},
    {"Skylake", "32K/8,256K/4,8M", {256, 16}},
    {"Zen 2", "32K/8,512K/8,16M", {256, 16}},
    {"Alder Lake", "48K/12,1280K/10,30M", {256, 16}},
    {"Skylake-SP", "32K/8,1M/16,19712K", {512, 32}},
    {"Ice Lake-SP", "48K/12,1280K/20,36M", {512, 32}},
    {"Sapphire Rapids", "48K/12,2M/16,60M", {512, 32}},
    {"Zen 4", "32K/8,1M/8,32M", {512, 32, /*areHalved=*/true}},
};

/// Sizes of dense layers, of their gradients, and of other GEMMs: M, N, K.
struct Sizes {
  int64_t rows, columns, depth;
};
constexpr Sizes sizes[] = {
    {512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
    {256, 1000, 2048},  {128, 512, 784},    {784, 512, 128},
    {32, 2048, 2048},   {64, 10, 512},      {4096, 64, 576},
    {100, 1000, 300},   {200, 80, 256},     {96, 20000, 128},
    {509, 509, 8192},   {64, 64, 32768},    {256, 320, 1280},
    {1000, 1000, 1000}, {7, 13, 29},        {2048, 256, 4096},
};

class GEMMPlans : public testing::TestWithParam<Chip> {
protected:
  CacheHierarchy caches = llvm::cantFail(parseCaches(GetParam().caches));

  TileLimits limits(unsigned elementBits, int64_t strideOfA = 0) const {
    TilingPlan plan;
    TileLimits limits =
        TileLimits::of(GetParam().units, elementBits, plan.tileRows,
                       plan.tileVectors, caches.l1);
    limits.strideOfA = strideOfA;
    return limits;
  }

  GEMMPlan plan(const GEMMProblem &gemm, int64_t strideOfA) const {
    return planGEMM(gemm, limits(gemm.elementBits, strideOfA), caches,
                    caches.rowsOfBlock());
  }

  /// Calls `check` with all sizes, in f32 and f64, with and without a
  /// transposed B.
  template <typename Check> static void forAll(Check check) {
    for (const Sizes &size : sizes)
      for (unsigned bits : {32, 64})
        for (bool isTransposed : {false, true}) {
          GEMMProblem gemm = {size.rows, size.columns, size.depth, bits};
          gemm.isSecondTransposed = isTransposed;
          SCOPED_TRACE(testing::Message()
                       << size.rows << "x" << size.columns << "x" << size.depth
                       << (isTransposed ? " NT f" : " NN f") << bits);
          check(gemm);
        }
  }
};

TEST_P(GEMMPlans, AccumulatorsHaveRegisters) {
  forAll([&](const GEMMProblem &gemm) {
    TileShape tile = plan(gemm, gemm.depth * gemm.elementBytes()).tile;
    int64_t lanes = GetParam().units.bits / gemm.elementBits;
    int64_t vectors = (tile.columns + lanes - 1) / lanes;
    EXPECT_GE(tile.rows, 1);
    EXPECT_GE(tile.columns, 1);
    EXPECT_LE(tile.rows * vectors + vectors + 2, GetParam().units.registers);
  });
}

TEST_P(GEMMPlans, LargeTilesHideTheLatencyOfFMAs) {
  // Two units of four cycles: at least eight independent sums.
  for (int64_t size : {512, 1024, 1000, 2048}) {
    TileShape tile = plan({size, size, size, 32}, size * 4).tile;
    EXPECT_GE(tile.rows * tile.columns, 8 * GetParam().units.bits / 32) << size;
  }
}

TEST_P(GEMMPlans, RowsOfADoNotEvictEachOther) {
  for (int64_t stride : {4096, 8192, 65536}) {
    int64_t depth = stride / 4;
    TileShape tile = plan({1024, 1024, depth, 32}, stride).tile;
    EXPECT_LE(tile.rows, caches.l1.ways) << "rows of " << stride << " bytes";
  }
}

TEST_P(GEMMPlans, ABlockOfAAndAPanelOfBStayInL2) {
  // Beyond a K of 1,024, blocks would have to be so low that packing panels for
  // each would take longer than what L2 saves.
  for (int64_t depth : {300, 512, 1024}) {
    int64_t rows = caches.rowsOfBlock();
    GEMMPlan found = plan({32 * rows, 256, depth, 32}, depth * 4);
    EXPECT_TRUE(found.packs);
    EXPECT_GT(found.rowsOfBlock, 0);
    EXPECT_EQ(found.rowsOfBlock % found.tile.rows, 0);
    EXPECT_LE((found.rowsOfBlock + found.tile.columns) * depth * 4,
              caches.l2.bytes)
        << depth;
  }
}

TEST_P(GEMMPlans, PackedPanelsFitOnAStack) {
  forAll([&](const GEMMProblem &gemm) {
    GEMMPlan found = plan(gemm, gemm.depth * gemm.elementBytes());
    if (found.packs && !gemm.isSecondTransposed)
      EXPECT_LE(gemm.depth * found.tile.columns * gemm.elementBytes(),
                maxPanelBytes);
  });
}

TEST_P(GEMMPlans, WhatIsReadInPlaceStaysInCache) {
  forAll([&](const GEMMProblem &gemm) {
    if (gemm.isSecondTransposed)
      return;
    GEMMPlan found = plan(gemm, gemm.depth * gemm.elementBytes());
    int64_t bytes = gemm.columns * gemm.depth * gemm.elementBytes();
    bool isRead = gemm.rows > found.tile.rows; // by more than one row of tiles
    if (bytes <= caches.inPlaceBytes())
      EXPECT_FALSE(found.packs) << "packing what L2 holds";
    else if (bytes > caches.sharedBytes() && isRead &&
             gemm.columns > found.tile.columns &&
             gemm.depth * found.tile.columns * gemm.elementBytes() <=
                 maxPanelBytes)
      EXPECT_TRUE(found.packs) << "reading memory again and again";
  });
}

TEST_P(GEMMPlans, BlocksOfKStayInL2) {
  forAll([&](GEMMProblem gemm) {
    gemm.isFirstTransposed = true;
    auto blocks = planKBlocks(gemm, limits(gemm.elementBits), caches);
    if (!blocks)
      return;
    EXPECT_NE(blocks->rows == 0, blocks->columns == 0);
    EXPECT_LT(blocks->depth, gemm.depth);
    int64_t rows = blocks->rows != 0 ? blocks->rows : gemm.rows;
    int64_t columns = blocks->columns != 0 ? blocks->columns : gemm.columns;
    int64_t bytes = (rows + columns) * blocks->depth * gemm.elementBytes();
    // This block, and the next one that is being prefetched; 128 steps are the
    // least that pay for loading and storing C.
    EXPECT_TRUE(2 * bytes <= caches.l2.bytes || blocks->depth <= 128)
        << rows << "x" << columns << " by " << blocks->depth;
  });
}

TEST_P(GEMMPlans, AMatrixThatFewRowsReadOnceIsNotPacked) {
  for (int64_t rows : {1, 7, 16}) {
    GEMMProblem gemm = {rows, 2708, 2708, 32};
    auto blocks = planKBlocks(gemm, limits(32), caches);
    ASSERT_TRUE(blocks) << rows;
    EXPECT_EQ(blocks->rows, 0);
    // Each step of K reads another page, and a TLB has few entries.
    EXPECT_LT(blocks->depth, 128);
    EXPECT_LE(2 * blocks->depth * blocks->columns * 4, caches.l2.bytes);
  }
}

TEST_P(GEMMPlans, RowsThatEvictEachOtherFromL2AreNotReadInPlace) {
  for (int64_t columns : {1024, 2048, 4096, 8192}) {
    // 128 steps of K: two blocks.
    bool evicts = caches.l2.evicts(128, columns * 4);
    GEMMProblem gemm = {16, columns, 2048, 32};
    EXPECT_NE(evicts, planKBlocks(gemm, limits(32), caches).has_value())
        << columns;
  }
}

TEST_P(GEMMPlans, OnlyFastL2GivesManyTilesRowsThatL1Evicts) {
  GEMMProblem gemm = {32, 2048, 2048, 32};
  bool isInPlace = planKBlocks(gemm, limits(32), caches).has_value();
  bool staysInL2 = !caches.l2.evicts(128, gemm.columns * 4);
  EXPECT_EQ(isInPlace, staysInL2 && caches.l1.bytes >= 48 * 1024);
}

TEST_P(GEMMPlans, BlocksGrowWithL2) {
  CacheHierarchy larger = caches;
  larger.l2.bytes *= 2;
  larger.lastLevelBytes = std::max(larger.lastLevelBytes, larger.l2.bytes);
  EXPECT_GE(larger.rowsOfBlock(), caches.rowsOfBlock());
  EXPECT_GE(larger.patchElements(), caches.patchElements());
  // Kernels have a block of patches on their stacks.
  EXPECT_LE(larger.patchElements() * 4, 512 * 1024);
  auto blocks = [&](const CacheHierarchy &by) {
    GEMMProblem gemm = {64, 128, 32768, 32};
    gemm.isFirstTransposed = true;
    auto found = planKBlocks(gemm, limits(32), by);
    return found ? found->depth : 0;
  };
  EXPECT_GT(blocks(caches), 0);
  EXPECT_GE(blocks(larger), blocks(caches));
}

TEST(GEMMPlanOfAVX2, HasTheTileOfBLIS) {
  // bli_cntx_init_haswell(): mr = 6, nr = 16 for sgemm.
  for (const Chip &chip : chips) {
    if (chip.units.bits != 256)
      continue;
    CacheHierarchy caches = llvm::cantFail(parseCaches(chip.caches));
    TilingPlan plan;
    TileLimits limits = TileLimits::of(chip.units, 32, plan.tileRows,
                                       plan.tileVectors, caches.l1);
    TileShape tile =
        planGEMM({1024, 1024, 1000, 32}, limits, caches, caches.rowsOfBlock())
            .tile;
    EXPECT_EQ(tile.rows, 6) << chip.name;
    EXPECT_EQ(tile.columns, 16) << chip.name;
  }
}

TEST(GEMMPlanOf512Bits, FollowsFromTheWidthOfUnits) {
  // With units of 512 bits, tiles of three vectors load less for as many FMAs;
  // halves leave time for loads, and two vectors are a pair of cache lines.
  CacheHierarchy caches;
  TilingPlan plan;
  auto columns = [&](bool areHalved) {
    TileLimits limits = TileLimits::of({512, 32, areHalved}, 32, plan.tileRows,
                                       plan.tileVectors, caches.l1);
    return planGEMM({128, 512, 784, 32}, limits, caches, caches.rowsOfBlock())
        .tile.columns;
  };
  EXPECT_EQ(columns(false), 48);
  EXPECT_EQ(columns(true), 32);
}

INSTANTIATE_TEST_SUITE_P(Chips, GEMMPlans, testing::ValuesIn(chips),
                         [](const testing::TestParamInfo<Chip> &info) {
                           std::string name;
                           for (char c : std::string(info.param.name))
                             if (isalnum(c))
                               name += c;
                           return name;
                         });

} // namespace
