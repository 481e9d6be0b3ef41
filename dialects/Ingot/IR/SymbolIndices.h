//===- SymbolIndices.h - Indices of a program's symbols ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code and the descriptor's tables refer to variables, lookup tables,
// iterators and savers by number. The pass ingot-assign-resource-indices
// assigns the numbers; SymbolIndices looks them up.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_SYMBOLINDICES_H
#define INGOT_DIALECTS_INGOT_IR_SYMBOLINDICES_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ingot {

/// The attribute of a variable, lookup table, iterator or saver (i32): its
/// index among all ops of the same kind. Compiled code passes this index to the
/// runtime. Rows of the descriptor's tables are in the order of this index.
inline constexpr llvm::StringLiteral numberAttrName("ingot.number");
/// A unit attribute of a module: all of its variables, lookup tables, iterators
/// and savers have `ingot.number`. ingot-assign-resource-indices adds it. In a
/// module with this attribute, the verifier checks that numbers are unique and
/// without gaps. LowerEntriesToFunctions accepts no other modules.
inline constexpr llvm::StringLiteral numberedAttrName("ingot.numbered");

/// Whether the graph initializes the same iterator from several datasets, and
/// `iterator` is not the first of the iterators that were imported for these
/// datasets (`madeIntoAttrName`). Such an iterator is numbered after all
/// others.
bool isAlternative(IteratorOp iterator);

/// Numbers the program's variables, lookup tables, iterators and savers, each
/// from 0 on, in their order in the module.
void assignSymbolIndices(ModuleOp program);

/// The numbers of a program's symbols, and the symbols by number. The program
/// must have been numbered.
class SymbolIndices {
public:
  explicit SymbolIndices(ModuleOp program);

  int32_t operator[](FlatSymbolRefAttr symbol) const {
    return numbers.lookup(symbol.getAttr());
  }
  RankedTensorType typeOf(FlatSymbolRefAttr variable) const;

  /// Return the ops in the order of their numbers.
  llvm::ArrayRef<VariableOp> getVariables() const { return variables; }
  llvm::ArrayRef<TableOp> getTables() const { return tables; }
  llvm::ArrayRef<IteratorOp> getIterators() const { return iterators; }
  llvm::ArrayRef<SaverOp> getSavers() const { return savers; }

private:
  llvm::DenseMap<StringAttr, int32_t> numbers;
  llvm::SmallVector<VariableOp> variables;
  llvm::SmallVector<TableOp> tables;
  llvm::SmallVector<IteratorOp> iterators;
  llvm::SmallVector<SaverOp> savers;
};

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_SYMBOLINDICES_H
