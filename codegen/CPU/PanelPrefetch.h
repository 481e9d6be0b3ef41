//===- PanelPrefetch.h - Prefetch the next panel during a GEMM --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The loop around a GEMM's register tiles first packs what all of them read: a
// panel of B, or rows of images. Packing waits for memory, which is idle while
// tiles are computed. So each step of a K loop prefetches a part of what the
// next iteration will pack.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PANELPREFETCH_H
#define INGOT_CODEGEN_CPU_PANELPREFETCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace ingot::cpu {

class PanelPrefetch {
public:
  /// For a GEMM on buffers whose K loop has `depth` steps. Code that is hoisted
  /// above the K loop is built by `builder`.
  PanelPrefetch(mlir::linalg::LinalgOp product, int64_t depth,
                mlir::ImplicitLocOpBuilder &builder);

  /// Builds the prefetches of the step at `place`, the indices of the K loops,
  /// and of the steps after it that `body` computes as well (`steps` in all,
  /// one or an even number).
  void at(mlir::ImplicitLocOpBuilder &body, mlir::ValueRange place,
          int64_t steps = 1) const;

private:
  /// A prefetch for each `1 << shift` steps, given the number of the step in
  /// the flattened K loop.
  struct Request {
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
  void addBlock(mlir::OpOperand &operand);
  void prefetchRows(mlir::ImplicitLocOpBuilder &body, mlir::Value rows,
                    mlir::ValueRange place, int64_t steps) const;

  mlir::linalg::LinalgOp product;
  int64_t depth;
  mlir::SmallVector<int64_t> sums;
  mlir::SmallVector<Request> requests;
  /// Operands with a row for each step of K, whose next block follows in
  /// memory.
  mlir::SmallVector<mlir::Value, 2> blocks;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PANELPREFETCH_H
