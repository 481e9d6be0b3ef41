//===- CompileEntries.h - Compiles entries in parallel parts ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_COMPILEENTRIES_H
#define INGOT_COMPILER_DRIVER_COMPILEENTRIES_H

#include "codegen/ABI/Descriptor.h"
#include "codegen/LLVM/TargetMachineSpec.h"
#include "compiler/Driver/KernelCache.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Compiles the entries and functions that codegen/Host has extracted from a
/// program. They are split into several modules, which are compiled in parallel
/// or taken from the cache. Returns the object files. Adds facts about the
/// entries to `info`, the contents of the program's descriptor (the tables that
/// the runtime reads).
llvm::Expected<std::vector<std::string>>
compileEntries(mlir::ModuleOp entries,
               const llvmgen::TargetMachineSpec &machine, unsigned level,
               const OptionalPassSet &rewrites, const KernelCache &cache,
               abi::ProgramDescriptorContents &info);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILEENTRIES_H
