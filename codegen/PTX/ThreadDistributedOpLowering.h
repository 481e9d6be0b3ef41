//===- ThreadDistributedOpLowering.h - Ops on threads -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The distribution of an op's elements and reductions over the threads of a
// block.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_THREADDISTRIBUTEDOPLOWERING_H
#define INGOT_CODEGEN_PTX_THREADDISTRIBUTEDOPLOWERING_H

#include "codegen/PTX/CoalescedTile.h"
#include "codegen/PTX/ReductionCombiners.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The threads of a block, and their shared resources.
struct ThreadBlock {
  int64_t threads;
  mlir::Value thread; // the index of the thread that runs the code
  /// Returns the index of the current block among the `blocks` blocks that
  /// share the work of one iteration of the grid
  /// (SplitIterationsAcrossThreadBlocks.cpp).
  llvm::function_ref<mlir::Value(int64_t blocks)> part;
  /// Returns the shared memory in which the warps of a block exchange partial
  /// results, as a buffer with elements of the given type. Buffers of different
  /// types alias each other.
  llvm::function_ref<mlir::Value(mlir::Type)> partials;
  /// Returns shared memory with room for one partial result of each thread, as
  /// a buffer with elements of the given type. Buffers of different types alias
  /// each other.
  llvm::function_ref<mlir::Value(mlir::Type)> partialsOfThreads;
  /// The size, in bytes, of the shared memory for the tiles of ops
  /// (CoalescedTile.h), or 0 if there is no room for it.
  int64_t tileBytes;
  /// Returns `length` elements of the memory for tiles, from byte `offset` on.
  llvm::function_ref<mlir::Value(mlir::Type, int64_t offset, int64_t length)>
      tileMemory;
  /// Emits a barrier of all threads of the block.
  llvm::function_ref<void(mlir::ImplicitLocOpBuilder &)> barrier;
};

/// Emits one linalg op of a kernel as code that divides its work among a
/// block's threads.
class ThreadDistributedOpLowering {
public:
  ThreadDistributedOpLowering(mlir::linalg::GenericOp op,
                              const ThreadBlock &team);

  /// Emits, before the op, loops that compute its results. The op itself stays
  /// until the caller erases it.
  void emit();
  /// Returns the size of the shared memory for tiles that the op's code
  /// accesses, in bytes: 0 if the op is not computed tile by tile.
  int64_t tileBytes() const;

  /// Returns an estimate of the number of threads of a block that the op can
  /// use at the same time.
  static int64_t usefulThreads(mlir::linalg::GenericOp op);

private:
  /// The threads that compute one element of the result: one thread, a warp,
  /// the whole block, or a column of threads. With columns, neighbouring
  /// threads work on neighbouring elements.
  enum class ThreadGroup { Thread, Warp, Block, Column };
  ThreadGroup chooseThreadGroup();
  bool addsAlongColumns();
  /// If the op only picks the element at an index that an operand holds, as a
  /// cross-entropy loss picks the logit of its label, returns this operand.
  /// Otherwise returns null.
  mlir::OpOperand *lookedUp();

  /// The number of elements of an elementwise op that a thread computes at a
  /// time, if canBatchElements() says so.
  static constexpr int64_t batchedElements = 4;
  bool canBatchElements();
  void emitElementBatches();
  void emitByThread();
  void emitByWarp();
  void emitByBlock();
  void emitByColumn();
  void emitLookup(mlir::OpOperand &place);
  void emitByTile();
  int64_t columnsOf() const;
  mlir::Value sumOfColumn(mlir::Value sum, mlir::Value column, int64_t columns,
                          unsigned output);
  /// Several blocks may share the op's elements. Each block has `count`
  /// members: its threads, its warps, or only itself. Converts `member`, an
  /// index among the members of the current block, to an index among the
  /// members of all blocks that share the elements.
  mlir::Value amongParts(mlir::Value member, int64_t count);

  /// Sets the current indices of the loops `dims` to those of iteration number
  /// `linear` of these loops together (delinearization).
  void unravel(mlir::Value linear, llvm::ArrayRef<unsigned> dims);
  /// Returns the product of the trip counts of the loops `dims`.
  mlir::Value total(llvm::ArrayRef<unsigned> dims);
  mlir::Value boundOf(unsigned dim);
  /// Builds a loop with the indices `from`, `from` + `by`, `from` + 2 * `by`
  /// and so on, as long as they are below `to`.
  void forEach(mlir::Value from, mlir::Value to, int64_t by,
               llvm::function_ref<void(mlir::Value)> body);
  static void unroll(mlir::scf::ForOp loop);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);

  /// Finds out whether the op is computed tile by tile.
  void chooseTile();
  mlir::Value tilesAlong(unsigned dim);
  void enterTile(mlir::Value number);
  mlir::Value locateInTile(mlir::Value linear, llvm::ArrayRef<unsigned> dims);
  bool isWholeInTiles(unsigned dim) const;
  int64_t batchOf(int64_t elements) const;
  void copyToTile(const TiledRead &read, mlir::Value memory);
  mlir::Value readGlobal(const TiledRead &read);
  /// Returns where the copy of a read has the element at the current position.
  mlir::Value placeInTile(const TiledRead &read);
  /// If the element, a value in the op's body, has been copied to shared memory
  /// for the current tile, loads it from there. Otherwise returns null.
  mlir::Value loadFromTile(mlir::Value element);
  void copyToTile();
  void computeTile();
  void computeTileBatch(mlir::Value first, int64_t count, int64_t elements);
  void reduceTile(bool isLoop);
  mlir::SmallVector<mlir::Value> reduceInTile(mlir::ValueRange start);
  /// Builds `body` so that it runs only if the condition holds. A null
  /// condition always holds. Otherwise the results are `others`.
  mlir::SmallVector<mlir::Value>
  guarded(mlir::Value condition, mlir::ValueRange others,
          llvm::function_ref<mlir::SmallVector<mlir::Value>()> body);
  /// Returns zeros of the elements of the op's results.
  mlir::SmallVector<mlir::Value> zeros();
  mlir::Value both(mlir::Value a, mlir::Value c);

  mlir::Value at(int64_t index);
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);
  mlir::Value load(mlir::OpOperand &operand);
  void store(mlir::ValueRange values);
  /// Returns the current value of each result's element: it is loaded from
  /// memory, or is the constant from which a reduction starts. The value is
  /// null if the body does not read it.
  mlir::SmallVector<mlir::Value> loadInits();
  /// Loads the inputs at the current indices. Returns a mapping from the
  /// arguments of the op's body to these inputs and to the accumulators, whose
  /// values are `carried`.
  mlir::IRMapping loadOperands(mlir::ValueRange carried);
  /// Builds the op's body for the current indices. `carried` has the values of
  /// the accumulators. Returns the values that the body yields.
  mlir::SmallVector<mlir::Value> compute(mlir::ValueRange carried);
  /// Builds the op's body on operands that loadOperands() has loaded.
  mlir::SmallVector<mlir::Value> compute(mlir::IRMapping &operands);

  /// A callback that adds the element with the index `index` to the
  /// accumulators `state`, and returns the new accumulators.
  using Summand = llvm::function_ref<mlir::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange state)>;
  /// Whether the op adds so many floats (or a dynamic number of them) that the
  /// rounding errors of a single chain of additions would be too large.
  bool isLongSum();
  /// Returns the number of elements of a reduction, or std::nullopt if it is
  /// dynamic.
  std::optional<int64_t> reducedCount() const;
  mlir::SmallVector<mlir::Value> sumInChains(mlir::Value from, mlir::Value to,
                                             int64_t by, unsigned levels,
                                             mlir::ValueRange start,
                                             Summand add);
  mlir::SmallVector<mlir::Value> sumPart(mlir::Value here, mlir::Value to,
                                         int64_t by, unsigned levels,
                                         int64_t step, Summand add);
  /// Reduces the elements `from`, `from` + `by` and so on, `rounds` in all.
  mlir::SmallVector<mlir::Value> sumRounds(mlir::Value from, int64_t rounds,
                                           int64_t by, mlir::ValueRange start,
                                           Summand add);
  /// Reduces the elements along the dimensions `dims`, in nested loops with the
  /// first dimension outermost.
  mlir::SmallVector<mlir::Value> sumAlong(llvm::ArrayRef<unsigned> dims,
                                          mlir::ValueRange start);
  /// Flattens all reduction loops into one, and reduces every `by`-th iteration
  /// of it, beginning with iteration `from`, which is below `by`.
  mlir::SmallVector<mlir::Value> reduce(mlir::Value from, int64_t by);
  /// Combines the values of a warp's lanes by butterfly shuffles. All lanes
  /// receive the result.
  mlir::SmallVector<mlir::Value>
  reduceWarp(mlir::SmallVector<mlir::Value> values);
  /// Combines the values of all warps through shared memory; `values` are those
  /// of one result, or the value and the index of an argmax or argmin. All
  /// threads receive the combined values.
  mlir::SmallVector<mlir::Value> reduceWarps(mlir::ValueRange values,
                                             mlir::Value warp, mlir::Value lane,
                                             int64_t warps,
                                             unsigned output = 0);
  /// Combines the partial results `sums` with the elements that the result
  /// buffers hold, and stores the final elements there.
  void finish(mlir::ValueRange sums);

  mlir::linalg::GenericOp op;
  const ThreadBlock &team;
  mlir::ImplicitLocOpBuilder b;
  int64_t parts; // the number of blocks that share the op's elements
  mlir::SmallVector<int64_t> ranges;
  mlir::SmallVector<unsigned> parallel, reduction;
  ReductionCombiners combiners;
  mlir::SmallVector<mlir::Value> position; // current index, indexed by loop
  std::optional<CoalescedTile> tile;
  /// The first index of the current tile, indexed by loop. Null is 0.
  mlir::SmallVector<mlir::Value> tileStart;
  /// The most elements of a tile that a thread accesses at a time.
  int64_t mostInBatch = batchedElements;
  /// The copies of the current tile in shared memory, in the order of its
  /// reads.
  mlir::SmallVector<mlir::Value> copies;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_THREADDISTRIBUTEDOPLOWERING_H
