//===- PTXBackend.h - Kernels as PTX for NVIDIA's GPUs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_PTXBACKEND_H
#define INGOT_CODEGEN_PTX_PTXBACKEND_H

#include "codegen/Backend.h"
#include "codegen/PTX/Precision.h"

#include <memory>
#include <vector>

namespace ingot::ptx {

/// The form in which kernels are emitted: PTX, machine code that ptxas
/// assembles from PTX (Cubin), or the LLVM IR from which PTX would be generated
/// (IR), which the GPU emulator in codegen/Emulate runs.
enum class KernelCodeFormat { PTX, Cubin, IR };

/// Whether this machine can build KernelCodeFormat::Cubin: ptxas is installed.
bool canAssemble();

/// Returns the names of all GPUs that have a backend, the oldest first.
std::vector<llvm::StringRef> archNames();

/// Creates the backend for the GPU `arch`, such as "sm_90a". Returns null if no
/// GPU has this name.
std::unique_ptr<codegen::Backend>
createBackend(llvm::StringRef arch,
              KernelCodeFormat form = KernelCodeFormat::PTX,
              Precision precision = Precision::F32);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PTXBACKEND_H
