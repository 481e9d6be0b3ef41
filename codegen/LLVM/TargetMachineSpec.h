//===- TargetMachineSpec.h - A target machine's description -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_TARGETMACHINESPEC_H
#define INGOT_CODEGEN_LLVM_TARGETMACHINESPEC_H

#include "llvm/ADT/StringRef.h"

namespace ingot::llvmgen {

struct TargetMachineSpec {
  llvm::StringRef triple;
  llvm::StringRef cpu;
  /// The preferred width of vectors in bits; 0 for devices.
  unsigned vectorBits;
  /// Whether every memory access is checked (LLVM's AddressSanitizer).
  /// Artifacts with code for this machine then link the sanitizer's runtime.
  bool sanitizesAddresses = false;
  /// Additional features of the processor in LLVM's syntax, such as "+ptx80".
  llvm::StringRef features = "";
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_TARGETMACHINESPEC_H
