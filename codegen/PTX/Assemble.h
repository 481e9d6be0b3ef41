//===- Assemble.h - PTX to machine code, where there is a ptxas -*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_ASSEMBLE_H
#define INGOT_CODEGEN_PTX_ASSEMBLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::ptx {

/// NVIDIA's assembler: in $PATH, else in the toolkit's folder; "" where there
/// is none.
std::string findAssembler();

/// What it says of its version.
llvm::Expected<std::string> assemblerVersion();

/// Machine code (a cubin) of `text` for `arch`, by that assembler. An error
/// with the assembler's words where it refuses, or is not there.
llvm::Expected<std::string> assemble(llvm::StringRef text,
                                     llvm::StringRef arch);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_ASSEMBLE_H
