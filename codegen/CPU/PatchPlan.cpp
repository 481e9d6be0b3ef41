//===- PatchPlan.cpp - Blocks of patches that a product reads -------------===//

#include "codegen/CPU/PatchPlan.h"

#include "codegen/CPU/TileLoops.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ingot::cpu;

/// More rows at a time gain nothing, and leave fewer blocks to share.
static constexpr int64_t maxBlockRows = 256;

/// Of a sum over all patches, so few that what they read of images and of the
/// other matrix comes while the block before is computed.
static constexpr int64_t maxSummedRows = 64;

/// Channels of a block, where a product sums over all patches, and the fewest
/// elements of a patch that fill a register tile.
static constexpr int64_t maxBlockChannels = 64, minBlockElements = 8;

std::optional<PatchProduct> ingot::cpu::patchProductOf(func::FuncOp kernel) {
  PatchProduct found;
  found.product = productOf(kernel);
  found.root = rootOf(kernel);
  if (!found.product || !found.root)
    return std::nullopt;
  OpOperand *first = found.product.getDpsInputOperand(0);
  // Of an unknown number of images the matrix is another view of them.
  Operation *matrix = first->get().getDefiningOp();
  if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ReshapeOp>(matrix) ||
      !matrix->hasOneUse())
    return std::nullopt;
  found.patches = matrix->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!found.patches || found.patches.getNumDpsInputs() != 0 ||
      found.patches.getNumLoops() != 5 ||
      found.patches.getNumParallelLoops() != 5 || !found.patches->hasOneUse())
    return std::nullopt;
  found.shape.assign(found.patches.getStaticLoopRanges());
  ArrayRef<int64_t> elements = ArrayRef(found.shape).drop_front(3);
  if (ShapedType::isDynamicShape(elements) ||
      llvm::is_contained(found.shape, 0) ||
      (found.isOfUnknownSize() &&
       !found.patches.getOutputs().front().getDefiningOp<tensor::EmptyOp>()) ||
      cast<ShapedType>(first->get().getType()).getDimSize(1) !=
          found.shape[3] * found.shape[4])
    return std::nullopt;
  SmallVector<int64_t> ranges = found.product.getStaticLoopRanges();
  AffineMap map = found.product.getMatchingIndexingMap(first);
  found.sumsPatches = map.getDimPosition(0) != 0;
  // Only patches may be as many as the input says.
  ranges.erase(ranges.begin() + (found.sumsPatches ? 2 : 0));
  if (ShapedType::isDynamicShape(ranges))
    return std::nullopt;
  // A sum over blocks of patches is complete behind the last one.
  if (found.sumsPatches && found.root != found.product)
    return std::nullopt;
  return found;
}

/// Fewer columns leave a part of a vector unused.
static constexpr int64_t enoughColumns = 16;

/// Whether the product has so few columns that the elements of a patch fill
/// vectors better.
static bool isNarrow(const PatchProduct &found) {
  linalg::LinalgOp product = found.product;
  return found.sumsPatches &&
         product.getDpsInits()[0].getDefiningOp<linalg::FillOp>() &&
         product.getStaticLoopRanges()[1] < enoughColumns;
}

/// The same of a product that computes all of a row of an image: whether
/// neighbours there fill vectors better. They are next to each other where the
/// window goes step by step.
static bool isNarrowAlongRows(const PatchProduct &found, const SeenImages &seen,
                              unsigned vectorBits) {
  linalg::LinalgOp product = found.product;
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  int64_t columns = type.getDimSize(1), row = found.shape[2];
  if (found.sumsPatches || seen.width.stride != 1 || !type.hasStaticShape() ||
      ShapedType::isDynamicShape(found.shape) || columns >= enoughColumns ||
      !product.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return false;
  int64_t lanes = vectorBits / type.getElementTypeBitWidth();
  int64_t width = widthOfLine(row, lanes);
  // By a tenth at least.
  return 10 * columns * halvesOfRow(width, lanes) <
         9 * width * halvesOfRow(columns, lanes);
}

/// As many whole images, or rows of one, or columns of a row, as make at most
/// `limit` patches: they are neighbours among all patches.
static PatchShape neighbours(const PatchShape &shape, int64_t limit) {
  PatchShape block = {1, 1, 1, shape[3], shape[4]};
  for (int64_t dim = 2; dim >= 0 && !ShapedType::isDynamic(shape[dim]); --dim) {
    block[dim] = largestDivisor(shape[dim], limit);
    if (block[dim] != shape[dim])
      break;
    limit /= shape[dim];
  }
  return block;
}

/// What a block's patches show of their windows, where all are summed up: some
/// taps, or of many channels a part.
static void narrow(PatchShape &block) {
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

/// As many patches as fit, of whichever images: no tile is cut short but at the
/// end.
static int64_t rowsOfUnknown(int64_t limit) {
  constexpr int64_t tiles = 24; // their rows divide it
  limit = std::min(limit, maxBlockRows);
  return limit < tiles ? std::max<int64_t>(1, limit) : limit / tiles * tiles;
}

/// Of a sum over all patches, how many of `piece` rows of the result, for which
/// neighbours in an image stand, an iteration has: as many as make a good
/// number of iterations, and whole register tiles.
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

/// The same of a product that is turned: as many as fill vectors of any length,
/// or leave the least of one unused.
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

/// Rows of images that the product reads at a time: one row of patches at
/// least, and as many as caches hold. Nothing where a row is too much.
static std::optional<ImageBlock> blockSeen(const PatchProduct &found,
                                           const SeenImages &seen,
                                           int64_t maxElements) {
  const PatchShape &shape = found.shape;
  int64_t tapRows = found.sumsPatches ? 1 : seen.height.size;
  int64_t limit =
      std::max(found.sumsPatches ? maxSummedRows : maxBlockRows, shape[2]);
  for (; limit >= shape[2]; limit /= 2) {
    PatchShape near = neighbours(shape, limit);
    ImageBlock block = {near[0], near[1], near[2], tapRows};
    if (near[2] == shape[2] && block.numElements(seen) <= maxElements / 2)
      return block;
  }
  return std::nullopt;
}

/// Nothing where what the product reads is not known to be patches of images,
/// or a register tile's rows would not be neighbours in one.
static std::optional<PatchPlan> planReading(const PatchProduct &found,
                                            int64_t maxElements,
                                            int64_t tileRows,
                                            unsigned vectorBits) {
  std::optional<SeenImages> seen = seenBy(found.patches);
  const PatchShape &shape = found.shape;
  if (!seen || seen->height.size * seen->width.size != shape[3] ||
      seen->channels() != shape[4])
    return std::nullopt;
  bool isTurned =
      isNarrow(found) || isNarrowAlongRows(found, *seen, vectorBits);
  if (!found.sumsPatches && !isTurned && !evenRows(shape[2], tileRows))
    return std::nullopt;
  std::optional<ImageBlock> read = blockSeen(found, *seen, maxElements);
  if (!read)
    return std::nullopt;
  PatchShape block = {read->images, read->rows, read->columns,
                      read->tapRows * seen->width.size, shape[4]};
  int64_t gridRows = rowsOf(block);
  if (found.sumsPatches) {
    bool areNeighbours = seen->width.size == 1 || seen->width.dilation == 1;
    int64_t piece = areNeighbours ? seen->width.size * shape[4] : shape[4];
    int64_t pieces = shape[3] * shape[4] / piece;
    gridRows = isTurned ? columnsOfIteration(piece, pieces)
                        : rowsOfIteration(piece, pieces);
  }
  return PatchPlan{ReadPlan{*seen, *read}, block, gridRows, isTurned};
}

PatchPlan ingot::cpu::planPatches(const PatchProduct &found,
                                  int64_t maxElements, int64_t tileRows,
                                  unsigned vectorBits) {
  if (std::optional<PatchPlan> plan =
          planReading(found, maxElements, tileRows, vectorBits))
    return *plan;
  PatchShape block = found.shape;
  if (found.sumsPatches)
    narrow(block);
  int64_t rows = maxElements / depthOf(block);
  if (found.isOfUnknownSize())
    block = {1, 1, rowsOfUnknown(rows), block[3], block[4]};
  else
    block = neighbours(block, std::min(maxBlockRows, rows));
  return {std::nullopt, block,
          found.sumsPatches ? depthOf(block) : rowsOf(block), isNarrow(found)};
}
