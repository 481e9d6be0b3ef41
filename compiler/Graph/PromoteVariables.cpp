//===- PromoteVariables.cpp - State becomes arguments and results ---------===//

#include "compiler/Graph/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_PROMOTEVARIABLESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

static SmallVector<StringAttr> symbolsOf(ArrayAttr references) {
  return llvm::map_to_vector(references, [](Attribute reference) {
    return cast<FlatSymbolRefAttr>(reference).getAttr();
  });
}

static ArrayAttr referencesTo(MLIRContext *context,
                              ArrayRef<StringAttr> symbols) {
  return ArrayAttr::get(context,
                        llvm::map_to_vector(symbols, [](StringAttr symbol) {
                          return Attribute(FlatSymbolRefAttr::get(symbol));
                        }));
}

static void promote(EntryOp entry, SymbolTable &symbols) {
  Block &body = entry.getBody().front();
  SmallVector<StringAttr> variables = symbolsOf(entry.getVariables());
  llvm::MapVector<StringAttr, Value> current; // value at this point
  SetVector<StringAttr> assigned;
  for (auto [index, variable] : llvm::enumerate(variables))
    current[variable] = body.getArgument(index);

  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      StringAttr name = read.getVariableAttr().getAttr();
      Value &value = current[name];
      if (!value) {
        auto variable = symbols.lookup<VariableOp>(name);
        value = body.insertArgument(variables.size(), variable.getType(),
                                    variable.getLoc());
        variables.push_back(name);
      }
      read.replaceAllUsesWith(value);
      read.erase();
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      StringAttr name = assign.getVariableAttr().getAttr();
      current[name] = assign.getValue();
      assigned.insert(name);
      assign.erase();
    }
  }

  SmallVector<StringAttr> updates = symbolsOf(entry.getUpdates());
  Operation *terminator = body.getTerminator();
  SmallVector<Value> returned(terminator->getOperands());
  for (StringAttr name : assigned) {
    updates.push_back(name);
    returned.push_back(current[name]);
  }
  terminator->setOperands(returned);
  entry.setVariablesAttr(referencesTo(entry.getContext(), variables));
  entry.setUpdatesAttr(referencesTo(entry.getContext(), updates));
}

namespace {
struct PromoteVariables
    : ::ingot::graph::impl::PromoteVariablesPassBase<PromoteVariables> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<EntryOp>())
      promote(entry, symbols);
  }
};
} // namespace
