//===- MergeDeviceModules.h - Many kernels in one module --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Joins the code of kernels, which are compiled one by one, into one module of
// the device.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_MERGEDEVICEMODULES_H
#define INGOT_CODEGEN_PTX_MERGEDEVICEMODULES_H

#include "codegen/Backend.h"

namespace ingot::ptx {

/// Returns `name` with each character that a PTX symbol may not have replaced
/// by _. Letters, digits, _ and $ are allowed.
std::string symbolOf(llvm::StringRef name);

/// Joins the PTX modules of kernels into one module, whose header is copied
/// from the empty module `header`. Symbols of each kernel have the prefix
/// codegen::kernelSymbol, which is replaced by the kernel's name. `own` are the
/// modules of kernels that are not the program's, such as the step kernel,
/// which calls the kernels' functions; they come last, and may be "".
std::string joinPTX(llvm::StringRef header,
                    llvm::ArrayRef<codegen::KernelImage> images,
                    llvm::ArrayRef<std::string> own);

/// Joins modules in LLVM's textual IR in the same way as `joinPTX` joins PTX
/// modules. Fails if one of them cannot be parsed or linked.
llvm::Expected<std::string> joinIR(llvm::ArrayRef<codegen::KernelImage> images,
                                   llvm::ArrayRef<std::string> own);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_MERGEDEVICEMODULES_H
