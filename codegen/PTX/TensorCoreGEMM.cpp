//===- TensorCoreGEMM.cpp - A GEMM tile on tensor cores -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The loop over K, and the multiplication of a stage by mma.sync or wgmma.
// TensorCoreGEMMLoads.cpp has the loads.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/TensorCoreGEMM.h"

#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/InlinePTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of bytes along K in a row of a stage in shared memory, and the
/// number of bytes along K that one mma.sync or wgmma multiplies.
static constexpr int64_t sumBytes = 64;
static constexpr int64_t stepBytes = 32;
/// The number of stages if cp.async copies operands: each step starts the copy
/// for the step that runs two steps later.
static constexpr int64_t copiedStages = 3;
/// The number of bytes after which the swizzle repeats. Stages are aligned to
/// it.
static constexpr int64_t swizzleBytes = 1024;
/// A block's eight warps divide a tile into parts: `warpRows` parts along M,
/// times `warpColumns` parts along N.
static constexpr int64_t warpRows = 2, warpColumns = 4;
/// The number of rows of the 16 x 8 matrix that one mma.sync computes.
static constexpr int64_t blockSide = 16;

/// The number of rows of a tile that one warpgroup computes. In a tile of 128 x
/// 128, a warpgroup computes all columns of these rows; in a tile of 64 x 64,
/// it computes half of the columns.
static constexpr int64_t groupRows = 64;
static int64_t groupColumns(int64_t side) {
  return side * side / 2 / groupRows;
}

// 32-bit operands of wgmma must be K-major, so they are transposed if needed.
TensorCoreGEMM::TensorCoreGEMM(ImplicitLocOpBuilder &builder,
                               KernelGEMM &product, Precision type,
                               int64_t side, MMAUnit unit)
    : StagedGEMM(builder, product, type, side, side, sumBytes, threads,
                 /*transposes=*/unit == MMAUnit::Warpgroup),
      unit(unit),
      rowBlocks(unit == MMAUnit::Warpgroup ? 1 : side / warpRows / blockSide),
      pairs(unit == MMAUnit::Warpgroup ? groupColumns(side) / blockSide
                                       : side / warpColumns / blockSide),
      stages(isCopied(0) || isCopied(1) ? copiedStages : 2) {}

/// Sets the position of the part of the tile that the thread's warp, or its
/// warpgroup, computes.
void TensorCoreGEMM::placeWarps() {
  Value own = number(thread);
  lane = arith::RemUIOp::create(b, own, i32(warpSize));
  Value warp = arith::DivUIOp::create(b, own, i32(warpSize));
  auto place = [&](Value index, int64_t size) -> Value {
    return arith::MulIOp::create(b, index, i32(size));
  };
  if (unit == MMAUnit::Warp) {
    warpPlace[0] = place(arith::DivUIOp::create(b, warp, i32(warpColumns)),
                         rows / warpRows);
    warpPlace[1] = place(arith::RemUIOp::create(b, warp, i32(warpColumns)),
                         columns / warpColumns);
    return;
  }
  constexpr int64_t warps = groupRows / blockSide;
  Value group = arith::DivUIOp::create(b, warp, i32(warps));
  bool sharesRows = rows == groupRows;
  partPlace[0] = sharesRows ? i32(0) : place(group, groupRows);
  partPlace[1] = sharesRows ? place(group, groupColumns(columns)) : i32(0);
  warpPlace[0] = arith::AddIOp::create(
      b, partPlace[0],
      place(arith::RemUIOp::create(b, warp, i32(warps)), blockSide));
  warpPlace[1] = partPlace[1];
}

/// Emits the K loop as a software pipeline. All stages but one are loaded
/// before the loop. Each step waits for its own stage, starts to load the stage
/// that the step before has finished reading, and multiplies its own stage.
/// Operand elements that are not copied to shared memory asynchronously are
/// loaded into registers before the multiplication, and stored to shared memory
/// after it.
void TensorCoreGEMM::emit(Value block) {
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  locate(block);
  placeWarps();
  makeShared(stages * stageBytes, swizzleBytes);

  SmallVector<Value> sums;
  for (int64_t m = 0; m < rowBlocks; ++m)
    for (int64_t n = 0; n < 2 * pairs; ++n)
      for (int64_t i = 0; i < 4; ++i) {
        auto [row, column] = placeOf(m, n, i);
        sums.push_back(product.start ? product.start : start(row, column));
      }
  for (int64_t stage = 0; stage < stages - 1; ++stage) {
    copy(at(stage * depth), i32(stage * stageBytes));
    storeAll(load(at(stage * depth)), i32(stage * stageBytes));
  }
  // The last two loop-carried values are the offsets of the stages that the
  // next step reads and writes.
  sums.push_back(i32(0));
  sums.push_back(i32((stages - 1) * stageBytes));
  auto loop =
      scf::ForOp::create(b, at(0), sizeOf(product.sum()), at(depth), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Value here = carried[sums.size() - 2], other = carried.back();
    if (isCopied(0) || isCopied(1))
      NVVM::CpAsyncWaitGroupOp::create(b, stages - 2);
    // wgmma reads through the async proxy, which does not see the threads'
    // writes to shared memory without a fence.
    if (unit == MMAUnit::Warpgroup)
      fenceForTensorCores(b);
    // After this barrier all threads have stored their elements of the stage
    // that this step multiplies, and have read the stage that this step
    // overwrites.
    gpu::BarrierOp::create(b);
    Value first = add(loop.getInductionVar(), (stages - 1) * depth);
    copy(first, other);
    SmallVector<Value> loaded = load(first);
    SmallVector<Value> next;
    if (unit == MMAUnit::Warpgroup)
      next = multiplyByGroups(here, carried.drop_back(2));
    else
      next = multiply(here, carried.drop_back(2));
    storeAll(loaded, other);
    if (unit == MMAUnit::Warpgroup)
      waitForGroups(b, /*left=*/0);
    next.push_back(nextStage(here));
    next.push_back(nextStage(other));
    scf::YieldOp::create(b, next);
  }
  // A thread has two neighbours of each of two rows.
  size_t index = 0;
  for (int64_t m = 0; m < rowBlocks; ++m)
    for (int64_t n = 0; n < 2 * pairs; ++n)
      for (int64_t i = 0; i < 4; i += 2) {
        auto [row, column] = placeOf(m, n, i);
        finish(row, column, loop.getResults().slice(index, 2));
        index += 2;
      }
}

Value TensorCoreGEMM::nextStage(Value stage) {
  Value next = arith::AddIOp::create(b, stage, i32(stageBytes));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                       i32(stages * stageBytes));
  return arith::SelectOp::create(b, isLast, i32(0), next);
}

std::pair<Value, Value> TensorCoreGEMM::placeOf(int64_t m, int64_t n,
                                                int64_t i) {
  auto index = [&](Value value) {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
  };
  Value row = arith::AddIOp::create(b, warpPlace[0],
                                    arith::DivUIOp::create(b, lane, i32(4)));
  Value column = arith::AddIOp::create(
      b, warpPlace[1],
      arith::MulIOp::create(b, arith::RemUIOp::create(b, lane, i32(4)),
                            i32(2)));
  return {
      add(arith::AddIOp::create(b, firstRow, index(row)),
          m * blockSide + i / 2 * 8),
      add(arith::AddIOp::create(b, firstColumn, index(column)), n * 8 + i % 2)};
}

SmallVector<Value> TensorCoreGEMM::fragment(unsigned factor, Value stage,
                                            int64_t block, int64_t step) {
  const OperandLayout &layout = layouts[factor];
  Value base =
      arith::AddIOp::create(b, warpPlace[factor], i32(block * blockSide));
  int64_t firstSum = step * stepBytes / bytes;
  if (layout.isKMajor || bytes == 2) {
    // ldmatrix loads four 8x8 matrices; each lane provides the address of one
    // row of one of them. The second matrix has the next eight rows of A, or,
    // in B, the next elements along K.
    Value matrix = arith::DivUIOp::create(b, lane, i32(8));
    Value row = arith::RemUIOp::create(b, lane, i32(8));
    Value low = arith::RemUIOp::create(b, matrix, i32(2));
    Value high = arith::DivUIOp::create(b, matrix, i32(2));
    Value across = factor == 0 ? low : high, along = factor == 0 ? high : low;
    auto eight = [&](Value which, Value more) -> Value {
      return arith::AddIOp::create(b, arith::MulIOp::create(b, which, i32(8)),
                                   more);
    };
    Value outer, group;
    if (layout.isKMajor) {
      outer = arith::AddIOp::create(b, base, eight(across, row));
      group =
          arith::AddIOp::create(b, along, i32(step * stepBytes / groupBytes));
    } else {
      outer = arith::AddIOp::create(b, eight(along, row), i32(firstSum));
      group = arith::AddIOp::create(b, arith::DivUIOp::create(b, base, i32(8)),
                                    across);
    }
    Value place =
        word(arith::AddIOp::create(b, swizzled(layout, outer, group), stage));
    Type i32Type = b.getI32Type();
    auto four = LLVM::LLVMStructType::getLiteral(
        b.getContext(), {i32Type, i32Type, i32Type, i32Type});
    Value loaded = NVVM::LdMatrixOp::create(
        b, four, place, 4,
        layout.isKMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words;
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::ExtractValueOp::create(b, loaded, i));
    return words;
  }
  // ldmatrix transposes 16-bit elements only. So 32-bit elements of an
  // MN-major stage are loaded one by one.
  SmallVector<Value> words;
  Value first =
      arith::AddIOp::create(b, base, arith::DivUIOp::create(b, lane, i32(4)));
  Value k = arith::AddIOp::create(b, arith::RemUIOp::create(b, lane, i32(4)),
                                  i32(firstSum));
  for (int64_t i = 0; i < 4; ++i) {
    int64_t across = factor == 0 ? i % 2 : i / 2,
            along = factor == 0 ? i / 2 : i % 2;
    Value column = arith::AddIOp::create(b, first, i32(8 * across));
    Value outer = arith::AddIOp::create(b, k, i32(4 * along));
    Value group = arith::DivUIOp::create(b, column, i32(4));
    Value inside = arith::MulIOp::create(
        b, arith::RemUIOp::create(b, column, i32(4)), i32(4));
    Value place =
        arith::AddIOp::create(b, swizzled(layout, outer, group),
                              arith::AddIOp::create(b, inside, stage));
    words.push_back(
        LLVM::LoadOp::create(b, b.getI32Type(), word(place), /*alignment=*/4));
  }
  return words;
}

/// Each warp multiplies its part of the stage, 32 bytes along K in each step,
/// in ascending order of K.
SmallVector<Value> TensorCoreGEMM::multiply(Value stage, ValueRange carried) {
  SmallVector<Value> sums(carried);
  for (int64_t step = 0; step < rowBytes / stepBytes; ++step) {
    SmallVector<SmallVector<Value>> a, c;
    for (int64_t m = 0; m < rowBlocks; ++m)
      a.push_back(fragment(0, stage, m, step));
    for (int64_t p = 0; p < pairs; ++p)
      c.push_back(fragment(1, stage, p, step));
    for (int64_t m = 0; m < rowBlocks; ++m)
      for (int64_t n = 0; n < 2 * pairs; ++n)
        multiplyOne(a[m], ArrayRef(c[n / 2]).slice(n % 2 * 2, 2),
                    MutableArrayRef(sums).slice((m * 2 * pairs + n) * 4, 4));
  }
  return sums;
}

Value TensorCoreGEMM::descriptor(unsigned factor, Value stage, int64_t step) {
  const OperandLayout &layout = layouts[factor];
  Value place = arith::AddIOp::create(b, stage, i32(layout.offset));
  // The fields of the matrix descriptor: the stride between blocks of
  // contiguous rows (`blocks`), the stride between groups of eight rows
  // (`eights`), and the swizzle.
  int64_t blocks = 16, eights, swizzle;
  auto move = [&](Value by) { place = arith::AddIOp::create(b, place, by); };
  if (layout.isKMajor || layout.isTransposed) {
    eights = 8 * rowBytes;
    swizzle = 64;
    move(arith::MulIOp::create(b, partPlace[factor], i32(rowBytes)));
    move(i32(step * stepBytes));
  } else {
    constexpr int64_t widestSwizzleBytes = 128, inRow = widestSwizzleBytes / 2;
    blocks = depth * widestSwizzleBytes;
    eights = 8 * widestSwizzleBytes;
    swizzle = widestSwizzleBytes;
    move(arith::MulIOp::create(
        b, arith::DivUIOp::create(b, partPlace[factor], i32(inRow)),
        i32(blocks)));
    move(arith::MulIOp::create(
        b, arith::RemUIOp::create(b, partPlace[factor], i32(inRow)), i32(2)));
    move(i32(step * stepBytes / 2 * widestSwizzleBytes));
  }
  return describeShared(b, MatrixDescriptorKind::Warpgroup, word(place), blocks,
                        eights, swizzle);
}

SmallVector<Value> TensorCoreGEMM::multiplyByGroups(Value stage,
                                                    ValueRange carried) {
  SmallVector<Value> sums(carried);
  const bool isMNMajor[2] = {!layouts[0].isKMajor, !layouts[1].isKMajor};
  beginGroup(b);
  for (int64_t step = 0; step < rowBytes / stepBytes; ++step)
    multiplyGroup(b, type, sums, descriptor(0, stage, step),
                  descriptor(1, stage, step), isMNMajor);
  endGroup(b);
  return sums;
}

void TensorCoreGEMM::multiplyOne(ArrayRef<Value> a, ArrayRef<Value> c,
                                 MutableArrayRef<Value> sums) {
  auto operands = [&](ArrayRef<Value> words) {
    SmallVector<Value> values(words);
    if (type == Precision::F16)
      for (Value &value : values)
        value = LLVM::BitcastOp::create(b, VectorType::get({2}, b.getF16Type()),
                                        value);
    return values;
  };
  NVVM::MMATypes types = type == Precision::TF32   ? NVVM::MMATypes::tf32
                         : type == Precision::BF16 ? NVVM::MMATypes::bf16
                                                   : NVVM::MMATypes::f16;
  Type f32 = b.getF32Type();
  auto four =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  SmallVector<Value> first = operands(a), second = operands(c),
                     third(sums.begin(), sums.end());
  Value product = NVVM::MmaOp::create(
      b, four, first, second, third,
      ArrayRef<int64_t>{blockSide, 8, stepBytes / bytes}, std::nullopt,
      std::nullopt, std::array<NVVM::MMATypes, 2>{types, types},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(b, product, i);
}

} // namespace ingot::ptx
