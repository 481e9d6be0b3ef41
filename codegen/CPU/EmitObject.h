//===- EmitObject.h - From the LLVM dialect to bytes ------------*- C++ -*-===//
//
// Translation, optimization and emission for one CPU target; one function
// each.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_EMITOBJECT_H
#define INGOT_CODEGEN_CPU_EMITOBJECT_H

#include "codegen/CPU/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ingot::cpu {

/// Makes a module that ConvertToLLVM left one object's content: entries and
/// functions visible under their code symbols, all else internal.
void finalizeModule(mlir::ModuleOp module, const Target &target);

/// Translates to LLVM IR; null, with diagnostics, where that fails.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module,
                                        llvm::LLVMContext &context,
                                        const Target &target);

/// Runs LLVM's pipeline of the given level, 0 to 3.
llvm::Error optimize(llvm::Module &module, const Target &target,
                     unsigned level);

/// The object file's bytes.
llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       const Target &target, unsigned level);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_EMITOBJECT_H
