//===- PipelinedGEMMConsumers.cpp - Consumers of a warp-specialized GEMM --===//
// SPDX-License-Identifier: Apache-2.0
//
// Consumers multiply stages and write sums: by wgmma with accumulators in
// registers, or by tcgen05.mma with accumulators in tensor memory.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/PipelinedGEMM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of accumulators that each lane has for every eight columns of the
/// result: two neighbouring columns in each of two rows.
static constexpr int64_t sumsOfEight = 4;

/// Returns the matrix descriptor of a factor. `part` (i32) is the index of the
/// matrix's first row within the tile, a multiple of 64; null means 0.
Value PipelinedGEMM::describe(unsigned factor, Value stage, int64_t step,
                              Value part) {
  const OperandLayout &layout = layouts[factor];
  Value place = arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, i32(stageBytes)), i32(layout.offset));
  // In a K-major stage, each row holds all steps of K. In an MN-major stage,
  // each row holds 64 elements of one step of K; a tile with more rows or
  // columns consists of several blocks of such rows.
  int64_t blockBytes = depth * rowBytes, perStep = stepBytes;
  if (layout.isStagedKMajor())
    blockBytes = 16; // ignored by the hardware
  else
    perStep = stepBytes / bytes * rowBytes;
  if (part)
    place = arith::AddIOp::create(
        b, place, arith::MulIOp::create(b, part, i32(rowBytes)));
  place = arith::AddIOp::create(b, place, i32(step * perStep));
  return describeShared(b,
                        cores == TensorCoreKind::Warpgroup
                            ? MatrixDescriptorKind::Warpgroup
                            : MatrixDescriptorKind::TensorMemory,
                        word(place), blockBytes, swizzleRows * rowBytes);
}

//===----------------------------------------------------------------------===//
// Products of warpgroups (wgmma)
//===----------------------------------------------------------------------===//

/// Emits the code of a consumer warpgroup: it multiplies its half of the tile's
/// rows in all stages of K, then writes its sums. Each step releases the stage
/// of the previous step, so the last stage is released after the loop.
void PipelinedGEMM::multiplyByGroups() {
  forTiles(i32(0), [&](ValueRange count) -> Carried {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    int64_t numSums = groupRows * columns / 128;
    Carried carried(numSums, zero);
    carried.push_back(count.front());
    carried = forSteps(carried, [&](Value first, ValueRange values) {
      return multiplyStep(first, values);
    });
    auto sums = MutableArrayRef(carried).drop_back();
    waitForGroups(b, 0, sums);
    Value end = carried.back();
    Value any =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, end, count.front());
    emitIf(any, [&] { releaseStage(end); });
    writeSums(sums);
    return {end};
  });
}

/// Multiplies one stage by wgmma instructions, which form one commit group.
/// Waits until the commit group of the previous stage has completed, and
/// releases that stage to the producers. The new group stays in flight.
PipelinedGEMM::Carried PipelinedGEMM::multiplyStep(Value first,
                                                   ValueRange carried) {
  Carried sums(carried.drop_back());
  Value count = carried.back(), stage = stageOf(count);
  waitFor(b, fullBarrier(stage), parityOf(count, stages));
  Value part = arith::MulIOp::create(b, ownGroup(), i32(groupRows));
  bool isMNMajor[] = {!layouts[0].isStagedKMajor(),
                      !layouts[1].isStagedKMajor()};
  beginGroup(b);
  for (int64_t step = 0; step < rowBytes / stepBytes; ++step)
    multiplyGroup(b, type, sums, describe(0, stage, step, part),
                  describe(1, stage, step, nullptr), isMNMajor);
  endGroup(b);
  waitForGroups(b, 1);
  Value isLater =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, first, at(0));
  emitIf(isLater, [&] { releaseStage(count); });
  return sums;
}

/// Releases the previous stage, the one with the running number `count` - 1, to
/// the producers.
void PipelinedGEMM::releaseStage(Value count) {
  Value stage = stageOf(arith::SubIOp::create(b, count, i32(1)));
  emitIf(isOne(lane, 0), [&] { arrive(b, emptyBarrier(stage)); });
}

/// Writes a warpgroup's accumulators from registers to the result, one slab of
/// columns at a time.
void PipelinedGEMM::writeSums(ArrayRef<Value> sums) {
  // The PTX ISA shows the layout of accumulators in "Matrix fragments for
  // wgmma". The lanes of a warp form eight rows of four lanes each. Of every
  // eight columns of the product, a lane has two neighbouring ones in each of
  // two rows.
  Value own = arith::AddIOp::create(
      b, arith::MulIOp::create(b, ownGroup(), i32(groupRows)),
      arith::AddIOp::create(
          b,
          arith::MulIOp::create(b, arith::RemUIOp::create(b, warp, i32(4)),
                                i32(16)),
          arith::DivUIOp::create(b, lane, i32(4))));
  Value pair =
      arith::MulIOp::create(b, arith::RemUIOp::create(b, lane, i32(4)), i32(2));
  for (int64_t column = 0; column < columns; column += columnsOfLoad) {
    for (int64_t eight = 0; eight < columnsOfLoad; eight += 8)
      for (int64_t half : {0, 1})
        storeSlab(arith::AddIOp::create(b, own, i32(8 * half)),
                  arith::AddIOp::create(b, pair, i32(eight)),
                  sums.slice((column + eight) / 8 * sumsOfEight + half * 2, 2));
    finishSlab(at(column));
  }
}

//===----------------------------------------------------------------------===//
// Products in tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

/// Allocates tensor memory for the sums of two tiles, or frees it if `isEnd`.
/// The warp that allocates it must also free it. The block's last warp, which
/// belongs to no warpgroup, does both.
void PipelinedGEMM::makeTensorMemory(bool isEnd) {
  emitIf(isOne(group, producers + 1), [&] {
    if (isEnd)
      freeColumns(b, tensorMemory, 2 * columns);
    else
      allocateColumns(b, word(i32(addressOffset)), 2 * columns);
  });
}

Value PipelinedGEMM::halfOf(Value tile) {
  return arith::RemUIOp::create(b, tile, i32(2));
}

/// Emits the code of the one thread that multiplies all stages of all tiles. It
/// waits until a stage is full. Before the first stage of a tile, it also waits
/// until the result of the tile that had the same half of tensor memory has
/// been written. The tensor core itself arrives at the barriers when it has
/// read a stage or completed a tile.
void PipelinedGEMM::multiplyInTensorMemory() {
  bool isMNMajor[] = {!layouts[0].isStagedKMajor(),
                      !layouts[1].isStagedKMajor()};
  uint32_t descriptor = describeProduct(type, columns, isMNMajor);
  forTiles({i32(0), i32(0)}, [&](ValueRange carried) -> Carried {
    Value tile = carried[0], half = halfOf(tile);
    waitFor(b, sumBarrier(half, /*isFull=*/false),
            arith::XOrIOp::create(b, parityOf(tile, 2), i32(1)));
    fenceAfterSync(b);
    Value target = arith::AddIOp::create(
        b, tensorMemory, arith::MulIOp::create(b, half, i32(columns)));
    Carried counts =
        forSteps(carried[1], [&](Value first, ValueRange values) -> Carried {
          Value count = values.back(), stage = stageOf(count);
          waitFor(b, fullBarrier(stage), parityOf(count, stages));
          fenceAfterSync(b);
          for (int64_t step = 0; step < rowBytes / stepBytes; ++step) {
            Value adds = i32(1);
            if (step == 0)
              adds = arith::ExtUIOp::create(
                  b, b.getI32Type(),
                  arith::CmpIOp::create(b, arith::CmpIPredicate::ne, first,
                                        at(0)));
            multiplyInto(b, type, target, describe(0, stage, step, nullptr),
                         describe(1, stage, step, nullptr), descriptor, adds);
          }
          commitTo(b, emptyBarrier(stage));
          return {};
        });
    commitTo(b, sumBarrier(half, /*isFull=*/true));
    return {arith::AddIOp::create(b, tile, i32(1)), counts.back()};
  });
}

/// Emits the code of the warpgroup that writes the sums of each tile from one
/// half of tensor memory to the result. Meanwhile the other half accumulates
/// the next tile.
void PipelinedGEMM::writeTensorMemory() {
  Value ownWarp = arith::RemUIOp::create(b, warp, i32(4));
  Value row = arith::AddIOp::create(
      b, arith::MulIOp::create(b, ownWarp, i32(warpSize)), lane);
  // An address in tensor memory has the lane in its upper 16 bits and the
  // column in its lower 16 bits.
  Value lanes = arith::MulIOp::create(b, ownWarp, i32(warpSize << 16));
  forTiles(i32(0), [&](ValueRange carried) -> Carried {
    Value tile = carried.front(), half = halfOf(tile);
    waitFor(b, sumBarrier(half, /*isFull=*/true), parityOf(tile, 2));
    fenceAfterSync(b);
    Value first =
        arith::AddIOp::create(b, arith::AddIOp::create(b, tensorMemory, lanes),
                              arith::MulIOp::create(b, half, i32(columns)));
    emitFor(at(0), at(columns), at(columnsOfLoad), {},
            [&](Value column, ValueRange) -> Carried {
              Value address = arith::AddIOp::create(
                  b, first,
                  arith::IndexCastUIOp::create(b, b.getI32Type(), column));
              Carried sums = loadColumns(b, address);
              storeRow(row, sums);
              finishSlab(column);
              return {};
            });
    fenceBeforeSync(b);
    arrive(b, sumBarrier(half, /*isFull=*/false));
    return {arith::AddIOp::create(b, tile, i32(1))};
  });
}

/// Stores 32 sums of a row to the slab. If K is dynamic and turns out to be 0,
/// nothing was multiplied, so zeros are stored instead of the undefined values
/// of tensor memory.
void PipelinedGEMM::storeRow(Value row, MutableArrayRef<Value> sums) {
  if (ShapedType::isDynamic(product.sizeOf(product.sum()))) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      sizeOf(product.sum()), at(0));
    for (Value &sum : sums)
      sum = arith::SelectOp::create(b, any, sum, zero);
  }
  for (size_t i = 0; i < sums.size(); i += 4)
    storeSlab(row, i32(i), sums.slice(i, 4));
}

} // namespace ingot::ptx
