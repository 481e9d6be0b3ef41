//===- TensorCoreGEMM.h - A GEMM tile on tensor cores -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Eight warps, two by four, multiply parts of a tile by mma.sync, or two
// warpgroups by wgmma, which reads shared memory itself. Operands are multi-
// buffered: while one stage is multiplied, the next block of K is loaded to
// another. Elements of a type that tensor cores multiply are copied with
// cp.async, others pass through registers, where they are rounded.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TENSORCOREGEMM_H
#define INGOT_CODEGEN_PTX_TENSORCOREGEMM_H

#include "codegen/PTX/StagedGEMM.h"

namespace ingot::ptx {

class TensorCoreGEMM : public StagedGEMM {
public:
  /// The unit that multiplies: a warp (mma.sync) or a warpgroup (wgmma).
  enum class Unit { Warp, Warpgroup };

  /// A square tile, of 64 or 128; `type` is not F32.
  TensorCoreGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
                 Precision type, int64_t side, Unit unit);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

private:
  void placeWarps();

  /// Whether a factor is copied to shared memory with cp.async.
  bool isCopied(unsigned factor) const;
  /// Starts the copies of step `first` of K to a stage.
  void copy(mlir::Value first, mlir::Value stage);
  void copyGroup(unsigned factor, int64_t i, mlir::Value first,
                 mlir::Value stage);
  mlir::Value addressOf(unsigned factor, mlir::ValueRange indices);
  /// Loads to registers the thread's elements of step `first` of K, those of
  /// factors that cp.async does not copy.
  mlir::SmallVector<mlir::Value> load(mlir::Value first);
  void storeAll(mlir::ValueRange loaded, mlir::Value stage);
  mlir::Value nextStage(mlir::Value stage);
  /// The fragment of 16 rows or columns and 32 bytes of K in a warp's lanes.
  mlir::SmallVector<mlir::Value> fragment(unsigned factor, mlir::Value stage,
                                          int64_t block, int64_t step);
  mlir::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums);
  /// The wgmma matrix descriptor of a factor's step of K.
  mlir::Value descriptor(unsigned factor, mlir::Value stage, int64_t step);
  mlir::SmallVector<mlir::Value> multiplyByGroups(mlir::Value stage,
                                                  mlir::ValueRange sums);
  void multiplyOne(mlir::ArrayRef<mlir::Value> a, mlir::ArrayRef<mlir::Value> b,
                   mlir::MutableArrayRef<mlir::Value> sums);
  /// The row and column of accumulator `i` of fragment (m, n).
  std::pair<mlir::Value, mlir::Value> placeOf(int64_t m, int64_t n, int64_t i);

  Unit unit;
  int64_t rowBlocks, pairs; // of a warp: 16 rows, 16 columns
  int64_t stages;
  mlir::Value lane;
  mlir::Value warpPlace[2]; // of the warp's part in the tile, i32
  mlir::Value partPlace[2]; // of its group's
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TENSORCOREGEMM_H
