//===- StagedGEMM.h - Operands in shared memory stages ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A stage is a block of K of both operands in shared memory. An operand's
// layout there is that of global memory: rows lie along K or across it, in
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

/// A GEMM tile whose operands, called factors, pass through stages.
class StagedGEMM : public GEMMTile {
public:
  /// Bytes of a vector access to shared memory.
  static constexpr int64_t groupBytes = 16;

  /// Returns the type that tensor cores multiply; f32 operands are rounded to
  /// `precision`. Returns std::nullopt if tensor cores do not support the
  /// operands' type.
  static std::optional<Precision> typeFor(const Product &product,
                                          Precision precision);

protected:
  /// A row of a stage has `rowBytes` bytes of K. `loaders` is the number of
  /// threads that load a stage. With `turns`, 32-bit elements are always stored
  /// along K, transposed if needed.
  StagedGEMM(mlir::ImplicitLocOpBuilder &builder, Product &product,
             Precision type, int64_t rows, int64_t columns, int64_t rowBytes,
             int64_t loaders, bool turns);

  /// The layout of a factor's part of a stage: `outer` rows of `inner`
  /// elements.
  struct Layout {
    bool sumIsInner;      // whether rows in global memory lie along K
    bool isTransposed;    // whether a stage has rows along K nevertheless
    int64_t width;        // rows or columns of the tile
    int64_t inner, outer; // elements of a row in global memory, and rows
    int64_t perLoad;      // elements in 16 bytes of global memory
    int64_t loads;        // loads of 16 bytes by each thread
    int64_t offset;       // in a stage, in bytes

    /// Whether rows of a stage lie along K.
    bool liesAlongSum() const { return sumIsInner || isTransposed; }
  };

  /// Allocates `size` bytes of shared memory, and sets `shared` to their
  /// address.
  mlir::memref::AllocOp makeShared(int64_t size, int64_t alignment);
  mlir::Value i32(int64_t value);
  /// Converts an index to i32.
  mlir::Value number(mlir::Value index);
  /// Returns the address of the byte `offset` (i32) of the stages.
  mlir::Value word(mlir::Value offset);
  /// Returns the swizzled offset in a stage of group `group` of row `outer`.
  mlir::Value swizzled(const Layout &layout, mlir::Value outer,
                       mlir::Value group);
  /// A group of 16 bytes that the thread loads: its row and column in the
  /// tile's memory (`outer`, `inner`), its row or column in the result (`own`),
  /// and its step of K (`sum`).
  struct Place {
    mlir::Value outer, inner, own, sum;
  };
  /// Returns where group `i` of the thread's share lies, in a stage that begins
  /// at step `first` of K.
  Place groupAt(unsigned factor, int64_t i, mlir::Value first);
  /// Whether an element is inside of the factor.
  mlir::Value isInside(unsigned factor, mlir::Value own, mlir::Value sum);
  bool readsWhole(unsigned factor) const;
  /// Loads group `i` of the thread's share of the stage that begins at step
  /// `first` of K, without rounding.
  mlir::Value loadGroup(unsigned factor, int64_t i, mlir::Value first);
  /// Converts a loaded group to the type that is multiplied, and stores it to a
  /// stage.
  void storeGroup(unsigned factor, int64_t i, mlir::Value group,
                  mlir::Value stage);

  Precision type;
  int64_t bytes;    // bytes of an element that is multiplied
  int64_t rowBytes; // bytes of K in a row of a stage
  int64_t depth;    // steps of K in a stage
  int64_t loaders;  // threads that load a stage
  Layout layouts[2];
  int64_t stageBytes;
  mlir::Value thread; // the thread's index among the loaders
  mlir::Value shared; // the address of the stages in shared memory

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
