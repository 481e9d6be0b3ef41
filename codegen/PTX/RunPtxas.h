//===- RunPtxas.h - PTX to machine code by ptxas ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls ptxas, NVIDIA's assembler.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_RUNPTXAS_H
#define INGOT_CODEGEN_PTX_RUNPTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::ptx {

/// Returns the path of ptxas, from $PATH or from the CUDA toolkit's default
/// folder; "" if it is not installed.
std::string findAssembler();

/// Returns the output of ptxas --version, or an error if ptxas is not installed
/// or fails.
llvm::Expected<std::string> assemblerVersion();

/// Assembles the PTX `text` to machine code (a cubin) for the GPU `arch`, such
/// as "sm_90". An error quotes the assembler's output.
llvm::Expected<std::string> assemble(llvm::StringRef text,
                                     llvm::StringRef arch);

/// Returns what ptxas -v says about the functions in the PTX `text` for the GPU
/// `arch`: registers, spills and memory of each.
llvm::Expected<std::string> describeUsage(llvm::StringRef text,
                                          llvm::StringRef arch);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_RUNPTXAS_H
