//===- CheckAccesses.cpp - Report accesses to memory to the emulator ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace ingot::emulate {

/// Whether accesses through a pointer need no check: it points to memory
/// private to a thread, or to constants.
static bool isHarmless(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object))
    return true;
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && global->getAddressSpace() != 3;
}

namespace {

/// The type of an access, as the emulator's function receives it
/// (test/Emulator/Accesses.cpp).
enum Access { read = 0, write = 1, atomic = 2 };

/// Inserts a call of the emulator before each instruction that accesses memory.
class AccessInstrumenter {
public:
  explicit AccessInstrumenter(Module &module)
      : layout(module.getDataLayout()),
        callee(module.getOrInsertFunction(
            accessFunction, Type::getVoidTy(module.getContext()),
            PointerType::get(module.getContext(), 0),
            Type::getInt64Ty(module.getContext()),
            Type::getInt32Ty(module.getContext()))) {}

  void run(Instruction &instruction) {
    auto size = [&](Type *type) -> uint64_t {
      return layout.getTypeStoreSize(type);
    };
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      tell(load, load->getPointerOperand(), size(load->getType()),
           load->isAtomic() ? atomic : read);
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      tell(store, store->getPointerOperand(),
           size(store->getValueOperand()->getType()),
           store->isAtomic() ? atomic : write);
    else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      tell(update, update->getPointerOperand(), size(update->getType()),
           atomic);
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      tell(exchange, exchange->getPointerOperand(),
           size(exchange->getNewValOperand()->getType()), atomic);
    else if (auto *set = dyn_cast<MemSetInst>(&instruction))
      tell(set, set->getDest(), set->getLength(), write);
    else if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      tell(copy, copy->getSource(), copy->getLength(), read);
      tell(copy, copy->getDest(), copy->getLength(), write);
    }
  }

private:
  void tell(Instruction *before, Value *pointer, uint64_t size, Access kind) {
    tell(before, pointer,
         ConstantInt::get(callee.getFunctionType()->getParamType(1), size),
         kind);
  }

  void tell(Instruction *before, Value *pointer, Value *size, Access kind) {
    if (isHarmless(pointer))
      return;
    FunctionType *type = callee.getFunctionType();
    IRBuilder<> builder(before);
    builder.CreateCall(
        callee, {builder.CreateAddrSpaceCast(pointer, type->getParamType(0)),
                 builder.CreateZExtOrTrunc(size, type->getParamType(1)),
                 ConstantInt::get(type->getParamType(2), kind)});
  }

  const DataLayout &layout;
  FunctionCallee callee;
};

} // namespace

void checkAccesses(Module &module) {
  AccessInstrumenter instrument(module);
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      instrument.run(instruction);
}

} // namespace ingot::emulate
