//===- StagedGEMM.h - Operands in shared memory stages ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A stage is a block of K of both operands in shared memory. An operand is
// K-major (its rows lie along K) or MN-major (they lie along M or N) there, as
// it is in global memory unless it is transposed on the way. Rows consist of
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

/// A GEMM tile whose operands, called factors, are loaded to stages in shared
/// memory before they are multiplied. A stage has one block of K of both
/// factors.
class StagedGEMM : public GEMMTile {
public:
  /// The size, in bytes, of a group: the elements that one vector access to
  /// shared memory reads or writes.
  static constexpr int64_t groupBytes = 16;

  /// Returns the type that tensor cores multiply for this product: `precision`
  /// for f32 operands, else the operands' own type. Returns std::nullopt if
  /// tensor cores do not support that type.
  static std::optional<Precision> typeFor(const KernelGEMM &product,
                                          Precision precision);

protected:
  /// A row of a stage has `rowBytes` bytes along K. `loaders` threads load each
  /// stage. If `transposes` is set, MN-major operands with 32-bit elements are
  /// transposed when they are stored to a stage, since wgmma and tcgen05 need
  /// K-major operands then.
  StagedGEMM(mlir::ImplicitLocOpBuilder &builder, KernelGEMM &product,
             Precision type, int64_t rows, int64_t columns, int64_t rowBytes,
             int64_t loaders, bool transposes);

  /// The layout of an operand's tile, in global memory and in a stage.
  struct OperandLayout {
    bool isKMajor;        // whether global memory is K-major
    bool isTransposed;    // whether only the stage is K-major
    int64_t width;        // rows or columns of the tile
    int64_t inner, outer; // row size and number of rows in global memory
    int64_t perLoad;      // elements in 16 bytes of global memory
    int64_t loads;        // loads of 16 bytes by each thread
    int64_t offset;       // byte offset of the operand in a stage

    /// Whether the stage is K-major (its rows lie along K), because the operand
    /// is K-major in global memory, or is transposed when it is stored to the
    /// stage.
    bool isStagedKMajor() const { return isKMajor || isTransposed; }
  };

  /// Allocates `size` bytes of shared memory, and sets the field `shared` to
  /// their address.
  mlir::memref::AllocOp makeShared(int64_t size, int64_t alignment);
  mlir::Value i32(int64_t value);
  /// Converts an index to i32.
  mlir::Value number(mlir::Value index);
  /// Returns the address in shared memory of byte `offset` (i32), counted from
  /// the first stage.
  mlir::Value word(mlir::Value offset);
  /// Returns the offset of a group of 16 bytes in a stage after swizzling. The
  /// group has the index `group` in row `outer`.
  mlir::Value swizzled(const OperandLayout &layout, mlir::Value outer,
                       mlir::Value group);
  /// The position of a group of 16 bytes that a thread loads, given by its
  /// first element: its row and column in the tile as global memory stores it
  /// (`outer`, `inner`), its index along M (for A) or N (for B) in `own`, and
  /// its index along K in `sum`.
  struct ThreadTileLoadPosition {
    mlir::Value outer, inner, own, sum;
  };
  /// Returns the position of the thread's group number `i` of factor `factor`
  /// (A or B), for the stage that begins at step `first` of K.
  ThreadTileLoadPosition groupAt(unsigned factor, int64_t i, mlir::Value first);
  /// Whether the element at row or column `own` and step `sum` of K is inside
  /// of the factor. Tiles at the end of the result also have elements outside
  /// of it.
  mlir::Value isInside(unsigned factor, mlir::Value own, mlir::Value sum);
  bool readsWhole(unsigned factor) const;
  /// Loads the thread's group number `i` of a factor, for the stage that begins
  /// at step `first` of K. Does not round the elements.
  mlir::Value loadGroup(unsigned factor, int64_t i, mlir::Value first);
  /// Rounds the elements of a loaded group to the type that tensor cores
  /// multiply, and stores them to a stage.
  void storeGroup(unsigned factor, int64_t i, mlir::Value group,
                  mlir::Value stage);

  Precision type;
  int64_t bytes;    // bytes of an element that is multiplied
  int64_t rowBytes; // bytes along K of a row of a stage
  int64_t depth;    // steps of K in a stage
  int64_t loaders;  // threads that load a stage
  OperandLayout layouts[2];
  int64_t stageBytes;
  mlir::Value thread; // the thread's index among the loaders
  mlir::Value shared; // the address of the stages in shared memory

private:
  OperandLayout layoutOf(unsigned factor, bool transposes) const;
  bool isAllInside(unsigned factor) const;
  mlir::Value readGroup(unsigned factor, mlir::Value place, mlir::Value sum);
  std::pair<mlir::Value, mlir::Value> divide(const OperandLayout &layout,
                                             int64_t i);
  /// Rounds the elements in 16 bytes of memory to the type that tensor cores
  /// multiply. Returns them as 32-bit words.
  mlir::SmallVector<mlir::Value> pack(mlir::Value group);
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_STAGEDGEMM_H
