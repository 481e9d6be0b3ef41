//===- TileProducts.cpp - Products through shared memory ------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/PipelinedProduct.h"
#include "codegen/PTX/TensorProduct.h"
#include "codegen/PTX/TiledProduct.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_TILEPRODUCTSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;
using namespace ::ingot::ptx;
using ::ingot::kernels::estimated;

/// Of fewer multiplications, or narrower, an element a thread is faster: a tile
/// keeps too many threads waiting, or idle.
static constexpr int64_t minMultiplications = 1 << 20;
static constexpr int64_t minSide = 24;
/// What a dynamic number of rows is taken to be.
static constexpr int64_t assumedRows = 256;
/// Sides of tiles.
static constexpr int64_t smallSide = 64, largeSide = 128;
/// So many tiles of the larger size keep all processors of a GPU busy.
static constexpr int64_t enoughTiles = 100;
/// What follows on each of 64 elements that a thread of a large tile has is no
/// longer.
static constexpr unsigned maxLargeBody = 12;

namespace {

/// Whether tiles pay, and a grid can be as long as they are many: for that one
/// dimension of the result may be dynamic, and none of a tile's columns.
bool hasFittingSizes(const Product &product) {
  int64_t multiplications = estimated(product.sizeOf(product.sum()));
  unsigned dynamic = 0;
  bool isLarge = true;
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    if (size == 0)
      return false;
    if (ShapedType::isDynamic(size)) {
      if (++dynamic == 2 || loop == product.column || !slotOf(product, loop))
        return false;
      size = assumedRows;
    }
    isLarge &=
        size >= minSide || (loop != product.row && loop != product.column);
    multiplications *= size;
  }
  // Where patches are in no memory, somebody has to make them.
  return product.sizeOf(product.sum()) != 0 &&
         (product.hasPatches() ||
          (isLarge && multiplications >= minMultiplications));
}

/// A tile's rows and columns: large tiles where there are enough.
int64_t sideOf(const Product &product) {
  unsigned body = 0;
  for (linalg::GenericOp consumer : product.consumers)
    body += consumer.getBlock()->getOperations().size();
  int64_t tiles = 1;
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    int64_t size = product.sizeOf(loop);
    // Half of a large tile would be idle.
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

/// The columns of a tile of 128 rows, of those that go through a pipeline: as
/// many as keep all processors of a GPU busy; none where half of it were idle.
std::optional<int64_t> pipelinedColumnsOf(const Product &product) {
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
  // What threads load they hold in registers, which others need for sums.
  int64_t columns = PipelinedProduct::canCopyAll(product) ? 256 : 128;
  while (columns > smallSide &&
         (wide <= columns / 2 ||
          others * llvm::divideCeilSigned(wide, columns) < enoughTiles))
    columns /= 2;
  return columns;
}

void tile(func::FuncOp kernel, Product &product, Precision precision,
          TensorCores cores) {
  Operation *last =
      product.consumers.empty() ? product.op : product.consumers.back();
  ImplicitLocOpBuilder b(kernel.getLoc(), last);
  auto region = scf::ExecuteRegionOp::create(b, TypeRange());
  region.setNoInline(true);
  region->setAttr(byThreadsAttrName, b.getUnitAttr());
  b.setInsertionPointToStart(&region.getRegion().emplaceBlock());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  int64_t side = sideOf(product), threads = ProductTile::threads;
  auto emit = [&](auto &&tile) {
    tile.emit(block);
    ::ingot::codegen::setGrid(kernel, tile.grid());
  };
  std::optional<Precision> type = TensorProduct::typeFor(product, precision);
  std::optional<int64_t> columns;
  if (type && cores != TensorCores::Warp)
    columns = pipelinedColumnsOf(product);
  if (columns) {
    PipelinedProduct tile(b, product, *type, *columns, cores);
    tile.emit(kernel);
    ::ingot::codegen::setGrid(kernel, tile.grid());
    threads = tile.threadsOfBlock();
  } else if (type)
    emit(TensorProduct(b, product, *type, side,
                       cores == TensorCores::Warpgroup
                           ? TensorProduct::Unit::Warpgroup
                           : TensorProduct::Unit::Warp));
  else
    emit(TiledProduct(b, product, side / TiledProduct::strip,
                      side / TiledProduct::strip));
  scf::YieldOp::create(b);
  kernel->setAttr(::ingot::codegen::threadsAttrName,
                  b.getI64IntegerAttr(threads));
  product.erase();
}

struct TileProducts : ::ingot::ptx::impl::TileProductsPassBase<TileProducts> {
  using TileProductsPassBase::TileProductsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<Precision> known = findPrecision(precisionName);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << "there is no precision '" << precisionName << "'";
    precision = *known;
    std::optional<TensorCores> who = findTensorCores(coresName);
    if (!who)
      return emitError(UnknownLoc::get(context))
             << "there are no tensor cores '" << coresName << "'";
    cores = *who;
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!isDeviceKernel(kernel))
        continue;
      std::optional<Product> product = findProduct(kernel);
      if (product && hasFittingSizes(*product) &&
          (product->isExact() || TensorProduct::typeFor(*product, precision)))
        tile(kernel, *product, precision, cores);
    }
  }

private:
  Precision precision = Precision::F32;
  TensorCores cores = TensorCores::Warp;
};

} // namespace
