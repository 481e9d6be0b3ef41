//===- TensorProduct.h - A product's tile, on tensor cores ------*- C++ -*-===//
//
// Eight warps, two by four, multiply parts of a tile by mma.sync, or on GPUs
// that have it two groups of four warps by wgmma, which reads shared memory
// itself. What is multiplied goes through stages: while warps read one, the
// next step's numbers are on their way to another. Numbers that tensor cores
// take as they are in memory are copied (cp.async), others go through
// registers, and are rounded there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TENSORPRODUCT_H
#define INGOT_CODEGEN_PTX_TENSORPRODUCT_H

#include "codegen/PTX/StagedProduct.h"

namespace ingot::ptx {

class TensorProduct : public StagedProduct {
public:
  /// Who multiplies: warps, or groups of four.
  enum class Unit { Warp, Warpgroup };

  /// A square tile, of 64 or 128; `type` is not F32.
  TensorProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
                Precision type, int64_t side, Unit unit);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

private:
  void placeWarps();

  /// Whether a factor's numbers are copied from memory to shared memory.
  bool isCopied(unsigned factor) const;
  /// Begins the copies of step `first` of the sum to a stage.
  void copy(mlir::Value first, mlir::Value stage);
  void copyGroup(unsigned factor, int64_t i, mlir::Value first,
                 mlir::Value stage);
  mlir::Value addressOf(unsigned factor, mlir::ValueRange indices);
  /// What the thread brings of step `first` of the sum besides: as it is in
  /// memory.
  mlir::SmallVector<mlir::Value> load(mlir::Value first);
  void storeAll(mlir::ValueRange loaded, mlir::Value stage);
  mlir::Value nextStage(mlir::Value stage);
  /// 16 rows or columns of 32 bytes of the sum, as a warp's lanes have them.
  mlir::SmallVector<mlir::Value> fragment(unsigned factor, mlir::Value stage,
                                          int64_t block, int64_t step);
  mlir::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums);
  /// A factor's step of the sum as wgmma is told of it.
  mlir::Value descriptor(unsigned factor, mlir::Value stage, int64_t step);
  mlir::SmallVector<mlir::Value> multiplyByGroups(mlir::Value stage,
                                                  mlir::ValueRange sums);
  void multiplyOne(mlir::ArrayRef<mlir::Value> a, mlir::ArrayRef<mlir::Value> b,
                   mlir::MutableArrayRef<mlir::Value> sums);
  /// The place in the result of sum `i` of fragment (m, n).
  std::pair<mlir::Value, mlir::Value> placeOf(int64_t m, int64_t n, int64_t i);

  Unit unit;
  int64_t rowBlocks, pairs; // of a warp: 16 rows, 16 columns
  int64_t stages;
  mlir::Value lane;
  mlir::Value warpPlace[2]; // of the warp's part in the tile, i32
  mlir::Value partPlace[2]; // of its group's
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TENSORPRODUCT_H
