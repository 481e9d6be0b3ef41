//===- OutlineKernels.cpp - Outlines fusions as functions -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Lower/Passes.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "runtime/ABI/ExchangeKinds.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-outline-kernels"

using namespace mlir;
using namespace mlir::ingot;

/// Whether `use` reads a constant that often differs between otherwise equal
/// kernels: the key or counter of a random op, or the complexity of an
/// ensemble's member in a penalty on complexity. Such a constant is passed to
/// the kernel as an argument, so that the kernels are identical and share their
/// code.
static bool isDatum(OpOperand &use) {
  Value value = use.get();
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<StatelessRandomUniformOp, StatelessRandomUniformFullIntOp,
            StatelessRandomUniformIntOp>([&](auto draw) {
        return value == draw.getKey() || value == draw.getCounter();
      })
      .Case([&](ThreefryBitsOp draw) { return value == draw.getKey(); })
      .Case([&](ComplexityPenaltyOp penalty) {
        return llvm::is_contained(penalty.getComplexities(), value);
      })
      .Default(false);
}

/// Clones the constants that the fusion uses into the fusion, except those that
/// isDatum() passes as arguments. Finds the constants by the operands of the
/// fusion's ops, not by the constants' uses: a constant may have uses in all
/// fusions, so visiting them for each fusion would be slow.
static void sinkConstants(FusionOp fusion) {
  llvm::MapVector<Value, SmallVector<OpOperand *>> uses;
  fusion.getBody().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto constant = operand.get().getDefiningOp<ConstantOp>();
          constant && !fusion->isProperAncestor(constant))
        uses[operand.get()].push_back(&operand);
  });
  OpBuilder builder = OpBuilder::atBlockBegin(&fusion.getBody().front());
  for (auto &[value, operands] : uses) {
    if (llvm::all_of(operands, [](OpOperand *use) { return isDatum(*use); }))
      continue;
    Value clone = builder.clone(*value.getDefiningOp())->getResult(0);
    for (OpOperand *operand : operands)
      operand->set(clone);
  }
}

/// Returns the initial value of the variable to which the entry finally assigns
/// `value`; null if there is none.
static BlockArgument assignedVariable(EntryOp entry, Value value) {
  Block &body = entry.getBody().front();
  ValueRange updated =
      body.getTerminator()->getOperands().drop_front(entry.getFetches().size());
  for (auto [update, final] : llvm::zip(entry.getUpdates(), updated)) {
    if (final != value)
      continue;
    const Attribute *symbol = llvm::find(entry.getVariables(), update);
    return symbol == entry.getVariables().end()
               ? BlockArgument()
               : body.getArgument(symbol - entry.getVariables().begin());
  }
  return BlockArgument();
}

/// If result `index` of the fusion is the next value of a loop-carried value,
/// and nothing else reads it, returns this loop-carried value: the fusion
/// accumulates into it. Returns null otherwise. Also returns null if the value
/// has a dynamic shape, because each iteration then allocates a new buffer.
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

/// Returns the value whose storage holds `value`. If ops of the fusion compute
/// `value` in place, follows them to the operand that they overwrite.
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

static bool mayOverwriteVariables(FusionOp fusion) {
  return fusion.getDelayed() ||
         llvm::any_of(fusion.getBody().front(), [](Operation &op) {
           return op.hasTrait<trait::MayReuseOperandMemory>();
         });
}

/// Returns `op` and the elementwise ops of the fusion that it depends on by
/// elementwise ops alone. An optimizer's step is none of them: it overwrites
/// its variable, whose old value may be read after it.
static DenseSet<Operation *> elementwiseProducers(Operation *op,
                                                  FusionOp fusion) {
  DenseSet<Operation *> producers = {op};
  SmallVector<Operation *> pending = {op};
  while (!pending.empty())
    for (Value operand : pending.pop_back_val()->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && fusion->isProperAncestor(producer) &&
          ::ingot::graph::isElementwise(producer) &&
          !producer->hasTrait<trait::MayReuseOperandMemory>() &&
          producers.insert(producer).second)
        pending.push_back(producer);
  return producers;
}

/// Returns the variable that elementwise `op` may overwrite with result `index`
/// of the fusion: the result is the variable's final value, and the fusion
/// reads an element of the variable only to compute this element of the result.
/// Returns null if there is none.
static Value changedBy(Operation *op, FusionOp fusion, unsigned index,
                       EntryOp entry) {
  BlockArgument variable = assignedVariable(entry, fusion.getResult(index));
  if (!variable || !::ingot::graph::isElementwise(op) ||
      variable.getType() != fusion.getResult(index).getType())
    return Value();
  DenseSet<Operation *> producers = elementwiseProducers(op, fusion);
  bool isRead = false;
  for (Operation *user : variable.getUsers()) {
    if (!fusion->isProperAncestor(user))
      continue;
    if (!producers.contains(user))
      return Value();
    isRead = true;
  }
  return isRead ? Value(variable) : Value();
}

/// If result `index` of the fusion replaces an input of the slice_region around
/// it, returns the region's argument for this input, provided that the fusion
/// computes the result in place or is the argument's only reader.
static Value replacedPartOf(FusionOp fusion, unsigned index) {
  auto region = dyn_cast<SliceRegionOp>(fusion->getParentOp());
  Value result = fusion.getResult(index);
  if (!region || !result.hasOneUse())
    return Value();
  OpOperand &use = *result.getUses().begin();
  if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
    return Value();
  unsigned yielded = use.getOperandNumber();
  auto text = cast<StringAttr>(region.getExchanges()[yielded]).getValue();
  if (!::ingot::findExchangeKind(text)->isInPlace())
    return Value();
  BlockArgument part = region.getBody().getArgument(region.getJoins()[yielded]);
  Value value = fusion.getBody().front().getTerminator()->getOperand(index);
  if (sourceOf(fusion, value) == part)
    return part;
  Operation *last = value.getDefiningOp();
  return last && fusion->isProperAncestor(last) && part.hasOneUse() &&
                 *part.getUsers().begin() == last &&
                 ::ingot::graph::isElementwise(last)
             ? part
             : Value();
}

/// Returns the variable or loop-carried value whose storage result `index` of
/// the fusion may overwrite; null if there is none. Only a variable's final
/// value and a loop's accumulator are computed in place, because other old
/// values may still be read.
static Value destinationOf(FusionOp fusion, unsigned index) {
  if (Value state = accumulatorOf(fusion, index))
    return state;
  if (Value part = replacedPartOf(fusion, index))
    return part;
  auto entry = dyn_cast<EntryOp>(fusion->getParentOp());
  Value yielded = fusion.getBody().front().getTerminator()->getOperand(index);
  Value source = entry ? sourceOf(fusion, yielded) : Value();
  if (!source)
    return Value();
  // If the entry ends early with an error, the variables must be unchanged.
  // FusionGroups therefore moves kernels with in-place updates (`delayed`)
  // after all ops that may fail. It does not move other kernels, so these must
  // not overwrite a variable.
  if (Operation *op = source.getDefiningOp();
      op && fusion->isProperAncestor(op) &&
      (source == yielded || source.hasOneUse()))
    return mayOverwriteVariables(fusion) ? changedBy(op, fusion, index, entry)
                                         : Value();
  auto variable = dyn_cast<BlockArgument>(source);
  if (!variable || variable.getType() != yielded.getType() ||
      assignedVariable(entry, fusion.getResult(index)) != variable)
    return Value();
  return variable;
}

/// Replaces `fusion` by a kernel and its launch. Returns the number of results
/// that are computed in place.
static unsigned outline(FusionOp fusion, SymbolTable &symbols) {
  sinkConstants(fusion);
  OpBuilder builder(fusion);
  SmallVector<Value> outputs;
  DenseSet<Value> taken;
  for (auto [index, result] : llvm::enumerate(fusion.getResults())) {
    Value destination = destinationOf(fusion, index);
    // If two results have the same destination, only the first one uses it; the
    // second one needs a buffer of its own.
    if (!destination || !taken.insert(destination).second) {
      auto type = cast<RankedTensorType>(result.getType());
      // The size 0 is a placeholder that ingot-resolve-launch-result-shapes
      // replaces.
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
  LLVM_DEBUG(llvm::dbgs() << "outline " << kernel.getName() << ": "
                          << inputs.size() << " inputs, " << outputs.size()
                          << " results, " << taken.size() << " in place\n");
  fusion.replaceAllUsesWith(launch.getResults());
  fusion.erase();
  return taken.size();
}

namespace {
struct OutlineKernels
    : ::ingot::lower::impl::OutlineKernelsPassBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) { fusions.push_back(fusion); });
    for (FusionOp fusion : fusions)
      numInPlace += outline(fusion, symbols);
  }
};
} // namespace
