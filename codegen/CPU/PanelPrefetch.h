//===- PanelPrefetch.h - Prefetch the next panel during a GEMM --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each iteration of the loop around a GEMM's register tiles first packs the
// operand that all tiles read: a panel of B, or the image rows that an im2col
// block covers. Packing waits for memory, whereas memory is idle as long as
// tiles are computed. So each step of a tile's K loop prefetches a share of the
// memory that the next iteration will pack.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PANELPREFETCH_H
#define INGOT_CODEGEN_CPU_PANELPREFETCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace ingot::cpu {

/// The prefetches that are built into the K loop of one GEMM tile.
class PanelPrefetch {
public:
  /// Finds the memory to prefetch for a GEMM on buffers whose K loops have
  /// `depth` steps in total: parts of buffers of at least `minBytes` bytes.
  /// `builder` builds the code that is invariant in K, before the K loop.
  PanelPrefetch(mlir::linalg::LinalgOp product, int64_t depth, int64_t minBytes,
                mlir::ImplicitLocOpBuilder &builder);

  /// Adds prefetches of `tile`, which the epilogue of the GEMM tile accesses.
  void addTile(mlir::Value tile, bool isWritten);

  /// Returns for how many K steps the caller builds prefetches at once, a power
  /// of two: as many as there are for a cache line. Each further prefetch of
  /// the same line would take a request to L2 from the loads of the tile's
  /// operands.
  int64_t period() const;

  /// Builds the prefetches for `steps` consecutive K steps, of which the first
  /// has the indices `place` of the K loops.
  void at(mlir::ImplicitLocOpBuilder &body, mlir::ValueRange place,
          int64_t steps = 1) const;

private:
  /// A prefetch whose cache line changes every `1 << shift` steps of K. `make`
  /// builds it, given the index of the step in the flattened K loops.
  struct PrefetchRequest {
    unsigned shift;
    std::function<void(mlir::ImplicitLocOpBuilder &, mlir::Value)> make;
  };

  struct Tiles;

  void addPanel(mlir::ImplicitLocOpBuilder &builder);
  void addColumns(mlir::ImplicitLocOpBuilder &builder, mlir::Value source,
                  int64_t shift, const Tiles &tiles);
  void addRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value source,
               int64_t shift, const Tiles &tiles);
  void addImages(mlir::ImplicitLocOpBuilder &builder);
  void addBlock(mlir::ImplicitLocOpBuilder &builder, mlir::OpOperand &operand);
  void addRowsOfBlock(mlir::ImplicitLocOpBuilder &builder, mlir::Value rows,
                      mlir::scf::ForOp loop);
  void prefetchRows(mlir::ImplicitLocOpBuilder &body, mlir::Value rows,
                    mlir::ValueRange place, int64_t steps) const;
  bool isLarge(mlir::Value view) const;

  mlir::linalg::LinalgOp product;
  int64_t depth, minBytes;
  mlir::SmallVector<int64_t> sums; // trip counts of the K loops
  mlir::SmallVector<PrefetchRequest> requests;
  /// Operands with one row for each step of several K loops. The next block of
  /// K reads the rows that follow in memory, so the current block prefetches
  /// these rows.
  mlir::SmallVector<mlir::Value, 2> blocks;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PANELPREFETCH_H
