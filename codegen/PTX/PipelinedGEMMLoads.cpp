//===- PipelinedGEMMLoads.cpp - Producers of a warp-specialized GEMM ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Producers fill the stages: a bulk tensor copy (TMA) loads a box of an
// operand, whose swizzle the tensor map describes, or threads load, round and
// store groups of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "codegen/KernelGrid.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/PipelinedGEMM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

/// The maximum rank of a tensor map.
static constexpr unsigned maxRank = 5;

static Value bufferOf(const KernelGEMM &product, unsigned factor) {
  return linalg::GenericOp(product.op)->getOperand(product.factors[factor]);
}

/// If the factor's buffer is an argument of the kernel, or a reshape of one,
/// returns this argument. Returns null for other buffers. Also returns null for
/// a reshape of dynamic size: the host encodes tensor maps, and it knows only
/// the sizes of the arguments themselves.
static BlockArgument argumentOf(const KernelGEMM &product, unsigned factor) {
  Value buffer = bufferOf(product, factor);
  if (!isa<BlockArgument>(buffer) &&
      !cast<MemRefType>(buffer.getType()).hasStaticShape())
    return nullptr;
  return dyn_cast<BlockArgument>(sourceOf(buffer));
}

/// Returns the factor's indexing map.
static AffineMap mapOf(const KernelGEMM &product, unsigned factor) {
  linalg::GenericOp op = product.op;
  return op.getMatchingIndexingMap(
      op.getDpsInputOperand(product.factors[factor]));
}

bool PipelinedGEMM::canCopy(const KernelGEMM &product, unsigned factor) {
  BlockArgument buffer = argumentOf(product, factor);
  if (!buffer || product.patches[product.factors[factor]].op ||
      product.factorType().getIntOrFloatBitWidth() != 16)
    return false;
  auto type = cast<MemRefType>(bufferOf(product, factor).getType());
  if (type.getRank() < 2 || type.getRank() > maxRank ||
      !type.getLayout().isIdentity() ||
      ShapedType::isDynamic(type.getShape().back()) ||
      type.getShape().back() * 2 % groupBytes != 0)
    return false;
  auto dim =
      dyn_cast<AffineDimExpr>(mapOf(product, factor).getResults().back());
  unsigned own = factor == 0 ? product.row : product.column;
  return dim &&
         (dim.getPosition() == own || dim.getPosition() == product.sum());
}

/// Returns the slot of the kernel's argument table that has the address of the
/// buffer `argument`. The slots after it have the buffer's dynamic sizes.
static int64_t slotOf(BlockArgument argument) {
  int64_t slot = 0;
  for (BlockArgument before : argument.getOwner()->getArguments()) {
    if (before == argument)
      break;
    slot += 1 + cast<MemRefType>(before.getType()).getNumDynamicDims();
  }
  return slot;
}

/// Describes the tensor maps of the operands that bulk copies (TMA) load. The
/// host encodes the maps at each launch. Rows of a box have 128 bytes. A box of
/// a K-major operand has one row for each of the tile's rows (A) or columns
/// (B). A box of an MN-major operand has one row for each step of K in the
/// stage.
void PipelinedGEMM::describeMaps(func::FuncOp kernel) {
  SmallVector<codegen::TensorMapSpec> described;
  for (unsigned factor : {0u, 1u}) {
    if (!isCopied[factor])
      continue;
    const OperandLayout &layout = layouts[factor];
    BlockArgument buffer = argumentOf(product, factor);
    auto type = cast<MemRefType>(bufferOf(product, factor).getType());
    codegen::TensorMapSpec map;
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
        box = layout.isKMajor ? layout.width : depth;
      bool isDynamic = type.isDynamicDim(dim);
      map.dims.push_back({isDynamic ? -1 : type.getDimSize(dim),
                          isDynamic ? codegen::slotOfSize(buffer, dim) : 0,
                          box});
    }
    // A global represents the tensor map in this pass. LowerKernelSignatures
    // replaces it by a parameter at the end of the kernel's parameters.
    std::string name = mapName(kernel.getName(), described.size());
    described.push_back(map);
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
    maps[factor] = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), bits);
  }
  if (!described.empty())
    codegen::setMaps(kernel, described);
}

/// Builds the producers' loops over tiles and blocks of K. One lane issues all
/// bulk copies. Operands that bulk copies cannot load are loaded by all threads
/// of the producers.
void PipelinedGEMM::bring() {
  auto goThrough = [&](auto step) {
    forTiles(i32(0), [&](ValueRange count) {
      return forSteps(count, [&](Value first, ValueRange values) -> Carried {
        (this->*step)(first, values.back());
        return {};
      });
    });
  };
  if (producers > 1)
    return goThrough(&PipelinedGEMM::loadStep);
  emitIf(isOne(warp, 0), [&] {
    emitIf(electLane(b), [&] { goThrough(&PipelinedGEMM::copyStep); });
  });
}

/// Waits until the stage with the running number `count` is empty, that is,
/// until its previous contents have been multiplied. The empty barrier then
/// completes the phase of these previous contents, so the parity to wait for is
/// the opposite of parityOf(`count`). When a stage is used for the first time,
/// the wait returns at once, because the phase before a barrier's first one
/// counts as complete.
void PipelinedGEMM::waitUntilEmpty(Value count) {
  waitFor(b, emptyBarrier(stageOf(count)),
          arith::XOrIOp::create(b, parityOf(count, stages), i32(1)));
}

/// Tells the stage's full barrier how many bytes its bulk copies have, and
/// issues these copies.
void PipelinedGEMM::copyFactors(Value first, Value stage) {
  int64_t expected = 0;
  for (unsigned factor : {0u, 1u})
    if (isCopied[factor])
      expected += layouts[factor].width * rowBytes;
  arriveAndExpect(b, fullBarrier(stage), expected);
  for (unsigned factor : {0u, 1u})
    if (isCopied[factor])
      copyFactor(factor, first, stage);
}

void PipelinedGEMM::copyStep(Value first, Value count) {
  waitUntilEmpty(count);
  copyFactors(first, stageOf(count));
}

/// Emits code in which threads, instead of bulk copies, load one stage. The
/// loads to registers are issued before the wait until the stage is empty, so
/// that the wait hides their latency.
void PipelinedGEMM::loadStep(Value first, Value count) {
  SmallVector<Value> loaded;
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied[factor] && i < layouts[factor].loads; ++i)
      loaded.push_back(loadGroup(factor, i, first));
  waitUntilEmpty(count);
  Value stage = stageOf(count);
  if (isCopied[0] || isCopied[1])
    emitIf(isOne(number(thread), 0), [&] { copyFactors(first, stage); });
  Value begin = arith::MulIOp::create(b, stage, i32(stageBytes));
  size_t next = 0;
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied[factor] && i < layouts[factor].loads; ++i)
      storeGroup(factor, i, loaded[next++], begin);
  fenceForTensorCores(b);
  arrive(b, fullBarrier(stage));
}

void PipelinedGEMM::copyFactor(unsigned factor, Value first, Value stage) {
  const OperandLayout &layout = layouts[factor];
  int64_t boxes = layout.isKMajor ? 1 : layout.width / depth;
  Value begin = arith::AddIOp::create(
      b, arith::MulIOp::create(b, stage, i32(stageBytes)), i32(layout.offset));
  for (int64_t box = 0; box < boxes; ++box) {
    Value own = add(factor == 0 ? firstRow : firstColumn, box * depth);
    SmallVector<Value> place;
    for (Value index : llvm::reverse(indicesOf(factor, own, first)))
      place.push_back(arith::IndexCastUIOp::create(b, b.getI32Type(), index));
    Value to = arith::AddIOp::create(b, begin, i32(box * depth * rowBytes));
    copyBox(b, word(to), maps[factor], fullBarrier(stage), place);
  }
}

} // namespace ingot::ptx
