//===- TensorCoreGEMM.h - A GEMM tile on tensor cores -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM tile on tensor cores. Eight warps, two by four, multiply parts of the
// tile by mma.sync, or two warpgroups do by wgmma, which reads shared memory
// itself. Operands are multi-buffered: while one stage is multiplied, the next
// block of K is loaded to another stage. Elements of a type that tensor cores
// multiply are copied with cp.async. Other elements pass through registers,
// where they are rounded.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TENSORCOREGEMM_H
#define INGOT_CODEGEN_PTX_TENSORCOREGEMM_H

#include "codegen/PTX/StagedGEMM.h"

namespace ingot::ptx {

class TensorCoreGEMM : public StagedGEMM {
public:
  /// The unit that multiplies: a warp (mma.sync) or a warpgroup (wgmma).
  enum class MMAUnit { Warp, Warpgroup };

  /// `side` is the number of rows and columns of the tile, 64 or 128. `type` is
  /// not F32.
  TensorCoreGEMM(mlir::ImplicitLocOpBuilder &builder, KernelGEMM &product,
                 Precision type, int64_t side, MMAUnit unit);

  /// Emits the whole work of block `block` of the grid.
  void emit(mlir::Value block);

private:
  void placeWarps();

  /// Whether cp.async copies the factor to shared memory, as its elements need
  /// no rounding.
  bool isCopied(unsigned factor) const;
  /// Starts the cp.async copies of one block of K, which begins at step
  /// `first`, to the stage `stage`. Commits the copies as one group.
  void copy(mlir::Value first, mlir::Value stage);
  /// Starts the copy of 16 bytes to the stage: group number `i` of the groups
  /// that this thread copies.
  void copyGroup(unsigned factor, int64_t i, mlir::Value first,
                 mlir::Value stage);
  mlir::Value addressOf(unsigned factor, mlir::ValueRange indices);
  /// Loads the thread's elements of one block of K, which begins at step
  /// `first`, to registers. Does so only for factors that cp.async does not
  /// copy.
  mlir::SmallVector<mlir::Value> load(mlir::Value first);
  /// Rounds the elements that `load` returned, and stores them to a stage.
  void storeAll(mlir::ValueRange loaded, mlir::Value stage);
  /// Returns the offset of the stage after `stage` in the ring of stages.
  mlir::Value nextStage(mlir::Value stage);
  /// Loads a fragment of a factor to a warp's registers: 16 rows or columns,
  /// and 32 bytes along K.
  mlir::SmallVector<mlir::Value> fragment(unsigned factor, mlir::Value stage,
                                          int64_t block, int64_t step);
  /// Multiplies a stage by mma.sync, and returns the new sums.
  mlir::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums);
  /// Returns the matrix descriptor of a factor for one wgmma. A stage is
  /// multiplied by several of these instructions; `step` is the index of the
  /// instruction.
  mlir::Value descriptor(unsigned factor, mlir::Value stage, int64_t step);
  /// Starts the multiplication of a stage by wgmma, and returns the new sums.
  mlir::SmallVector<mlir::Value> multiplyByGroups(mlir::Value stage,
                                                  mlir::ValueRange sums);
  /// Emits one mma.sync, which adds a product to the four accumulators `sums`
  /// of each lane.
  void multiplyOne(mlir::ArrayRef<mlir::Value> a, mlir::ArrayRef<mlir::Value> b,
                   mlir::MutableArrayRef<mlir::Value> sums);
  /// Returns the row and the column in the result of accumulator `i` of a lane,
  /// in the 16 x 8 block with the indices (m, n) of the warp's part of the
  /// tile.
  std::pair<mlir::Value, mlir::Value> placeOf(int64_t m, int64_t n, int64_t i);

  MMAUnit unit;
  /// The numbers of blocks of 16 rows, and of blocks of 16 columns, that a warp
  /// computes.
  int64_t rowBlocks, pairs;
  int64_t stages;
  mlir::Value lane;
  /// The first row and the first column, both i32, of the part of the tile that
  /// the thread's warp computes, and of the part that its warpgroup computes.
  mlir::Value warpPlace[2];
  mlir::Value partPlace[2];
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TENSORCOREGEMM_H
