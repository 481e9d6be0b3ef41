//===- OutlineKernels.cpp - Fusions become functions ----------------------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"
#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/EnsembleOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/RandomOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ingot::lower {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

/// Whether a constant is a number like any other to the code that `use`
/// becomes: with it as an argument, kernels that draw from other seeds, or
/// weigh other complexities, are one.
static bool isDatum(OpOperand &use) {
  Value value = use.get();
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<StatelessRandomUniformOp, StatelessRandomUniformFullIntOp,
            StatelessRandomUniformIntOp>([&](auto draw) {
        return value == draw.getKey() || value == draw.getCounter();
      })
      .Case([&](ComplexityPenaltyOp penalty) {
        return llvm::is_contained(penalty.getComplexities(), value);
      })
      .Default(false);
}

/// Brings the constants that the fusion uses into it, but those that are only
/// data.
static void sinkConstants(FusionOp fusion) {
  OpBuilder builder = OpBuilder::atBlockBegin(&fusion.getBody().front());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(fusion.getBody(), captured);
  for (Value value : captured)
    if (auto constant = value.getDefiningOp<ConstantOp>()) {
      if (llvm::all_of(value.getUses(), [&](OpOperand &use) {
            return !fusion->isProperAncestor(use.getOwner()) || isDatum(use);
          }))
        continue;
      Value clone = builder.clone(*constant)->getResult(0);
      replaceAllUsesInRegionWith(value, clone, fusion.getBody());
    }
}

/// Whether `value` is what the entry leaves in the variable behind argument
/// `variable` of its block.
static bool isFinalValue(EntryOp entry, BlockArgument variable, Value value) {
  if (variable.getArgNumber() >= entry.getVariables().size())
    return false;
  Attribute symbol = entry.getVariables()[variable.getArgNumber()];
  ValueRange updated =
      entry.getBody().front().getTerminator()->getOperands().drop_front(
          entry.getFetches().size());
  for (auto [update, final] : llvm::zip(entry.getUpdates(), updated))
    if (update == symbol)
      return final == value;
  return false;
}

/// The state of a loop that result `index` of the fusion is added to, and that
/// it is the next value of, where nothing else reads it; else null. A state of
/// dynamic size has new memory in each iteration.
static Value accumulatorOf(FusionOp fusion, unsigned index) {
  auto loop = dyn_cast<WhileOp>(fusion->getParentOp());
  Value result = fusion.getResult(index);
  Value yielded = fusion.getBody().front().getTerminator()->getOperand(index);
  Operation *last = yielded.getDefiningOp();
  if (!loop || fusion->getParentRegion() != &loop.getBody() || !last ||
      !::ingot::graph::isElementwise(last) || !result.hasOneUse())
    return Value();
  OpOperand &use = *result.getUses().begin();
  if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
    return Value();
  BlockArgument state =
      loop.getBody().front().getArgument(use.getOperandNumber());
  return state.hasOneUse() && *state.getUsers().begin() == last &&
                 state.getType() == yielded.getType() &&
                 cast<ShapedType>(state.getType()).hasStaticShape()
             ? state
             : Value();
}

/// What `value` is computed in the place of, in a fusion: an operand that it is
/// tied to, or all elements of what its rows are updated of.
static Value sourceOf(FusionOp fusion, Value value) {
  auto result = dyn_cast<OpResult>(value);
  while (result && fusion->isProperAncestor(result.getOwner())) {
    Value tied = ::ingot::graph::tiedOperand(result);
    if (!tied)
      return result;
    value = tied;
    result = dyn_cast<OpResult>(value);
  }
  return value;
}

static bool updatesInPlace(FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front(), [](Operation &op) {
    return op.hasTrait<trait::TiesOperands>();
  });
}

/// The variable of `entry` of which `op` reads each element once, as nothing
/// else in its fusion does, and whose last value the fusion's result `index`
/// is; else null.
static Value changedBy(Operation *op, FusionOp fusion, unsigned index,
                       EntryOp entry) {
  if (!::ingot::graph::isElementwise(op))
    return Value();
  Type type = fusion.getResult(index).getType();
  for (OpOperand &operand : op->getOpOperands()) {
    auto variable = dyn_cast<BlockArgument>(operand.get());
    if (!variable || variable.getType() != type ||
        variable.getOwner()->getParentOp() != entry ||
        !isFinalValue(entry, variable, fusion.getResult(index)))
      continue;
    bool isReadElsewhere =
        llvm::any_of(variable.getUses(), [&](OpOperand &use) {
          return &use != &operand && fusion->isProperAncestor(use.getOwner());
        });
    return isReadElsewhere ? Value() : Value(variable);
  }
  return Value();
}

/// The destination that result `index` of the fusion takes over, or null. Only
/// a variable's last value is computed in its place, and what a loop adds up:
/// any other would be overwritten while it is still wanted.
static Value destinationOf(FusionOp fusion, unsigned index) {
  if (Value state = accumulatorOf(fusion, index))
    return state;
  auto entry = dyn_cast<EntryOp>(fusion->getParentOp());
  Value yielded = fusion.getBody().front().getTerminator()->getOperand(index);
  Value source = entry ? sourceOf(fusion, yielded) : Value();
  if (!source)
    return Value();
  // Only what ties its operands waits for what may end the run, and with it all
  // of its kernel.
  if (Operation *op = source.getDefiningOp();
      op && fusion->isProperAncestor(op) && source.hasOneUse())
    return updatesInPlace(fusion) ? changedBy(op, fusion, index, entry)
                                  : Value();
  auto variable = dyn_cast<BlockArgument>(source);
  if (!variable || variable.getType() != yielded.getType() ||
      variable.getOwner()->getParentOp() != entry ||
      !isFinalValue(entry, variable, fusion.getResult(index)))
    return Value();
  return variable;
}

static void outline(FusionOp fusion, SymbolTable &symbols) {
  sinkConstants(fusion);
  OpBuilder builder(fusion);
  SmallVector<Value> outputs;
  DenseSet<Value> taken;
  for (auto [index, result] : llvm::enumerate(fusion.getResults())) {
    Value destination = destinationOf(fusion, index);
    if (!destination || !taken.insert(destination).second) {
      auto type = cast<RankedTensorType>(result.getType());
      // How large it is follows from the kernel (ingot-resolve-shapes).
      SmallVector<Value> dynamic(type.getNumDynamicDims(),
                                 type.hasStaticShape()
                                     ? Value()
                                     : Value(arith::ConstantIndexOp::create(
                                           builder, fusion.getLoc(), 0)));
      destination =
          tensor::EmptyOp::create(builder, fusion.getLoc(), type.getShape(),
                                  type.getElementType(), dynamic);
    }
    outputs.push_back(destination);
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(fusion.getBody(), captured);
  SmallVector<Value> inputs;
  for (Value value : captured)
    if (!taken.contains(value))
      inputs.push_back(value);

  SmallVector<Value> arguments(inputs);
  llvm::append_range(arguments, outputs);
  auto type = builder.getFunctionType(TypeRange(ValueRange(arguments)),
                                      fusion.getResultTypes());
  auto kernel =
      func::FuncOp::create(fusion.getLoc(), fusion.getName(), type,
                           ArrayRef<NamedAttribute>{builder.getNamedAttr(
                               host::kernelAttrName, builder.getUnitAttr())});
  kernel.setPrivate();
  StringAttr symbol = symbols.insert(kernel);
  Block *body = kernel.addEntryBlock();
  IRMapping mapping;
  mapping.map(arguments, body->getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  for (Operation &op : fusion.getBody().front().without_terminator())
    inside.clone(op, mapping);
  SmallVector<Value> returned;
  for (Value value : fusion.getBody().front().getTerminator()->getOperands())
    returned.push_back(mapping.lookupOrDefault(value));
  func::ReturnOp::create(inside, fusion.getLoc(), returned);

  auto launch =
      host::LaunchOp::create(builder, fusion.getLoc(), fusion.getResultTypes(),
                             FlatSymbolRefAttr::get(symbol), inputs, outputs);
  fusion.replaceAllUsesWith(launch.getResults());
  fusion.erase();
}

namespace {
struct OutlineKernels
    : ::ingot::lower::impl::OutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) { fusions.push_back(fusion); });
    for (FusionOp fusion : fusions)
      outline(fusion, symbols);
  }
};
} // namespace
