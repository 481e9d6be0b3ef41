//===- Names.h - Users' names of symbols ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Symbols are unique in a module, but in a graph an entry and a variable may
// have the same name. A symbol that had to be renamed carries the user's name
// as an attribute.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_NAMES_H
#define INGOT_DIALECTS_INGOT_NAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ingot {

inline constexpr llvm::StringLiteral userNameAttr("ingot.name");

/// The attribute of a temporary variable, which each entry writes before it
/// reads it (unit).
inline constexpr llvm::StringLiteral temporaryAttrName("ingot.temporary");

/// If an iterator of the graph is initialized from several datasets, it is
/// imported as several iterators, one for each dataset. All of them have this
/// attribute: the symbol of the first of them. Reading the first one returns
/// elements of the dataset that was used last to initialize the iterator. The
/// other ones come after all other iterators of the program.
inline constexpr llvm::StringLiteral madeIntoAttrName("ingot.made_into");

/// The attribute of an iterator whose elements have an additional first
/// component (unit): a flag that is false once the input has ended.
inline constexpr llvm::StringLiteral
    givesOptionalsAttrName("ingot.gives_optionals");

/// The attribute of a program (a symbol) that names the entry which the command
/// `predict` runs by default.
inline constexpr llvm::StringLiteral predictionAttrName("ingot.prediction");

/// The attribute of a saver that also restores tensors of another shape, if
/// they have as many elements (unit).
inline constexpr llvm::StringLiteral reshapeAttrName("ingot.reshape");

/// The attribute of a saver for constant texts that it saves along with the
/// variables: a dictionary from checkpoint keys to texts.
inline constexpr llvm::StringLiteral constantsAttrName("ingot.constants");

/// The attribute of an entry with the target nodes that it runs in addition to
/// the nodes of its fetches.
inline constexpr llvm::StringLiteral targetsAttrName("ingot.targets");

/// Returns the name that an entry, variable or iterator has in the user's
/// graph, which may differ from its symbol.
inline llvm::StringRef getUserName(Operation *symbol) {
  if (auto name = symbol->getAttrOfType<StringAttr>(userNameAttr))
    return name.getValue();
  return SymbolTable::getSymbolName(symbol).getValue();
}

/// Sets the attribute with the name that `symbol` has in the user's graph,
/// unless that is the symbol itself.
inline void setUserName(Operation *symbol, llvm::StringRef name) {
  if (SymbolTable::getSymbolName(symbol).getValue() != name)
    symbol->setAttr(userNameAttr, StringAttr::get(symbol->getContext(), name));
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_NAMES_H
