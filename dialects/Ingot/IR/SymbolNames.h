//===- SymbolNames.h - Users' names of symbols ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Symbols are unique in a module, but in a graph an entry and a variable may
// have the same name. A symbol that had to be renamed carries the user's name
// as an attribute.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_SYMBOLNAMES_H
#define INGOT_DIALECTS_INGOT_IR_SYMBOLNAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ingot {

inline constexpr llvm::StringLiteral userNameAttr("ingot.name");

/// A unit attribute that marks temporary variables: each entry writes such a
/// variable before it reads it, so the variable needs no initial value.
inline constexpr llvm::StringLiteral temporaryAttrName("ingot.temporary");

/// A unit attribute that marks variables to which the init entry assigns the
/// same value in every run.
inline constexpr llvm::StringLiteral
    constantInitAttrName("ingot.constant_init");

/// An attribute of variables that processes divide among them: an i64, the
/// number of equal parts of the variable's elements in row-major order. A
/// process has the parts of its run of as many slices; between two steps, the
/// other parts of its variable are undefined.
inline constexpr llvm::StringLiteral shardsAttrName("ingot.shards");

/// If the graph initializes one iterator from several datasets, the importer
/// makes one iterator per dataset. All of these iterators have this attribute,
/// whose value is the symbol of the first of them. Reading that first iterator
/// returns elements of the dataset with which the graph last initialized it.
/// The numbers (`ingot.number`) of the other ones are higher than those of all
/// other iterators.
inline constexpr llvm::StringLiteral madeIntoAttrName("ingot.made_into");

/// A unit attribute of iterators whose elements have an additional first
/// component: a bool that is false once the input has ended.
inline constexpr llvm::StringLiteral
    givesOptionalsAttrName("ingot.gives_optionals");

/// A unit attribute of savers that also restore a variable from a saved tensor
/// of another shape, if both have the same number of elements.
inline constexpr llvm::StringLiteral reshapeAttrName("ingot.reshape");

/// The attribute of a saver for constant texts that it saves along with the
/// variables: a dictionary from checkpoint keys to texts.
inline constexpr llvm::StringLiteral constantsAttrName("ingot.constants");

/// The attribute of an entry that lists its target nodes: nodes that it runs
/// although no fetch needs them.
inline constexpr llvm::StringLiteral targetsAttrName("ingot.targets");

/// Returns the name that an entry, variable or iterator has in the user's
/// graph, which may differ from its symbol.
inline llvm::StringRef getUserName(Operation *symbol) {
  if (auto name = symbol->getAttrOfType<StringAttr>(userNameAttr))
    return name.getValue();
  return SymbolTable::getSymbolName(symbol).getValue();
}

/// Stores `name`, the name that the op `symbol` has in the user's graph, as its
/// attribute userNameAttr, unless the name is equal to the op's symbol name.
inline void setUserName(Operation *symbol, llvm::StringRef name) {
  if (SymbolTable::getSymbolName(symbol).getValue() != name)
    symbol->setAttr(userNameAttr, StringAttr::get(symbol->getContext(), name));
}

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_SYMBOLNAMES_H
