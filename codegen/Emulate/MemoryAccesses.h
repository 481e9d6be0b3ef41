//===- MemoryAccesses.h - What an instruction accesses ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_EMULATE_MEMORYACCESSES_H
#define INGOT_CODEGEN_EMULATE_MEMORYACCESSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace ingot::emulate {

/// The type of an access, as the emulator's functions receive it
/// (test/Emulator/Accesses.cpp, test/Emulator/Costs.cpp).
enum class AccessKind { read = 0, write = 1, atomic = 2 };

/// An access of memory that other threads of the kernel may access, too.
struct MemoryAccess {
  llvm::Value *pointer;
  llvm::Value *size; // in bytes, of any integer type
  AccessKind kind;
};

/// The accesses that an instruction makes, except those of memory private to a
/// thread and of constants. A copy has two, and most instructions none.
llvm::SmallVector<MemoryAccess, 2> accessesOf(llvm::Instruction &instruction);

} // namespace ingot::emulate

#endif // INGOT_CODEGEN_EMULATE_MEMORYACCESSES_H
