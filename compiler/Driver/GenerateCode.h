//===- GenerateCode.h - Kernels and entries to objects ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiles kernels with each backend, and entries only once, for the lowest CPU
// level.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_GENERATECODE_H
#define INGOT_COMPILER_DRIVER_GENERATECODE_H

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/GenerateDeviceCode.h"
#include "compiler/Driver/ObjectFiles.h"

namespace ingot::driver {

/// Compiles the kernels and entries of `program`, which is at the linalg stage,
/// and adds the object files to `objects`. Adds facts about kernels and entries
/// to `info`, the contents of the program's descriptor (the tables that the
/// runtime reads), and lists the kernels that the device does not run in
/// `left`. `addDescriptor` then adds an object file with the descriptor itself.
llvm::Error generate(mlir::ModuleOp program, const CompileOptions &options,
                     abi::ProgramDescriptorContents &info, ObjectFiles &objects,
                     std::vector<HostFallbackKernel> &left,
                     StageInstrumentation &log);

llvm::Error addDescriptor(mlir::ModuleOp program, const CompileOptions &options,
                          const abi::ProgramDescriptorContents &info,
                          ObjectFiles &objects);

/// The IR of all kernels, or of all entries, after a stage, for printing.
/// Whereas `generate` compiles each kernel in a separate module, this is one
/// module.
struct CompilationStageIR {
  std::string name; // "x86-64-v4.memref", "entries.llvm"
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Returns the IR of the kernels for each backend, and the IR of the entries.
/// Each is returned twice: after bufferization, and in the LLVM dialect.
llvm::Expected<std::vector<CompilationStageIR>>
generateStages(mlir::ModuleOp program, const CompileOptions &options);

/// Prints the optimized LLVM IR of all kernels for the first backend, and that
/// of all entries.
llvm::Error printLLVM(mlir::ModuleOp program, const CompileOptions &options,
                      llvm::raw_ostream &os);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_GENERATECODE_H
