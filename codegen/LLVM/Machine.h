//===- Machine.h - A machine as LLVM knows it -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_LLVM_MACHINE_H
#define INGOT_CODEGEN_LLVM_MACHINE_H

#include "llvm/ADT/StringRef.h"

namespace ingot::llvmgen {

struct Machine {
  llvm::StringRef triple;
  llvm::StringRef cpu;
  unsigned vectorBits; // of the vectors to prefer
  /// Whether every memory access is checked (LLVM's AddressSanitizer);
  /// artifacts with such objects link the sanitizer's runtime.
  bool sanitizesAddresses = false;
  /// The processor's features in LLVM's syntax: "+ptx80".
  llvm::StringRef features = "";
};

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_MACHINE_H
