//===- Names.h - Users' names of symbols ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Symbols are unique in a module; a graph may have an entry and a variable of
// one name. A symbol that had to be renamed carries the user's name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_NAMES_H
#define INGOT_DIALECTS_INGOT_NAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ingot {

inline constexpr llvm::StringLiteral userNameAttr("ingot.name");

/// Marks a variable that an entry fills before it reads it.
inline constexpr llvm::StringLiteral temporaryAttrName("ingot.temporary");

/// On each of several iterators that one iterator of the graph is made over:
/// the first of them, which hands out the elements of the one that was made
/// last. The others come after all other iterators.
inline constexpr llvm::StringLiteral madeIntoAttrName("ingot.made_into");

/// On an iterator whose elements have a flag in front: whether there was one.
inline constexpr llvm::StringLiteral
    givesOptionalsAttrName("ingot.gives_optionals");

/// On an entry, a unit: it runs after each step.
inline constexpr llvm::StringLiteral afterStepAttrName("ingot.after_step");

/// On a saver, a unit: tensors of another shape are restored, too, if they have
/// as many elements.
inline constexpr llvm::StringLiteral reshapeAttrName("ingot.reshape");

/// On a saver, a dictionary: texts that are saved beside the variables, by
/// their keys.
inline constexpr llvm::StringLiteral constantsAttrName("ingot.constants");

/// On an entry: the target nodes that it runs besides those of its fetches.
inline constexpr llvm::StringLiteral targetsAttrName("ingot.targets");

/// The name by which users know an entry, variable or iterator.
inline llvm::StringRef getUserName(Operation *symbol) {
  if (auto name = symbol->getAttrOfType<StringAttr>(userNameAttr))
    return name.getValue();
  return SymbolTable::getSymbolName(symbol).getValue();
}

/// Sets the name where the symbol is another.
inline void setUserName(Operation *symbol, llvm::StringRef name) {
  if (SymbolTable::getSymbolName(symbol).getValue() != name)
    symbol->setAttr(userNameAttr, StringAttr::get(symbol->getContext(), name));
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_NAMES_H
