//===- CheckAccesses.cpp - Report accesses to memory to the emulator ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"
#include "codegen/Emulate/MemoryAccesses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace ingot::emulate {

/// Inserts a call of the emulator before an instruction that accesses memory.
static void tell(Instruction &instruction, FunctionCallee callee,
                 const MemoryAccess &access) {
  FunctionType *type = callee.getFunctionType();
  IRBuilder<> builder(&instruction);
  builder.CreateCall(
      callee,
      {builder.CreateAddrSpaceCast(access.pointer, type->getParamType(0)),
       builder.CreateZExtOrTrunc(access.size, type->getParamType(1)),
       ConstantInt::get(type->getParamType(2),
                        static_cast<uint64_t>(access.kind))});
}

void checkAccesses(Module &module) {
  LLVMContext &context = module.getContext();
  FunctionCallee callee = module.getOrInsertFunction(
      accessFunction, Type::getVoidTy(context), PointerType::get(context, 0),
      Type::getInt64Ty(context), Type::getInt32Ty(context));
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      for (const MemoryAccess &access : accessesOf(instruction))
        tell(instruction, callee, access);
}

} // namespace ingot::emulate
