//===- ReportMemoryOrdering.cpp - Report fences and atomics ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace ingot::emulate {

/// Inserts a call of the emulator's function `ingot_emu_<name>`, with the
/// arguments given, before an instruction.
static void tell(Instruction &before, StringRef name,
                 ArrayRef<Value *> arguments) {
  IRBuilder<> builder(&before);
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = before.getModule()->getOrInsertFunction(
      ("ingot_emu_" + name).str(),
      FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false));
  // The function is convergent, so that LLVM moves no access across its call:
  // other threads may run during the call.
  cast<Function>(callee.getCallee())->setConvergent();
  builder.CreateCall(callee, arguments);
}

static Value *plain(Instruction &before, Value *pointer) {
  IRBuilder<> builder(&before);
  return builder.CreateAddrSpaceCast(pointer,
                                     PointerType::get(before.getContext(), 0));
}

void tellOrder(Module &module) {
  auto flag = [&](bool value) {
    return ConstantInt::get(Type::getInt32Ty(module.getContext()), value);
  };
  auto tellAtomic = [&](Instruction &instruction, Value *pointer,
                        AtomicOrdering ordering) {
    tell(instruction, "atomic",
         {plain(instruction, pointer), flag(isReleaseOrStronger(ordering)),
          flag(isAcquireOrStronger(ordering))});
  };
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (auto *fence = dyn_cast<FenceInst>(&instruction)) {
        if (isReleaseOrStronger(fence->getOrdering()))
          tell(instruction, "fence", {});
      } else if (auto *load = dyn_cast<LoadInst>(&instruction)) {
        if (load->isAtomic())
          tell(instruction, "look",
               {plain(instruction, load->getPointerOperand()),
                flag(isAcquireOrStronger(load->getOrdering()))});
      } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
        tellAtomic(instruction, update->getPointerOperand(),
                   update->getOrdering());
      } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
        tellAtomic(instruction, exchange->getPointerOperand(),
                   exchange->getSuccessOrdering());
      }
    }
}

} // namespace ingot::emulate
