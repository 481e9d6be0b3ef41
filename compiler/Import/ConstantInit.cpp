//===- ConstantInit.cpp - Variables with constant initial values ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ConstantInit.h"

#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether `value` depends on constants only: on no argument of a block,
// and on no op that reads or writes state.
static bool isConstant(Value value) {
  llvm::SetVector<Operation *> needed;
  auto add = [&](ValueRange values) {
    for (Value operand : values) {
      if (!operand.getDefiningOp())
        return false;
      needed.insert(operand.getDefiningOp());
    }
    return true;
  };
  if (!add(value))
    return false;
  for (size_t i = 0; i < needed.size(); ++i)
    // A region may use values from outside that are not operands of its op. So
    // reject ops with regions.
    if (needed[i]->getNumRegions() != 0 || !isMemoryEffectFree(needed[i]) ||
        !add(needed[i]->getOperands()))
      return false;
  return true;
}

void markConstantInit(ModuleOp module) {
  // The first saver is the one that sessions save with.
  auto savers = module.getOps<SaverOp>();
  if (savers.empty())
    return;
  llvm::DenseSet<Attribute> listed;
  for (auto item : (*savers.begin()).getItems().getAsRange<SavedItemAttr>())
    listed.insert(item.getTarget());
  for (auto entry : module.getOps<EntryOp>()) {
    if (entry.getRole() != Role::init)
      continue;
    // Variables whose initial values may vary. This is assumed if the init
    // entry assigns a variable twice, assigns it in a branch or loop, assigns a
    // value that is not constant, or contains another op than a read or an
    // assignment that refers to the variable.
    llvm::DenseSet<Attribute> others;
    llvm::MapVector<Attribute, Operation *> assigned;
    entry->walk([&](Operation *op) {
      if (auto assign = dyn_cast<AssignOp>(op)) {
        Attribute variable = assign.getVariableAttr();
        bool isFirst = assigned.insert({variable, op}).second;
        if (!isFirst || op->getParentOp() != entry ||
            !isConstant(assign.getValue()))
          others.insert(variable);
      } else if (!isa<ReadOp, EntryOp>(op)) {
        op->getAttrDictionary().walk(
            [&](FlatSymbolRefAttr symbol) { others.insert(symbol); });
      }
    });
    for (auto &[variable, op] : assigned)
      if (auto found = module.lookupSymbol<VariableOp>(
              cast<FlatSymbolRefAttr>(variable).getAttr());
          found && !others.contains(variable) && !listed.contains(variable))
        found->setAttr(constantInitAttrName,
                       UnitAttr::get(module.getContext()));
  }
}

} // namespace ingot::importer
