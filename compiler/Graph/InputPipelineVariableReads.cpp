//===- InputPipelineVariableReads.cpp - Variables that pipelines read -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/InputPipelineVariableReads.h"

#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

bool isProgramVariable(const SymbolTable &symbols, StringAttr variable) {
  Operation *op = symbols.lookup(variable);
  return op && !op->hasAttr(randomStateAttrName);
}

InputPipelineVariableReads::InputPipelineVariableReads(ModuleOp program) {
  SymbolTable symbols(program);
  for (auto iterator : program.getOps<IteratorOp>()) {
    auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName);
    auto &variables =
        byIterator[first ? first.getAttr() : iterator.getSymNameAttr()];
    iterator.walk([&](Operation *op) {
      auto name = op->getAttrOfType<FlatSymbolRefAttr>("function");
      Operation *function = name ? symbols.lookup(name.getAttr()) : nullptr;
      if (function)
        function->walk([&](ReadOp read) {
          StringAttr variable = read.getVariableAttr().getAttr();
          if (isProgramVariable(symbols, variable))
            variables.insert(variable);
        });
    });
  }
}

void InputPipelineVariableReads::visitReads(
    Operation *op, llvm::function_ref<void(StringAttr)> visit) const {
  op->walk([&](IteratorNextOp next) {
    auto found = byIterator.find(next.getIteratorAttr().getAttr());
    if (found != byIterator.end())
      llvm::for_each(found->second, visit);
  });
}

bool InputPipelineVariableReads::reads(Operation *op,
                                       StringAttr variable) const {
  bool found = false;
  visitReads(op, [&](StringAttr read) { found |= read == variable; });
  return found;
}

} // namespace ingot::graph
