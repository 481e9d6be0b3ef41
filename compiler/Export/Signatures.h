//===- Signatures.h - The arguments of TensorFlow's ops ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The names of the arguments of TensorFlow's ops, and of the attributes that
// state the types and numbers of these arguments' tensors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_SIGNATURES_H
#define INGOT_COMPILER_EXPORT_SIGNATURES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::exporter {

/// An input or output argument of an op. It is one tensor or a list of tensors.
struct OpArgument {
  llvm::StringRef name;
  /// The attribute with the number of tensors. Empty if the argument is one
  /// tensor, or if `isTypeList`.
  llvm::StringRef number;
  /// The attribute with the type of the tensors, or with the list of their
  /// types if `isTypeList`. Empty if the type is fixed.
  llvm::StringRef type;
  bool isTypeList = false;

  /// Returns the attribute that determines the number of tensors. Empty if the
  /// argument is one tensor.
  llvm::StringRef counter() const { return isTypeList ? type : number; }
};

struct OpSignature {
  llvm::SmallVector<OpArgument, 4> inputs, outputs;
};

/// Returns the arguments of an op, or null if the op is unknown.
const OpSignature *findSignature(llvm::StringRef op);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SIGNATURES_H
