//===- GEMMTile.cpp - A block's tile of a GEMM ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Code that all kinds of GEMM tiles share: the choice of the tile that a block
// computes, the addresses of operands' elements, and the epilogue.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/GEMMTile.h"

#include "codegen/PTX/Im2colReader.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

GEMMTile::GEMMTile(ImplicitLocOpBuilder &builder, KernelGEMM &product,
                   int64_t rows, int64_t columns)
    : b(builder), product(product), rows(rows), columns(columns),
      batch(product.op.getNumLoops()) {}

Value GEMMTile::at(int64_t index) {
  return arith::ConstantIndexOp::create(b, index);
}

Value GEMMTile::add(Value a, int64_t b) {
  return arith::AddIOp::create(this->b, a, at(b));
}

Value GEMMTile::sizeOf(unsigned loop) {
  int64_t size = product.sizeOf(loop);
  if (!ShapedType::isDynamic(size))
    return at(size);
  auto [buffer, dim] = product.placeOf(loop);
  return memref::DimOp::create(b, buffer, dim);
}

Value GEMMTile::isBelow(Value index, OpFoldResult bound) {
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult, index,
      getValueOrCreateConstantIndexOp(b, b.getLoc(), bound));
}

Value GEMMTile::guarded(Value condition, Value other,
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

//===----------------------------------------------------------------------===//
// The grid, and the tile of a block
//===----------------------------------------------------------------------===//

/// Returns the number of tiles along the dimension of the result that `loop`
/// indexes, or ShapedType::kDynamic if it is dynamic.
int64_t GEMMTile::tilesOf(unsigned loop) const {
  int64_t size = product.sizeOf(loop);
  if (ShapedType::isDynamic(size))
    return size;
  return loop == product.row      ? llvm::divideCeilSigned(size, rows)
         : loop == product.column ? llvm::divideCeilSigned(size, columns)
                                  : size;
}

/// Returns the result's dimensions in the order in which blocks are numbered,
/// the one that changes fastest first: N, M, then the batch. A dynamic
/// dimension comes last, so that the block's index is divided only by
/// constants.
SmallVector<unsigned> GEMMTile::loopsFromInside() const {
  SmallVector<unsigned> loops = {product.column, product.row};
  for (unsigned loop = 0; loop < product.sum(); ++loop)
    if (loop != product.row && loop != product.column)
      loops.push_back(loop);
  llvm::stable_sort(loops, [&](unsigned a, unsigned b) {
    return ShapedType::isDynamic(product.sizeOf(a)) <
           ShapedType::isDynamic(product.sizeOf(b));
  });
  return loops;
}

codegen::Grid GEMMTile::grid() const {
  codegen::Grid grid;
  SmallVector<unsigned> loops = loopsFromInside();
  int64_t known = 1;
  for (unsigned loop : loops)
    if (!ShapedType::isDynamic(tilesOf(loop)))
      known *= tilesOf(loop);
  grid.base = known;
  unsigned last = loops.back();
  if (!ShapedType::isDynamic(tilesOf(last)))
    return grid;
  // If M is dynamic, the number of tiles is known * ceil(M / rows), where
  // `known` is the number of tiles along all other dimensions. A Grid cannot
  // express that, because it divides only once, at the end. So the grid has
  // known * (M + rows - 1) / rows blocks, rounded down, which may be up to
  // known - 1 blocks too many. The rows of an additional block are beyond M, so
  // `isInResult` is false for each element that it would store.
  grid.step = last == product.row ? rows : 1;
  grid.terms.push_back({*slotOf(product, last), known});
  grid.base = (grid.step - 1) * (known - 1);
  return grid;
}

/// Computes the tile's position from the index `block` (delinearization). No
/// remainder is computed for the outermost dimension, which is the only one
/// that may be dynamic.
void GEMMTile::locate(Value block) {
  SmallVector<unsigned> loops = loopsFromInside();
  Value rest = block;
  for (unsigned loop : loops) {
    Value here = rest;
    if (loop != loops.back()) {
      Value tiles = at(tilesOf(loop));
      here = arith::RemUIOp::create(b, rest, tiles);
      rest = arith::DivUIOp::create(b, rest, tiles);
    }
    if (loop == product.row)
      firstRow = arith::MulIOp::create(b, here, at(rows));
    else if (loop == product.column)
      firstColumn = arith::MulIOp::create(b, here, at(columns));
    else
      batch[loop] = here;
  }
}

//===----------------------------------------------------------------------===//
// Indices, loads and stores of elements of A, B and the result
//===----------------------------------------------------------------------===//

SmallVector<Value> GEMMTile::indicesOf(AffineMap map,
                                       ArrayRef<Value> position) {
  SmallVector<Value> indices;
  for (AffineExpr place : map.getResults())
    indices.push_back(
        affine::expandAffineExpr(b, b.getLoc(), place, position, {}));
  return indices;
}

SmallVector<Value> GEMMTile::positionOf(Value row, Value column) {
  SmallVector<Value> position(batch);
  position[product.row] = row;
  position[product.column] = column;
  return position;
}

static AffineMap mapOf(const KernelGEMM &product, unsigned factor) {
  linalg::GenericOp op = product.op;
  return op.getMatchingIndexingMap(
      op.getDpsInputOperand(product.factors[factor]));
}

Value GEMMTile::factor(unsigned number) const {
  return product.op->getOperand(product.factors[number]);
}

SmallVector<Value> GEMMTile::indicesOf(unsigned factor, Value place, Value k) {
  SmallVector<Value> position(batch);
  position[factor == 0 ? product.row : product.column] = place;
  position[product.sum()] = k;
  return indicesOf(mapOf(product, factor), position);
}

Value GEMMTile::readFactor(unsigned number, Value place, Value k,
                           int64_t width) {
  SmallVector<Value> indices = indicesOf(number, place, k);
  if (linalg::GenericOp patches = product.patches[product.factors[number]].op)
    return readPatches(b, patches, indices, width);
  if (width == 1)
    return memref::LoadOp::create(b, factor(number), indices);
  return vector::LoadOp::create(
      b, VectorType::get({width}, product.factorType()), factor(number),
      indices, /*nontemporal=*/false,
      llvm::MaybeAlign(width * product.factorType().getIntOrFloatBitWidth() /
                       8));
}

/// Whether neighbours along `loop` are neighbours along the buffer's last
/// dimension.
static bool isNeighbourAlong(AffineMap map, unsigned loop) {
  return map.getNumResults() != 0 &&
         map.getResults().back() == getAffineDimExpr(loop, map.getContext()) &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr other) {
           return other.isFunctionOfDim(loop);
         });
}

/// Whether a group of `width` elements from a multiple of `width` on is aligned
/// to its size, if the buffer is: the length of a row is a multiple, too.
static bool isAlignedInGroups(MemRefType type, int64_t width) {
  int64_t inner = type.getShape().back();
  return type.getLayout().isIdentity() && !ShapedType::isDynamic(inner) &&
         inner % width == 0;
}

bool GEMMTile::canReadGroups(unsigned number, int64_t width) const {
  // The elements of a group, which are neighbours in memory, must follow each
  // other along K or along the factor's own dimension of the tile (M or N), but
  // not along the batch.
  AffineExpr neighbours = mapOf(product, number).getResults().back();
  unsigned own = number == 0 ? product.row : product.column;
  if (!neighbours.isFunctionOfDim(product.sum()) &&
      neighbours != getAffineDimExpr(own, b.getContext()))
    return false;
  Value buffer = factor(number);
  if (linalg::GenericOp op = product.patches[product.factors[number]].op) {
    memref::LoadOp load = channelLoadOf(op);
    if (!load || op.getStaticLoopRanges()[4] % width != 0)
      return false;
    buffer = load.getMemRef();
    // With split-K, a group of elements that one vector load reads must not
    // reach from one part of K into the next: each part must start at a
    // multiple of the group's size.
    if (neighbours.isFunctionOfDim(product.sum()) &&
        !neighbours
             .replace(getAffineDimExpr(product.sum(), b.getContext()),
                      b.getAffineConstantExpr(0))
             .isMultipleOf(width))
      return false;
  }
  Value source = sourceOf(buffer);
  // A group is loaded by one vector load, which must be aligned.
  return isAlignedInGroups(cast<MemRefType>(buffer.getType()), width) &&
         (isa<BlockArgument>(source) ||
          source.getDefiningOp<memref::AllocOp>());
}

bool GEMMTile::isKMajor(unsigned factor) const {
  return mapOf(product, factor)
      .getResults()
      .back()
      .isFunctionOfDim(product.sum());
}

Value GEMMTile::isInResult(Value row, Value column) {
  return arith::AndIOp::create(b, isBelow(row, sizeOf(product.row)),
                               isBelow(column, sizeOf(product.column)));
}

Value GEMMTile::start(Value row, Value column) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  return guarded(isInResult(row, column), zero, [&]() -> Value {
    return elementOf(product.op.getDpsInitsMutable()[0],
                     positionOf(row, column));
  });
}

Value GEMMTile::elementOf(OpOperand &operand, ArrayRef<Value> position) {
  auto owner = cast<linalg::GenericOp>(operand.getOwner());
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(
      b, operand.get(),
      indicesOf(owner.getMatchingIndexingMap(&operand), position));
}

void GEMMTile::finish(Value row, Value column, ValueRange sums) {
  auto isWhole = [&](unsigned loop, int64_t tile) {
    int64_t size = product.sizeOf(loop);
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  // The elements of a group are either all inside or all outside of the result.
  int64_t group = sums.size();
  if (group > 1 && !(isWhole(product.column, group) && canStoreLast())) {
    for (int64_t i = 0; i < group; ++i)
      finish(row, add(column, i), sums[i]);
    return;
  }
  if (isWhole(product.row, rows) && isWhole(product.column, columns))
    return finishInside(row, column, sums);
  auto branch = scf::IfOp::create(b, isInResult(row, column),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  finishInside(row, column, sums);
}

bool GEMMTile::readsInEpilogue() const {
  SmallVector<Value> written = {product.op.getDpsInits()[0]};
  for (linalg::GenericOp consumer : product.consumers) {
    for (OpOperand &operand : consumer->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) &&
          !consumer.getMatchingBlockArgument(&operand).use_empty() &&
          !llvm::is_contained(written, operand.get()))
        return true;
    llvm::append_range(written, consumer.getDpsInits());
  }
  return false;
}

/// Whether the epilogue of several elements may load all of its operands before
/// it stores a result: no op reads through another view of a buffer what an
/// earlier op has written. Elements do not read each other's results, which
/// other threads compute.
bool GEMMTile::canStoreLast() const {
  SmallVector<Value> written = {product.op.getDpsInits()[0]};
  for (linalg::GenericOp consumer : product.consumers) {
    for (Value operand : consumer->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          !llvm::is_contained(written, operand) &&
          llvm::any_of(written, [&](Value other) {
            return sourceOf(other) == sourceOf(operand);
          }))
        return false;
    llvm::append_range(written, consumer.getDpsInits());
  }
  return true;
}

/// Whether `width` neighbours in a row of the result are neighbours in an
/// operand of the epilogue, too, where one aligned vector access reaches them.
bool GEMMTile::isAccessedInGroups(OpOperand &operand, int64_t width) const {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (width == 1 || !type || !type.getElementType().isF32())
    return false;
  auto owner = cast<linalg::GenericOp>(operand.getOwner());
  Value source = sourceOf(operand.get());
  return isNeighbourAlong(owner.getMatchingIndexingMap(&operand),
                          product.column) &&
         isAlignedInGroups(type, width) &&
         (isa<BlockArgument>(source) ||
          source.getDefiningOp<memref::AllocOp>());
}

/// Loads `width` neighbours of an operand of the epilogue.
SmallVector<Value> GEMMTile::loadGroup(OpOperand &operand, Value row,
                                       Value column, int64_t width) {
  SmallVector<Value> values;
  if (!isAccessedInGroups(operand, width)) {
    for (int64_t i = 0; i < width; ++i)
      values.push_back(elementOf(
          operand, positionOf(row, i == 0 ? column : add(column, i))));
    return values;
  }
  auto map = cast<linalg::GenericOp>(operand.getOwner())
                 .getMatchingIndexingMap(&operand);
  Value group = vector::LoadOp::create(
      b, VectorType::get({width}, b.getF32Type()), operand.get(),
      indicesOf(map, positionOf(row, column)), /*nontemporal=*/false,
      llvm::MaybeAlign(width * sizeof(float)));
  for (int64_t i = 0; i < width; ++i)
    values.push_back(vector::ExtractOp::create(b, group, i));
  return values;
}

void GEMMTile::storeGroup(OpOperand &init, Value row, Value column,
                          ValueRange values) {
  auto map =
      cast<linalg::GenericOp>(init.getOwner()).getMatchingIndexingMap(&init);
  auto indices = [&](int64_t i) {
    return indicesOf(map, positionOf(row, i == 0 ? column : add(column, i)));
  };
  int64_t width = values.size();
  if (isAccessedInGroups(init, width)) {
    auto type = VectorType::get({width}, b.getF32Type());
    Value group = vector::FromElementsOp::create(b, type, values);
    vector::StoreOp::create(b, group, init.get(), indices(0),
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(width * sizeof(float)));
    return;
  }
  for (int64_t i = 0; i < width; ++i)
    memref::StoreOp::create(b, values[i], init.get(), indices(i));
}

/// Computes the fused epilogue for neighbouring elements of a row, by cloning
/// the bodies of the epilogue's ops in order. Stores come last, so that those
/// of a thread are one.
void GEMMTile::finishInside(Value row, Value column, ValueRange sums) {
  int64_t width = sums.size();
  // The sums, and the elements that earlier ops of the epilogue have computed,
  // are read from registers. A buffer that only the epilogue reads is never
  // written.
  DenseMap<Value, SmallVector<Value>> known; // by buffer
  SmallVector<std::pair<OpOperand *, SmallVector<Value>>> stores;
  auto keep = [&](OpOperand &init, SmallVector<Value> values) {
    if (!product.temporaries.contains(init.get()))
      stores.push_back({&init, values});
    known[init.get()] = std::move(values);
  };
  keep(product.op.getDpsInitsMutable()[0], SmallVector<Value>(sums));
  for (linalg::GenericOp consumer : product.consumers) {
    SmallVector<IRMapping> mappings(width);
    for (OpOperand &operand : consumer->getOpOperands()) {
      BlockArgument argument = consumer.getMatchingBlockArgument(&operand);
      if (argument.use_empty())
        continue;
      SmallVector<Value> values = known.lookup(operand.get());
      if (values.empty())
        values = loadGroup(operand, row, column, width);
      for (int64_t i = 0; i < width; ++i)
        mappings[i].map(argument, values[i]);
    }
    for (int64_t i = 0; i < width; ++i)
      cloneBody(consumer, positionOf(row, i == 0 ? column : add(column, i)),
                mappings[i]);
    for (auto [init, yielded] :
         llvm::zip(consumer.getDpsInitsMutable(),
                   consumer.getBlock()->getTerminator()->getOperands()))
      keep(init, llvm::map_to_vector(mappings, [&](const IRMapping &mapping) {
             return mapping.lookupOrDefault(yielded);
           }));
  }
  for (auto &[init, values] : stores)
    storeGroup(*init, row, column, values);
}

void GEMMTile::cloneBody(linalg::GenericOp op, ArrayRef<Value> position,
                         IRMapping &mapping) {
  for (Operation &member : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(member))
      mapping.map(index.getResult(), position[index.getDim()]);
    else
      b.clone(member, mapping);
  }
}

} // namespace ingot::ptx
