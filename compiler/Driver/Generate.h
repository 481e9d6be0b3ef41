//===- Generate.h - From linalg to objects ----------------------*- C++ -*-===//
//
// Kernels by each backend, entries once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_GENERATE_H
#define INGOT_COMPILER_DRIVER_GENERATE_H

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/GenerateDevice.h"
#include "compiler/Driver/ObjectFiles.h"

namespace ingot::driver {

/// Compiles the kernels and entries of `program`, as the linalg stage left it,
/// to objects, and adds to `info` what the descriptor has to say of them, and
/// to `left` what the device does not run. The descriptor itself is one more
/// object (`addDescriptor`).
llvm::Error generate(mlir::ModuleOp program, const CompileOptions &options,
                     abi::DescriptorInfo &info, ObjectFiles &objects,
                     std::vector<HostKernel> &left, StageLog &log);

llvm::Error addDescriptor(mlir::ModuleOp program, const CompileOptions &options,
                          const abi::DescriptorInfo &info,
                          ObjectFiles &objects);

/// The IR of all kernels and entries after a stage, to be looked at: what
/// `generate` does kernel by kernel, in one module.
struct StageText {
  std::string name; // "x86-64-v4.memref", "entries.llvm"
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The stages from buffers to the LLVM dialect, of each backend and of the
/// entries.
llvm::Expected<std::vector<StageText>>
generateStages(mlir::ModuleOp program, const CompileOptions &options);

/// The LLVM IR, optimized, of all kernels for the first backend and of the
/// entries.
llvm::Error printLLVM(mlir::ModuleOp program, const CompileOptions &options,
                      llvm::raw_ostream &os);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_GENERATE_H
