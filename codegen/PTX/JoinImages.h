//===- JoinImages.h - Many kernels in one module ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Joins the code of kernels, which are compiled one by one, to one module of
// the device.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_JOINIMAGES_H
#define INGOT_CODEGEN_PTX_JOINIMAGES_H

#include "codegen/Backend.h"

namespace ingot::ptx {

/// Returns `name` with each character that a PTX symbol may not have replaced
/// by _. Letters, digits, _ and $ are allowed.
std::string symbolOf(llvm::StringRef name);

/// Joins the kernels' PTX modules to one module with the header of the empty
/// module `header`. The prefix codegen::kernelSymbol of their symbols is
/// replaced by the kernels' names. `step`, the last module, is the step kernel,
/// which calls the kernels' functions; "" if there is none.
std::string joinPTX(llvm::StringRef header,
                    llvm::ArrayRef<codegen::NamedImage> images,
                    llvm::StringRef step);

/// Like `joinPTX`, for modules in LLVM's textual IR.
llvm::Expected<std::string> joinIR(llvm::ArrayRef<codegen::NamedImage> images,
                                   llvm::StringRef step);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_JOINIMAGES_H
