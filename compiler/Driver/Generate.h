//===- Generate.h - Compiles kernels and entries to objects -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Kernels are compiled by each backend, entries once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_GENERATE_H
#define INGOT_COMPILER_DRIVER_GENERATE_H

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/GenerateDevice.h"
#include "compiler/Driver/ObjectFiles.h"

namespace ingot::driver {

/// Compiles the kernels and entries of `program`, after the linalg stage, to
/// objects; adds their facts for the descriptor to `info`, and the kernels that
/// the device does not run to `left`. The descriptor itself is one more object
/// (`addDescriptor`).
llvm::Error generate(mlir::ModuleOp program, const CompileOptions &options,
                     abi::DescriptorInfo &info, ObjectFiles &objects,
                     std::vector<HostKernel> &left, StageLog &log);

llvm::Error addDescriptor(mlir::ModuleOp program, const CompileOptions &options,
                          const abi::DescriptorInfo &info,
                          ObjectFiles &objects);

/// The IR of all kernels and entries after a stage, to print: `generate` does
/// the same kernel by kernel, this in one module.
struct StageText {
  std::string name; // "x86-64-v4.memref", "entries.llvm"
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The stages from buffers to the LLVM dialect, of each backend and of the
/// entries.
llvm::Expected<std::vector<StageText>>
generateStages(mlir::ModuleOp program, const CompileOptions &options);

/// The optimized LLVM IR of all kernels for the first backend, and of the
/// entries.
llvm::Error printLLVM(mlir::ModuleOp program, const CompileOptions &options,
                      llvm::raw_ostream &os);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_GENERATE_H
