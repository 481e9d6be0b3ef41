//===- TileProducts.cpp - Products through shared memory ------------------===//

#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/Passes.h"
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
/// So many tiles of the larger size keep all processors of a GPU busy.
static constexpr int64_t enoughTiles = 100;
/// What follows on each of 64 elements that a thread of a large tile has is no
/// longer.
static constexpr unsigned maxLargeBody = 12;

/// Whether each element of what `op` computes needs only elements at its own
/// place of the product's result and of what is computed from that.
static bool isElementwise(linalg::GenericOp op, const DenseSet<Value> &made) {
  if (op.getNumLoops() != 2 || op.getNumParallelLoops() != 2)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    if ((isInit || made.contains(operand.get())) && !map.isIdentity())
      return false;
    if (!llvm::all_of(map.getResults(),
                      llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
      return false;
  }
  // What the body reads for itself may be what another thread writes.
  return !op.getBlock()
              ->walk([](memref::LoadOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

static bool isAllocation(Value buffer) {
  return isa_and_nonnull<memref::AllocOp>(buffer.getDefiningOp());
}

/// The slot of the kernel's table that tells a dynamic number of rows.
static std::optional<int64_t> slotOfRows(linalg::GenericOp product) {
  AffineExpr row = getAffineDimExpr(0, product.getContext());
  for (OpOperand *operand :
       {product.getDpsInputOperand(0), product.getDpsInitOperand(0)})
    for (auto [dim, result] :
         llvm::enumerate(product.getMatchingIndexingMap(operand).getResults()))
      if (auto argument = dyn_cast<BlockArgument>(operand->get());
          argument && result == row)
        return ::ingot::codegen::slotOfSize(argument, dim);
  return std::nullopt;
}

namespace {

class ProductFinder {
public:
  explicit ProductFinder(func::FuncOp kernel)
      : body(kernel.getBody().front()) {}

  /// The kernel's product, where it is one product and what follows on its
  /// elements.
  std::optional<Product> find() {
    for (Operation &op : body.without_terminator())
      if (!take(op))
        return std::nullopt;
    if (!product.op || !hasFittingSizes() || !staysApart())
      return std::nullopt;
    findTemporaries();
    return product;
  }

private:
  bool take(Operation &op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && ::ingot::kernels::isProduct(generic) && !product.op)
      return takeProduct(generic);
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && !product.op) {
      fills[fill.getOutputs()[0]] = fill;
      return true;
    }
    if (product.op && generic && isElementwise(generic, made)) {
      product.consumers.push_back(generic);
      for (Value init : generic.getDpsInits())
        made.insert(init);
      return true;
    }
    // What is computed once, each block computes.
    auto once = dyn_cast<linalg::LinalgOp>(op);
    if (once)
      return once.getNumLoops() == 0 && !product.op &&
             llvm::all_of(once.getDpsInits(), isAllocation);
    return isMemoryEffectFree(&op) ||
           isa<memref::AllocOp, memref::DeallocOp>(op) ||
           (isa<memref::LoadOp>(op) && !product.op);
  }

  bool takeProduct(linalg::GenericOp generic) {
    Value result = generic.getDpsInits()[0];
    product.op = generic;
    made.insert(result);
    if (linalg::FillOp fill = fills.lookup(result)) {
      product.fill = fill;
      product.start = fill.getInputs()[0];
    }
    return true;
  }

  /// Whether what one block writes no other one reads.
  bool staysApart() {
    DenseSet<Value> written;
    for (Value buffer : made)
      written.insert(::ingot::kernels::rootOf(buffer));
    auto isWritten = [&](Value value) {
      return isa<MemRefType>(value.getType()) &&
             written.contains(::ingot::kernels::rootOf(value));
    };
    for (Operation &op : body.without_terminator()) {
      if (auto load = dyn_cast<memref::LoadOp>(op);
          load && isWritten(load.getMemRef()))
        return false;
      auto computed = dyn_cast<linalg::LinalgOp>(op);
      if (!computed || isa<linalg::FillOp>(op))
        continue;
      for (OpOperand *input : computed.getDpsInputOperands()) {
        // The element that a thread writes itself it may read.
        bool isOwn = &op != product.op.getOperation() &&
                     made.contains(input->get()) &&
                     computed.getMatchingIndexingMap(input).isIdentity();
        if (!isOwn && isWritten(input->get()))
          return false;
      }
    }
    return true;
  }

  bool hasFittingSizes() {
    linalg::GenericOp op = product.op;
    if (!getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF32() ||
        !llvm::all_of(op.getDpsInputs(), [](Value input) {
          return getElementTypeOrSelf(input.getType()).isF32();
        }))
      return false;
    // Fills are the product's; what else is filled nobody would fill.
    if (fills.size() != (product.fill ? 1 : 0) || !isPlainResult(op))
      return false;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    // A grid is as long as a dynamic number of rows says, not of columns.
    if (ShapedType::isDynamic(sizes[1]) || llvm::is_contained(sizes, 0))
      return false;
    int64_t rows = ShapedType::isDynamic(sizes[0]) ? 256 : sizes[0];
    return rows >= minSide && sizes[1] >= minSide &&
           rows * sizes[1] * estimated(sizes[2]) >= minMultiplications &&
           (!ShapedType::isDynamic(sizes[0]) || slotOfRows(op));
  }

  static bool isPlainResult(linalg::GenericOp op) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    return map ==
           AffineMap::getMultiDimMapWithTargets(3, {0, 1}, op.getContext());
  }

  /// Of what is computed, allocations that nothing else reads.
  void findTemporaries() {
    for (Value buffer : made)
      if (isAllocation(buffer) &&
          llvm::all_of(buffer.getUsers(), [&](Operation *user) {
            auto generic = dyn_cast<linalg::GenericOp>(user);
            return user == product.op || user == product.fill ||
                   isa<memref::DeallocOp>(user) ||
                   (generic && llvm::is_contained(product.consumers, generic));
          }))
        product.temporaries.insert(buffer);
  }

  Block &body;
  Product product;
  DenseMap<Value, linalg::FillOp> fills;
  DenseSet<Value> made;
};

/// Strips of a tile's rows and columns: large tiles where there are enough.
std::pair<int64_t, int64_t> tileOf(Product &product) {
  SmallVector<int64_t> sizes = product.op.getStaticLoopRanges();
  unsigned body = 0;
  for (linalg::GenericOp consumer : product.consumers)
    body += consumer.getBlock()->getOperations().size();
  int64_t large = 2 * TiledProduct::strip;
  int64_t tiles = llvm::divideCeilSigned(estimated(sizes[0]), large) *
                  llvm::divideCeilSigned(sizes[1], large);
  if (body <= maxLargeBody && tiles >= enoughTiles)
    return {2, 2};
  return {1, 1};
}

void tile(func::FuncOp kernel, Product &product) {
  auto [rowStrips, columnStrips] = tileOf(product);
  Operation *last =
      product.consumers.empty() ? product.op : product.consumers.back();
  ImplicitLocOpBuilder b(kernel.getLoc(), last);
  auto region = scf::ExecuteRegionOp::create(b, TypeRange());
  region.setNoInline(true);
  region->setAttr(byThreadsAttrName, b.getUnitAttr());
  b.setInsertionPointToStart(&region.getRegion().emplaceBlock());
  TiledProduct tiled(b, product, rowStrips, columnStrips);
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  // Where the number of rows is dynamic, the grid may be longer than it need
  // be by less than a row of tiles: such a block finds no element of its own.
  tiled.emit(block);
  scf::YieldOp::create(b);

  int64_t perRow = tiled.tilesPerRow(),
          height = rowStrips * TiledProduct::strip;
  ::ingot::codegen::Grid grid;
  int64_t rows = product.op.getStaticLoopRanges()[0];
  if (ShapedType::isDynamic(rows)) {
    grid.terms.push_back({*slotOfRows(product.op), perRow});
    grid.base = (height - 1) * (perRow - 1);
    grid.step = height;
  } else {
    grid.base = llvm::divideCeilSigned(rows, height) * perRow;
  }
  ::ingot::codegen::setGrid(kernel, grid);
  kernel->setAttr(::ingot::codegen::threadsAttrName,
                  b.getI64IntegerAttr(TiledProduct::threads));
  for (linalg::GenericOp consumer : llvm::reverse(product.consumers))
    consumer.erase();
  product.op.erase();
  if (product.fill)
    product.fill.erase();
}

struct TileProducts : ::ingot::ptx::impl::TileProductsPassBase<TileProducts> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isDeviceKernel(kernel))
        if (std::optional<Product> product = ProductFinder(kernel).find())
          tile(kernel, *product);
  }
};

} // namespace
