//===- Im2colPlan.cpp - Block sizes of tiled im2col -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Im2colPlan.h"

#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-cpu-tile-im2col"

using namespace mlir;
using namespace ingot::cpu;

/// The maximum number of patches in a block. More patches gain no speed, and
/// leave fewer blocks for threads.
static constexpr int64_t maxBlockRows = 256;

/// The maximum number of patches in a block of an implicit GEMM whose K
/// dimension counts patches. If one row of the output image has more patches
/// than this, a block is one such row. Blocks are small, so that the operands
/// of the next block can be prefetched while a block is computed.
static constexpr int64_t maxPatchesInBlock = 64;

/// Limits of a block if K counts patches, so that the rows of the GEMM's result
/// (M) are elements of a patch: the maximum number of channels in a block, and
/// the minimum number of elements of a patch, which fill a register tile.
static constexpr int64_t maxBlockChannels = 64, minBlockElements = 8;

std::optional<Im2colGEMM> ingot::cpu::im2colGEMMOf(func::FuncOp kernel) {
  Im2colGEMM found;
  found.product = productOf(kernel);
  found.root = rootOf(kernel);
  if (!found.product || !found.root)
    return std::nullopt;
  OpOperand *first = found.product.getDpsInputOperand(0);
  // The GEMM's operand is im2col viewed as a matrix: by a collapse of
  // dimensions, or, if the number of images is dynamic, by a reshape.
  Operation *matrix = first->get().getDefiningOp();
  if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ReshapeOp>(matrix) ||
      !matrix->hasOneUse())
    return std::nullopt;
  found.patches = matrix->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!found.patches || found.patches.getNumDpsInputs() != 0 ||
      found.patches.getNumLoops() != 5 ||
      found.patches.getNumParallelLoops() != 5)
    return std::nullopt;
  auto refuse = [&](StringRef reason) {
    LLVM_DEBUG(llvm::dbgs() << "im2col of " << kernel.getName()
                            << " is not tiled: " << reason << '\n');
    return std::nullopt;
  };
  if (!found.patches->hasOneUse())
    return refuse("several ops read the patches");
  found.shape.assign(found.patches.getStaticLoopRanges());
  ArrayRef<int64_t> elements = ArrayRef(found.shape).drop_front(3);
  if (ShapedType::isDynamicShape(elements) ||
      llvm::is_contained(found.shape, 0))
    return refuse(
        "the number of taps or channels is dynamic, or a dimension is 0");
  if (found.isOfUnknownSize() &&
      !found.patches.getOutputs().front().getDefiningOp<tensor::EmptyOp>())
    return refuse(
        "the number of patches is dynamic, and the output operand of im2col "
        "is not a tensor.empty");
  if (cast<ShapedType>(first->get().getType()).getDimSize(1) !=
      found.shape[3] * found.shape[4])
    return refuse("a row of the GEMM's operand is not one patch");
  SmallVector<int64_t> ranges = found.product.getStaticLoopRanges();
  AffineMap map = found.product.getMatchingIndexingMap(first);
  found.reducesOverPatches = map.getDimPosition(0) != 0;
  // Only one dimension of the GEMM may be dynamic: the one that counts patches,
  // which is K if the GEMM reduces over patches, else M.
  ranges.erase(ranges.begin() + (found.reducesOverPatches ? 2 : 0));
  if (ShapedType::isDynamicShape(ranges))
    return refuse(
        "the GEMM has a dynamic dimension besides the number of patches");
  // If K counts patches, sums are complete only after the last block of
  // patches, so no epilogue can be fused into the loop over blocks.
  if (found.reducesOverPatches && found.root != found.product)
    return refuse("the GEMM reduces over patches and has an epilogue");
  return found;
}

/// The smallest N of a GEMM that fills a vector whose lanes are columns of the
/// result.
static constexpr int64_t enoughColumns = 16;

/// Returns true if the GEMM's K dimension counts the patches of im2col, and the
/// GEMM has so few columns (N) that vectors along a row of C would not be full.
/// Then C^T is computed instead of C, and its vectors are along the elements of
/// a patch.
static bool isNarrow(const Im2colGEMM &found) {
  linalg::LinalgOp product = found.product;
  return found.reducesOverPatches &&
         product.getDpsInits()[0].getDefiningOp<linalg::FillOp>() &&
         product.getStaticLoopRanges()[1] < enoughColumns;
}

/// Returns true if each row (M) of the GEMM is a patch of im2col, and the GEMM
/// has so few columns (N) that vectors along a row of C would not be full. Then
/// C^T is computed instead of C, and its vectors are along neighbouring outputs
/// in a row of the image. The window's stride along a row must be 1: then, for
/// each tap and channel, neighbouring outputs read neighbouring elements of an
/// image that is transposed to [row, channel, column].
static bool isNarrowAlongRows(const Im2colGEMM &found, const Im2colSource &seen,
                              unsigned vectorBits) {
  linalg::LinalgOp product = found.product;
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  int64_t columns = type.getDimSize(1), row = found.shape[2];
  if (found.reducesOverPatches || seen.width.stride != 1 ||
      !type.hasStaticShape() || ShapedType::isDynamicShape(found.shape) ||
      columns >= enoughColumns ||
      !product.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return false;
  int64_t lanes = vectorBits / type.getElementTypeBitWidth();
  int64_t width = widthOfLine(row, lanes);
  // Computing C^T must save at least a tenth of the vectors, because the image
  // and the result then have to be transposed, which takes time, too.
  return 10 * columns * halvesOfRow(width, lanes) <
         9 * width * halvesOfRow(columns, lanes);
}

/// Returns the shape of the largest block of at most `limit` consecutive
/// patches of `shape`: whole images, or whole rows of one image, or columns of
/// one row. Each size of the block divides the size in `shape`, so that all
/// blocks are equal. A dynamic dimension, and all dimensions before it, have
/// size 1 in the block.
static Im2colShape neighbours(const Im2colShape &shape, int64_t limit) {
  Im2colShape block = {1, 1, 1, shape[3], shape[4]};
  for (int64_t dim = 2; dim >= 0 && !ShapedType::isDynamic(shape[dim]); --dim) {
    block[dim] = largestDivisor(shape[dim], limit);
    if (block[dim] != shape[dim])
      break;
    limit /= shape[dim];
  }
  return block;
}

/// Reduces `block` to some taps and channels of a patch, for a GEMM whose K
/// dimension counts patches, and whose M dimension counts the elements of a
/// patch. If there are more than `maxBlockChannels` channels, the number of
/// channels becomes its largest divisor up to `maxBlockChannels` that is a
/// multiple of 8, if any. The number of taps becomes the smallest divisor of
/// the window's taps with which the block has at least `minBlockElements`
/// elements of a patch, or all taps.
static void narrow(Im2colShape &block) {
  int64_t taps = block[3], channels = block[4];
  block[3] = 1;
  for (int64_t part = 8;
       part <= maxBlockChannels && channels > maxBlockChannels; part += 8)
    if (channels % part == 0)
      block[4] = part;
  while (taps % block[3] != 0 ||
         (block[3] < taps && block[3] * block[4] < minBlockElements))
    ++block[3];
}

/// Returns the number of patches in a block of images of dynamic size, at most
/// `limit`. It is a multiple of the number of rows of a register tile if
/// possible, so that only the last block has a tile with fewer rows.
static int64_t rowsOfUnknown(int64_t limit) {
  constexpr int64_t tiles = 24; // a multiple of 12, 8 and 6 rows
  limit = std::min(limit, maxBlockRows);
  return limit < tiles ? std::max<int64_t>(1, limit) : limit / tiles * tiles;
}

/// For a GEMM whose K dimension counts patches, returns how many rows of the
/// result an iteration of the grid computes. The rows of the result are the
/// elements of a patch: `pieces` sequences of `piece` elements each, which are
/// contiguous in an image. The returned number divides `piece`, leaves enough
/// iterations for several threads, and is a multiple of 12 or 8 (the rows of a
/// register tile) if possible.
static int64_t rowsOfIteration(int64_t piece, int64_t pieces) {
  constexpr int64_t maxRows = 96, minRows = 8, enoughIterations = 6;
  int64_t best = 0;
  for (int64_t rows = std::min(piece, maxRows); rows >= minRows; --rows) {
    if (piece % rows != 0 || piece / rows * pieces < enoughIterations)
      continue;
    if (rows % 12 == 0)
      return rows;
    if (best == 0 || (rows % 8 == 0 && best % 8 != 0))
      best = rows;
  }
  return best != 0 ? best : largestDivisor(piece, maxRows);
}

/// Returns how many columns of C^T an iteration of the grid computes if C^T is
/// computed instead of C. The columns of C^T are the rows of C, that is,
/// `pieces` sequences of `piece` elements of a patch, as in `rowsOfIteration`.
/// The returned number divides `piece`, and leaves the smallest share of the
/// vectors' lanes unused.
static int64_t columnsOfIteration(int64_t piece, int64_t pieces) {
  constexpr int64_t maxColumns = 96, enoughIterations = 6, half = 8;
  int64_t best = 1, bestWidth = 2 * half;
  for (int64_t columns = 1; columns <= std::min(piece, maxColumns); ++columns) {
    if (piece % columns != 0 ||
        (columns > half && piece / columns * pieces < enoughIterations))
      continue;
    int64_t width = llvm::alignTo(columns, half);
    if (columns * bestWidth < best * width)
      continue;
    best = columns;
    bestWidth = width;
  }
  return best;
}

/// Returns the block of patches that one iteration of an implicit GEMM reads:
/// whole rows of patches whose windows cover at most `maxElements` / 2 elements
/// of images. Returns std::nullopt if a single row of patches covers more.
static std::optional<ImplicitGEMMBlock> blockSeen(const Im2colGEMM &found,
                                                  const Im2colSource &seen,
                                                  int64_t maxElements) {
  const Im2colShape &shape = found.shape;
  int64_t tapRows = found.reducesOverPatches ? 1 : seen.height.size;
  int64_t limit = std::max(
      found.reducesOverPatches ? maxPatchesInBlock : maxBlockRows, shape[2]);
  for (; limit >= shape[2]; limit /= 2) {
    Im2colShape near = neighbours(shape, limit);
    ImplicitGEMMBlock block = {near[0], near[1], near[2], tapRows};
    if (near[2] == shape[2] && block.numElements(seen) <= maxElements / 2)
      return block;
  }
  return std::nullopt;
}

/// Returns the plan of an implicit GEMM. Returns std::nullopt if the im2col op
/// has no attribute `host.window`, if the rows of register tiles would not
/// divide a row of patches evenly, or if a row of patches covers too much of an
/// image.
static std::optional<Im2colPlan> planReading(const Im2colGEMM &found,
                                             int64_t maxElements,
                                             int64_t tileRows,
                                             unsigned vectorBits) {
  std::optional<Im2colSource> seen = im2colSourceOf(found.patches);
  const Im2colShape &shape = found.shape;
  if (!seen || seen->height.size * seen->width.size != shape[3] ||
      seen->channels() != shape[4])
    return std::nullopt;
  bool isTurned =
      isNarrow(found) || isNarrowAlongRows(found, *seen, vectorBits);
  if (!found.reducesOverPatches && !isTurned && !evenRows(shape[2], tileRows))
    return std::nullopt;
  std::optional<ImplicitGEMMBlock> read = blockSeen(found, *seen, maxElements);
  if (!read)
    return std::nullopt;
  Im2colShape block = {read->images, read->rows, read->columns,
                       read->tapRows * seen->width.size, shape[4]};
  int64_t gridRows = rowsOf(block);
  if (found.reducesOverPatches) {
    bool areNeighbours = seen->width.size == 1 || seen->width.dilation == 1;
    int64_t piece = areNeighbours ? seen->width.size * shape[4] : shape[4];
    int64_t pieces = shape[3] * shape[4] / piece;
    gridRows = isTurned ? columnsOfIteration(piece, pieces)
                        : rowsOfIteration(piece, pieces);
  }
  return Im2colPlan{ImplicitGEMMPlan{*seen, *read}, block, gridRows, isTurned};
}

Im2colPlan ingot::cpu::planIm2col(const Im2colGEMM &found, int64_t maxElements,
                                  int64_t tileRows, unsigned vectorBits) {
  if (std::optional<Im2colPlan> plan =
          planReading(found, maxElements, tileRows, vectorBits))
    return *plan;
  Im2colShape block = found.shape;
  if (found.reducesOverPatches)
    narrow(block);
  int64_t rows = maxElements / depthOf(block);
  if (found.isOfUnknownSize())
    block = {1, 1, rowsOfUnknown(rows), block[3], block[4]};
  else
    block = neighbours(block, std::min(maxBlockRows, rows));
  return {std::nullopt, block,
          found.reducesOverPatches ? depthOf(block) : rowsOf(block),
          isNarrow(found)};
}
