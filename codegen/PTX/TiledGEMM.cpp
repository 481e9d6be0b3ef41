//===- TiledGEMM.cpp - A GEMM tile on CUDA cores --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A block of 16 x 16 threads stages 16 steps of K of both operands in shared
// memory. Each thread multiplies rows of A with columns of B into its register
// tile, as the outer product of each step.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/TiledGEMM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of contiguous elements that a thread reads from shared memory by
/// one load.
static constexpr int64_t group = 4;
/// The number of threads along the rows of a tile, and along its columns.
static constexpr int64_t side = 16;
/// The number of steps of K that are in shared memory at a time.
static constexpr int64_t depth = 16;
/// The unroll factor of the K loop.
static constexpr int64_t unrolled = 8;

TiledGEMM::TiledGEMM(ImplicitLocOpBuilder &builder, Product &product,
                     int64_t rowStrips, int64_t columnStrips)
    : GEMMTile(builder, product, rowStrips * strip, columnStrips * strip),
      rowStrips(rowStrips), columnStrips(columnStrips) {}

/// Returns row `i` of the thread's register tile in the result. The thread has
/// four rows in each strip of 64.
Value TiledGEMM::rowAt(int64_t i) {
  Value own = arith::MulIOp::create(b, rowThread, at(group));
  Value row = arith::AddIOp::create(b, firstRow, own);
  return arith::AddIOp::create(b, row, at(i / group * strip + i % group));
}

Value TiledGEMM::columnAt(int64_t j) {
  Value own = arith::MulIOp::create(b, columnThread, at(group));
  Value column = arith::AddIOp::create(b, firstColumn, own);
  return arith::AddIOp::create(b, column, at(j / group * strip + j % group));
}

/// Emits the code of a block. The accumulators are loop-carried values of the K
/// loop, so they stay in registers.
void TiledGEMM::emit(Value block) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  rowThread = arith::DivUIOp::create(b, thread, at(side));
  columnThread = arith::RemUIOp::create(b, thread, at(side));
  locate(block);
  for (unsigned operand : {0u, 1u}) {
    // Each row in shared memory is longer by one group than the tile, so that
    // threads that write a column have fewer bank conflicts.
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
  Value length = sizeOf(product.sum());
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
  int64_t known = product.sizeOf(product.sum());
  if (ShapedType::isDynamic(known))
    sums = chunk(whole, rest, sums);
  else if (known % depth != 0)
    sums = chunk(whole, b.getIndexAttr(known % depth), sums);
  int64_t numColumns = columnStrips * group;
  for (int64_t i = 0; i < rowStrips * group; ++i)
    for (int64_t j = 0; j < numColumns; ++j)
      finish(rowAt(i), columnAt(j), sums[i * numColumns + j]);
}

SmallVector<Value> TiledGEMM::chunk(Value first, OpFoldResult length,
                                    ValueRange sums) {
  // The barrier before the loads waits for threads that still read the block of
  // K before. The barrier after the loads waits until all elements of this
  // block are stored.
  gpu::BarrierOp::create(b);
  for (unsigned operand : {0u, 1u})
    loadFactor(operand, first, length);
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

/// Loads a block of K of an operand to shared memory. Neighbouring threads load
/// neighbouring elements (coalesced). Rows and columns outside of the result
/// are zeros, and their sums are not stored. A thread's loads are a constant
/// distance apart, so one address register is enough for all of them.
void TiledGEMM::loadFactor(unsigned number, Value first, OpFoldResult length) {
  int64_t width = number == 0 ? rows : columns;
  bool sumIsInner = isSumInner(number);
  Value corner = number == 0 ? firstRow : firstColumn;
  Value bound = sizeOf(number == 0 ? product.row : product.column);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  bool isWhole = getConstantIntValue(length) == depth;
  int64_t inner = sumIsInner ? depth : width;
  assert(threads % inner == 0 && "a thread's numbers are not in one column");
  Value low = arith::RemUIOp::create(b, thread, at(inner));
  Value line = arith::DivUIOp::create(b, thread, at(inner));
  for (int64_t i = 0; i < width * depth / threads; ++i) {
    Value high = add(line, i * (threads / inner));
    Value k = sumIsInner ? low : high, other = sumIsInner ? high : low;
    Value row = arith::AddIOp::create(b, corner, other);
    Value isInside = isBelow(row, bound);
    if (!isWhole)
      isInside = arith::AndIOp::create(b, isInside, isBelow(k, length));
    Value value = guarded(isInside, zero, [&]() -> Value {
      Value sum = arith::AddIOp::create(b, first, k);
      return readFactor(number, row, sum);
    });
    memref::StoreOp::create(b, value, words[number], ValueRange{k, other});
  }
}

/// Adds the outer product of the thread's rows of A and its columns of B in
/// step `k` of K. Each loaded element is used for a whole row or column of the
/// register tile.
SmallVector<Value> TiledGEMM::step(Value k, ValueRange sums) {
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

} // namespace ingot::ptx
