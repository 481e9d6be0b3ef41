//===- SymbolNumbers.h - A program's symbols by number ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code and the artifact's tables know variables, iterators and savers
// by number. ingot-number-symbols assigns the numbers, which are looked up
// here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_SYMBOLNUMBERS_H
#define INGOT_DIALECTS_INGOT_SYMBOLNUMBERS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/IteratorOps.h"
#include "dialects/Ingot/VariableOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ingot {

/// On a variable, iterator or saver: its number among those (i32).
inline constexpr llvm::StringLiteral numberAttrName("ingot.number");
/// On a module whose symbols have their numbers (unit). It is verified then.
inline constexpr llvm::StringLiteral numberedAttrName("ingot.numbered");

/// Whether the iterator is a further one that another is made over. These are
/// numbered after all others.
bool isAlternative(IteratorOp iterator);

/// Numbers the program's symbols, each kind from 0 on, as they stand.
void numberSymbols(ModuleOp program);

/// The numbers of a program that has them.
class SymbolNumbers {
public:
  explicit SymbolNumbers(ModuleOp program);

  int32_t operator[](FlatSymbolRefAttr symbol) const {
    return numbers.lookup(symbol.getAttr());
  }
  RankedTensorType typeOf(FlatSymbolRefAttr variable) const;

  /// The ops, in the order of their numbers.
  llvm::ArrayRef<VariableOp> getVariables() const { return variables; }
  llvm::ArrayRef<IteratorOp> getIterators() const { return iterators; }
  llvm::ArrayRef<SaverOp> getSavers() const { return savers; }

private:
  llvm::DenseMap<StringAttr, int32_t> numbers;
  llvm::SmallVector<VariableOp> variables;
  llvm::SmallVector<IteratorOp> iterators;
  llvm::SmallVector<SaverOp> savers;
};

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_SYMBOLNUMBERS_H
