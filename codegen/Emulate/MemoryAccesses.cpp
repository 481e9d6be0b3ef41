//===- MemoryAccesses.cpp - What an instruction accesses ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/MemoryAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ingot::emulate {

/// Whether memory is private to a thread, or constant.
static bool isHarmless(const MemoryAccess &access) {
  const Value *object = getUnderlyingObject(access.pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object))
    return true;
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && global->getAddressSpace() != 3;
}

static SmallVector<MemoryAccess, 2> allAccessesOf(Instruction &instruction) {
  auto sizeOf = [&](Type *type) -> Value * {
    const DataLayout &layout = instruction.getModule()->getDataLayout();
    return ConstantInt::get(Type::getInt64Ty(instruction.getContext()),
                            layout.getTypeStoreSize(type));
  };
  using enum AccessKind;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return {{load->getPointerOperand(), sizeOf(load->getType()),
             load->isAtomic() ? atomic : read}};
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return {{store->getPointerOperand(),
             sizeOf(store->getValueOperand()->getType()),
             store->isAtomic() ? atomic : write}};
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return {{update->getPointerOperand(), sizeOf(update->getType()), atomic}};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {{exchange->getPointerOperand(),
             sizeOf(exchange->getNewValOperand()->getType()), atomic}};
  if (auto *set = dyn_cast<MemSetInst>(&instruction))
    return {{set->getDest(), set->getLength(), write}};
  if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
    return {{copy->getSource(), copy->getLength(), read},
            {copy->getDest(), copy->getLength(), write}};
  return {};
}

SmallVector<MemoryAccess, 2> accessesOf(Instruction &instruction) {
  SmallVector<MemoryAccess, 2> accesses = allAccessesOf(instruction);
  erase_if(accesses, isHarmless);
  return accesses;
}

} // namespace ingot::emulate
