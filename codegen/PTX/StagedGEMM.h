//===- StagedGEMM.h - Operands in shared memory stages ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A stage is a block of K of both operands in shared memory. An operand has the
// same layout there as in global memory, with rows along K or across it, in
// groups of 16 bytes. The order of groups is permuted from row to row (the
// swizzle), so that eight groups that are read at a time are in different
// banks. Threads load elements through registers, where they are rounded to the
// type that is multiplied.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_STAGEDGEMM_H
#define INGOT_CODEGEN_PTX_STAGEDGEMM_H

#include "codegen/PTX/GEMMTile.h"
#include "codegen/PTX/Precision.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::ptx {

class StagedGEMM : public GEMMTile {
public:
  /// Bytes of a vector access to shared memory.
  static constexpr int64_t groupBytes = 16;

  /// The type that tensor cores multiply, with f32 rounded to `precision`; none
  /// where they do not support the operands' type.
  static std::optional<Precision> typeFor(const Product &product,
                                          Precision precision);

protected:
  /// A stage has `rowBytes` bytes of K in a row, loaded by `loaders` threads;
  /// with `turns` 32-bit elements are always stored along K.
  StagedGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
             Precision type, int64_t rows, int64_t columns, int64_t rowBytes,
             int64_t loaders, bool turns);

  /// A factor's part of a tile: rows of `inner` elements.
  struct Layout {
    bool sumIsInner;
    bool isTransposed;    // in shared memory, where the sum is inner
    int64_t width;        // of the tile: rows or columns
    int64_t inner, outer; // numbers in a row, and rows
    int64_t perLoad;      // numbers of memory in 16 bytes
    int64_t loads;        // of 16 bytes, by each thread
    int64_t offset;       // in a stage, in bytes

    bool liesAlongSum() const { return sumIsInner || isTransposed; }
  };

  /// Allocates `size` bytes of shared memory, addressed by `shared`.
  mlir::memref::AllocOp makeShared(int64_t size, int64_t alignment);
  mlir::Value i32(int64_t value);
  mlir::Value number(mlir::Value index); // as i32
  mlir::Value word(mlir::Value offset);  // an address in shared memory
  /// The swizzled offset in a stage of group `group` of row `outer`.
  mlir::Value swizzled(const Layout &layout, mlir::Value outer,
                       mlir::Value group);
  /// A group of 16 bytes that the thread loads: its place in the tile, in the
  /// factor, and along K.
  struct Place {
    mlir::Value outer, inner, own, sum;
  };
  Place groupAt(unsigned factor, int64_t i, mlir::Value first);
  mlir::Value isInside(unsigned factor, mlir::Value own, mlir::Value sum);
  bool readsWhole(unsigned factor) const;
  /// Loads a group from step `first` of K on, unconverted.
  mlir::Value loadGroup(unsigned factor, int64_t i, mlir::Value first);
  /// Converts a loaded group to the type that is multiplied, and stores it to a
  /// stage.
  void storeGroup(unsigned factor, int64_t i, mlir::Value group,
                  mlir::Value stage);

  Precision type;
  int64_t bytes;    // of an element that is multiplied
  int64_t rowBytes; // of a row of a stage, along K
  int64_t depth;    // steps of K in a stage
  int64_t loaders;
  Layout layouts[2];
  int64_t stageBytes;
  mlir::Value thread; // of the loaders: an index
  mlir::Value shared;

private:
  Layout layoutOf(unsigned factor, bool turns) const;
  bool isAllInside(unsigned factor) const;
  mlir::Value readGroup(unsigned factor, mlir::Value place, mlir::Value sum);
  std::pair<mlir::Value, mlir::Value> divide(const Layout &layout, int64_t i);
  /// Converts 16 bytes of memory to the type that is multiplied, as 32-bit
  /// words.
  mlir::SmallVector<mlir::Value> pack(mlir::Value group);
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STAGEDGEMM_H
