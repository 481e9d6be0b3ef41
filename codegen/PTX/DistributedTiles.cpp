//===- DistributedTiles.cpp - Ops whose operands are copied by tiles ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits an op tile by tile. The threads of a block copy the operands' elements
// of a tile to shared memory, in the order in which they lie in memory. After a
// barrier, they compute the tile's results in the order of the result.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

void ThreadDistributedOpLowering::chooseTile() {
  if (lookedUp() || chooseThreadGroup() != ThreadGroup::Thread || isLongSum())
    return;
  tile = CoalescedTile::of(op);
  if (!tile)
    return;
  // A thread has at most one result of a reduction in a tile.
  bool isTooLarge =
      !reduction.empty() && tile->count(tile->order) > team.threads;
  if (isTooLarge || tile->bytes() > team.tileBytes)
    tile.reset();
}

int64_t ThreadDistributedOpLowering::tileBytes() const {
  return tile ? tile->bytes() : 0;
}

/// Emits a loop over tiles. All threads of the block run it, so that they reach
/// the barriers in it.
void ThreadDistributedOpLowering::emitByTile() {
  copies.clear();
  int64_t offset = 0;
  for (const TiledRead &read : tile->reads) {
    Type type = read.element.getType();
    int64_t length = read.layout.length;
    copies.push_back(team.tileMemory(type, offset, length));
    offset +=
        llvm::alignTo(length * kernels::elementBytes(type), scratchAlignment);
  }
  Value count = at(1);
  for (unsigned dim : tile->order)
    count = b.createOrFold<arith::MulIOp>(count, tilesAlong(dim));
  std::optional<int64_t> known = getConstantIntValue(count);
  bool isLoop = !known || *known > parts;
  // In a loop, each element has addresses and conditions that are carried from
  // tile to tile. With more than two elements, they would take too many
  // registers.
  mostInBatch =
      isLoop && !llvm::all_of(tile->order,
                              [&](unsigned dim) { return isWholeInTiles(dim); })
          ? 2
          : batchedElements;
  forEach(amongParts(at(0), 1), count, parts, [&](Value number) {
    enterTile(number);
    if (!reduction.empty())
      return reduceTile(isLoop);
    // Threads may still be reading the copies of the previous tile.
    if (isLoop)
      team.barrier(b);
    copyToTile();
    computeTile();
  });
}

/// Copies the elements of all reads that belong to the current tile to shared
/// memory, and waits until all threads have.
void ThreadDistributedOpLowering::copyToTile() {
  for (auto [read, memory] : llvm::zip(tile->reads, copies))
    copyToTile(read, memory);
  team.barrier(b);
}

/// Returns the number of tiles along a loop.
Value ThreadDistributedOpLowering::tilesAlong(unsigned dim) {
  int64_t known = tile->tilesAlong(dim), size = tile->sizes[dim];
  if (!ShapedType::isDynamic(known))
    return at(known);
  Value last = arith::AddIOp::create(b, boundOf(dim), at(size - 1));
  return arith::DivUIOp::create(b, last, at(size));
}

/// Computes the start of tile `number` (delinearization). The tiles along the
/// result's innermost dimension follow each other, but an unknown number of
/// tiles comes last, so that `number` is divided by constants if possible.
void ThreadDistributedOpLowering::enterTile(Value number) {
  tileStart.assign(ranges.size(), Value());
  llvm::fill(position, at(0));
  SmallVector<unsigned> dims(llvm::reverse(tile->order));
  llvm::stable_sort(dims, [&](unsigned a, unsigned c) {
    return !ShapedType::isDynamic(tile->tilesAlong(a)) &&
           ShapedType::isDynamic(tile->tilesAlong(c));
  });
  Value rest = number;
  for (unsigned dim : dims) {
    Value tiles = tilesAlong(dim), here = rest;
    if (getConstantIntValue(tiles) == 1)
      continue;
    if (dim != dims.back()) {
      here = arith::RemUIOp::create(b, rest, tiles);
      rest = arith::DivUIOp::create(b, rest, tiles);
    }
    tileStart[dim] = arith::MulIOp::create(b, here, at(tile->sizes[dim]));
  }
}

Value ThreadDistributedOpLowering::both(Value a, Value c) {
  return a && c ? Value(arith::AndIOp::create(b, a, c)) : a ? a : c;
}

/// Whether all tiles have all of their iterations of a loop. With a dynamic
/// size this is so if a tile has one iteration, and the number of tiles is
/// exact.
bool ThreadDistributedOpLowering::isWholeInTiles(unsigned dim) const {
  int64_t size = tile->sizes[dim];
  return ShapedType::isDynamic(ranges[dim])
             ? size == 1 && ShapedType::isDynamic(tile->tilesAlong(dim))
             : ranges[dim] % size == 0;
}

/// Sets the current indices of the loops `dims` to those of iteration `linear`
/// of these loops in the current tile. Returns the condition that these
/// iterations exist, as the last tile may be larger than the rest of the op.
/// Returns null if they always exist.
Value ThreadDistributedOpLowering::locateInTile(Value linear,
                                                ArrayRef<unsigned> dims) {
  Type i32 = b.getI32Type();
  Value rest = arith::IndexCastUIOp::create(b, i32, linear), exists;
  for (size_t i = dims.size(); i-- > 0;) {
    unsigned dim = dims[i];
    int64_t size = tile->sizes[dim];
    Value here = rest;
    if (i != 0) {
      Value by = arith::ConstantIntOp::create(b, i32, size);
      here = arith::RemUIOp::create(b, rest, by);
      rest = arith::DivUIOp::create(b, rest, by);
    }
    position[dim] = arith::IndexCastUIOp::create(b, b.getIndexType(), here);
    if (tileStart[dim])
      position[dim] = arith::AddIOp::create(b, tileStart[dim], position[dim]);
    if (!isWholeInTiles(dim))
      exists = both(exists, arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                  position[dim], boundOf(dim)));
  }
  return exists;
}

SmallVector<Value> ThreadDistributedOpLowering::guarded(
    Value condition, ValueRange others,
    llvm::function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, others.getTypes(), condition,
                                  /*withElseRegion=*/!others.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> results = body();
  if (others.empty())
    return {};
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, others);
  return branch.getResults();
}

SmallVector<Value> ThreadDistributedOpLowering::zeros() {
  return llvm::map_to_vector(op.getDpsInits(), [&](Value init) -> Value {
    return arith::ConstantOp::create(
        b, b.getZeroAttr(getElementTypeOrSelf(init.getType())));
  });
}

/// Returns how many of a tile's `elements` a thread accesses at a time, so that
/// their loads are in flight together: if possible a number with which all
/// threads have elements in all rounds.
int64_t ThreadDistributedOpLowering::batchOf(int64_t elements) const {
  for (int64_t count = mostInBatch; count > 1; --count)
    if (elements % (team.threads * count) == 0)
      return count;
  return elements > team.threads ? 2 : 1;
}

/// Copies the elements of a read that belong to the current tile to shared
/// memory. Each thread loads several elements before it stores them, so that
/// its loads are in flight together.
void ThreadDistributedOpLowering::copyToTile(const TiledRead &read,
                                             Value memory) {
  int64_t elements = tile->count(read.loops);
  int64_t count = batchOf(elements);
  bool isWhole = elements % (team.threads * count) == 0;
  forEach(team.thread, at(elements), team.threads * count, [&](Value first) {
    SmallVector<Value> places, conditions, values;
    for (int64_t i = 0; i < count; ++i) {
      Value linear = arith::AddIOp::create(b, first, at(i * team.threads));
      Value isInside;
      if (!isWhole && i != 0)
        isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, linear,
                                         at(elements));
      conditions.push_back(isInside);
      Value exists = both(isInside, locateInTile(linear, read.loops));
      places.push_back(placeInTile(read));
      auto body = [&]() -> SmallVector<Value> { return {readGlobal(read)}; };
      Value zero =
          arith::ConstantOp::create(b, b.getZeroAttr(read.element.getType()));
      values.push_back(guarded(exists, zero, body).front());
    }
    for (auto [place, condition, value] :
         llvm::zip(places, conditions, values)) {
      auto body = [&]() -> SmallVector<Value> {
        memref::StoreOp::create(b, value, memory, place);
        return {};
      };
      guarded(condition, ValueRange(), body);
    }
  });
}

/// Loads the element of a read at the current position.
Value ThreadDistributedOpLowering::readGlobal(const TiledRead &read) {
  if (OpOperand *operand = read.operand())
    return load(*operand);
  // The indices of a load in the body are computed by ops in the body.
  IRMapping mapping;
  std::function<void(Operation *)> clone = [&](Operation *member) {
    if (auto index = dyn_cast<linalg::IndexOp>(member)) {
      mapping.map(index.getResult(), position[index.getDim()]);
      return;
    }
    for (Value operand : member->getOperands())
      if (Operation *definition = operand.getDefiningOp();
          definition && definition->getBlock() == op.getBlock() &&
          !mapping.contains(operand))
        clone(definition);
    b.clone(*member, mapping);
  };
  clone(read.element.getDefiningOp());
  return mapping.lookup(read.element);
}

Value ThreadDistributedOpLowering::placeInTile(const TiledRead &read) {
  const TileLayout &layout = read.layout;
  Value place = at(0);
  for (unsigned dim : read.loops) {
    Value here = position[dim];
    if (tileStart[dim])
      here = arith::SubIOp::create(b, here, tileStart[dim]);
    here = b.createOrFold<arith::MulIOp>(here, at(layout.strides[dim]));
    place = b.createOrFold<arith::AddIOp>(here, place);
  }
  if (layout.run == 0)
    return place;
  return arith::AddIOp::create(
      b, place, arith::DivUIOp::create(b, place, at(layout.run)));
}

Value ThreadDistributedOpLowering::loadFromTile(Value element) {
  if (copies.empty())
    return {};
  for (auto [read, memory] : llvm::zip(tile->reads, copies))
    if (read.element == element)
      return memref::LoadOp::create(b, memory, placeInTile(read));
  return {};
}

/// Computes the results of the current tile. Neighbouring threads compute
/// neighbouring elements of the result.
void ThreadDistributedOpLowering::computeTile() {
  constexpr int64_t maxOps = 16;
  int64_t elements = tile->count(tile->order);
  int64_t count = 1;
  if (reduction.empty() && op.getBlock()->getOperations().size() <= maxOps)
    count = batchOf(elements);
  forEach(team.thread, at(elements), team.threads * count,
          [&](Value first) { computeTileBatch(first, count, elements); });
}

/// Computes `count` of the tile's `elements` results: the one with the index
/// `first` in the tile, and those at distances of the number of threads. The
/// operands of all are loaded before a result is stored.
void ThreadDistributedOpLowering::computeTileBatch(Value first, int64_t count,
                                                   int64_t elements) {
  bool isWhole = elements % (team.threads * count) == 0;
  SmallVector<SmallVector<Value>> positions, results;
  SmallVector<Value> conditions;
  for (int64_t i = 0; i < count; ++i) {
    Value place = arith::AddIOp::create(b, first, at(i * team.threads));
    Value isInside;
    if (!isWhole && i != 0)
      isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                       at(elements));
    conditions.push_back(both(isInside, locateInTile(place, tile->order)));
    positions.push_back(position);
    if (count != 1)
      results.push_back(guarded(conditions[i], zeros(),
                                [&] { return compute(loadInits()); }));
  }
  for (int64_t i = 0; i < count; ++i) {
    position = positions[i];
    guarded(conditions[i], ValueRange(), [&]() -> SmallVector<Value> {
      store(count == 1 ? compute(loadInits()) : results[i]);
      return {};
    });
  }
}

/// Computes the results of the current tile of a reduction, of which each
/// thread has at most one. The summands of a result are added in order, whether
/// they are copied at once or in several parts.
void ThreadDistributedOpLowering::reduceTile(bool isLoop) {
  int64_t results = tile->count(tile->order);
  Value exists;
  if (results != team.threads)
    exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, team.thread,
                                   at(results));
  exists = both(exists, locateInTile(team.thread, tile->order));
  SmallVector<Value> own = position;
  SmallVector<Value> state =
      guarded(exists, zeros(), [&] { return loadInits(); });
  auto reducePart = [&](ValueRange start) {
    copyToTile();
    position = own;
    return guarded(exists, start, [&] { return reduceInTile(start); });
  };
  unsigned last = reduction.back();
  if (ranges[last] == tile->sizes[last]) {
    if (isLoop)
      team.barrier(b);
    state = reducePart(state);
  } else {
    auto loop = scf::ForOp::create(b, at(0), boundOf(last),
                                   at(tile->sizes[last]), state);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    tileStart[last] = loop.getInductionVar();
    team.barrier(b);
    scf::YieldOp::create(b, reducePart(loop.getRegionIterArgs()));
    state.assign(loop.result_begin(), loop.result_end());
  }
  position = own;
  guarded(exists, ValueRange(), [&]() -> SmallVector<Value> {
    store(state);
    return {};
  });
}

/// Adds the summands in the current tile of the element at the current
/// position.
SmallVector<Value> ThreadDistributedOpLowering::reduceInTile(ValueRange start) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> state(start);
  SmallVector<scf::ForOp> loops;
  for (unsigned dim : reduction) {
    Value begin = at(0), end = boundOf(dim);
    if (tileStart[dim]) {
      begin = tileStart[dim];
      Value next = arith::AddIOp::create(b, begin, at(tile->sizes[dim]));
      bool isWhole = !ShapedType::isDynamic(ranges[dim]) &&
                     ranges[dim] % tile->sizes[dim] == 0;
      end = isWhole ? next : Value(arith::MinUIOp::create(b, next, end));
    }
    auto loop = scf::ForOp::create(b, begin, end, at(1), state);
    if (!loops.empty())
      scf::YieldOp::create(b, loop.getResults());
    loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
    position[dim] = loop.getInductionVar();
    state.assign(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
  }
  scf::YieldOp::create(b, compute(state));
  return loops.front().getResults();
}

} // namespace ingot::ptx
