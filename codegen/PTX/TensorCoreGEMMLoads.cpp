//===- TensorCoreGEMMLoads.cpp - Load GEMM operands to shared memory ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Loads operands from global memory to a stage in shared memory: by cp.async,
// or through registers if elements have to be rounded.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/TensorCoreGEMM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::ptx {

bool TensorCoreGEMM::isCopied(unsigned factor) const {
  return !product.factorType().isF32() && readsWhole(factor) &&
         !product.patches[product.factors[factor]].op;
}

void TensorCoreGEMM::copy(Value first, Value stage) {
  for (unsigned factor : {0u, 1u})
    if (isCopied(factor))
      for (int64_t i = 0; i < layouts[factor].loads; ++i)
        copyGroup(factor, i, first, stage);
  if (isCopied(0) || isCopied(1))
    NVVM::CpAsyncCommitGroupOp::create(b);
}

void TensorCoreGEMM::copyGroup(unsigned factor, int64_t i, Value first,
                               Value stage) {
  const OperandLayout &layout = layouts[factor];
  ThreadTileLoadPosition place = groupAt(factor, i, first);
  Value group =
      arith::DivUIOp::create(b, number(place.inner), i32(layout.perLoad));
  Value target = word(arith::AddIOp::create(
      b, swizzled(layout, number(place.outer), group), stage));
  // The length of a row is a multiple of the length of a group. So the elements
  // of a group are either all inside or all outside of the factor. For a group
  // that is outside, cp.async reads nothing and writes zeros.
  Value isRead = isInside(factor, place.own, place.sum);
  Value zero = at(0);
  Value own = arith::SelectOp::create(b, isRead, place.own, zero);
  Value sum = arith::SelectOp::create(b, isRead, place.sum, zero);
  Value length = arith::SelectOp::create(b, isRead, i32(groupBytes), i32(0));
  NVVM::CpAsyncOp::create(b, target,
                          addressOf(factor, indicesOf(factor, own, sum)),
                          groupBytes, NVVM::LoadCacheModifierKind::CG, length);
}

/// Returns the address in global memory of an element of a factor whose buffer
/// is contiguous (row-major).
Value TensorCoreGEMM::addressOf(unsigned factor, ValueRange indices) {
  Value buffer = this->factor(factor);
  auto type = cast<MemRefType>(buffer.getType());
  Value place = at(0);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value size = type.isDynamicDim(dim)
                     ? Value(memref::DimOp::create(b, buffer, dim))
                     : at(type.getDimSize(dim));
    place =
        arith::AddIOp::create(b, arith::MulIOp::create(b, place, size), index);
  }
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  Value bits = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
  Value base = LLVM::IntToPtrOp::create(b, generic, bits);
  Value global = LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), base);
  return LLVM::GEPOp::create(
      b, global.getType(), b.getI16Type(), global,
      ArrayRef<LLVM::GEPArg>{
          Value(arith::IndexCastOp::create(b, b.getI64Type(), place))});
}

SmallVector<Value> TensorCoreGEMM::load(Value first) {
  Type group = VectorType::get({4}, b.getI32Type());
  int64_t count = 0;
  for (unsigned factor : {0u, 1u})
    count += isCopied(factor) ? 0 : layouts[factor].loads;
  if (count == 0)
    return {};
  // In the last steps there is no further block of K to load.
  auto branch = scf::IfOp::create(b, SmallVector<Type>(count, group),
                                  isBelow(first, sizeOf(product.sum())),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> groups;
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied(factor) && i < layouts[factor].loads; ++i)
      groups.push_back(loadGroup(factor, i, first));
  scf::YieldOp::create(b, groups);
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(group));
  scf::YieldOp::create(b, SmallVector<Value>(count, zero));
  return branch.getResults();
}

void TensorCoreGEMM::storeAll(ValueRange loaded, Value stage) {
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied(factor) && i < layouts[factor].loads; ++i) {
      storeGroup(factor, i, loaded.front(), stage);
      loaded = loaded.drop_front();
    }
}

} // namespace ingot::ptx
