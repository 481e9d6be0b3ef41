//===- JoinImages.h - Many kernels in one module ----------------*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_JOINIMAGES_H
#define INGOT_CODEGEN_PTX_JOINIMAGES_H

#include "codegen/Backend.h"

namespace ingot::ptx {

/// `name` as a symbol in PTX, which knows letters, digits, _ and $.
std::string symbolOf(llvm::StringRef name);

/// One PTX module of many, all for one GPU, that of `header`, an empty module:
/// their symbols, which begin with codegen::kernelSymbol, begin with the
/// kernels' names there. Kernels' functions, where there are some, are called
/// by `step`, the last of them.
std::string joinPTX(llvm::StringRef header,
                    llvm::ArrayRef<codegen::NamedImage> images,
                    llvm::StringRef step);

/// The same of modules in LLVM's text.
llvm::Expected<std::string> joinIR(llvm::ArrayRef<codegen::NamedImage> images,
                                   llvm::StringRef step);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_JOINIMAGES_H
