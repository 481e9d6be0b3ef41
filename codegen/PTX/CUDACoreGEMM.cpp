//===- CUDACoreGEMM.cpp - A GEMM tile on CUDA cores -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A block of 16 x 16 threads stages 16 steps of K of both operands in shared
// memory. In each step, a thread adds the outer product of its elements of A
// and its elements of B to its register tile. Meanwhile, its elements of the
// next stage are being loaded.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/CUDACoreGEMM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// The threads of a block form a square of `side` x `side` threads, each of
/// which computes a part of the tile.
static constexpr int64_t side = 16;
/// Both operands are multi-buffered in shared memory. `stages` is the number of
/// buffers, and `depth` the number of steps of K in each.
static constexpr int64_t depth = 16;
static constexpr int64_t stages = 2;
/// The unroll factor of the loop over the steps of a stage.
static constexpr int64_t unrolled = 8;
/// The maximum number of elements that one memory access of a thread loads or
/// stores.
static constexpr int64_t maxGroup = 4;
/// The maximum number of sums of a thread with which an epilogue that reads
/// memory does so in groups.
static constexpr size_t mostVectorizedSums = 32;

CUDACoreGEMM::CUDACoreGEMM(ImplicitLocOpBuilder &builder, KernelGEMM &product,
                           int64_t rows, int64_t columns)
    : GEMMTile(builder, product, rows, columns),
      layouts{layoutOf(0), layoutOf(1)} {}

CUDACoreGEMM::OperandLayout CUDACoreGEMM::layoutOf(unsigned number) const {
  OperandLayout layout;
  layout.width = number == 0 ? rows : columns;
  layout.group = std::min(maxGroup, layout.width / side);
  layout.isKMajor = isKMajor(number);
  layout.perLoad = canReadGroups(number, layout.group) ? layout.group : 1;
  layout.loads = layout.width * depth / layout.perLoad / threads;
  return layout;
}

int64_t CUDACoreGEMM::sumsOf(unsigned number) const {
  return layouts[number].width / side;
}

Value CUDACoreGEMM::placeAt(unsigned number, int64_t i) {
  int64_t group = layouts[number].group;
  Value own = arith::MulIOp::create(b, sides[number], at(group));
  Value first =
      arith::AddIOp::create(b, number == 0 ? firstRow : firstColumn, own);
  return add(first, i / group * side * group + i % group);
}

/// Emits the code of a block. The accumulators are loop-carried values of the K
/// loop, so they stay in registers. While a stage is multiplied, the elements
/// of the next one are loaded.
void CUDACoreGEMM::emit(Value block) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  sides[0] = arith::DivUIOp::create(b, thread, at(side));
  sides[1] = arith::RemUIOp::create(b, thread, at(side));
  locate(block);
  for (unsigned number : {0u, 1u}) {
    // Each row in shared memory is padded by `maxGroup` elements, so that the
    // threads that write one column have fewer bank conflicts.
    int64_t group = layouts[number].group,
            width = layouts[number].width + maxGroup;
    Type f32 = b.getF32Type();
    Value bytes = memref::AllocOp::create(
        b, MemRefType::get({stages * depth * width * 4}, b.getI8Type()));
    words[number] =
        memref::ViewOp::create(b, MemRefType::get({stages * depth, width}, f32),
                               bytes, at(0), ValueRange());
    tiles[number] =
        memref::ViewOp::create(b,
                               MemRefType::get({stages * depth, width / group},
                                               VectorType::get({group}, f32)),
                               bytes, at(0), ValueRange());
  }
  SmallVector<Value> sums;
  for (int64_t i = 0; i < sumsOf(0); ++i)
    for (int64_t j = 0; j < sumsOf(1); ++j)
      sums.push_back(product.start ? product.start
                                   : start(placeAt(0, i), placeAt(1, j)));
  store(load(at(0)), at(0));
  // The last loop-carried value is the first row, in shared memory, of the
  // stage that the next iteration multiplies.
  sums.push_back(at(0));
  Value length = sizeOf(product.sum());
  Value rest = arith::RemUIOp::create(b, length, at(depth));
  Value whole = arith::SubIOp::create(b, length, rest);
  auto loop = scf::ForOp::create(b, at(0), whole, at(depth), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value here = loop.getRegionIterArgs().back();
    Value other = arith::SubIOp::create(b, at(depth), here);
    // After this barrier, all threads have stored their elements of the stage
    // `here`, which this iteration multiplies, and have read the stage `other`,
    // which this iteration overwrites.
    gpu::BarrierOp::create(b);
    SmallVector<Value> loaded = load(add(loop.getInductionVar(), depth));
    SmallVector<Value> next = multiply(here, b.getIndexAttr(depth),
                                       loop.getRegionIterArgs().drop_back());
    store(loaded, other);
    next.push_back(other);
    scf::YieldOp::create(b, next);
  }
  sums.assign(loop.result_begin(), loop.result_end());
  Value last = sums.pop_back_val();
  // After the last whole stage, only the remaining steps are multiplied,
  // without the zeros that fill up their stage: adding zeros would turn a sum
  // of -0 into +0.
  int64_t known = product.sizeOf(product.sum());
  if (ShapedType::isDynamic(known) || known % depth != 0) {
    gpu::BarrierOp::create(b);
    sums = multiply(last,
                    ShapedType::isDynamic(known)
                        ? OpFoldResult(rest)
                        : OpFoldResult(b.getIndexAttr(known % depth)),
                    sums);
  }
  // Vectors take aligned registers. Where 64 sums and operands of the epilogue
  // need them, ptxas would need more than 128, and one block less would run on
  // a multiprocessor.
  int64_t together = sums.size() > mostVectorizedSums && readsInEpilogue()
                         ? 1
                         : layouts[1].group;
  for (int64_t i = 0; i < sumsOf(0); ++i)
    for (int64_t j = 0; j < sumsOf(1); j += together)
      finish(placeAt(0, i), placeAt(1, j),
             ArrayRef(sums).slice(i * sumsOf(1) + j, together));
}

SmallVector<Value> CUDACoreGEMM::multiply(Value stage, OpFoldResult length,
                                          ValueRange sums) {
  std::optional<int64_t> known = getConstantIntValue(length);
  int64_t by = known && *known % unrolled == 0 ? unrolled : 1;
  Value end = getValueOrCreateConstantIndexOp(b, b.getLoc(), length);
  auto loop = scf::ForOp::create(b, at(0), end, at(by), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = arith::AddIOp::create(b, stage, loop.getInductionVar());
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (int64_t k = 0; k < by; ++k)
    next = step(add(first, k), next);
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

//===----------------------------------------------------------------------===//
// Copies of operand tiles from global memory to a buffer in shared memory
//===----------------------------------------------------------------------===//

/// Neighbouring threads load neighbouring elements of operand `number`, or
/// groups of elements, so that loads are coalesced. Successive loads of a
/// thread are a constant distance apart, so one address register is enough for
/// all of its loads.
std::pair<Value, Value> CUDACoreGEMM::placeOf(unsigned number, int64_t i) {
  const OperandLayout &layout = layouts[number];
  int64_t inner = (layout.isKMajor ? depth : layout.width) / layout.perLoad;
  assert(threads % inner == 0 && "a thread's loads are not in one column");
  Value low = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, thread, at(inner)), at(layout.perLoad));
  Value high =
      add(arith::DivUIOp::create(b, thread, at(inner)), i * (threads / inner));
  return layout.isKMajor ? std::pair(low, high) : std::pair(high, low);
}

SmallVector<Value> CUDACoreGEMM::load(Value first) {
  Type f32 = b.getF32Type();
  SmallVector<Type> types;
  for (const OperandLayout &layout : layouts)
    types.append(layout.loads,
                 layout.perLoad == 1
                     ? f32
                     : Type(VectorType::get({layout.perLoad}, f32)));
  // In the last iteration there is no next stage to load.
  auto branch =
      scf::IfOp::create(b, types, isBelow(first, sizeOf(product.sum())),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> loaded;
  for (unsigned number : {0u, 1u})
    for (int64_t i = 0; i < layouts[number].loads; ++i)
      loaded.push_back(loadOne(number, i, first));
  scf::YieldOp::create(b, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  scf::YieldOp::create(b, zeros);
  return branch.getResults();
}

/// Performs the thread's load `i` of operand `number`: one element, or a group
/// of neighbouring elements. Elements outside of the operand are replaced by
/// zeros. This is legal, because the sums of rows and columns outside of the
/// result are not stored, and steps after the end of K are not multiplied. The
/// elements of a group are either all inside or all outside of the operand.
Value CUDACoreGEMM::loadOne(unsigned number, int64_t i, Value first) {
  auto [step, place] = placeOf(number, i);
  unsigned loop = number == 0 ? product.row : product.column;
  Value own =
      arith::AddIOp::create(b, number == 0 ? firstRow : firstColumn, place);
  Value sum = arith::AddIOp::create(b, first, step);
  auto isWhole = [&](unsigned loop, int64_t multiple) {
    int64_t size = product.sizeOf(loop);
    return !ShapedType::isDynamic(size) && size % multiple == 0;
  };
  Value isInside;
  if (!isWhole(loop, layouts[number].width))
    isInside = isBelow(own, sizeOf(loop));
  if (!isWhole(product.sum(), depth)) {
    Value isStep = isBelow(sum, sizeOf(product.sum()));
    isInside =
        isInside ? Value(arith::AndIOp::create(b, isInside, isStep)) : isStep;
  }
  auto read = [&] {
    return readFactor(number, own, sum, layouts[number].perLoad);
  };
  if (!isInside)
    return read();
  Type type = b.getF32Type();
  if (layouts[number].perLoad > 1)
    type = VectorType::get({layouts[number].perLoad}, type);
  return guarded(isInside, arith::ConstantOp::create(b, b.getZeroAttr(type)),
                 read);
}

void CUDACoreGEMM::store(ValueRange loaded, Value stage) {
  for (unsigned number : {0u, 1u})
    for (int64_t i = 0; i < layouts[number].loads; ++i) {
      storeOne(number, i, loaded.front(), stage);
      loaded = loaded.drop_front();
    }
}

void CUDACoreGEMM::storeOne(unsigned number, int64_t i, Value loaded,
                            Value stage) {
  const OperandLayout &layout = layouts[number];
  auto [step, place] = placeOf(number, i);
  Value line = arith::AddIOp::create(b, stage, step);
  if (layout.perLoad == 1) {
    memref::StoreOp::create(b, loaded, words[number], ValueRange{line, place});
  } else if (layout.isKMajor) {
    for (int64_t j = 0; j < layout.perLoad; ++j)
      memref::StoreOp::create(b, vector::ExtractOp::create(b, loaded, j),
                              words[number], ValueRange{add(line, j), place});
  } else {
    Value group = arith::DivUIOp::create(b, place, at(layout.perLoad));
    memref::StoreOp::create(b, loaded, tiles[number], ValueRange{line, group});
  }
}

//===----------------------------------------------------------------------===//
// Multiplication of a stage
//===----------------------------------------------------------------------===//

/// Adds the outer product of the thread's rows of A and its columns of B in one
/// step of K. Each loaded element is used for a whole row or column of the
/// register tile.
SmallVector<Value> CUDACoreGEMM::step(Value line, ValueRange sums) {
  SmallVector<Value> values[2];
  for (unsigned number : {0u, 1u})
    for (int64_t i = 0; i < sumsOf(number); i += layouts[number].group) {
      Value place = add(sides[number], i / layouts[number].group * side);
      Value group =
          memref::LoadOp::create(b, tiles[number], ValueRange{line, place});
      for (int64_t lane = 0; lane < layouts[number].group; ++lane)
        values[number].push_back(vector::ExtractOp::create(b, group, lane));
    }
  SmallVector<Value> next;
  for (Value row : values[0])
    for (Value column : values[1])
      next.push_back(math::FmaOp::create(b, row, column, sums[next.size()]));
  return next;
}

} // namespace ingot::ptx
