//===- PipelinedGEMM.h - A warp-specialized GEMM ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// For GPUs whose tensor cores read shared memory themselves. Producer warps
// load operands, stage by stage, and run ahead as far as there are stages;
// consumer warps multiply, and write the result. They synchronize by mbarriers:
// a stage is full when all its bytes have arrived, and empty when all
// reads of it have ended. The kernel is persistent: a block goes from tile to
// tile, and while the result of one is written, the operands of the next
// arrive. Operands that need no rounding are copied by bulk tensor copies
// (TMA), issued by one lane; others are loaded and rounded by two warpgroups.
//
// Two warpgroups multiply by wgmma, each half of a tile's rows, with
// accumulators in registers (sm_90a); or one thread issues tcgen05.mma into
// tensor memory, which holds two tiles, so that a warpgroup writes one result
// while the next is multiplied (sm_100a).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PIPELINEDGEMM_H
#define INGOT_CODEGEN_PTX_PIPELINEDGEMM_H

#include "codegen/PTX/Assembly.h"
#include "codegen/PTX/StagedGEMM.h"
#include "codegen/PTX/Target.h"

namespace ingot::ptx {

class PipelinedGEMM : public StagedGEMM {
public:
  /// Whether a factor can be loaded by bulk tensor copies: an argument of the
  /// kernel with rows of a multiple of 16 bytes, of a 16-bit type.
  static bool canCopy(const Product &product, unsigned factor);
  static bool canCopyAll(const Product &product) {
    return canCopy(product, 0) && canCopy(product, 1);
  }

  /// `columns` of a tile: 64, 128 or 256; it has 128 rows.
  PipelinedGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
                Precision type, int64_t columns, TensorCores cores);

  /// Emits all that a block of the grid does; the kernel gets its facts.
  void emit(mlir::func::FuncOp kernel);

  int64_t threadsOfBlock() const;

  static constexpr int64_t tileRows = 128;

private:
  /// Bytes of K that an instruction multiplies; the period of the swizzle in
  /// rows of a stage.
  static constexpr int64_t stepBytes = 32, swizzleRows = 8;

  mlir::Value fullBarrier(mlir::Value stage);
  mlir::Value emptyBarrier(mlir::Value stage);
  mlir::Value sumBarrier(mlir::Value half, bool isFull);
  void emitIf(mlir::Value condition, llvm::function_ref<void()> body);
  using Carried = mlir::SmallVector<mlir::Value>;
  Carried
  emitFor(mlir::Value first, mlir::Value end, mlir::Value step,
          mlir::ValueRange carried,
          llvm::function_ref<Carried(mlir::Value, mlir::ValueRange)> body);
  /// Loops over the block's tiles, with loop-carried values.
  Carried forTiles(mlir::ValueRange carried,
                   llvm::function_ref<Carried(mlir::ValueRange)> body);
  /// Loops over the K steps of a tile; the last loop-carried value counts all
  /// stages used so far.
  Carried
  forSteps(mlir::ValueRange carried,
           llvm::function_ref<Carried(mlir::Value, mlir::ValueRange)> body);
  mlir::Value stageOf(mlir::Value count);
  mlir::Value parityOf(mlir::Value count, int64_t of);
  mlir::Value isOne(mlir::Value value, int64_t number);
  mlir::Value isBelow32(mlir::Value value, int64_t bound);
  /// The thread's group among those that multiply or write.
  mlir::Value ownGroup();

  void describeMaps(mlir::func::FuncOp kernel);
  void makeMemory();
  void makeBarriers();
  void locateTile(mlir::Value tile);
  mlir::Value tilesOf(mlir::Value size, int64_t side);
  mlir::Value numTiles();

  /// The producers.
  void bring();
  void copyStep(mlir::Value first, mlir::Value count);
  void loadStep(mlir::Value first, mlir::Value count);
  void copyFactors(mlir::Value first, mlir::Value stage);
  void waitUntilEmpty(mlir::Value count);
  void copyFactor(unsigned factor, mlir::Value first, mlir::Value stage);

  /// The consumers with wgmma.
  void multiplyByGroups();
  Carried multiplyStep(mlir::Value first, mlir::ValueRange carried);
  void releaseStage(mlir::Value count);
  void writeSums(llvm::ArrayRef<mlir::Value> sums);

  /// The thread that issues tcgen05.mma, and the warpgroup that writes results.
  void multiplyInTensorMemory();
  void writeTensorMemory();
  void makeTensorMemory(bool isEnd);
  mlir::Value halfOf(mlir::Value tile); // of tensor memory
  void storeRow(mlir::Value row, mlir::MutableArrayRef<mlir::Value> sums);

  /// The matrix descriptor of a stage's factor for step `step` of the
  /// instruction's depth, from row or column `part` on.
  mlir::Value describe(unsigned factor, mlir::Value stage, int64_t step,
                       mlir::Value part);
  /// Stores go through shared memory, a slab of columns at a time, so that they
  /// are coalesced along rows of the result.
  void storeSlab(mlir::Value row, mlir::Value column,
                 mlir::ValueRange neighbours);
  void finishSlab(mlir::Value firstColumn);
  void finishOne(mlir::Value row, mlir::Value column);
  void meetInGroup();

  TensorCores cores;
  bool isCopied[2];
  int64_t producers;  // warpgroups of producers
  int64_t groupRows;  // rows of a tile that a warpgroup writes
  int64_t slabStride; // of rows in a slab, in elements
  int64_t stages;
  /// Shared memory after the stages: the slabs, the barriers, and the address
  /// of tensor memory.
  int64_t slabOffset, barrierOffset, addressOffset, sharedBytes;
  mlir::Value maps[2]; // the factors' tensor maps, for bulk copies
  mlir::Value lane, warp, group, tensorMemory;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PIPELINEDGEMM_H
