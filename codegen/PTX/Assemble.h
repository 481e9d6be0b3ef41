//===- Assemble.h - PTX to machine code by ptxas ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_ASSEMBLE_H
#define INGOT_CODEGEN_PTX_ASSEMBLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::ptx {

/// The path of ptxas, NVIDIA's assembler: in $PATH, else in the toolkit's
/// folder; "" if it is not installed.
std::string findAssembler();

/// The output of ptxas --version.
llvm::Expected<std::string> assemblerVersion();

/// Machine code (a cubin) of `text` for `arch`. Errors quote the assembler's
/// output.
llvm::Expected<std::string> assemble(llvm::StringRef text,
                                     llvm::StringRef arch);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ASSEMBLE_H
