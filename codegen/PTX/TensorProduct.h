//===- TensorProduct.h - A product's tile, on tensor cores ------*- C++ -*-===//
//
// Eight warps, two by four, multiply parts of a tile by mma.sync, or on GPUs
// that have it two groups of four warps by wgmma, which reads shared memory
// itself. What is
// multiplied goes through shared memory in stages: while warps read one, the
// next step's numbers are on their way to another. Numbers that tensor cores
// take as they are in memory are copied (cp.async), others go through
// registers, and are rounded there.
//
// In shared memory a factor lies as in global memory, with rows of the sum or
// across it, in groups of 16 bytes. In which order the groups of a row come
// (the swizzle) differs from row to row, so that the eight groups which are
// read at a time are in all banks.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_TENSORPRODUCT_H
#define INGOT_CODEGEN_PTX_TENSORPRODUCT_H

#include "codegen/PTX/Precision.h"
#include "codegen/PTX/ProductTile.h"

namespace ingot::ptx {

class TensorProduct : public ProductTile {
public:
  /// What is read from or written to shared memory at a time.
  static constexpr int64_t groupBytes = 16;

  /// Who multiplies: warps, or groups of four.
  enum class Unit { Warp, Warpgroup };

  /// What tensor cores multiply where products of f32 are of `precision`; none
  /// where they don't multiply numbers of the factors' type.
  static std::optional<Precision> typeFor(const Product &product,
                                          Precision precision);

  /// A square tile, of 64 or 128; `type` is not F32.
  TensorProduct(mlir::ImplicitLocOpBuilder &builder, Product &product,
                Precision type, int64_t side, Unit unit);

  /// Emits all that block `block` of the grid does.
  void emit(mlir::Value block);

private:
  /// A factor's part of a tile, as it lies in memory: rows of `inner` numbers.
  struct Layout {
    bool sumIsInner;
    bool isTransposed;    // in shared memory, where the sum is inner
    int64_t width;        // of the tile: rows or columns
    int64_t inner, outer; // numbers in a row, and rows
    int64_t perLoad;      // numbers of memory in 16 bytes
    int64_t loads;        // of 16 bytes, by each thread
    int64_t offset;       // in a stage, in bytes
  };
  Layout layoutOf(unsigned factor) const;

  mlir::Value i32(int64_t value);
  mlir::Value number(mlir::Value index); // as i32
  mlir::Value word(mlir::Value offset);  // an address in shared memory
  /// Where 16 bytes lie in a stage: `group` of row `outer`.
  mlir::Value swizzled(const Layout &layout, mlir::Value outer,
                       mlir::Value group);
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
  /// A group of 16 bytes that the thread brings: where it lies in the tile, in
  /// the factor, and along the sum.
  struct Place {
    mlir::Value outer, inner, own, sum;
  };
  Place placeOf(unsigned factor, int64_t i, mlir::Value first);
  mlir::Value isInside(unsigned factor, mlir::Value own, mlir::Value sum);
  mlir::Value loadGroup(unsigned factor, int64_t i, mlir::Value first);
  mlir::Value readGroup(unsigned factor, mlir::Value place, mlir::Value sum);
  bool readsWhole(unsigned factor) const;
  bool isAllInside(unsigned factor) const;
  void storeAll(mlir::ValueRange loaded, mlir::Value stage);
  void storeGroup(unsigned factor, int64_t i, mlir::ArrayRef<mlir::Value> words,
                  mlir::Value stage);
  mlir::Value nextStage(mlir::Value stage);
  /// 16 bytes of memory as what is multiplied: words of 32 bits.
  mlir::SmallVector<mlir::Value> pack(mlir::Value group);

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

  Precision type;
  Unit unit;
  int64_t bytes;            // of a number that is multiplied
  int64_t depth;            // steps of the sum in a stage
  int64_t rowBlocks, pairs; // of a warp: 16 rows, 16 columns
  Layout layouts[2];
  int64_t stageBytes, stages;
  mlir::Value thread, lane, shared;
  mlir::Value warpPlace[2]; // of the warp's part in the tile, i32
  mlir::Value partPlace[2]; // of its group's
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_TENSORPRODUCT_H
