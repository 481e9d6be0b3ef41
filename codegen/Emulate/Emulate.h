//===- Emulate.h - GPU kernels as code for x86 ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Turns LLVM IR of GPU kernels, the same IR that the NVPTX code generator
// receives, into code for x86. Calls of functions of the emulator
// (test/Emulator) replace the GPU's intrinsics, and threads of the host run the
// threads of a block. So tests check the code that a GPU would run.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_EMULATE_EMULATE_H
#define INGOT_CODEGEN_EMULATE_EMULATE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace ingot::emulate {

/// The name of the section for shared memory. The linker defines the symbols
/// __start_ingot_shared and __stop_ingot_shared, its bounds.
inline constexpr llvm::StringLiteral sharedSection = "ingot_shared";

/// The emulator's function that kernels call before each access to memory, if
/// checkAccesses() has run. Its arguments are the access's address, size and
/// type.
inline constexpr llvm::StringLiteral accessFunction = "ingot_emu_access";

/// Replaces calls of llvm.nvvm intrinsics, and inline assembly, by calls of the
/// emulator's functions. Fails with a list of all intrinsics, assembly texts
/// and device library functions for which the emulator has no function.
llvm::Error replaceIntrinsics(llvm::Module &module);

/// Makes kernels report each access to memory that is not private to a thread,
/// so that the emulator can check it.
void checkAccesses(llvm::Module &module);

/// Makes kernels report release fences and atomic accesses to the emulator,
/// which derives the happens-before order of all accesses from them. If the
/// emulator runs several blocks at a time, it switches between threads at these
/// points.
void tellOrder(llvm::Module &module);

/// Merges neighbouring loads and stores of a thread, as the NVPTX code
/// generator does. Fails if LLVM was built without that target.
llvm::Error vectorizeAccesses(llvm::Module &module);

/// Makes kernels report each access to memory that is not private to a thread,
/// with its place in the code, from which the emulator counts the requests of
/// warps. Runs after replaceIntrinsics().
void countCosts(llvm::Module &module);

/// The registers per thread of each kernel, from the output of `ptxas -v`.
llvm::StringMap<uint32_t> parseRegisters(llvm::StringRef assemblerOutput);

/// Defines `<kernel>.resources`: registers per thread (0: not known),
/// `.maxnreg` and `.reqntid` (0: none) and static shared memory in bytes.
void describeResources(llvm::Module &module,
                       const llvm::StringMap<uint32_t> &registers);

/// Converts the module to x86: shared memory becomes a section, and each kernel
/// a function `void (void **parameters)` that receives an address for each
/// parameter, as cuLaunchKernel does.
void retarget(llvm::Module &module);

/// What kernels do on the emulator besides computing.
struct Options {
  bool check = false; // checkAccesses()
  bool costs = false; // countCosts() and what belongs to it
  /// For `costs`: what is known of the kernels' registers.
  llvm::StringMap<uint32_t> registers;
};

/// Runs all of the above on the module, as `options` say; the result is LLVM IR
/// for x86.
llvm::Error lower(llvm::Module &module, const Options &options);

/// Lowers, optimizes and links the module to a shared object, and writes it to
/// `output`.
llvm::Error emulate(llvm::Module &module, const Options &options,
                    llvm::StringRef output);

} // namespace ingot::emulate

#endif // INGOT_CODEGEN_EMULATE_EMULATE_H
