//===- PipelinedGEMM.h - A warp-specialized GEMM ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM for GPUs whose tensor cores read shared memory themselves. Producer
// warps load operands, stage by stage, and run ahead of the consumers by up to
// the number of stages in shared memory. Consumer warps multiply, and write the
// result. Producers and consumers synchronize by mbarriers: a stage is full
// when all its bytes have arrived, and empty when all reads of it have ended.
// The kernel is persistent: a block computes tile after tile, and while the
// result of one tile is written, the operands of the next tile arrive. Operands
// that need no rounding are copied by bulk tensor copies (TMA), issued by one
// lane; other operands are loaded and rounded by two warpgroups.
//
// On sm_90a two warpgroups multiply by wgmma. Each computes half of the tile's
// rows, with accumulators in registers. On sm_100a one thread issues
// tcgen05.mma, whose accumulators are in tensor memory. Tensor memory has room
// for two tiles, so that a warpgroup writes the result of one tile while the
// next tile is multiplied.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PIPELINEDGEMM_H
#define INGOT_CODEGEN_PTX_PIPELINEDGEMM_H

#include "codegen/PTX/InlinePTX.h"
#include "codegen/PTX/StagedGEMM.h"
#include "codegen/PTX/Target.h"

namespace ingot::ptx {

/// Generates the code of one block. In this class, a value named `count` (i32)
/// is the number of stages that a thread has used so far, and `stage` is
/// `count` modulo the number of stages in shared memory (`stages`).
class PipelinedGEMM : public StagedGEMM {
public:
  /// Whether a factor can be loaded by bulk tensor copies (TMA): it must be an
  /// argument of the kernel, or a reshape of one, and have 16-bit elements, and
  /// the length of its rows must be a multiple of 16 bytes.
  static bool canCopy(const KernelGEMM &product, unsigned factor);
  static bool canCopyAll(const KernelGEMM &product) {
    return canCopy(product, 0) && canCopy(product, 1);
  }

  /// A tile has 128 rows and `columns` columns: 64, 128 or 256.
  PipelinedGEMM(mlir::ImplicitLocOpBuilder &builder, KernelGEMM &product,
                Precision type, int64_t columns, TensorCoreKind cores);

  /// Emits the whole work of a block of the grid. Sets the kernel's attributes:
  /// its tensor maps, and the attribute that marks it as persistent.
  void emit(mlir::func::FuncOp kernel);

  int64_t threadsOfBlock() const;

  static constexpr int64_t tileRows = 128;

private:
  /// The number of bytes along K that one wgmma or tcgen05.mma multiplies, and
  /// the number of rows of a stage after which the swizzle repeats.
  static constexpr int64_t stepBytes = 32, swizzleRows = 8;

  /// Return the addresses of mbarriers. Each stage has two: the full barrier
  /// completes when the stage has been loaded, the empty barrier when it has
  /// been multiplied. Each half of tensor memory has two as well: one completes
  /// when its sums are complete (`isFull`), the other one when they have been
  /// written to the result.
  mlir::Value fullBarrier(mlir::Value stage);
  mlir::Value emptyBarrier(mlir::Value stage);
  mlir::Value sumBarrier(mlir::Value half, bool isFull);
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  using Carried = mlir::SmallVector<mlir::Value>;
  Carried
  emitFor(mlir::Value first, mlir::Value end, mlir::Value step,
          mlir::ValueRange carried,
          llvm::function_ref<Carried(mlir::Value, mlir::ValueRange)> body);
  /// Builds a loop over the tiles that the block computes; `body` receives and
  /// returns the loop-carried values.
  Carried forTiles(mlir::ValueRange carried,
                   llvm::function_ref<Carried(mlir::ValueRange)> body);
  /// Builds the K loop of one tile: each iteration fills or multiplies one
  /// stage. The last loop-carried value is the number of stages used so far.
  Carried
  forSteps(mlir::ValueRange carried,
           llvm::function_ref<Carried(mlir::Value, mlir::ValueRange)> body);
  mlir::Value stageOf(mlir::Value count);
  mlir::Value parityOf(mlir::Value count, int64_t of);
  /// isOne() emits `value` == `number`, and isBelow32() emits `value` <
  /// `bound`, for i32 values.
  mlir::Value isOne(mlir::Value value, int64_t number);
  mlir::Value isBelow32(mlir::Value value, int64_t bound);
  /// Returns the index of the thread's warpgroup, counted from the first
  /// warpgroup that is not a producer.
  mlir::Value ownGroup();

  void describeMaps(mlir::func::FuncOp kernel);
  void makeMemory();
  void makeBarriers();
  void locateTile(mlir::Value tile);
  mlir::Value tilesOf(mlir::Value size, int64_t side);
  mlir::Value numTiles();

  /// Emit the code of the producer warpgroups, which load the operands into
  /// stages (buffers in shared memory).
  void bring();
  void copyStep(mlir::Value first, mlir::Value count);
  void loadStep(mlir::Value first, mlir::Value count);
  void copyFactors(mlir::Value first, mlir::Value stage);
  void waitUntilEmpty(mlir::Value count);
  void copyFactor(unsigned factor, mlir::Value first, mlir::Value stage);

  /// Emit the code of the consumer warpgroups that multiply by wgmma.
  void multiplyByGroups();
  Carried multiplyStep(mlir::Value first, mlir::ValueRange carried);
  void releaseStage(mlir::Value count);
  void writeSums(llvm::ArrayRef<mlir::Value> sums);

  /// Emit the code of the thread that issues tcgen05.mma, and of the warpgroup
  /// that writes the results.
  void multiplyInTensorMemory();
  void writeTensorMemory();
  void makeTensorMemory(bool isEnd);
  /// Returns the index, 0 or 1, of the half of tensor memory that has the sums
  /// of the block's tile `tile`. The block's tiles are counted from 0.
  mlir::Value halfOf(mlir::Value tile);
  void storeRow(mlir::Value row, mlir::MutableArrayRef<mlir::Value> sums);

  /// Returns the matrix descriptor of a factor for one instruction. A stage is
  /// multiplied by several instructions, each for `stepBytes` bytes along K;
  /// `step` is the index of the instruction. The matrix begins at row (or
  /// column) `part` of the tile; null means 0.
  mlir::Value describe(unsigned factor, mlir::Value stage, int64_t step,
                       mlir::Value part);
  /// Results pass through shared memory, one slab of columns at a time, so that
  /// the stores to a row of the result are coalesced.
  void storeSlab(mlir::Value row, mlir::Value column,
                 mlir::ValueRange neighbours);
  void finishSlab(mlir::Value firstColumn);
  void finishOne(mlir::Value row, mlir::Value column);
  /// Emits a barrier of the threads of the warpgroup.
  void meetInGroup();

  TensorCoreKind cores;
  bool isCopied[2];   // for each factor, whether bulk copies load it
  int64_t producers;  // number of warpgroups of producers
  int64_t groupRows;  // rows of a tile that a warpgroup writes
  int64_t slabStride; // distance of rows in a slab, in elements
  int64_t stages;
  /// Offsets in shared memory, after the stages: those of the slabs, of the
  /// mbarriers, and of the address of tensor memory. `sharedBytes` is the size
  /// of all shared memory.
  int64_t slabOffset, barrierOffset, addressOffset, sharedBytes;
  mlir::Value maps[2]; // the factors' tensor maps, for bulk copies
  mlir::Value lane, warp, group, tensorMemory;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PIPELINEDGEMM_H
