//===- BF16Pairs.h - GEMMs on pairs of bfloat16 -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// VDPBF16PS adds the products of two steps of K to an f32 accumulator, by two
// fused multiply-adds: first of the upper, then of the lower halves of the
// 32-bit lanes. So f32 operands whose values are all representable in bfloat16
// are packed in pairs, with the earlier step in the upper half; each sum then
// has the same bits as with f32 FMAs. The instruction flushes denormals to
// zero. The runtime sets flush-to-zero on all its threads, so f32 FMAs do so,
// too.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_BF16PAIRS_H
#define INGOT_CODEGEN_CPU_BF16PAIRS_H

#include "codegen/CPU/CacheHierarchy.h"
#include "codegen/CPU/GEMMTile.h"
#include "codegen/CPU/PanelPrefetch.h"

#include "llvm/ADT/DenseMap.h"

namespace ingot::cpu {

/// Whether a GEMM, on tensors or on buffers, may be computed on pairs of
/// bfloat16: both operands have bfloat16 values (in f32), and the innermost K
/// loop is static. `packPairs` then checks whether the operands can be packed.
bool mayPairFactors(mlir::linalg::LinalgOp product);

/// The fewest f32 lanes that a vector of VDPBF16PS has (128 bits).
inline constexpr int64_t minPairLanes = 4;

/// A GEMM's second operand (B), packed in pairs for VDPBF16PS. For each index
/// of the outer K loops, in order, it has one row for each two steps of the
/// innermost K loop: row i has the pairs of the steps 2 * i and 2 * i + 1. If
/// the number of steps is odd, the last step of B is paired with -0, and that
/// of A with 0. Their product, -0, changes no sum to which it is added.
struct PackedBF16PairsB {
  mlir::Value pairs;
  mlir::Value column; // the first column of the tile in `pairs`; null: 0
  /// The prefetches in the tile's K loop. They are derived from the source of
  /// the copy to the unpacked panel, and packing in pairs may erase that copy.
  /// So they are built before the operand is packed in pairs.
  std::optional<PanelPrefetch> ahead;
};

/// Packs the second operands of the tiles `products` in pairs, each before the
/// outermost loop whose tiles share the operand. Returns the packed panel of
/// each tile; a tile whose operand cannot be packed has no entry.
llvm::DenseMap<mlir::Operation *, PackedBF16PairsB>
packPairs(llvm::ArrayRef<mlir::linalg::LinalgOp> products,
          const CacheHierarchy &caches);

/// The first operand (A) of a GEMM tile, packed in pairs for VDPBF16PS. The
/// loop over K is divided into blocks of consecutive steps. The elements of all
/// rows for one block are packed right before they are multiplied.
class PackedBF16PairsA {
public:
  /// Allocates the buffer of pairs. `isTransposed` says that the operand is
  /// stored as [K, rows].
  PackedBF16PairsA(mlir::linalg::LinalgOp product, bool isTransposed);

  /// size() returns the number of elements along K in a block, which divides
  /// the trip count of the innermost K loop. numPairs() returns the number of
  /// bf16 pairs that each row has in a block.
  int64_t size() const { return steps; }
  int64_t numPairs() const { return (steps + 1) / 2; }

  /// Packs the block whose first step has the indices `place` in the K loops.
  void pack(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange place) const;

  /// Loads the pair with index `index` of row `row` in the packed block.
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

/// The name of LLVM's intrinsic for VDPBF16PS without its last part, the number
/// of bits of the vectors.
inline constexpr llvm::StringLiteral addPairsPrefix =
    "llvm.x86.avx512bf16.dpbf16ps.";

/// Builds VDPBF16PS: adds the two products of each lane to `sum`, first that of
/// the upper halves, then that of the lower halves. Pairs have the type f32
/// until the pass `ingot-cpu-bitcast-bf16-dot-operands`.
mlir::Value addPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                     mlir::Value first, mlir::Value second);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_BF16PAIRS_H
