//===- PTXBackend.h - Kernels as PTX for NVIDIA's GPUs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_PTXBACKEND_H
#define INGOT_CODEGEN_PTX_PTXBACKEND_H

#include "codegen/Backend.h"
#include "codegen/PTX/Precision.h"

#include <memory>
#include <vector>

namespace ingot::ptx {

/// The form of images: PTX; machine code that ptxas makes of it; or the LLVM IR
/// that would become PTX, which an emulator runs.
enum class Form { PTX, Cubin, IR };

/// Whether Form::Cubin can be had on this machine.
bool canAssemble();

/// The names of all GPUs that there is a backend for, the oldest first.
std::vector<llvm::StringRef> archNames();

/// The backend for the GPU of that name; null for any other name.
std::unique_ptr<codegen::Backend>
createBackend(llvm::StringRef arch, Form form = Form::PTX,
              Precision precision = Precision::F32);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PTXBACKEND_H
