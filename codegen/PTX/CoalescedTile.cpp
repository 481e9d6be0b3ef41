//===- CoalescedTile.cpp - Tiles that make accesses coalesced -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/CoalescedTile.h"

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/DeviceConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of iterations of an elementwise op in a tile, four for each of
/// 256 threads, and the number of results of a reduction, one for each thread.
static constexpr int64_t elementwiseIterations = 1024, reductionResults = 256;
/// The copy of an operand's part takes at most this number of bytes, so that
/// several blocks run on a multiprocessor.
static constexpr int64_t maxCopyBytes = 16 * 1024;
/// Several reductions at once are not divided. A tile has all of their
/// iterations, which are no more than this.
static constexpr int64_t maxReduced = 64;
/// An op with fewer iterations takes about as long with any order of accesses.
static constexpr int64_t minIterations = 128;
/// A sector, the unit in which a GPU accesses global memory.
static constexpr int64_t sectorBytes = 32;

//===----------------------------------------------------------------------===//
// Distances of elements in memory
//===----------------------------------------------------------------------===//

/// Returns `index`, which the body of an op computes, as an affine expression
/// of the op's loops. Values from outside of the op, such as the offset of a
/// block, are one symbol. Returns null if the index is not affine.
static AffineExpr affineIndex(Value index, linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, context);
  if (index.getParentRegion() != &op.getRegion())
    return getAffineSymbolExpr(0, context);
  Operation *definition = index.getDefiningOp();
  if (auto loop = dyn_cast_or_null<linalg::IndexOp>(definition))
    return getAffineDimExpr(loop.getDim(), context);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(definition))
    return {};
  AffineExpr left = affineIndex(definition->getOperand(0), op),
             right = affineIndex(definition->getOperand(1), op);
  if (!left || !right)
    return {};
  return isa<arith::AddIOp>(definition) ? left + right : left - right;
}

/// Returns the stride of each dimension of a buffer. Dynamic strides are
/// estimated.
static SmallVector<int64_t> estimatedStrides(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t inside = 1;
  for (size_t dim = strides.size(); dim-- > 0;) {
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = inside;
    inside = strides[dim] * std::max<int64_t>(1, kernels::boundOf(buffer, dim));
  }
  return strides;
}

/// Returns the distance in memory between the elements that successive
/// iterations of each loop access, or std::nullopt if an index is not linear.
static std::optional<SmallVector<int64_t>>
stepsOf(Value buffer, ArrayRef<AffineExpr> indices, unsigned numLoops) {
  SmallVector<int64_t> steps(numLoops), strides = estimatedStrides(buffer);
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    if (!index)
      return std::nullopt;
    bool isLinear = true;
    index.walk([&](AffineExpr part) {
      isLinear &= part.getKind() != AffineExprKind::FloorDiv &&
                  part.getKind() != AffineExprKind::CeilDiv &&
                  part.getKind() != AffineExprKind::Mod;
    });
    if (!isLinear)
      return std::nullopt;
    MLIRContext *context = index.getContext();
    AffineExpr zero = getAffineConstantExpr(0, context);
    auto valueAt = [&](unsigned loop) {
      SmallVector<AffineExpr> position(numLoops, zero);
      if (loop < numLoops)
        position[loop] = getAffineConstantExpr(1, context);
      return cast<AffineConstantExpr>(
                 index.replaceDimsAndSymbols(position, zero))
          .getValue();
    };
    for (unsigned loop = 0; loop < numLoops; ++loop)
      steps[loop] += stride * (valueAt(loop) - valueAt(numLoops));
  }
  return steps;
}

/// Returns the loops with a step, the one with the longest step first.
static SmallVector<unsigned> sortedLoops(ArrayRef<int64_t> steps) {
  SmallVector<unsigned> loops;
  for (auto [loop, step] : llvm::enumerate(steps))
    if (step != 0)
      loops.push_back(loop);
  llvm::stable_sort(loops, [&](unsigned a, unsigned b) {
    return std::abs(steps[a]) > std::abs(steps[b]);
  });
  return loops;
}

/// Returns the average number of sectors in which successive iterations of the
/// loops `order`, the last of which is the innermost one, access an element: as
/// warps do whose lanes are such iterations.
static double sectorsOf(const TiledRead &read, ArrayRef<int64_t> ranges,
                        ArrayRef<unsigned> order) {
  constexpr int64_t warps = 8;
  int64_t bytes = kernels::elementBytes(read.buffer.getType());
  int64_t sectors = 0, lanes = 0;
  for (int64_t warp = 0; warp < warps; ++warp) {
    llvm::SmallDenseSet<int64_t, warpSize> touched;
    for (int64_t lane = 0; lane < warpSize; ++lane) {
      int64_t rest = warp * warpSize + lane, place = 0;
      for (unsigned loop : llvm::reverse(order)) {
        place += rest % ranges[loop] * read.steps[loop];
        rest /= ranges[loop];
      }
      if (rest != 0)
        break;
      touched.insert(llvm::divideFloorSigned(place * bytes, sectorBytes));
      ++lanes;
    }
    sectors += touched.size();
  }
  return static_cast<double>(sectors) / static_cast<double>(lanes);
}

//===----------------------------------------------------------------------===//
// The choice of a tile
//===----------------------------------------------------------------------===//

OpOperand *TiledRead::operand() const {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument)
    return nullptr;
  auto op = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  return &op->getOpOperand(argument.getArgNumber());
}

int64_t CoalescedTile::count(ArrayRef<unsigned> loops) const {
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= sizes[loop];
  return product;
}

int64_t CoalescedTile::tilesAlong(unsigned loop) const {
  return ShapedType::isDynamic(bounds[loop])
             ? ShapedType::kDynamic
             : llvm::divideCeil(bounds[loop], sizes[loop]);
}

int64_t CoalescedTile::bytes() const {
  int64_t bytes = 0;
  for (const TiledRead &read : reads)
    bytes += llvm::alignTo(read.layout.length *
                               kernels::elementBytes(read.buffer.getType()),
                           scratchAlignment);
  return bytes;
}

/// Returns the most iterations that each loop has, or ShapedType::kDynamic.
static SmallVector<int64_t> boundsOf(linalg::GenericOp op) {
  SmallVector<int64_t> bounds = op.getStaticLoopRanges();
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result);
          dim && ShapedType::isDynamic(bounds[dim.getPosition()]))
        bounds[dim.getPosition()] =
            kernels::knownBoundOf(operand.get(), position)
                .value_or(ShapedType::kDynamic);
  return bounds;
}

/// Whether the buffer is global memory that the op does not write: an argument,
/// and no temporary, which may lie in shared memory.
static bool isReadOnlyArgument(Value buffer, linalg::GenericOp op) {
  for (Value view = buffer;;) {
    auto made = view.getDefiningOp<ViewLikeOpInterface>();
    if (!made)
      break;
    if (isa<memref::ViewOp>(made))
      return false;
    view = made.getViewSource();
  }
  Value root = kernels::rootOf(buffer);
  return isa<BlockArgument>(root) &&
         llvm::none_of(op.getDpsInits(), [&](Value init) {
           return isa<MemRefType>(init.getType()) &&
                  kernels::rootOf(init) == root;
         });
}

namespace {

/// Chooses the tile of one op.
class TileChooser {
public:
  explicit TileChooser(linalg::GenericOp op)
      : op(op), ranges(kernels::boundedRanges(op)),
        staticRanges(op.getStaticLoopRanges()) {
    op.getReductionDims(reduction);
    tile.bounds = boundsOf(op);
  }

  std::optional<CoalescedTile> choose() {
    if (!isSuitable())
      return std::nullopt;
    collectReads();
    SmallVector<TiledRead> candidates;
    llvm::copy_if(tile.reads, std::back_inserter(candidates),
                  [&](const TiledRead &read) { return gains(read, ranges); });
    while (!candidates.empty()) {
      tile.sizes = sizesFor(candidates.front());
      tile.reads.clear();
      llvm::copy_if(
          candidates, std::back_inserter(tile.reads),
          [&](const TiledRead &read) { return gains(read, tile.sizes); });
      for (TiledRead &read : tile.reads)
        read.layout = TileLayout::of(read, tile.sizes, tile.order);
      if (!tile.reads.empty() && tile.bytes() <= 2 * maxCopyBytes)
        return tile;
      candidates.erase(candidates.begin());
    }
    return std::nullopt;
  }

private:
  /// Finds the order of the result's elements. Returns false if there is none,
  /// or if the op is too small or its reductions too large.
  bool isSuitable() {
    uint64_t iterations = 1, reduced = 1;
    for (int64_t range : ranges)
      iterations = llvm::SaturatingMultiply<uint64_t>(iterations, range);
    for (unsigned loop : reduction)
      reduced = llvm::SaturatingMultiply<uint64_t>(reduced, ranges[loop]);
    auto isDynamic = [&](unsigned loop) {
      return ShapedType::isDynamic(staticRanges[loop]);
    };
    if (iterations < minIterations || op.getNumDpsInits() == 0 ||
        (reduction.size() > 1 &&
         (reduced > maxReduced || llvm::any_of(reduction, isDynamic))))
      return false;
    auto isScalars = [](Value init) {
      auto type = dyn_cast<MemRefType>(init.getType());
      return type && type.getElementType().isIntOrIndexOrFloat();
    };
    if (!llvm::all_of(op.getDpsInits(), isScalars))
      return false;
    OpOperand &init = op.getDpsInitsMutable()[0];
    auto steps =
        stepsOf(init.get(), op.getMatchingIndexingMap(&init).getResults(),
                op.getNumLoops());
    if (!steps)
      return false;
    tile.order = sortedLoops(*steps);
    return tile.order.size() == op.getNumParallelLoops();
  }

  void collectReads() {
    auto collect = [&](Value buffer, Value element,
                       ArrayRef<AffineExpr> indices) {
      if (element.use_empty() || !element.getType().isIntOrIndexOrFloat() ||
          !isReadOnlyArgument(buffer, op))
        return;
      if (auto steps = stepsOf(buffer, indices, op.getNumLoops()))
        tile.reads.push_back({buffer, element, *steps, sortedLoops(*steps)});
    };
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isa<MemRefType>(operand->get().getType()))
        collect(operand->get(), op.getMatchingBlockArgument(operand),
                op.getMatchingIndexingMap(operand).getResults());
    for (auto load : op.getBlock()->getOps<memref::LoadOp>())
      collect(load.getMemRef(), load.getResult(),
              llvm::map_to_vector(load.getIndices(), [&](Value index) {
                return affineIndex(index, op);
              }));
  }

  /// Whether a read touches far fewer sectors if its elements are copied in the
  /// order in which they lie in memory, from a tile or tensor of these sizes.
  bool gains(const TiledRead &read, ArrayRef<int64_t> sizes) const {
    constexpr double least = 1.5;
    return !read.loops.empty() &&
           sectorsOf(read, ranges, tile.order) >=
               least * sectorsOf(read, sizes, read.loops);
  }

  /// Returns the sizes of a tile for a read. Along the order of the result and
  /// along that of the read, a warp's lanes are neighbours.
  SmallVector<int64_t> sizesFor(const TiledRead &read) {
    tile.sizes.assign(ranges.size(), 1);
    for (unsigned loop : reduction)
      tile.sizes[loop] =
          reduction.size() > 1 ? ranges[loop] : sideOf(ranges[loop], warpSize);
    grow(read, tile.order, warpSize);
    if (!reduction.empty()) {
      grow(read, tile.order, reductionResults);
      // With few results, a longer part of the reduction keeps all threads
      // copying.
      int64_t &size = tile.sizes[reduction.back()];
      int64_t larger = llvm::alignDown(
          elementwiseIterations * size / tile.count(read.loops), warpSize);
      size = std::max(size, sideOf(ranges[reduction.back()], larger));
      return tile.sizes;
    }
    grow(read, read.loops, warpSize);
    for (int64_t wanted = 2 * warpSize;
         wanted <= elementwiseIterations &&
         tile.count(tile.order) < elementwiseIterations;
         wanted *= 2) {
      grow(read, read.loops, wanted);
      if (tile.count(tile.order) < elementwiseIterations)
        grow(read, tile.order, wanted);
    }
    return tile.sizes;
  }

  /// Returns the size of a tile along a loop of `range` iterations, about
  /// `wanted`. A last tile of less than half the size would leave threads idle.
  static int64_t sideOf(int64_t range, int64_t wanted) {
    return 2 * range <= 3 * wanted ? range : wanted;
  }

  /// Enlarges the tile along the loops `order`, the innermost one first, until
  /// it has `wanted` iterations of these loops, or the copy of a read becomes
  /// too large.
  void grow(const TiledRead &read, ArrayRef<unsigned> order, int64_t wanted) {
    int64_t bytes = kernels::elementBytes(read.buffer.getType()), has = 1;
    for (unsigned loop : llvm::reverse(order)) {
      if (has >= wanted)
        return;
      int64_t &size = tile.sizes[loop];
      int64_t larger = sideOf(ranges[loop], llvm::divideCeil(wanted, has));
      if (llvm::is_contained(read.loops, loop))
        larger = std::min(larger, maxCopyBytes * size /
                                      (bytes * tile.count(read.loops)));
      size = std::max(size, larger);
      has *= size;
    }
  }

  linalg::GenericOp op;
  SmallVector<int64_t> ranges, staticRanges;
  SmallVector<unsigned> reduction;
  CoalescedTile tile;
};

} // namespace

std::optional<CoalescedTile> CoalescedTile::of(linalg::GenericOp op) {
  return TileChooser(op).choose();
}

} // namespace ingot::ptx
