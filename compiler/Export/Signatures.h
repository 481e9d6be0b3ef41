//===- Signatures.h - The arguments of TensorFlow's ops ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The arguments of ops, with the names in TensorFlow's registry, from which a
// node's attributes of types and numbers follow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_SIGNATURES_H
#define INGOT_COMPILER_EXPORT_SIGNATURES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::exporter {

/// An argument of an op: one tensor, or several.
struct Argument {
  llvm::StringRef name;
  /// The attribute with the number of tensors; empty for one, and for a list of
  /// types.
  llvm::StringRef number;
  /// The attribute with the type, or for a list the types; empty if the type is
  /// fixed.
  llvm::StringRef type;
  bool isTypeList = false;

  /// The attribute that makes the argument a list of tensors.
  llvm::StringRef counter() const { return isTypeList ? type : number; }
};

struct Signature {
  llvm::SmallVector<Argument, 4> inputs, outputs;
};

/// The arguments of an op, or null if it is unknown.
const Signature *findSignature(llvm::StringRef op);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SIGNATURES_H
