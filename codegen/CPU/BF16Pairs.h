//===- BF16Pairs.h - GEMMs on pairs of bfloat16 -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// VDPBF16PS adds the products of two steps of K to an f32 accumulator, by two
// fused multiply-adds: first of the upper, then of the lower halves of 32 bits.
// So operands that hold bfloat16 values in f32 are packed in pairs, the earlier
// step in the upper half, and a sum has the same bits as with f32 FMAs. The
// instruction flushes denormals to zero, as every thread of the runtime does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_BF16PAIRS_H
#define INGOT_CODEGEN_CPU_BF16PAIRS_H

#include "codegen/CPU/GEMMTile.h"
#include "codegen/CPU/PanelPrefetch.h"

#include "llvm/ADT/DenseMap.h"

namespace ingot::cpu {

/// Whether tiles of a GEMM may be computed on pairs, as far as its form on
/// tensors or buffers tells.
bool mayPairFactors(mlir::linalg::LinalgOp product);

/// VDPBF16PS has vectors of at least this many f32.
inline constexpr int64_t minPairLanes = 4;

/// A GEMM's second operand in pairs: row i has steps 2 * i and 2 * i + 1 of the
/// innermost K loop, for each index of the outer ones in turn. If the number of
/// steps is odd, the last one's partner is -0, which is multiplied by 0: adding
/// -0 changes no number.
struct PairedPanel {
  mlir::Value pairs;
  mlir::Value column; // of the panel, where the tile begins; null: 0
  std::optional<PanelPrefetch> ahead; // built before packing hides the source
};

/// Packs the second operands of tiles in pairs, each before the outermost loop
/// whose tiles share it; operands without such a loop are left alone.
llvm::DenseMap<mlir::Operation *, PairedPanel>
packPairs(llvm::ArrayRef<mlir::linalg::LinalgOp> products);

/// A stretch of K of the first operand, of all rows of the tile, in pairs.
class PairedRows {
public:
  /// `isTransposed`: the operand is [K, rows].
  PairedRows(mlir::linalg::LinalgOp product, bool isTransposed);

  /// The steps of a stretch, which divide the innermost K loop, and its pairs.
  int64_t size() const { return steps; }
  int64_t numPairs() const { return (steps + 1) / 2; }

  /// Packs the stretch from `place` on.
  void pack(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange place) const;

  /// Pair number `index` of the stretch.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, int64_t row,
                 mlir::Value index) const;

private:
  void packRows(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange place) const;
  void packLast(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange place) const;
  void packColumns(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange place) const;

  mlir::Value first, buffer;
  bool isTransposed;
  int64_t rows, steps;
};

/// LLVM's name of the intrinsic, to which the bits of its vectors are appended.
inline constexpr llvm::StringLiteral addPairsPrefix =
    "llvm.x86.avx512bf16.dpbf16ps.";

/// Adds the two products of each lane to `sum`, in order. Pairs have the type
/// f32 until `ingot-cpu-bitcast-bf16-pairs`.
mlir::Value addPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                     mlir::Value first, mlir::Value second);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_BF16PAIRS_H
