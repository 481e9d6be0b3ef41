//===- AddTrainingStep.cpp - Adds a training step to an inference graph ---===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/AddTrainingStep.h"
#include "compiler/Graph/Differentiate.h"
#include "compiler/Graph/OptimizerFlag.h"
#include "compiler/Graph/OptimizerUpdateRule.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_ADDTRAININGSTEPPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-add-training-step"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::OptimizerFlag;
using ::ingot::graph::OptimizerUpdateRule;

namespace {

/// The variables of a program, with their initializers and checkpoint entries.
class ProgramVariables {
public:
  explicit ProgramVariables(ModuleOp module)
      : module(module), symbols(module) {}

  VariableOp find(StringRef name) {
    for (auto variable : module.getOps<VariableOp>())
      if (getUserName(variable) == name)
        return variable;
    return nullptr;
  }

  /// Adds a variable named `name` whose elements all have the initial value
  /// `start`.
  VariableOp add(StringRef name, RankedTensorType type, double start) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (auto last : module.getOps<VariableOp>())
      builder.setInsertionPointAfter(last);
    auto variable = VariableOp::create(
        builder, module.getLoc(), builder.getStringAttr("variable"),
        TypeAttr::get(type), /*trainable=*/nullptr, /*local=*/nullptr,
        builder.getStringAttr(""));
    variable.setSymName(uniqueSymbol(name));
    setUserName(variable, name);
    symbols.insert(variable);
    added.emplace_back(variable, start);
    return variable;
  }

  /// Returns the variable of the global step; adds it if the graph has none.
  VariableOp globalStep() {
    ProgramAttrFields facts = getProgramFacts(module);
    if (facts.globalStep)
      return symbols.lookup<VariableOp>(facts.globalStep.getValue());
    auto type = RankedTensorType::get({}, IntegerType::get(context(), 64));
    VariableOp found = find("global_step");
    if (!found || found.getType() != type)
      found = add("global_step", type, 0);
    facts.globalStep = FlatSymbolRefAttr::get(found.getSymNameAttr());
    setProgramFacts(module, facts);
    return found;
  }

  /// Adds the initial values of the new variables to the init entry, and the
  /// new variables to every saver; adds a saver if the program has none.
  void finish() {
    initialize();
    bool hasSaver = !module.getOps<SaverOp>().empty();
    if (hasSaver)
      for (auto saver : module.getOps<SaverOp>())
        extend(saver);
    else
      makeSaver();
  }

private:
  MLIRContext *context() { return module.getContext(); }

  std::string uniqueSymbol(StringRef name) {
    std::string symbol = name.str();
    for (unsigned number = 1; symbols.lookup(symbol); ++number)
      symbol = (name + "_" + Twine(number)).str();
    return symbol;
  }

  EntryOp makeEntry(StringRef name, Role role, TypeRange arguments,
                    ArrayRef<StringRef> feeds) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto none = builder.getArrayAttr({});
    auto entry =
        EntryOp::create(builder, module.getLoc(), uniqueSymbol(name), role,
                        builder.getStrArrayAttr(feeds), none, none, none,
                        /*of=*/{}, /*member=*/{}, /*place=*/{});
    setUserName(entry, name);
    symbols.insert(entry);
    Block &block = entry.getBody().emplaceBlock();
    for (Type type : arguments)
      block.addArgument(type, module.getLoc());
    OpBuilder::atBlockEnd(&block).create<ReturnOp>(module.getLoc());
    return entry;
  }

  void initialize() {
    EntryOp init;
    for (auto entry : module.getOps<EntryOp>())
      if (entry.getRole() == Role::init)
        init = entry;
    if (!init)
      init = makeEntry("init", Role::init, {}, {});
    OpBuilder builder(init.getBody().front().getTerminator());
    for (auto [variable, start] : added) {
      auto type = cast<RankedTensorType>(variable.getType());
      Gradients g(builder);
      Value value = g.make<BroadcastToOp>(
          {g.number(type.getElementType(), start),
           g.indices(SmallVector<int32_t>(type.getShape()))});
      AssignOp::create(builder, variable.getLoc(), variable.getSymName(),
                       value);
    }
  }

  Attribute itemOf(VariableOp variable) {
    return SavedItemAttr::get(context(), getUserName(variable),
                              FlatSymbolRefAttr::get(variable.getSymNameAttr()),
                              "", 0);
  }

  void extend(SaverOp saver) {
    SmallVector<Attribute> items(saver.getItems().getValue());
    for (auto [variable, start] : added)
      items.push_back(itemOf(variable));
    saver.setItemsAttr(ArrayAttr::get(context(), items));
  }

  /// Adds a saver with the defaults of tf.train.Saver(): it saves each variable
  /// that is not local under the variable's name.
  void makeSaver() {
    Builder attributes(context());
    SmallVector<Attribute> items;
    for (auto variable : module.getOps<VariableOp>())
      if (!variable.getLocal())
        items.push_back(itemOf(variable));
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto saver = SaverOp::create(
        builder, module.getLoc(),
        attributes.getStringAttr(uniqueSymbol("save/saver")),
        attributes.getArrayAttr(items), attributes.getStringAttr("model"),
        attributes.getI32IntegerAttr(1), attributes.getUnitAttr(),
        attributes.getI32IntegerAttr(5), attributes.getF32FloatAttr(10000.0f));
    symbols.insert(saver);
    // The saver must precede the entries that refer to its symbol.
    Operation *first = *module.getOps<EntryOp>().begin();
    saver->moveBefore(first);
    Type prefix = RankedTensorType::get({}, StringType::get(context()));
    for (auto [name, role] :
         {std::pair("save", Role::save), {"restore", Role::restore}}) {
      EntryOp entry = makeEntry(name, role, prefix, {"save/Const:0"});
      Block &block = entry.getBody().front();
      OpBuilder body(block.getTerminator());
      if (role == Role::save)
        SaveOp::create(body, module.getLoc(), saver.getSymName(),
                       block.getArgument(0));
      else
        RestoreOp::create(body, module.getLoc(), saver.getSymName(),
                          block.getArgument(0));
    }
  }

  ModuleOp module;
  SymbolTable symbols;
  SmallVector<std::pair<VariableOp, double>> added;
};

/// Builds the optimizer's ops at the end of the training step's entry. They
/// update the trained variables, their slot variables, Adam's powers of beta1
/// and beta2, and the global step.
class OptimizerStepBuilder {
public:
  OptimizerStepBuilder(OpBuilder &builder, ProgramVariables &state,
                       const OptimizerFlag &flag)
      : builder(builder), g(builder), state(state), flag(flag),
        rule(OptimizerUpdateRule::get(flag.kind->rule)) {
    if (!rule.hasPowers())
      return;
    beta1 = addPower("beta1_power", flag.number("beta1"));
    beta2 = addPower("beta2_power", flag.number("beta2"));
  }

  /// Builds the op that updates `variable`, whose current value is `value`, by
  /// the optimizer's rule from the variable's gradient. Adds the slot variables
  /// that the rule needs.
  void apply(VariableOp variable, Value value, Value gradient) {
    Type element = cast<ShapedType>(variable.getType()).getElementType();
    auto numberOf = [&](StringRef name) { return flag.number(name); };
    if (flag.has("weight_decay"))
      value = g.term(value) -
              g.term(value) * (flag.number("weight_decay") * flag.rate);
    SmallVector<VariableOp> targets = {variable};
    SmallVector<Value> operands = {value};
    for (StringRef slot : rule.slots) {
      targets.push_back(
          addSlot(variable, OptimizerUpdateRule::start(slot, numberOf)));
      operands.push_back(read(targets.back()));
    }
    for (StringRef operand : rule.operands)
      operands.push_back(
          operand == "gradient"      ? gradient
          : operand == "rate"        ? g.number(element, flag.rate)
          : operand == "beta1_power" ? g.cast(read(beta1), element)
          : operand == "beta2_power" ? g.cast(read(beta2), element)
                                     : g.number(element, flag.number(operand)));
    SmallVector<NamedAttribute> attributes;
    if (rule.hasNesterov && flag.has("nesterov"))
      attributes.push_back(
          g.flag("use_nesterov", flag.number("nesterov") != 0));
    Operation *op = createInferred(builder, variable.getLoc(), rule.op,
                                   operands, attributes);
    for (auto [target, result] : llvm::zip(targets, op->getResults()))
      assign(target, result);
  }

  /// Ends the step, after all variables were updated: multiplies beta1_power
  /// and beta2_power by their betas, and increments the global step.
  void finish() {
    for (auto [power, name] : {std::pair(beta1, "beta1"), {beta2, "beta2"}})
      if (power)
        assign(power, g.term(read(power)) * flag.number(name));
    VariableOp steps = state.globalStep();
    GradientExpression count = g.term(read(steps));
    assign(steps, count + g.number(count, 1));
  }

private:
  VariableOp addPower(StringRef name, double start) {
    return state.add(freeName(name),
                     RankedTensorType::get({}, builder.getF32Type()), start);
  }
  VariableOp addSlot(VariableOp variable, double start) {
    std::string name = (getUserName(variable) + "/" + rule.slotName).str();
    return state.add(freeName(name), cast<RankedTensorType>(variable.getType()),
                     start);
  }
  /// Returns `name` if no variable has this name. Otherwise returns the first
  /// free name with a numeric suffix: after "w/Adam", "w/Adam_1".
  std::string freeName(StringRef name) {
    std::string free = name.str();
    for (unsigned number = 1; state.find(free); ++number)
      free = (name + "_" + Twine(number)).str();
    return free;
  }

  Value read(VariableOp variable) {
    return ReadOp::create(builder, variable.getLoc(), variable.getType(),
                          variable.getSymName());
  }
  void assign(VariableOp variable, Value value) {
    AssignOp::create(builder, variable.getLoc(), variable.getSymName(), value);
  }

  OpBuilder &builder;
  Gradients g;
  ProgramVariables &state;
  const OptimizerFlag &flag;
  const OptimizerUpdateRule &rule;
  VariableOp beta1, beta2;
};

/// The entry that computes the loss, and the index of the loss among the
/// fetches of this entry.
struct Loss {
  EntryOp entry;
  size_t number = 0;

  static std::optional<Loss> find(ModuleOp module, StringRef name) {
    for (auto entry : module.getOps<EntryOp>())
      for (auto [i, fetch] :
           llvm::enumerate(entry.getFetches().getAsValueRange<StringAttr>()))
        if (fetch == name || fetch == (name + ":0").str())
          return Loss{entry, i};
    return std::nullopt;
  }
};

class AddTrainingStepPass
    : public ::ingot::graph::impl::AddTrainingStepPassBase<
          AddTrainingStepPass> {
public:
  using AddTrainingStepPassBase::AddTrainingStepPassBase;

  void runOnOperation() override {
    if (failed(addStep()))
      signalPassFailure();
  }

private:
  LogicalResult addStep();
  EntryOp copyEntry(Loss found);
  static FailureOr<Value> lossOf(EntryOp step);
  static llvm::MapVector<VariableOp, SmallVector<Value>> readsOf(EntryOp step);
};

} // namespace

namespace ingot::graph {
bool fetchesLoss(ModuleOp module, StringRef name) {
  return Loss::find(module, name).has_value();
}
} // namespace ingot::graph

/// Clones the entry that fetches the loss, `found.entry`, as the training step.
/// The loss becomes the only fetch of the clone.
EntryOp AddTrainingStepPass::copyEntry(Loss found) {
  OpBuilder builder(found.entry);
  builder.setInsertionPointAfter(found.entry);
  auto step = cast<EntryOp>(builder.clone(*found.entry));
  step->removeAttr(userNameAttr);
  step->removeAttr(targetsAttrName);
  step.setSymName("step");
  SymbolTable symbols(getOperation());
  step->remove();
  symbols.insert(step, std::next(found.entry->getIterator()));
  setUserName(step, "step");
  step.setRole(Role::step);
  // The attribute `of` links an entry such as an evaluation to its step. Remove
  // it from the clone, which is itself a step.
  step.removeOfAttr();
  Attribute fetch = found.entry.getFetches()[found.number];
  ProgramAttrFields facts = getProgramFacts(getOperation());
  facts.loss = cast<StringAttr>(fetch);
  setProgramFacts(getOperation(), facts);
  step.setFetchesAttr(builder.getArrayAttr(fetch));
  Operation *end = step.getBody().front().getTerminator();
  end->setOperands(Value(end->getOperand(found.number)));
  return step;
}

/// Returns the loss of `step` as a scalar. If the loss has several elements,
/// this is their mean. Reports an error if the loss is not a tensor of floats.
FailureOr<Value> AddTrainingStepPass::lossOf(EntryOp step) {
  Operation *end = step.getBody().front().getTerminator();
  Value loss = end->getOperand(0);
  auto type = dyn_cast<ShapedType>(loss.getType());
  if (!type || !isa<FloatType>(type.getElementType())) {
    emitError(loss.getLoc())
        << "the loss must be a tensor of floats, got type " << loss.getType();
    return failure();
  }
  if (type.hasRank() && type.getRank() == 0)
    return loss;
  OpBuilder builder(end);
  Gradients g(builder);
  Value mean = g.make<MeanOp>({g.reshape(loss, g.indices(-1)), g.indices(0)});
  end->setOperand(0, mean);
  return mean;
}

/// Returns the trainable variables that `step` reads but does not assign, each
/// with the results of its reads. Moves reads out of branches and loops,
/// because the gradient ops, which use these results, are outside of branches
/// and loops.
llvm::MapVector<VariableOp, SmallVector<Value>>
AddTrainingStepPass::readsOf(EntryOp step) {
  auto module = step->getParentOfType<ModuleOp>();
  Block *body = &step.getBody().front();
  llvm::DenseSet<StringRef> assigned;
  step.walk([&](AssignOp op) { assigned.insert(op.getVariable()); });
  bool knowsTrainable = statesTrainableVariables(module);
  llvm::MapVector<VariableOp, SmallVector<Value>> reads;
  step.walk([&](ReadOp op) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
        step, op.getVariableAttr());
    Type element = cast<ShapedType>(variable.getType()).getElementType();
    if (!isa<FloatType>(element) || assigned.contains(op.getVariable()) ||
        variable.getLocal() || (knowsTrainable && !variable.getTrainable()))
      return;
    if (op->getBlock() != body)
      op->moveBefore(body->findAncestorOpInBlock(*op));
    reads[variable].push_back(op.getOutput());
  });
  return reads;
}

LogicalResult AddTrainingStepPass::addStep() {
  ModuleOp module = getOperation();
  llvm::Expected<OptimizerFlag> flag = OptimizerFlag::parse(optimizer);
  if (!flag)
    return module.emitError(llvm::toString(flag.takeError()));
  for (auto entry : module.getOps<EntryOp>())
    if (entry.getRole() == Role::step)
      return module.emitError("the graph already has a training step, '")
             << getUserName(entry) << "': remove --loss and --optimizer";
  std::optional<Loss> found = Loss::find(module, loss);
  if (!found)
    return module.emitError("no entry fetches the loss '")
           << loss << "': --loss must name a tensor that an entry fetches";
  EntryOp step = copyEntry(*found);
  FailureOr<Value> value = lossOf(step);
  if (failed(value))
    return failure();

  auto reads = readsOf(step);
  SmallVector<Value> inputs;
  for (auto &[variable, values] : reads)
    llvm::append_range(inputs, values);
  OpBuilder builder(step.getBody().front().getTerminator());
  FailureOr<SmallVector<Value>> gradients =
      ::ingot::graph::differentiate(builder, *value, {}, inputs);
  if (failed(gradients))
    return failure();
  if (llvm::none_of(*gradients, [](Value each) { return bool(each); }))
    return emitError(value->getLoc())
           << "the loss '" << loss
           << "' depends on no trainable variable: variables that were frozen "
              "into constants cannot be trained";
  ProgramVariables state(module);
  OptimizerStepBuilder training(builder, state, *flag);
  Gradients g(builder);
  size_t at = 0;
  for (auto &[variable, values] : reads) {
    SmallVector<Value> parts;
    for (size_t i = 0; i < values.size(); ++i)
      if (Value part = (*gradients)[at++])
        parts.push_back(part);
    if (parts.empty()) {
      LLVM_DEBUG(llvm::dbgs() << "the loss does not depend on "
                              << variable.getSymName() << '\n');
      continue;
    }
    training.apply(variable, values.front(), g.total(parts));
    ++numTrained;
  }
  training.finish();
  state.finish();
  return success();
}
