//===- TileGEMMs.cpp - Tile GEMMs through shared memory -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Chooses one of three code generators for a kernel's GEMM with its epilogue:
//
//   CUDACoreGEMM    f32 on CUDA cores: shared memory, register tiles
//   TensorCoreGEMM  mma.sync or wgmma, multi-buffered shared memory
//   PipelinedGEMM   warp-specialized producers and consumers (sm_90a, sm_100a)
//
// All of them add the products of an element in ascending K.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/CUDACoreGEMM.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/PipelinedGEMM.h"
#include "codegen/PTX/TensorCoreGEMM.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-ptx-tile-gemms"

namespace ingot::ptx {
#define GEN_PASS_DEF_TILEGEMMSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;
using namespace ::ingot::ptx;
using ::ingot::kernels::estimated;

/// The minimum number of multiplications, and of rows and columns, of a GEMM
/// that is tiled. `leastRounded` holds for tensor cores, `leastExact` for f32
/// arithmetic on CUDA cores. For smaller or narrower GEMMs, one thread per
/// element is faster, because tiles would leave too many threads waiting or
/// idle.
struct MinTiledGEMMSize {
  int64_t multiplications, side;
};
static constexpr MinTiledGEMMSize leastRounded = {1 << 20, 24},
                                  leastExact = {1 << 16, 8};
/// The number of rows (M) that is assumed if M is dynamic.
static constexpr int64_t assumedRows = 256;
/// The number of rows and of columns of square tiles: of a small tile, of a
/// large one, and of one for narrow or small results.
static constexpr int64_t smallSide = 64, largeSide = 128, narrowSide = 32;
/// With at least `enoughTiles` large tiles, all multiprocessors of a GPU are
/// busy. With at least `enoughForTwo` tiles of any size, each multiprocessor
/// has two blocks.
static constexpr int64_t enoughTiles = 100, enoughForTwo = 264;
/// If there are fewer small tiles than this, most multiprocessors would be
/// idle, so tiles of `narrowSide` are used: they have a quarter of the
/// elements, and take about half of the time.
static constexpr int64_t fewTiles = 50;
/// The maximum number of ops in the epilogue of a large tile. A thread computes
/// 64 elements of such a tile, so with more ops it would spill registers.
static constexpr unsigned maxLargeBody = 12;

namespace {

/// Whether the host can compute the number of tiles as a linear function of a
/// dynamic size (codegen::Grid): at most one dimension of the result is
/// dynamic, M or a batch dimension, and no dimension of the GEMM is 0.
bool hasLinearGrid(const KernelGEMM &product) {
  unsigned dynamic = 0;
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    if (size == 0)
      return false;
    if (ShapedType::isDynamic(size) &&
        (++dynamic == 2 || loop == product.column || !slotOf(product, loop)))
      return false;
  }
  return product.sizeOf(product.sum()) != 0;
}

/// Whether the GEMM has at least the size `least`, so that tiling it saves
/// time.
bool isAtLeast(const KernelGEMM &product, const MinTiledGEMMSize &least) {
  // An implicit GEMM is always tiled, as its im2col is not stored in memory.
  if (product.hasPatches())
    return true;
  int64_t multiplications = estimated(product.sizeOf(product.sum()));
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    if (ShapedType::isDynamic(size))
      size = assumedRows;
    if (size < least.side && (loop == product.row || loop == product.column))
      return false;
    multiplications *= size;
  }
  return multiplications >= least.multiplications;
}

/// Returns the type to which tensor cores round the GEMM's operands. Returns
/// std::nullopt if the GEMM does not use tensor cores, because the GEMM is too
/// small, is to be computed exactly, or has types that tensor cores do not
/// support.
std::optional<Precision> roundedTypeOf(const KernelGEMM &product,
                                       Precision precision) {
  if (!isAtLeast(product, leastRounded))
    return std::nullopt;
  return TensorCoreGEMM::typeFor(product, precision);
}

/// Returns the number of rows, and of columns, of a square tile: `largeSide` if
/// there are large tiles for all multiprocessors and the epilogue is short,
/// else `smallSide`.
int64_t sideOf(const KernelGEMM &product) {
  unsigned body = 0;
  for (linalg::GenericOp consumer : product.consumers)
    body += consumer.getBlock()->getOperations().size();
  int64_t tiles = 1;
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    // A dimension of at most `smallSide` fills at most half of a large tile, so
    // the small tile is used.
    if ((loop == product.row || loop == product.column) && size <= smallSide &&
        !ShapedType::isDynamic(size))
      return smallSide;
    size = estimated(size);
    tiles *= loop == product.row || loop == product.column
                 ? llvm::divideCeilSigned(size, largeSide)
                 : size;
  }
  return body <= maxLargeBody && tiles >= enoughTiles ? largeSide : smallSide;
}

/// Returns the number of tiles with `rows` rows and `columns` columns.
int64_t tilesOf(const KernelGEMM &product, int64_t rows, int64_t columns) {
  int64_t tiles = 1;
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    if (loop == product.row)
      size = llvm::divideCeilSigned(
          ShapedType::isDynamic(size) ? assumedRows : size, rows);
    else if (loop == product.column)
      size = llvm::divideCeilSigned(size, columns);
    tiles *= estimated(size);
  }
  return tiles;
}

/// Returns the number of rows and of columns of a tile of a GEMM without tensor
/// cores. Each number is sideOf(), or `narrowSide` along a narrow dimension of
/// the result. If there would be few tiles, both numbers are `narrowSide`.
std::pair<int64_t, int64_t> exactTileOf(const KernelGEMM &product) {
  auto isNarrow = [&](unsigned loop) {
    int64_t size = product.sizeOf(loop);
    return !ShapedType::isDynamic(size) && size <= narrowSide;
  };
  int64_t side = sideOf(product);
  int64_t rows = isNarrow(product.row) ? narrowSide : side,
          columns = isNarrow(product.column) ? narrowSide : side;
  bool isKnown = true;
  for (unsigned loop = 0; loop < product.sum(); ++loop)
    isKnown &= !ShapedType::isDynamic(product.sizeOf(loop));
  if (isKnown && tilesOf(product, rows, columns) < fewTiles)
    return {narrowSide, narrowSide};
  // A narrow tile becomes twice as long if this leaves enough tiles. Each
  // thread then multiplies more elements, and uses each element that it reads
  // from shared memory more often.
  if (columns == narrowSide && rows == smallSide &&
      tilesOf(product, largeSide, columns) >= enoughForTwo)
    rows = largeSide;
  if (rows == narrowSide && columns == smallSide &&
      tilesOf(product, rows, largeSide) >= enoughForTwo)
    columns = largeSide;
  return {rows, columns};
}

/// Returns the number of columns of a pipelined tile of 128 rows: the largest
/// number with which there are tiles for all multiprocessors of a GPU. Returns
/// std::nullopt if half of the tile's rows would be outside of the result.
std::optional<int64_t> pipelinedColumnsOf(const KernelGEMM &product) {
  int64_t high = product.sizeOf(product.row),
          wide = product.sizeOf(product.column);
  if (ShapedType::isDynamic(high))
    high = assumedRows;
  if (high <= smallSide)
    return std::nullopt;
  int64_t others = llvm::divideCeilSigned(high, largeSide);
  for (unsigned loop = 0; loop < product.sum(); ++loop)
    if (loop != product.row && loop != product.column)
      others *= estimated(product.sizeOf(loop));
  // Operands that bulk copies cannot load pass through registers. Fewer
  // registers then remain for accumulators, so the tile is narrower.
  int64_t columns = PipelinedGEMM::canCopyAll(product) ? 256 : 128;
  while (columns > smallSide &&
         (wide <= columns / 2 ||
          others * llvm::divideCeilSigned(wide, columns) < enoughTiles))
    columns /= 2;
  return columns;
}

/// Replaces the kernel's GEMM and its epilogue by the code of one tile, in a
/// region marked `host.by_threads`: its work is already divided among threads.
/// Sets the kernel's grid and its number of threads.
void tile(func::FuncOp kernel, KernelGEMM &product, Precision precision,
          TensorCoreKind cores) {
  Operation *last =
      product.consumers.empty() ? product.op : product.consumers.back();
  ImplicitLocOpBuilder b(kernel.getLoc(), last);
  auto region = scf::ExecuteRegionOp::create(b, TypeRange());
  region.setNoInline(true);
  region->setAttr(byThreadsAttrName, b.getUnitAttr());
  b.setInsertionPointToStart(&region.getRegion().emplaceBlock());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  int64_t threads = GEMMTile::threads;
  auto emit = [&](auto &&tile) {
    tile.emit(block);
    ::ingot::codegen::setGrid(kernel, tile.grid());
  };
  std::optional<Precision> type = roundedTypeOf(product, precision);
  std::optional<int64_t> columns;
  if (type && cores != TensorCoreKind::Warp)
    columns = pipelinedColumnsOf(product);
  if (columns) {
    PipelinedGEMM tile(b, product, *type, *columns, cores);
    tile.emit(kernel);
    ::ingot::codegen::setGrid(kernel, tile.grid());
    threads = tile.threadsOfBlock();
  } else if (type)
    emit(TensorCoreGEMM(b, product, *type, sideOf(product),
                        cores == TensorCoreKind::Warpgroup
                            ? TensorCoreGEMM::MMAUnit::Warpgroup
                            : TensorCoreGEMM::MMAUnit::Warp));
  else {
    auto [rows, columns] = exactTileOf(product);
    emit(CUDACoreGEMM(b, product, rows, columns));
  }
  scf::YieldOp::create(b);
  kernel->setAttr(::ingot::codegen::threadsAttrName,
                  b.getI64IntegerAttr(threads));
  product.erase();
}

struct TileGEMMs : ::ingot::ptx::impl::TileGEMMsPassBase<TileGEMMs> {
  using TileGEMMsPassBase::TileGEMMsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<Precision> known = findPrecision(precisionName);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << "unknown precision '" << precisionName
             << "': expected f32, tf32, bf16 or f16";
    precision = *known;
    std::optional<TensorCoreKind> who = findTensorCores(coresName);
    if (!who)
      return emitError(UnknownLoc::get(context))
             << "unknown value '" << coresName
             << "' of option 'tensor-cores': expected warp, warpgroup or "
                "tensor-memory";
    cores = *who;
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isDeviceKernel(kernel))
        continue;
      std::optional<KernelGEMM> product = findProduct(kernel);
      if (!product)
        continue;
      bool isTiled = roundedTypeOf(*product, precision) ||
                     (product->isExact() && isAtLeast(*product, leastExact));
      if (!isTiled || !hasLinearGrid(*product)) {
        LLVM_DEBUG(llvm::dbgs()
                   << "no tile for the GEMM of " << kernel.getName()
                   << ": its sizes or types do not fit\n");
        continue;
      }
      LLVM_DEBUG(llvm::dbgs() << "tile the GEMM of " << kernel.getName()
                              << " through shared memory\n");
      ++numTiled;
      tile(kernel, *product, precision, cores);
    }
  }

private:
  Precision precision = Precision::F32;
  TensorCoreKind cores = TensorCoreKind::Warp;
};

} // namespace
