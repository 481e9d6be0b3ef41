//===- BulkProduct.h - Products of many tiles, fed by bulk copies -*- C++ -*-=//
//
// For GPUs that copy whole boxes of tensors to shared memory behind threads'
// backs. Some threads bring the factors, stage by stage, and run ahead as far
// as there are stages; others multiply, and write the result. They meet at
// barriers that count: a stage is full when its bytes have arrived, and empty
// when nobody reads it any longer. A block goes from tile to tile: while one's
// result is written, the next one's factors arrive.
//
// Two groups of four warps multiply by wgmma, each half of a tile's rows, with
// sums in registers (sm_90a); or one thread has the tensor core multiply into
// tensor memory, which has room for two tiles, and a group of four warps writes
// one result while the next is multiplied (sm_100a).
//
// Both factors lie in stages in rows of 128 bytes, swizzled, along or across
// the sum, as they lie in memory.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_BULKPRODUCT_H
#define INGOT_CODEGEN_PTX_BULKPRODUCT_H

#include "codegen/PTX/Assembly.h"
#include "codegen/PTX/ProductTile.h"
#include "codegen/PTX/Target.h"

namespace ingot::ptx {

class BulkProduct : public ProductTile {
public:
  /// Whether both factors can be copied so: arguments of the kernel whose rows
  /// are multiples of 16 bytes, of numbers that tensor cores take as they are.
  static bool canCopy(const Product &product);

  /// `columns` of a tile: 64, 128 or 256; it has 128 rows.
  BulkProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
              Precision type, int64_t columns, TensorCores cores);

  /// Emits all that a block of the grid does; the kernel gets its facts.
  void emit(mlir::func::FuncOp kernel);

  int64_t threadsOfBlock() const;

  static constexpr int64_t tileRows = 128;

private:
  /// Of a factor, what lies side by side in a stage; of the sum, what an
  /// instruction multiplies; after how many rows the swizzle begins anew.
  static constexpr int64_t rowBytes = 128, stepBytes = 32, swizzleRows = 8;

  mlir::Value i32(int64_t value);
  mlir::Value word(mlir::Value offset); // an address in shared memory
  mlir::Value word(int64_t offset);
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

  void describeMaps(mlir::func::FuncOp kernel);
  void makeMemory();
  void makeBarriers();
  void locateTile(mlir::Value tile);
  mlir::Value tilesOf(mlir::Value size, int64_t side);
  mlir::Value numTiles();

  /// What the threads do that bring factors.
  void bring();
  void bringStep(mlir::Value first, mlir::Value count);
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

  struct Layout {
    bool sumIsInner;
    int64_t width;   // of the tile: rows or columns
    int64_t offset;  // in a stage, in bytes
    mlir::Value map; // of memory, for copies
  };

  Precision type;
  TensorCores cores;
  int64_t bytes, depth; // of a number; numbers of the sum in a stage
  int64_t groupRows;    // of a tile, that a group of four warps writes
  int64_t slabStride;   // of rows in a slab, in numbers
  Layout layouts[2];
  int64_t stageBytes, stages;
  /// In shared memory: behind the stages the slabs, the barriers, and where
  /// the address of tensor memory lies.
  int64_t slabOffset, barrierOffset, addressOffset, sharedBytes;
  mlir::Value thread, lane, warp, group, shared, tensorMemory;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_BULKPRODUCT_H
