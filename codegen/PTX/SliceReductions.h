//===- SliceReductions.h - Kernels that combine slices' values --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_SLICEREDUCTIONS_H
#define INGOT_CODEGEN_PTX_SLICEREDUCTIONS_H

#include "codegen/Backend.h"
#include "codegen/LLVM/TargetMachineSpec.h"

#include "llvm/IR/Module.h"

#include <memory>

namespace ingot::ptx {

/// Builds a module with the kernels for `reductions`, whose names and
/// parameters are in runtime/ABI/SliceReductions.h. They combine elements to
/// the same bits as the host (runtime/Collective/Reduce.cpp on threads that
/// flush denormals), except for the bits of NaNs.
std::unique_ptr<llvm::Module>
makeSliceReductions(llvm::LLVMContext &context,
                    const llvmgen::TargetMachineSpec &machine,
                    llvm::ArrayRef<codegen::SliceReduction> reductions);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_SLICEREDUCTIONS_H
