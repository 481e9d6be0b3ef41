//===- PromoteVariablesToSSA.cpp - Promotes variables to SSA values -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_PROMOTEVARIABLESTOSSAPASS
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

/// For each variable that has been assigned so far, its current value.
using State = DenseMap<StringAttr, Value>;

/// Promotes the variables of one body: that of an entry or of a dataset's
/// function.
class VariablePromotion {
public:
  /// Requires that the arguments of `body` from index `first` on are the
  /// initial values of `variables`, in this order.
  VariablePromotion(Block &body, const SymbolTable &symbols,
                    SmallVector<StringAttr> variables, unsigned first)
      : body(body), symbols(symbols), variables(std::move(variables)),
        first(first) {
    for (auto [variable, argument] :
         llvm::zip(this->variables, body.getArguments().drop_front(first)))
      initial[variable] = argument;
  }

  /// Promotes the variables and appends the values assigned to them to the
  /// body's results. Returns the assigned variables.
  llvm::SetVector<StringAttr> run() {
    llvm::SetVector<StringAttr> assigned = assignedIn(body.getParentOp());
    State state;
    promote(body, state);
    Operation *terminator = body.getTerminator();
    SmallVector<Value> returned(terminator->getOperands());
    for (StringAttr name : assigned)
      returned.push_back(valueOf(name, state));
    terminator->setOperands(returned);
    return assigned;
  }

  ArrayRef<StringAttr> getVariables() const { return variables; }

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
      value = body.insertArgument(first + variables.size(), variable.getType(),
                                  variable.getLoc());
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

  /// Replaces an is_initialized op by a constant true, because an earlier op
  /// assigns the variable.
  static void answerYes(IsInitializedOp question) {
    OpBuilder builder(question);
    Value yes = createConstant(
        builder, question.getLoc(),
        DenseElementsAttr::get(cast<ShapedType>(question.getType()), true));
    question.replaceAllUsesWith(yes);
    question.erase();
  }

  /// Promotes the variables in the branches of `op`: each variable that a
  /// branch assigns becomes a result of `op`. A branch that does not assign the
  /// variable yields its old value. As control flow is structured, the
  /// dominance frontiers of mem2reg are not needed.
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

  /// Promotes the variables in a loop: those that the body assigns become
  /// loop-carried values.
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

  /// Rebuilds `op` with one more result for each variable in `assigned`. After
  /// `op`, these results are the variables' current values.
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

  Block &body;
  const SymbolTable &symbols;
  SmallVector<StringAttr> variables;
  unsigned first;
  DenseMap<StringAttr, Value> initial;
};
} // namespace

/// Promotes the variables of the entry, and returns their number.
static size_t promote(EntryOp entry, const SymbolTable &symbols) {
  VariablePromotion promotion(entry.getBody().front(), symbols,
                              symbolsOf(entry.getVariables()), 0);
  SmallVector<StringAttr> updates = symbolsOf(entry.getUpdates());
  llvm::append_range(updates, promotion.run());
  entry.setVariablesAttr(
      referencesTo(entry.getContext(), promotion.getVariables()));
  entry.setUpdatesAttr(referencesTo(entry.getContext(), updates));
  return promotion.getVariables().size();
}

// Turns the variables that a dataset's function reads into arguments. They are
// appended in this order: the positions of the function's random ops in their
// streams of random numbers, the seeds of these ops, and the program's
// variables. Positions and seeds are state of the dataset's iterator. The
// runtime passes the values of the program's variables at each call.
// ingot-check-input-pipelines-resumable has rejected functions that assign such
// variables. Returns the number of variables.
static size_t promote(func::FuncOp function, const SymbolTable &symbols) {
  llvm::SetVector<StringAttr> positions, seeds, read;
  function.walk([&](ReadOp op) {
    StringAttr name = op.getVariableAttr().getAttr();
    auto kind =
        symbols.lookup(name)->getAttrOfType<StringAttr>(randomStateAttrName);
    llvm::SetVector<StringAttr> &names = !kind ? read
                                         : kind.getValue() == randomSeed
                                             ? seeds
                                             : positions;
    names.insert(name);
  });
  if (positions.empty() && seeds.empty() && read.empty())
    return 0;
  Block &body = function.getBody().front();
  unsigned first = body.getNumArguments();
  SmallVector<StringAttr> variables(positions.getArrayRef());
  llvm::append_range(variables, seeds);
  llvm::append_range(variables, read);
  for (StringAttr name : variables) {
    auto variable = symbols.lookup<VariableOp>(name);
    body.addArgument(variable.getType(), variable.getLoc());
  }
  Operation *terminator = body.getTerminator();
  unsigned numResults = terminator->getNumOperands();
  llvm::SetVector<StringAttr> assigned =
      VariablePromotion(body, symbols, variables, first).run();
  // `VariablePromotion::run` has added the value of each assigned variable to
  // the function's results. Keep only the function's own results and the new
  // positions of random ops, in the order of the position arguments.
  SmallVector<Value> returned(terminator->getOperands());
  SmallVector<Value> next(returned.begin(), returned.begin() + numResults);
  for (auto [index, name] : llvm::enumerate(positions)) {
    const auto *place = llvm::find(assigned, name);
    next.push_back(place == assigned.end()
                       ? Value(body.getArgument(first + index))
                       : returned[numResults + (place - assigned.begin())]);
  }
  terminator->setOperands(next);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             body.getArgumentTypes(),
                                             ValueRange(next).getTypes()));
  Builder builder(function.getContext());
  function->setAttr(randomPositionsAttrName,
                    builder.getI64IntegerAttr(positions.size()));
  function->setAttr(randomSeedsAttrName,
                    builder.getI64IntegerAttr(seeds.size()));
  if (!read.empty())
    function->setAttr(variablesReadAttrName,
                      referencesTo(function.getContext(), read.getArrayRef()));
  return variables.size();
}

namespace {
struct PromoteVariablesToSSA
    : ::ingot::graph::impl::PromoteVariablesToSSAPassBase<
          PromoteVariablesToSSA> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<EntryOp>())
      numPromoted += promote(entry, symbols);
    for (auto function : getOperation().getOps<func::FuncOp>())
      numPromoted += promote(function, symbols);
    // The states of random ops in functions of datasets have become arguments
    // of these functions. So erase the variables that held the states.
    for (auto variable :
         llvm::make_early_inc_range(getOperation().getOps<VariableOp>()))
      if (variable->hasAttr(ofDatasetAttrName))
        variable.erase();
  }
};
} // namespace
