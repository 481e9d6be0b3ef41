//===- RaiseToEnsembleOps.cpp - Raises arithmetic to ensemble ops ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/RaiseToEnsembleOps.h"

#include "compiler/Graph/Passes.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/Reshapes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-raise-to-ensemble-ops"

namespace ingot::graph {
#define GEN_PASS_DEF_RAISETOENSEMBLEOPSPASS
#include "compiler/Graph/Passes.h.inc"

using namespace mlir;
using namespace mlir::ingot;

StringRef EnsembleRaiser::variableOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  ArrayAttr variables = EntryOp(entry).getVariables();
  if (!argument || argument.getOwner()->getParentOp() != entry ||
      argument.getArgNumber() >= variables.size())
    return "";
  return cast<FlatSymbolRefAttr>(variables[argument.getArgNumber()]).getValue();
}

bool EnsembleRaiser::dependsOn(Value value, Value source) const {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i != seen.size(); ++i) {
    Value current = seen[i];
    if (source ? current == source : isVariable(current))
      return true;
    Operation *op = current.getDefiningOp();
    if (op && op->getBlock() == &block)
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

LogicalResult EnsembleRaiser::place(OpBuilder &builder, ValueRange operands,
                                    ValueRange results) const {
  Operation *last = nullptr;
  for (Value operand : operands)
    if (Operation *op = operand.getDefiningOp();
        op && op->getBlock() == &block && (!last || last->isBeforeInBlock(op)))
      last = op;
  for (Value result : results)
    for (Operation *user : result.getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      if (last && (!here || !last->isBeforeInBlock(here)))
        return failure();
    }
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&block);
  return success();
}

void EnsembleRaiser::found(Operation *op, const Twine &what) {
  ++numRaised;
  LLVM_DEBUG(llvm::dbgs() << "raised at " << op->getLoc() << ": " << what
                          << '\n');
  if (remarks)
    op->emitRemark() << "raised to an ensemble op: " << what;
}

std::string EnsembleRaiser::counted(size_t count, StringRef noun) {
  return (Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

void EnsembleRaiser::missed(Location loc, const Twine &what) const {
  LLVM_DEBUG(llvm::dbgs() << "not raised at " << loc << ": " << what << '\n');
  if (remarks)
    emitRemark(loc) << "not raised to an ensemble op: " << what;
}

LeftAssociativeSum summandsOf(Operation *root) {
  LeftAssociativeSum sum;
  SmallVector<Value> reversed;
  Operation *op = root;
  while (op) {
    sum.additions.push_back(op);
    for (Value operand : llvm::reverse(op->getOperands().drop_front()))
      reversed.push_back(operand);
    Value first = op->getOperand(0);
    op = first.hasOneUse() ? first.getDefiningOp() : nullptr;
    if (!op || !isa<AddOp, AddNOp>(op) || op->getBlock() != root->getBlock()) {
      reversed.push_back(first);
      break;
    }
  }
  sum.values.assign(reversed.rbegin(), reversed.rend());
  return sum;
}

Value throughReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool sumsAllBut(Value axes, ArrayRef<int64_t> shape, int64_t kept) {
  std::optional<SmallVector<int64_t>> numbers = getConstantInts(axes);
  int64_t rank = shape.size();
  if (!numbers || rank < kept)
    return false;
  SmallVector<bool> summed(rank, false);
  for (int64_t axis : *numbers) {
    FailureOr<int64_t> index = normalizeAxis(std::nullopt, axis, rank, "axis");
    if (failed(index))
      return false;
    summed[*index] = true;
  }
  for (int64_t axis = 0; axis != rank; ++axis)
    if (axis < rank - kept ? !summed[axis] && shape[axis] != 1 : summed[axis])
      return false;
  return true;
}

void eraseUnused(Operation *op) {
  llvm::SetVector<Operation *> worklist;
  worklist.insert(op);
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (!next->use_empty() || !isMemoryEffectFree(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        worklist.insert(producer);
    next->erase();
  }
}

namespace {
struct RaiseToEnsembleOps
    : ::ingot::graph::impl::RaiseToEnsembleOpsPassBase<RaiseToEnsembleOps> {
  using RaiseToEnsembleOpsPassBase::RaiseToEnsembleOpsPassBase;

  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>()) {
      raise(entry, entry.getBody().front());
      SmallVector<Block *> nested;
      entry.walk([&](Operation *op) {
        if (isa<IfOp, WhileOp>(op))
          for (Region &region : op->getRegions())
            nested.push_back(&region.front());
      });
      for (Block *block : nested)
        raise(entry, *block);
    }
  }

  void raise(EntryOp entry, Block &block) {
    EnsembleRaiser here(entry, block, remarks);
    // Raise mixtures (weighted sums of an ensemble's members) before penalties:
    // a sum of norms is a penalty only if the norms are those of a mixture's
    // weights. A mixture is not raised in an ingot.slice_region, so it is not
    // raised for one rank either, whose results must have the same bits.
    if (!entry->hasAttr(host::oneRankOfAttrName)) {
      raiseMixtures(here);
      raisePenalties(here);
    }
    raiseAverages(here);
    raiseSelections(here);
    numRaised += here.getNumRaised();
  }
};
} // namespace
} // namespace ingot::graph
