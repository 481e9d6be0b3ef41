//===- PromoteVariables.cpp - State becomes arguments and results ---------===//

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/ControlOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

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

namespace {

/// What variables hold at a place of the entry, where it is not what they held
/// at its start.
using State = DenseMap<StringAttr, Value>;

class Promotion {
public:
  Promotion(EntryOp entry, const SymbolTable &symbols)
      : entry(entry), symbols(symbols),
        variables(symbolsOf(entry.getVariables())) {
    for (auto [variable, argument] :
         llvm::zip(variables, entry.getBody().front().getArguments()))
      initial[variable] = argument;
  }

  void run() {
    Block &body = entry.getBody().front();
    llvm::SetVector<StringAttr> assigned = assignedIn(entry);
    State state;
    promote(body, state);
    SmallVector<StringAttr> updates = symbolsOf(entry.getUpdates());
    Operation *terminator = body.getTerminator();
    SmallVector<Value> returned(terminator->getOperands());
    for (StringAttr name : assigned) {
      updates.push_back(name);
      returned.push_back(valueOf(name, state));
    }
    terminator->setOperands(returned);
    entry.setVariablesAttr(referencesTo(entry.getContext(), variables));
    entry.setUpdatesAttr(referencesTo(entry.getContext(), updates));
  }

private:
  static llvm::SetVector<StringAttr> assignedIn(Operation *op) {
    llvm::SetVector<StringAttr> names;
    op->walk([&](AssignOp assign) {
      names.insert(assign.getVariableAttr().getAttr());
    });
    return names;
  }

  Value valueOf(StringAttr name, const State &state) {
    if (Value value = state.lookup(name))
      return value;
    Value &value = initial[name];
    if (!value) {
      auto variable = symbols.lookup<VariableOp>(name);
      value = entry.getBody().front().insertArgument(
          variables.size(), variable.getType(), variable.getLoc());
      variables.push_back(name);
    }
    return value;
  }

  void promote(Block &block, State &state) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto read = dyn_cast<ReadOp>(op)) {
        read.replaceAllUsesWith(
            valueOf(read.getVariableAttr().getAttr(), state));
        read.erase();
      } else if (auto assign = dyn_cast<AssignOp>(op)) {
        state[assign.getVariableAttr().getAttr()] = assign.getValue();
        assign.erase();
      } else if (auto question = dyn_cast<IsInitializedOp>(op)) {
        if (state.contains(question.getVariableAttr().getAttr()))
          answerYes(question);
      } else if (auto branches = dyn_cast<IfOp>(op)) {
        promoteIf(branches, state);
      } else if (auto loop = dyn_cast<WhileOp>(op)) {
        promoteWhile(loop, state);
      }
    }
  }

  /// An assignment stands before the question.
  static void answerYes(IsInitializedOp question) {
    OpBuilder builder(question);
    Value yes = ConstantOp::create(
        builder, question.getLoc(),
        DenseElementsAttr::get(cast<ShapedType>(question.getType()), true));
    question.replaceAllUsesWith(yes);
    question.erase();
  }

  /// What a branch assigns is a result of the op: in the other branch the value
  /// from before.
  void promoteIf(IfOp op, State &state) {
    llvm::SetVector<StringAttr> assigned = assignedIn(op);
    for (Region *branch : {&op.getThenBranch(), &op.getElseBranch()}) {
      State inside = state;
      promote(branch->front(), inside);
      Operation *end = branch->front().getTerminator();
      for (StringAttr name : assigned)
        end->insertOperands(end->getNumOperands(), valueOf(name, inside));
    }
    appendResults(op, op->getOperands(), assigned, state);
  }

  /// What the body assigns is state of the loop.
  void promoteWhile(WhileOp op, State &state) {
    llvm::SetVector<StringAttr> assigned = assignedIn(op);
    SmallVector<Value> inits(op.getInits());
    for (StringAttr name : assigned)
      inits.push_back(valueOf(name, state));
    for (Region *region : {&op.getTest(), &op.getBody()}) {
      State inside = state;
      Block &block = region->front();
      for (StringAttr name : assigned)
        inside[name] =
            block.addArgument(typeOf(name), symbols.lookup(name)->getLoc());
      promote(block, inside);
      Operation *end = block.getTerminator();
      if (isa<ResultOp>(end))
        for (StringAttr name : assigned)
          end->insertOperands(end->getNumOperands(), valueOf(name, inside));
    }
    appendResults(op, inits, assigned, state);
  }

  Type typeOf(StringAttr name) {
    return symbols.lookup<VariableOp>(name).getType();
  }

  /// Gives the op a result for each of the variables, which they hold from
  /// here on.
  void appendResults(Operation *op, ValueRange operands,
                     const llvm::SetVector<StringAttr> &assigned,
                     State &state) {
    if (assigned.empty())
      return;
    SmallVector<Type> types(op->getResultTypes());
    for (StringAttr name : assigned)
      types.push_back(typeOf(name));
    Operation *rebuilt = rebuildWithRegions(op, operands, types);
    op->replaceAllUsesWith(
        rebuilt->getResults().take_front(op->getNumResults()));
    ValueRange added = rebuilt->getResults().drop_front(op->getNumResults());
    for (auto [name, value] : llvm::zip(assigned, added))
      state[name] = value;
    op->erase();
  }

  EntryOp entry;
  const SymbolTable &symbols;
  SmallVector<StringAttr> variables;
  DenseMap<StringAttr, Value> initial;
};

struct PromoteVariables
    : ::ingot::graph::impl::PromoteVariablesPassBase<PromoteVariables> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<EntryOp>())
      Promotion(entry, symbols).run();
  }
};
} // namespace
