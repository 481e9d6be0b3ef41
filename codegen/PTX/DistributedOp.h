//===- DistributedOp.h - A linalg op on the threads of a block --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The mapping of an op's elements and reductions to threads.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_DISTRIBUTEDOP_H
#define INGOT_CODEGEN_PTX_DISTRIBUTEDOP_H

#include "codegen/PTX/Combiners.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The threads of a block, and their shared resources.
struct ThreadBlock {
  int64_t threads;
  mlir::Value thread; // the number of the one that asks, an index
  /// Shared memory for partial sums of warps, of a type; the same bytes for all
  /// types.
  llvm::function_ref<mlir::Value(mlir::Type)> partials;
  /// Emits a barrier before uses of that memory.
  llvm::function_ref<void(mlir::ImplicitLocOpBuilder &)> barrier;
};

class DistributedOp {
public:
  DistributedOp(mlir::linalg::GenericOp op, const ThreadBlock &team);

  /// Emits the loops before the op, which stays.
  void emit();

  /// The approximate number of threads that the op keeps busy.
  static int64_t usefulThreads(mlir::linalg::GenericOp op);

private:
  /// The threads that compute an element: one, a warp, or the block.
  enum class Who { Thread, Warp, Block };
  Who chooseWho();

  void emitByThread();
  void emitByWarp();
  void emitByBlock();

  /// Indices of the op's loops `dims` at position `linear` of their product.
  void unravel(mlir::Value linear, llvm::ArrayRef<unsigned> dims);
  mlir::Value total(llvm::ArrayRef<unsigned> dims);
  mlir::Value boundOf(unsigned dim);
  /// Iterations `from`, `from` + `by`, ... below `to`.
  void forEach(mlir::Value from, mlir::Value to, int64_t by,
               llvm::function_ref<void(mlir::Value)> body);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  mlir::Value at(int64_t index);
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);
  mlir::Value load(mlir::OpOperand &operand);
  void store(mlir::ValueRange values);
  mlir::SmallVector<mlir::Value> loadInits();
  /// The op's body at the current position, from `carried` destinations.
  mlir::SmallVector<mlir::Value> compute(mlir::ValueRange carried);

  /// The state of a sum with one number more.
  using Summand = llvm::function_ref<mlir::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange state)>;
  /// Whether sums are, or may be, so long that rounding errors accumulate.
  bool isLongSum();
  /// The number of elements of a reduction; none where it is dynamic.
  std::optional<int64_t> reducedCount() const;
  mlir::SmallVector<mlir::Value> sumInChains(mlir::Value from, mlir::Value to,
                                             int64_t by, unsigned levels,
                                             mlir::ValueRange start,
                                             Summand add);
  /// Reduces nested dimensions.
  mlir::SmallVector<mlir::Value> sumAlong(llvm::ArrayRef<unsigned> dims,
                                          mlir::ValueRange start);
  /// Reduces the iterations `from`, `from` + `by`, ...
  mlir::SmallVector<mlir::Value> reduce(mlir::Value from, int64_t by);
  /// Combines the lanes' values by butterfly shuffles; all lanes get the
  /// result.
  mlir::SmallVector<mlir::Value>
  reduceWarp(mlir::SmallVector<mlir::Value> values);
  /// Combines the warps' values, of one output or both of a search; all threads
  /// get the result.
  mlir::SmallVector<mlir::Value> reduceWarps(mlir::ValueRange values,
                                             mlir::Value warp, mlir::Value lane,
                                             int64_t warps,
                                             unsigned output = 0);
  void finish(mlir::ValueRange sums);

  mlir::linalg::GenericOp op;
  const ThreadBlock &team;
  mlir::ImplicitLocOpBuilder b;
  mlir::SmallVector<int64_t> ranges;
  mlir::SmallVector<unsigned> parallel, reduction;
  Combiners combiners;
  mlir::SmallVector<mlir::Value> position; // by loop
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_DISTRIBUTEDOP_H
