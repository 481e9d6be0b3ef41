//===- FetchAhead.h - What the next block reads comes in time ---*- C++ -*-===//
//
// Around a product's tiles stands a loop whose iterations first pack what all
// tiles read: a panel of the second operand, or rows of images. Packing waits
// for memory, which is idle while tiles are computed. So each step of a sum
// asks for some of what the next iteration will pack.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_FETCHAHEAD_H
#define INGOT_CODEGEN_CPU_FETCHAHEAD_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace ingot::cpu {

class FetchAhead {
public:
  /// Of a product on buffers, whose sum has `depth` steps. What is computed
  /// once in front of the sum is built by `builder`.
  FetchAhead(mlir::linalg::LinalgOp product, int64_t depth,
             mlir::ImplicitLocOpBuilder &builder);

  /// The requests of the step at `place`, the indices of the sum's loops, and
  /// of those behind it that `body` does at once: an even number.
  void at(mlir::ImplicitLocOpBuilder &body, mlir::ValueRange place,
          int64_t steps = 1) const;

private:
  /// Made for each step, or for each `1 << shift` of them, given the number of
  /// one among the sum's.
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
  void askForRows(mlir::ImplicitLocOpBuilder &body, mlir::Value rows,
                  mlir::ValueRange place, int64_t steps) const;

  mlir::linalg::LinalgOp product;
  int64_t depth;
  mlir::SmallVector<int64_t> sums;
  mlir::SmallVector<Request> requests;
  /// Operands with a row for each step of the sum, the next ones of which
  /// follow in memory.
  mlir::SmallVector<mlir::Value, 2> blocks;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_FETCHAHEAD_H
