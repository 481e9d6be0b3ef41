//===- Emulate.h - Kernels for a GPU as code for x86 ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Takes the LLVM IR of kernels that the NVPTX code generator gets and makes it
// run on the machine at hand, on functions that act as threads of a block
// (test/Emulator): the code that is checked is the code that a GPU gets.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_EMULATE_EMULATE_H
#define INGOT_CODEGEN_EMULATE_EMULATE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace ingot::emulate {

/// The section that shared memory lies in; the linker gives it the symbols
/// __start_ingot_shared and __stop_ingot_shared.
inline constexpr llvm::StringLiteral sharedSection = "ingot_shared";

/// The emulator's function that checkAccesses() has called before each access,
/// with its address, size and kind.
inline constexpr llvm::StringLiteral accessFunction = "ingot_emu_access";

/// Replaces calls of llvm.nvvm by calls of the emulator's functions. Fails with
/// a list of those without one: intrinsics, assembly, device library functions.
llvm::Error replaceIntrinsics(llvm::Module &module);

/// Reports each access to memory that is not private to a thread.
void checkAccesses(llvm::Module &module);

/// Reports fences and atomic accesses to the emulator: with several blocks at a
/// time, these let others run, and order their accesses.
void tellOrder(llvm::Module &module);

/// Makes the module one for x86: shared memory is a section, and a kernel is a
/// function `void (void **parameters)`, which finds an address of each
/// parameter, as cuLaunchKernel does.
void retarget(llvm::Module &module);

/// All of the above, optimized and linked: the shared object `output`.
llvm::Error emulate(llvm::Module &module, bool check, llvm::StringRef output);

} // namespace ingot::emulate

#endif // INGOT_CODEGEN_EMULATE_EMULATE_H
