//===- JoinImages.h - Many kernels in one module ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_JOINIMAGES_H
#define INGOT_CODEGEN_PTX_JOINIMAGES_H

#include "codegen/Backend.h"

namespace ingot::ptx {

/// `name` as a PTX symbol, which may have letters, digits, _ and $.
std::string symbolOf(llvm::StringRef name);

/// Joins PTX modules for the GPU of `header`, an empty module. The prefix
/// codegen::kernelSymbol of their symbols is replaced by the kernels' names.
/// `step`, the last module, calls the kernels' functions, if any.
std::string joinPTX(llvm::StringRef header,
                    llvm::ArrayRef<codegen::NamedImage> images,
                    llvm::StringRef step);

/// The same for modules in LLVM's textual IR.
llvm::Expected<std::string> joinIR(llvm::ArrayRef<codegen::NamedImage> images,
                                   llvm::StringRef step);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_JOINIMAGES_H
