//===- SymbolIndices.cpp - Indices of a program's symbols -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SymbolIndices.h"

#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;

bool mlir::ingot::isAlternative(IteratorOp iterator) {
  auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName);
  return first && first.getAttr() != iterator.getSymNameAttr();
}

static IntegerAttr numberOf(Operation *symbol) {
  auto number = symbol->getAttrOfType<IntegerAttr>(numberAttrName);
  return number && number.getType().isSignlessInteger(32) ? number : nullptr;
}

void mlir::ingot::assignSymbolIndices(ModuleOp program) {
  Builder builder(program.getContext());
  auto number = [&, next = 0](Operation *symbol) mutable {
    symbol->setAttr(numberAttrName, builder.getI32IntegerAttr(next++));
  };
  llvm::for_each(program.getOps<VariableOp>(), number);
  llvm::for_each(program.getOps<TableOp>(), number);
  llvm::for_each(program.getOps<SaverOp>(), number);
  int32_t next = 0;
  for (bool alternatives : {false, true})
    for (auto iterator : program.getOps<IteratorOp>())
      if (isAlternative(iterator) == alternatives)
        iterator->setAttr(numberAttrName, builder.getI32IntegerAttr(next++));
  program->setAttr(numberedAttrName, builder.getUnitAttr());
}

template <typename Op>
static SmallVector<Op> byNumber(ModuleOp program,
                                llvm::DenseMap<StringAttr, int32_t> &numbers) {
  SmallVector<Op> ops(program.getOps<Op>());
  llvm::sort(ops, [](Op a, Op b) {
    return numberOf(a).getInt() < numberOf(b).getInt();
  });
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op.getSymNameAttr()] = static_cast<int32_t>(number);
  return ops;
}

SymbolIndices::SymbolIndices(ModuleOp program)
    : variables(byNumber<VariableOp>(program, numbers)),
      tables(byNumber<TableOp>(program, numbers)),
      iterators(byNumber<IteratorOp>(program, numbers)),
      savers(byNumber<SaverOp>(program, numbers)) {}

RankedTensorType SymbolIndices::typeOf(FlatSymbolRefAttr variable) const {
  VariableOp op = variables[(*this)[variable]];
  return cast<RankedTensorType>(op.getType());
}

/// Verifies that the attribute `ingot.number` of the n ops of type Op is a
/// permutation of 0 to n - 1.
template <typename Op> static LogicalResult verifyNumbers(ModuleOp program) {
  SmallVector<Op> ops(program.getOps<Op>());
  SmallVector<Operation *> owners(ops.size());
  for (Op op : ops) {
    IntegerAttr number = numberOf(op);
    // Each variable, table, iterator and saver must have a number
    // (assign_resource_indices_c1).
    if (!number)
      return op.emitOpError(
          "requires attribute 'ingot.number', as do all variables, tables, "
          "savers and iterators of the program");
    // The n symbols of a kind must have the numbers 0 to n - 1
    // (assign_resource_indices_c2).
    if (number.getInt() < 0 ||
        number.getInt() >= static_cast<int64_t>(ops.size()))
      return op.emitOpError("has the number ")
             << number.getInt() << ", but the program has only " << ops.size()
             << " ops of this kind, numbered from 0";
    Operation *&owner = owners[number.getInt()];
    // No two symbols of a kind may have the same number
    // (assign_resource_indices_c2).
    if (owner) {
      InFlightDiagnostic error =
          op.emitOpError("has the number ")
          << number.getInt()
          << ", which is already the number of another op of this kind";
      error.attachNote(owner->getLoc()) << "the other op is here";
      return error;
    }
    owner = op;
  }
  return success();
}

LogicalResult IngotDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (failed(verifyProgramAttribute(op, attribute)))
    return failure();
  if (attribute.getName() != numberedAttrName)
    return success();
  auto program = dyn_cast<ModuleOp>(op);
  if (!program)
    return op->emitOpError(
        "must be a module to have the attribute 'ingot.numbered'");
  if (failed(verifyNumbers<VariableOp>(program)) ||
      failed(verifyNumbers<TableOp>(program)) ||
      failed(verifyNumbers<SaverOp>(program)) ||
      failed(verifyNumbers<IteratorOp>(program)))
    return failure();
  int64_t numOwn =
      llvm::count_if(program.getOps<IteratorOp>(), [](IteratorOp iterator) {
        return !isAlternative(iterator);
      });
  // Iterators whose `ingot.made_into` names another one must have higher
  // numbers than all other iterators (assign_resource_indices_c3).
  for (auto iterator : program.getOps<IteratorOp>())
    if (isAlternative(iterator) != (numberOf(iterator).getInt() >= numOwn))
      return iterator.emitOpError("has the number ")
             << numberOf(iterator).getInt()
             << ", but iterators whose 'ingot.made_into' names another "
                "iterator must be numbered after the "
             << numOwn << " other iterators";
  return success();
}
