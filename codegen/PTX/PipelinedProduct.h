//===- PipelinedProduct.h - Some threads bring, others multiply -*- C++ -*-===//
//
// For GPUs whose tensor cores read shared memory themselves. Some threads bring
// the factors, stage by stage, and run ahead as far as there are stages; others
// multiply, and write the result. They meet at barriers that count: a stage is
// full when all of it has arrived, and empty when nobody reads it any longer. A
// block goes from tile to tile: while one's result is written, the next one's
// factors arrive. What needs no rounding is copied box by box, behind threads'
// backs, as one lane asks for; the rest two groups of threads load and round.
//
// Two groups of four warps multiply by wgmma, each half of a tile's rows, with
// sums in registers (sm_90a); or one thread has the tensor core multiply into
// tensor memory, which has room for two tiles, and a group of four warps writes
// one result while the next is multiplied (sm_100a).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PIPELINEDPRODUCT_H
#define INGOT_CODEGEN_PTX_PIPELINEDPRODUCT_H

#include "codegen/PTX/Assembly.h"
#include "codegen/PTX/StagedProduct.h"
#include "codegen/PTX/Target.h"

namespace ingot::ptx {

class PipelinedProduct : public StagedProduct {
public:
  /// Whether a factor can be copied in boxes: an argument of the kernel whose
  /// rows are multiples of 16 bytes, of numbers that tensor cores take as they
  /// are.
  static bool canCopy(const Product &product, unsigned factor);
  static bool canCopyAll(const Product &product) {
    return canCopy(product, 0) && canCopy(product, 1);
  }

  /// `columns` of a tile: 64, 128 or 256; it has 128 rows.
  PipelinedProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
                   Precision type, int64_t columns, TensorCores cores);

  /// Emits all that a block of the grid does; the kernel gets its facts.
  void emit(mlir::func::FuncOp kernel);

  int64_t threadsOfBlock() const;

  static constexpr int64_t tileRows = 128;

private:
  /// Of the sum, what an instruction multiplies; after how many rows of a stage
  /// the swizzle begins anew.
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
  /// Goes through the block's tiles with what is carried along.
  Carried forTiles(mlir::ValueRange carried,
                   llvm::function_ref<Carried(mlir::ValueRange)> body);
  /// Goes through the steps of a tile's sum; what is carried ends in a count of
  /// all stages that were used so far.
  Carried
  forSteps(mlir::ValueRange carried,
           llvm::function_ref<Carried(mlir::Value, mlir::ValueRange)> body);
  mlir::Value stageOf(mlir::Value count);
  mlir::Value parityOf(mlir::Value count, int64_t of);
  mlir::Value isOne(mlir::Value value, int64_t number);
  mlir::Value isBelow32(mlir::Value value, int64_t bound);
  /// Of the groups that multiply or write, the thread's.
  mlir::Value ownGroup();

  void describeMaps(mlir::func::FuncOp kernel);
  void makeMemory();
  void makeBarriers();
  void locateTile(mlir::Value tile);
  mlir::Value tilesOf(mlir::Value size, int64_t side);
  mlir::Value numTiles();

  /// What the threads do that bring factors.
  void bring();
  void copyStep(mlir::Value first, mlir::Value count);
  void loadStep(mlir::Value first, mlir::Value count);
  void copyFactors(mlir::Value first, mlir::Value stage);
  void waitUntilEmpty(mlir::Value count);
  void copyFactor(unsigned factor, mlir::Value first, mlir::Value stage);

  /// What groups of four warps do.
  void multiplyByGroups();
  Carried multiplyStep(mlir::Value first, mlir::ValueRange carried);
  void releaseStage(mlir::Value count);
  void writeSums(llvm::ArrayRef<mlir::Value> sums);

  /// What the thread does that has the tensor core multiply, and those that
  /// write what has become of it.
  void multiplyInTensorMemory();
  void writeTensorMemory();
  void makeTensorMemory(bool isEnd);
  mlir::Value halfOf(mlir::Value tile); // of tensor memory
  void storeRow(mlir::Value row, mlir::MutableArrayRef<mlir::Value> sums);

  /// Where a stage's factor begins for step `step` of an instruction's depth,
  /// and for those rows or columns.
  mlir::Value describe(unsigned factor, mlir::Value stage, int64_t step,
                       mlir::Value part);
  /// A slab of columns goes to shared memory and from there, row by row, to the
  /// result.
  void storeSlab(mlir::Value row, mlir::Value column,
                 mlir::ValueRange neighbours);
  void finishSlab(mlir::Value firstColumn);
  void finishOne(mlir::Value row, mlir::Value column);
  void meetInGroup();

  TensorCores cores;
  bool isCopied[2];
  int64_t bringers;   // groups of four warps that bring factors
  int64_t groupRows;  // of a tile, that a group of four warps writes
  int64_t slabStride; // of rows in a slab, in numbers
  int64_t stages;
  /// In shared memory: behind the stages the slabs, the barriers, and where
  /// the address of tensor memory lies.
  int64_t slabOffset, barrierOffset, addressOffset, sharedBytes;
  mlir::Value maps[2]; // of the factors' memory, for copies
  mlir::Value lane, warp, group, tensorMemory;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PIPELINEDPRODUCT_H
