//===- CoalescedTile.h - Tiles that make accesses coalesced -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring threads compute neighbouring elements of a result. If an op
// transposes an operand, or reduces its rows, these threads read elements of
// the operand that are far apart, and each request touches many sectors. Such
// an operand is copied to shared memory first, a tile at a time and in the
// order in which it lies in memory (corner turning).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_COALESCEDTILE_H
#define INGOT_CODEGEN_PTX_COALESCEDTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ingot::ptx {

struct TiledRead;

/// The places of a tile's elements of an operand in shared memory.
struct TileLayout {
  /// Returns a layout with few bank conflicts: for lanes that write along the
  /// loops of `read`, and for those that read along the loops `order`. `sizes`
  /// has the number of the tile's iterations of each loop.
  static TileLayout of(const TiledRead &read, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<unsigned> order);

  /// Returns the place of the element at these indices, indexed by loop.
  int64_t placeOf(llvm::ArrayRef<int64_t> indices) const;

  /// The distance between successive elements along each loop.
  llvm::SmallVector<int64_t> strides;
  /// An unused element follows each `run` elements, unless this is 0.
  int64_t run = 0;
  /// The number of elements, with unused ones.
  int64_t length = 0;
};

/// An element that each iteration of an op reads: of an input operand, or by a
/// load in the op's body whose indices are affine functions of the loops.
struct TiledRead {
  mlir::Value buffer;
  /// What stands for the element in the body: a block argument, or the result
  /// of the load.
  mlir::Value element;
  /// The distance in memory, in elements, between the elements that successive
  /// iterations of each loop read.
  mlir::SmallVector<int64_t> steps;
  /// The loops that index the buffer, the one with the longest step first.
  mlir::SmallVector<unsigned> loops;
  TileLayout layout = {};

  /// Returns the input operand, or null if a load in the body reads.
  mlir::OpOperand *operand() const;
};

/// A tile of the iteration space of an op, and the operands that are copied to
/// shared memory before the iterations of a tile run.
struct CoalescedTile {
  /// Returns the tile of `op`, or std::nullopt if no operand needs one. The
  /// answer is the same before and after AssignMemorySpaces.
  static std::optional<CoalescedTile> of(mlir::linalg::GenericOp op);

  /// The number of iterations of each loop in a tile. Only a single reduction
  /// is divided; several are whole.
  mlir::SmallVector<int64_t> sizes;
  /// The most iterations that each loop of the op has, or ShapedType::kDynamic.
  mlir::SmallVector<int64_t> bounds;
  /// The parallel loops in the order of the result's elements in memory.
  mlir::SmallVector<unsigned> order;
  mlir::SmallVector<TiledRead> reads;

  /// Returns the number of iterations of the loops `loops` in a tile.
  int64_t count(llvm::ArrayRef<unsigned> loops) const;
  /// Returns the number of tiles along a loop, or ShapedType::kDynamic if it
  /// depends on a size that is not known. Tiles beyond the end of a block's
  /// part, which may be shorter than others, are empty.
  int64_t tilesAlong(unsigned loop) const;
  /// Returns the size of all copies in bytes.
  int64_t bytes() const;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_COALESCEDTILE_H
