//===- BulkProductLoads.cpp - How a product's stages are filled -----------===//

#include "codegen/KernelGrid.h"
#include "codegen/PTX/BulkProduct.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

static constexpr unsigned maxRank = 5;
/// Rows of a factor have multiples of so many bytes.
static constexpr int64_t groupBytes = 16;

static BlockArgument argumentOf(const Product &product, unsigned factor) {
  return dyn_cast<BlockArgument>(
      product.op->getOperand(product.factors[factor]));
}

static AffineMap mapOf(const Product &product, unsigned factor) {
  linalg::GenericOp op = product.op;
  return op.getMatchingIndexingMap(
      op.getDpsInputOperand(product.factors[factor]));
}

bool BulkProduct::canCopy(const Product &product) {
  return llvm::all_of(ArrayRef<unsigned>{0, 1}, [&](unsigned factor) {
    BlockArgument buffer = argumentOf(product, factor);
    Type element = product.factorType();
    if (!buffer || product.patches[product.factors[factor]].op ||
        element.getIntOrFloatBitWidth() != 16)
      return false;
    auto type = cast<MemRefType>(buffer.getType());
    AffineMap map = mapOf(product, factor);
    if (type.getRank() < 2 || type.getRank() > maxRank ||
        !type.getLayout().isIdentity() ||
        ShapedType::isDynamic(type.getShape().back()) ||
        type.getShape().back() * 2 % groupBytes != 0)
      return false;
    auto isDim = [&](AffineExpr place, unsigned loop) {
      auto dim = dyn_cast<AffineDimExpr>(place);
      return dim && dim.getPosition() == loop;
    };
    unsigned own = factor == 0 ? product.row : product.column;
    return isDim(map.getResults().back(), own) ||
           isDim(map.getResults().back(), product.sum());
  });
}

static int64_t slotOf(BlockArgument argument) {
  int64_t slot = 0;
  for (BlockArgument before : argument.getOwner()->getArguments()) {
    if (before == argument)
      break;
    slot += 1 + cast<MemRefType>(before.getType()).getNumDynamicDims();
  }
  return slot;
}

/// The boxes of a step: rows of 128 bytes along the sum, as many as the tile
/// has, or across it, as many as a stage has steps.
void BulkProduct::describeMaps(func::FuncOp kernel) {
  SmallVector<codegen::MemoryMap> maps;
  for (unsigned factor : {0u, 1u}) {
    Layout &layout = layouts[factor];
    BlockArgument buffer = argumentOf(product, factor);
    auto type = cast<MemRefType>(buffer.getType());
    codegen::MemoryMap map;
    map.slot = slotOf(buffer);
    map.elementBytes = bytes;
    for (auto [dim, place] :
         llvm::enumerate(mapOf(product, factor).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(place);
      unsigned own = factor == 0 ? product.row : product.column;
      int64_t box = 1;
      if (loop && loop.getPosition() == product.sum())
        box = depth;
      else if (loop && loop.getPosition() == own)
        box = layout.sumIsInner ? layout.width : depth;
      bool isDynamic = type.isDynamicDim(dim);
      map.dims.push_back({isDynamic ? -1 : type.getDimSize(dim),
                          isDynamic ? codegen::slotOfSize(buffer, dim) : 0,
                          box});
    }
    maps.push_back(map);
    // A global that the kernel finds behind its parameters.
    std::string name = mapName(kernel.getName(), factor);
    auto global = MemRefType::get({mapBytes}, b.getI8Type());
    OpBuilder outside(kernel);
    memref::GlobalOp::create(outside, kernel.getLoc(), name,
                             outside.getStringAttr("private"), global,
                             /*initial_value=*/Attribute(), /*constant=*/false,
                             /*alignment=*/IntegerAttr());
    Value bits = arith::IndexCastOp::create(
        b, b.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(
            b, memref::GetGlobalOp::create(b, global, name)));
    layout.map = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), bits);
  }
  codegen::setMaps(kernel, maps);
}

/// One thread asks for all copies.
void BulkProduct::bring() {
  emitIf(isOne(warp, 0), [&] {
    emitIf(electLane(b), [&] {
      forTiles(i32(0), [&](ValueRange count) {
        return forSteps(count, [&](Value first, ValueRange values) -> Carried {
          bringStep(first, values.back());
          return {};
        });
      });
    });
  });
}

void BulkProduct::bringStep(Value first, Value count) {
  Value stage = stageOf(count);
  // A barrier's phase in front of its first one counts as over.
  waitFor(b, emptyBarrier(stage),
          arith::XOrIOp::create(b, parityOf(count, stages), i32(1)));
  arriveAndExpect(b, fullBarrier(stage), stageBytes);
  for (unsigned factor : {0u, 1u})
    copyFactor(factor, first, stage);
}

void BulkProduct::copyFactor(unsigned factor, Value first, Value stage) {
  const Layout &layout = layouts[factor];
  int64_t boxes = layout.sumIsInner ? 1 : layout.width / depth;
  Value begin = arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, i32(stageBytes)), i32(layout.offset));
  for (int64_t box = 0; box < boxes; ++box) {
    Value own = add(factor == 0 ? firstRow : firstColumn, box * depth);
    SmallVector<Value> place;
    for (Value index : llvm::reverse(indicesOf(factor, own, first)))
      place.push_back(arith::IndexCastUIOp::create(b, b.getI32Type(), index));
    Value to = arith::AddIOp::create(b, begin, i32(box * depth * rowBytes));
    copyBox(b, word(to), layout.map, fullBarrier(stage), place);
  }
}

} // namespace ingot::ptx
