//===- PairedFactors.h - Products of pairs of bfloat16 ----------*- C++ -*-===//
//
// vdpbf16ps adds to a sum of f32 the products of two neighbouring steps, with
// two fused multiply-adds, first of the upper and then of the lower halves of
// 32 bits. So factors that are bfloat16 in f32 are packed in pairs, the earlier
// step in the upper half, and a sum has the bits that it has without: where
// numbers too small are flushed to zero, as they are in every thread of ours.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PAIREDFACTORS_H
#define INGOT_CODEGEN_CPU_PAIREDFACTORS_H

#include "codegen/CPU/FetchAhead.h"
#include "codegen/CPU/ProductTile.h"

#include "llvm/ADT/DenseMap.h"

namespace ingot::cpu {

/// Whether tiles of a product may be computed on pairs, as far as its form on
/// tensors or buffers says.
bool mayPairFactors(mlir::linalg::LinalgOp product);

/// Instructions for vectors of fewer numbers there are none.
inline constexpr int64_t minPairLanes = 4;

/// A product's second operand in pairs: row i has steps 2 * i and 2 * i + 1 of
/// the innermost sum, for one index of the outer ones after the other. Where a
/// sum has an odd number of steps, the last one's partner is -0, which is
/// multiplied by 0 and so changes no number.
struct PairedPanel {
  mlir::Value pairs;
  mlir::Value column; // of the panel, where the tile begins; null: 0
  std::optional<FetchAhead> ahead; // made while the packing was to be seen
};

/// Packs second operands of tiles in pairs, each in front of the loops that use
/// it, where there are some.
llvm::DenseMap<mlir::Operation *, PairedPanel>
packPairs(llvm::ArrayRef<mlir::linalg::LinalgOp> products);

/// A stretch of the first operand's sum, of all rows of the tile, in pairs.
class PairedRows {
public:
  /// `isTransposed`: its rows are those of the sum.
  PairedRows(mlir::linalg::LinalgOp product, bool isTransposed);

  /// Steps of a stretch, which divide the innermost of the product's sums, and
  /// its pairs.
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

/// What the instruction is called by LLVM, behind which the bits of its vectors
/// stand.
inline constexpr llvm::StringLiteral addPairsPrefix =
    "llvm.x86.avx512bf16.dpbf16ps.";

/// `sum` and the two products of each lane, added in their order. Its
/// pairs are of f32 until `ingot-cpu-type-pairs`.
mlir::Value addPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                     mlir::Value first, mlir::Value second);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PAIREDFACTORS_H
