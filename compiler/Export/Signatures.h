//===- Signatures.h - The arguments of TensorFlow's ops ---------*- C++ -*-===//
//
// What a node's attributes of types and numbers follow from: the arguments of
// its op, as TensorFlow's registry names them.
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
  /// The attribute that says how many tensors it is; empty for one, and for a
  /// list of types.
  llvm::StringRef number;
  /// The attribute that says the type, or of a list the types; empty where
  /// the type is fixed.
  llvm::StringRef type;
  bool isTypeList = false;

  /// The attribute that gives the argument more or fewer tensors than one.
  llvm::StringRef counter() const { return isTypeList ? type : number; }
};

struct Signature {
  llvm::SmallVector<Argument, 4> inputs, outputs;
};

/// The arguments of an op, or null for one that is not known.
const Signature *findSignature(llvm::StringRef op);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SIGNATURES_H
