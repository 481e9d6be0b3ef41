//===- TiledProduct.cpp - A product's tile, by a block of threads ---------===//

#include "codegen/PTX/TiledProduct.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// Numbers that a thread reads from shared memory at once, and has side by
/// side.
static constexpr int64_t group = 4;
/// Threads along a tile's rows, and along its columns.
static constexpr int64_t side = 16;
/// How much of the sum lies in shared memory at a time.
static constexpr int64_t depth = 16;
/// So many steps of the sum are straight code.
static constexpr int64_t unrolled = 8;

TiledProduct::TiledProduct(ImplicitLocOpBuilder &builder, Product &product,
                           int64_t rowStrips, int64_t columnStrips)
    : b(builder), product(product), rowStrips(rowStrips),
      columnStrips(columnStrips) {}

Value TiledProduct::at(int64_t index) {
  return arith::ConstantIndexOp::create(b, index);
}

/// The operand and its dimension that tell the size of a loop.
static std::pair<unsigned, unsigned> placeOf(linalg::GenericOp op,
                                             unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (result == getAffineDimExpr(loop, op.getContext()))
        return {operand.getOperandNumber(), dim};
  llvm_unreachable("every loop of a linalg op has an operand's size");
}

static int64_t staticSize(linalg::GenericOp op, unsigned loop) {
  auto [operand, dim] = placeOf(op, loop);
  return cast<MemRefType>(op->getOperand(operand).getType()).getDimSize(dim);
}

Value TiledProduct::sizeOf(unsigned loop) {
  int64_t size = staticSize(product.op, loop);
  if (!ShapedType::isDynamic(size))
    return at(size);
  auto [operand, dim] = placeOf(product.op, loop);
  return memref::DimOp::create(b, product.op->getOperand(operand), dim);
}

int64_t TiledProduct::tilesPerRow() const {
  return llvm::divideCeilSigned(staticSize(product.op, 1),
                                columnStrips * strip);
}

Value TiledProduct::isBelow(Value index, OpFoldResult bound) {
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult, index,
      getValueOrCreateConstantIndexOp(b, b.getLoc(), bound));
}

Value TiledProduct::guarded(Value condition, Value other,
                            llvm::function_ref<Value()> body) {
  auto branch = scf::IfOp::create(b, TypeRange(other.getType()), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, other);
  return branch.getResult(0);
}

/// A row of the tile that the thread has: strips of 64, of which four rows are
/// its own.
Value TiledProduct::rowAt(int64_t i) {
  Value own = arith::MulIOp::create(b, rowThread, at(group));
  Value row = arith::AddIOp::create(b, firstRow, own);
  return arith::AddIOp::create(b, row, at(i / group * strip + i % group));
}

Value TiledProduct::columnAt(int64_t j) {
  Value own = arith::MulIOp::create(b, columnThread, at(group));
  Value column = arith::AddIOp::create(b, firstColumn, own);
  return arith::AddIOp::create(b, column, at(j / group * strip + j % group));
}

void TiledProduct::emit(Value block) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  rowThread = arith::DivUIOp::create(b, thread, at(side));
  columnThread = arith::RemUIOp::create(b, thread, at(side));
  Value perRow = at(tilesPerRow());
  firstRow = arith::MulIOp::create(b, arith::DivUIOp::create(b, block, perRow),
                                   at(rowStrips * strip));
  firstColumn = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, block, perRow), at(columnStrips * strip));
  for (unsigned operand : {0u, 1u}) {
    // A group more: threads that write columns meet fewer others.
    int64_t width = (operand == 0 ? rowStrips : columnStrips) * strip + group;
    Type f32 = b.getF32Type();
    auto grouped = VectorType::get({group}, f32);
    Value bytes = memref::AllocOp::create(
        b, MemRefType::get({depth * width * 4}, b.getI8Type()));
    words[operand] = memref::ViewOp::create(
        b, MemRefType::get({depth, width}, f32), bytes, at(0), ValueRange());
    tiles[operand] = memref::ViewOp::create(
        b, MemRefType::get({depth, width / group}, grouped), bytes, at(0),
        ValueRange());
  }
  SmallVector<Value> sums;
  for (int64_t i = 0; i < rowStrips * group; ++i)
    for (int64_t j = 0; j < columnStrips * group; ++j)
      sums.push_back(product.start ? product.start
                                   : start(rowAt(i), columnAt(j)));
  Value length = sizeOf(2);
  Value rest = arith::RemUIOp::create(b, length, at(depth));
  Value whole = arith::SubIOp::create(b, length, rest);
  auto loop = scf::ForOp::create(b, at(0), whole, at(depth), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, chunk(loop.getInductionVar(), b.getIndexAttr(depth),
                                  loop.getRegionIterArgs()));
  }
  sums.assign(loop.result_begin(), loop.result_end());
  int64_t known = staticSize(product.op, 2);
  if (ShapedType::isDynamic(known))
    sums = chunk(whole, rest, sums);
  else if (known % depth != 0)
    sums = chunk(whole, b.getIndexAttr(known % depth), sums);
  finish(sums);
}

/// What lies in the result's buffer, where that is added to.
Value TiledProduct::start(Value row, Value column) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value isInside = arith::AndIOp::create(b, isBelow(row, sizeOf(0)),
                                         isBelow(column, sizeOf(1)));
  return guarded(isInside, zero, [&]() -> Value {
    return memref::LoadOp::create(b, product.op.getDpsInits()[0],
                                  ValueRange{row, column});
  });
}

SmallVector<Value> TiledProduct::chunk(Value first, OpFoldResult length,
                                       ValueRange sums) {
  // Nobody writes what others still read, or reads what is not there.
  gpu::BarrierOp::create(b);
  for (unsigned operand : {0u, 1u})
    loadOperand(operand, first, length);
  gpu::BarrierOp::create(b);
  std::optional<int64_t> known = getConstantIntValue(length);
  int64_t by = known && *known % unrolled == 0 ? unrolled : 1;
  Value end = getValueOrCreateConstantIndexOp(b, b.getLoc(), length);
  auto loop = scf::ForOp::create(b, at(0), end, at(by), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (int64_t k = 0; k < by; ++k)
    next = step(arith::AddIOp::create(b, loop.getInductionVar(), at(k)), next);
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

/// Neighbours in memory are neighbouring threads'. Rows and columns beyond the
/// result's are zero, and nobody looks at what comes of them.
void TiledProduct::loadOperand(unsigned operand, Value first,
                               OpFoldResult length) {
  int64_t width = (operand == 0 ? rowStrips : columnStrips) * strip;
  OpOperand *source = product.op.getDpsInputOperand(operand);
  AffineMap map = product.op.getMatchingIndexingMap(source);
  bool sumIsInner = map.getResult(1) == b.getAffineDimExpr(2);
  Value corner = operand == 0 ? firstRow : firstColumn;
  Value bound = sizeOf(operand);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  bool isWhole = getConstantIntValue(length) == depth;
  for (int64_t i = 0; i < width * depth / threads; ++i) {
    Value number = arith::AddIOp::create(b, thread, at(i * threads));
    Value inner = at(sumIsInner ? depth : width);
    Value low = arith::RemUIOp::create(b, number, inner);
    Value high = arith::DivUIOp::create(b, number, inner);
    Value k = sumIsInner ? low : high, other = sumIsInner ? high : low;
    Value place = arith::AddIOp::create(b, corner, other);
    Value isInside = isBelow(place, bound);
    if (!isWhole)
      isInside = arith::AndIOp::create(b, isInside, isBelow(k, length));
    Value value = guarded(isInside, zero, [&]() -> Value {
      Value sum = arith::AddIOp::create(b, first, k);
      return memref::LoadOp::create(b, source->get(),
                                    sumIsInner ? ValueRange{place, sum}
                                               : ValueRange{sum, place});
    });
    memref::StoreOp::create(b, value, words[operand], ValueRange{k, other});
  }
}

SmallVector<Value> TiledProduct::step(Value k, ValueRange sums) {
  auto numbers = [&](unsigned operand, int64_t strips, Value own) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < strips; ++i) {
      Value place = arith::AddIOp::create(b, own, at(i * strip / group));
      Value four =
          memref::LoadOp::create(b, tiles[operand], ValueRange{k, place});
      for (int64_t lane = 0; lane < group; ++lane)
        values.push_back(vector::ExtractOp::create(b, four, lane));
    }
    return values;
  };
  SmallVector<Value> rows = numbers(0, rowStrips, rowThread);
  SmallVector<Value> columns = numbers(1, columnStrips, columnThread);
  SmallVector<Value> next;
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, column] : llvm::enumerate(columns))
      next.push_back(
          math::FmaOp::create(b, row, column, sums[i * columns.size() + j]));
  return next;
}

void TiledProduct::finish(ValueRange sums) {
  int64_t numColumns = columnStrips * group;
  for (int64_t i = 0; i < rowStrips * group; ++i)
    for (int64_t j = 0; j < numColumns; ++j) {
      Value row = rowAt(i), column = columnAt(j);
      Value isInside = arith::AndIOp::create(b, isBelow(row, sizeOf(0)),
                                             isBelow(column, sizeOf(1)));
      auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      finishElement(row, column, sums[i * numColumns + j]);
    }
}

void TiledProduct::finishElement(Value row, Value column, Value sum) {
  Value position[] = {row, column};
  DenseMap<Value, Value> known; // elements in registers, by buffer
  Value result = product.op.getDpsInits()[0];
  known[result] = sum;
  if (!product.temporaries.contains(result))
    memref::StoreOp::create(b, sum, result, position);
  for (linalg::GenericOp consumer : product.consumers) {
    IRMapping mapping;
    auto indicesOf = [&](OpOperand &operand) {
      SmallVector<Value> indices;
      for (AffineExpr place :
           consumer.getMatchingIndexingMap(&operand).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(place);
        indices.push_back(dim ? position[dim.getPosition()]
                              : at(cast<AffineConstantExpr>(place).getValue()));
      }
      return indices;
    };
    for (OpOperand &operand : consumer->getOpOperands()) {
      BlockArgument argument = consumer.getMatchingBlockArgument(&operand);
      if (argument.use_empty())
        continue;
      Value value = known.lookup(operand.get());
      if (!value)
        value = isa<MemRefType>(operand.get().getType())
                    ? Value(memref::LoadOp::create(b, operand.get(),
                                                   indicesOf(operand)))
                    : operand.get();
      mapping.map(argument, value);
    }
    for (Operation &member : consumer.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(member))
        mapping.map(index.getResult(), position[index.getDim()]);
      else
        b.clone(member, mapping);
    }
    for (auto [init, yielded] :
         llvm::zip(consumer.getDpsInitsMutable(),
                   consumer.getBlock()->getTerminator()->getOperands())) {
      Value value = mapping.lookupOrDefault(yielded);
      known[init.get()] = value;
      if (!product.temporaries.contains(init.get()))
        memref::StoreOp::create(b, value, init.get(), indicesOf(init));
    }
  }
}

} // namespace ingot::ptx
