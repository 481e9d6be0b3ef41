//===- PipelinedGEMM.cpp - A warp-specialized GEMM ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a warp-specialized GEMM that producers and consumers share:
// memory and barriers, the order of tiles, and the writing of results.
// PipelinedGEMMLoads.cpp has the code of the producer warps,
// PipelinedGEMMConsumers.cpp that of the consumer warps.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/PipelinedGEMM.h"

#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ingot::ptx {

/// The size, in bytes, of a row of an operand in a stage. A stage is a buffer
/// in shared memory for one block of K of A and B.
static constexpr int64_t stageRowBytes = 128;
/// The number of producer warpgroups if bulk copies (TMA) cannot load both
/// operands. If they can, one producer warpgroup is enough.
static constexpr int64_t loaderGroups = 2;
/// The number of threads and the number of warps of a warpgroup.
static constexpr int64_t groupThreads = 128, groupWarps = 4;
/// The maximum size, in bytes, of a block's shared memory on all GPUs that have
/// bulk tensor copies.
static constexpr int64_t mostSharedBytes = 227 * 1024;
/// The maximum number of stages in shared memory, and the size of an mbarrier
/// in bytes.
static constexpr int64_t maxStages = 8;
static constexpr int64_t barrierBytes = 8;
/// Results pass through shared memory in slabs of this number of columns.
static constexpr int64_t slabColumns = columnsOfLoad;
/// The number of rows of tiles in a band. Tiles are computed band by band, so
/// that blocks that run at the same time read the same few rows and columns of
/// the operands, and find them in L2 (tile swizzling).
static constexpr int64_t bandTiles = 16;
/// The numbers of registers that setmaxnreg gives to each thread of a producer
/// and of a consumer warpgroup.
static constexpr int64_t fewRegisters = 40, manyRegisters = 232;

PipelinedGEMM::PipelinedGEMM(ImplicitLocOpBuilder &builder, KernelGEMM &product,
                             Precision type, int64_t columns,
                             TensorCoreKind cores)
    : StagedGEMM(builder, product, type, tileRows, columns, stageRowBytes,
                 loaderGroups * groupThreads, /*transposes=*/true),
      cores(cores), isCopied{canCopy(product, 0), canCopy(product, 1)},
      producers(canCopyAll(product) ? 1 : loaderGroups),
      groupRows(cores == TensorCoreKind::Warpgroup ? tileRows / 2 : tileRows),
      // Rows of a slab are padded, so that threads that access different rows
      // use different banks of shared memory.
      slabStride(slabColumns + (cores == TensorCoreKind::Warpgroup ? 8 : 4)) {
  int64_t slabBytes = tileRows * slabStride * 4;
  constexpr int64_t allBarriers = (2 * maxStages + 4) * barrierBytes;
  // After the barriers, 16 bytes are reserved for the address of the tensor
  // memory, which tcgen05.alloc writes to shared memory.
  constexpr int64_t rest = allBarriers + 16;
  stages =
      std::min((mostSharedBytes - slabBytes - rest) / stageBytes, maxStages);
  slabOffset = stages * stageBytes;
  barrierOffset = slabOffset + slabBytes;
  addressOffset = barrierOffset + allBarriers;
  sharedBytes = barrierOffset + rest;
}

int64_t PipelinedGEMM::threadsOfBlock() const {
  return cores == TensorCoreKind::Warpgroup
             ? (producers + 2) * groupThreads
             : (producers + 1) * groupThreads + warpSize;
}

//===----------------------------------------------------------------------===//
// Helpers for barriers, loops and indices
//===----------------------------------------------------------------------===//

Value PipelinedGEMM::fullBarrier(Value stage) {
  return word(arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, i32(barrierBytes)),
      i32(barrierOffset)));
}

Value PipelinedGEMM::emptyBarrier(Value stage) {
  return fullBarrier(arith::AddIOp::create(b, stage, i32(stages)));
}

Value PipelinedGEMM::sumBarrier(Value half, bool isFull) {
  return fullBarrier(
      arith::AddIOp::create(b, half, i32(2 * stages + (isFull ? 0 : 2))));
}

void PipelinedGEMM::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

PipelinedGEMM::Carried
PipelinedGEMM::emitFor(Value first, Value end, Value step, ValueRange carried,
                       llvm::function_ref<Carried(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, first, end, step, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Carried next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(b, next);
  }
  return loop.getResults();
}

PipelinedGEMM::Carried
PipelinedGEMM::forTiles(ValueRange carried,
                        llvm::function_ref<Carried(ValueRange)> body) {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(b, gpu::Dimension::x);
  return emitFor(block, numTiles(), blocks, carried,
                 [&](Value tile, ValueRange values) {
                   locateTile(tile);
                   return body(values);
                 });
}

PipelinedGEMM::Carried
PipelinedGEMM::forSteps(ValueRange carried,
                        llvm::function_ref<Carried(Value, ValueRange)> body) {
  return emitFor(at(0), sizeOf(product.sum()), at(depth), carried,
                 [&](Value first, ValueRange values) {
                   Carried next = body(first, values);
                   next.push_back(
                       arith::AddIOp::create(b, values.back(), i32(1)));
                   return next;
                 });
}

Value PipelinedGEMM::stageOf(Value count) {
  return arith::RemUIOp::create(b, count, i32(stages));
}

/// Uses of a ring of `of` buffers are counted from 0, and the phase of a
/// buffer's mbarrier changes after each pass through the ring. Returns the
/// parity of the phase of use number `count`.
Value PipelinedGEMM::parityOf(Value count, int64_t of) {
  return arith::AndIOp::create(b, arith::DivUIOp::create(b, count, i32(of)),
                               i32(1));
}

Value PipelinedGEMM::isOne(Value value, int64_t number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, i32(number));
}

Value PipelinedGEMM::isBelow32(Value value, int64_t bound) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value, i32(bound));
}

Value PipelinedGEMM::ownGroup() {
  return arith::SubIOp::create(b, group, i32(producers));
}

//===----------------------------------------------------------------------===//
// The number and the positions of tiles
//===----------------------------------------------------------------------===//

/// Returns the number of tiles with `side` rows or columns that cover `size`.
Value PipelinedGEMM::tilesOf(Value size, int64_t side) {
  return arith::DivUIOp::create(b, add(size, side - 1), at(side));
}

Value PipelinedGEMM::numTiles() {
  Value tiles = at(1);
  for (unsigned loop = 0; loop < product.sum(); ++loop) {
    Value size = sizeOf(loop);
    if (loop == product.row)
      size = tilesOf(size, rows);
    else if (loop == product.column)
      size = tilesOf(size, columns);
    tiles = arith::MulIOp::create(b, tiles, size);
  }
  return tiles;
}

/// Sets the position of the tile with the index `tile`. Tiles are numbered by
/// batch element, then by band (`bandTiles` rows of tiles), and column by
/// column within a band.
void PipelinedGEMM::locateTile(Value tile) {
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, x, y);
  };
  auto div = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, x, y);
  };
  auto rem = [&](Value x, Value y) -> Value {
    return arith::RemUIOp::create(b, x, y);
  };
  Value high = tilesOf(sizeOf(product.row), rows);
  Value wide = tilesOf(sizeOf(product.column), columns);
  Value all = mul(high, wide);
  Value rest = div(tile, all), place = rem(tile, all);
  for (unsigned loop : loopsFromInside()) {
    if (loop == product.row || loop == product.column)
      continue;
    Value size = sizeOf(loop);
    batch[loop] = rem(rest, size);
    rest = div(rest, size);
  }
  Value inBand = mul(wide, at(bandTiles));
  Value first = mul(div(place, inBand), at(bandTiles));
  Value inside = rem(place, inBand);
  Value height = arith::MinUIOp::create(
      b, arith::SubIOp::create(b, high, first), at(bandTiles));
  firstRow =
      mul(arith::AddIOp::create(b, first, rem(inside, height)), at(rows));
  firstColumn = mul(div(inside, height), at(columns));
}

//===----------------------------------------------------------------------===//
// Shared memory, barriers and the work of a block
//===----------------------------------------------------------------------===//

void PipelinedGEMM::makeMemory() {
  makeShared(sharedBytes, swizzleRows * stageRowBytes)
      ->setAttr(dynamicMemoryAttrName, b.getUnitAttr());
}

/// Makes the first thread initialize all mbarriers. A full barrier expects one
/// arrival from each thread that loads. If there are bulk copies, it expects
/// one more arrival, which announces their bytes.
void PipelinedGEMM::makeBarriers() {
  bool isGroup = cores == TensorCoreKind::Warpgroup;
  int64_t arrivals = 0;
  if (isCopied[0] || isCopied[1])
    ++arrivals;
  if (!isCopied[0] || !isCopied[1])
    arrivals += loaders;
  emitIf(isOne(number(thread), 0), [&] {
    for (int64_t stage = 0; stage < stages; ++stage) {
      initBarrier(b, fullBarrier(i32(stage)), arrivals);
      // An empty barrier expects one arrival from each consumer warp. With
      // tcgen05 it expects only one, from the tensor core (tcgen05.commit).
      initBarrier(b, emptyBarrier(i32(stage)), isGroup ? 2 * groupWarps : 1);
    }
    for (int64_t half : {0, 1}) {
      if (isGroup)
        continue;
      initBarrier(b, sumBarrier(i32(half), /*isFull=*/true), 1);
      initBarrier(b, sumBarrier(i32(half), /*isFull=*/false), groupThreads);
    }
    publishBarriers(b);
  });
}

/// Emits the common setup, then a branch for each role (warp specialization).
/// Each warpgroup runs only the code of its role. On sm_100a, one warp after
/// all warpgroups has a role, too.
void PipelinedGEMM::emit(func::FuncOp kernel) {
  describeMaps(kernel);
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value own = number(thread);
  lane = arith::RemUIOp::create(b, own, i32(warpSize));
  warp = arith::DivUIOp::create(b, own, i32(warpSize));
  group = arith::DivUIOp::create(b, own, i32(groupThreads));
  makeMemory();
  makeBarriers();
  if (cores == TensorCoreKind::TensorMemory)
    makeTensorMemory(/*isEnd=*/false);
  gpu::BarrierOp::create(b);
  bool isGroup = cores == TensorCoreKind::Warpgroup;
  if (!isGroup)
    tensorMemory =
        LLVM::LoadOp::create(b, b.getI32Type(), word(i32(addressOffset)));
  // Producers that only issue bulk copies need few registers, and leave the
  // rest of the registers to the consumers, for accumulators.
  bool sharesRegisters = isGroup && producers == 1;
  emitIf(isBelow32(group, producers), [&] {
    if (sharesRegisters)
      giveRegisters(b, fewRegisters);
    bring();
  });
  if (isGroup) {
    Value multiplies = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                             group, i32(producers));
    emitIf(multiplies, [&] {
      if (sharesRegisters)
        takeRegisters(b, manyRegisters);
      multiplyByGroups();
    });
  } else {
    emitIf(isOne(group, producers), [&] { writeTensorMemory(); });
    emitIf(isOne(group, producers + 1),
           [&] { emitIf(electLane(b), [&] { multiplyInTensorMemory(); }); });
    gpu::BarrierOp::create(b);
    makeTensorMemory(/*isEnd=*/true);
  }
  kernel->setAttr(codegen::persistentAttrName, b.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// Stores of the result's elements
//===----------------------------------------------------------------------===//

void PipelinedGEMM::meetInGroup() {
  emitText(b, "bar.sync $0, $1;", "r,r", {group, i32(groupThreads)});
}

/// Returns the byte offset of the element at `row` and `column` in the slab of
/// the thread's warpgroup.
static Value placeInSlab(ImplicitLocOpBuilder &b, Value row, Value column,
                         int64_t stride) {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, b.getI32Type(), value);
  };
  Value number = arith::AddIOp::create(
      b, arith::MulIOp::create(b, row, i32(stride)), column);
  return arith::MulIOp::create(b, number, i32(4));
}

/// Stores contiguous elements of row `row`, which begin at column `column`, to
/// the slab of the thread's warpgroup.
void PipelinedGEMM::storeSlab(Value row, Value column, ValueRange neighbours) {
  auto count = static_cast<int64_t>(neighbours.size());
  Value place = arith::AddIOp::create(
      b, placeInSlab(b, row, column, slabStride), i32(slabOffset));
  Type vector = VectorType::get({count}, b.getF32Type());
  Value numbers = LLVM::PoisonOp::create(b, vector);
  for (auto [i, number] : llvm::enumerate(neighbours))
    numbers = LLVM::InsertElementOp::create(b, numbers, number, i32(i));
  LLVM::StoreOp::create(b, numbers, word(place), /*alignment=*/4 * count);
}

/// Writes a slab from shared memory to the result, through the epilogue. Each
/// of the four warps of the warpgroup writes every fourth row, with one column
/// per lane, so that stores are coalesced.
void PipelinedGEMM::finishSlab(Value column) {
  constexpr int64_t unrolled = 4;
  meetInGroup();
  bool isGroup = cores == TensorCoreKind::Warpgroup;
  Value begin = i32(0);
  if (isGroup)
    begin = arith::MulIOp::create(b, ownGroup(), i32(groupRows));
  Value first = arith::AddIOp::create(
      b, begin, arith::RemUIOp::create(b, warp, i32(groupWarps)));
  emitFor(at(0), at(groupRows / groupWarps), at(unrolled), {},
          [&](Value i, ValueRange) -> Carried {
            Value start = arith::IndexCastUIOp::create(b, b.getI32Type(), i);
            for (int64_t j = 0; j < unrolled; ++j) {
              Value turn = arith::AddIOp::create(b, start, i32(j));
              finishOne(arith::AddIOp::create(
                            b, first,
                            arith::MulIOp::create(b, turn, i32(groupWarps))),
                        column);
            }
            return {};
          });
  meetInGroup();
}

/// Reads one sum from the slab in shared memory, computes its epilogue and
/// stores the result. `row` (i32) is the element's row in the tile. `column`
/// (index) is the tile's column at which the slab begins; each lane stores the
/// column `column` + lane.
void PipelinedGEMM::finishOne(Value row, Value column) {
  Value place = arith::AddIOp::create(b, placeInSlab(b, row, lane, slabStride),
                                      i32(slabOffset));
  Value sum = LLVM::LoadOp::create(b, b.getF32Type(), word(place));
  auto index = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
  };
  Value ownRow = arith::AddIOp::create(b, firstRow, index(row));
  Value ownColumn = arith::AddIOp::create(
      b, arith::AddIOp::create(b, firstColumn, column), index(lane));
  Value more = product.start ? product.start : start(ownRow, ownColumn);
  if (!matchPattern(more, m_AnyZeroFloat()))
    sum = arith::AddFOp::create(b, more, sum);
  finish(ownRow, ownColumn, sum);
}

} // namespace ingot::ptx
