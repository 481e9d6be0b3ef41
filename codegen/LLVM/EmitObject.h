//===- EmitObject.h - From the LLVM dialect to bytes ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Translation, optimization and emission for one machine; one function each.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LLVM_EMITOBJECT_H
#define INGOT_CODEGEN_LLVM_EMITOBJECT_H

#include "codegen/LLVM/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ingot::llvmgen {

/// Translates to LLVM IR for `machine`; null, with diagnostics, where that
/// fails.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module,
                                        llvm::LLVMContext &context,
                                        const Machine &machine);

/// Makes the functions of a module those of `machine`; false where LLVM was
/// built without it.
bool setTarget(llvm::Module &module, const Machine &machine);

/// Runs LLVM's passes: none at level 0, no unrolling at level 1.
llvm::Error optimize(llvm::Module &module, const Machine &machine,
                     unsigned level);

/// The object file's bytes.
llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       const Machine &machine, unsigned level);

/// The assembly's text: of GPUs, PTX.
llvm::Expected<std::string>
emitAssembly(llvm::Module &module, const Machine &machine, unsigned level);

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_EMITOBJECT_H
