//===- Rematerialization.cpp - Rematerializes cheap producers -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Rematerialization.h"

#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-form-fusion-groups"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

namespace {

/// Whether the op is a power with a constant exponent of 1 to 4, which takes
/// one or two multiplications.
bool isShortPower(Operation *op) {
  Attribute exponent;
  return isa<PowOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isFloat() &&
         matchPattern(op->getOperand(1), m_Constant(&exponent)) &&
         llvm::any_of(ArrayRef<double>{1, 2, 3, 4},
                      [&](double known) { return isSplatOf(exponent, known); });
}

/// Returns the cost of the op in multiplications; std::nullopt for ops that are
/// not known to be cheap.
std::optional<int64_t> costOf(Operation *op) {
  if (isa<AddOp, SubOp, MulOp, NegOp, SquareOp, MaximumOp, MinimumOp, CastOp,
          AbsOp, BiasAddOp>(op))
    return 1;
  if (isShortPower(op))
    return 2;
  if (isa<RealDivOp, SqrtOp, RsqrtOp, ReciprocalOp>(op))
    return 4;
  if (isa<ExpOp, ErfOp, TanhOp, SigmoidOp, LogOp>(op))
    return 16;
  return std::nullopt;
}

int64_t elementsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements()
                               : std::numeric_limits<int64_t>::max();
}

/// The ops that compute a value from tensors in memory, producers first. A
/// consumer of the value clones these ops instead of reading the value.
struct RematerializedOps {
  explicit RematerializedOps(
      const TargetPolicy::RematerializationLimits &policy)
      : policy(policy) {}

  SetVector<Operation *> ops;
  /// The only large tensor that the ops read, or null if they read only small
  /// tensors. Two large tensors are not allowed: each consumer would then read
  /// twice as many bytes as without rematerialization.
  Value source;
  int64_t cost = 0;
  const TargetPolicy::RematerializationLimits &policy;

  /// Adds the ops in the fusion group `own` that compute `value`. Returns false
  /// if their cost exceeds the budget in `policy`.
  bool collect(Value value, const FusionGroups &groups, FusionGroup *own) {
    Operation *op = value.getDefiningOp();
    if (op && (isa<ConstantOp>(op) || ops.contains(op)))
      return true;
    if (!op || groups[op] != own)
      return addSource(value);
    std::optional<int64_t> more = costOf(op);
    if (!more || (cost += *more) > policy.budgetBeyondCache)
      return false;
    for (Value operand : op->getOperands())
      if (!collect(operand, groups, own))
        return false;
    ops.insert(op);
    return true;
  }

private:
  /// Adds `value` to the tensors that the ops read. Reading a small tensor is
  /// free. Returns false for a second large tensor, and for a large variable,
  /// which would have to be copied if it is updated before the consumer runs.
  bool addSource(Value value) {
    if (elementsOf(value) <= policy.minElements || value == source)
      return true;
    auto result = dyn_cast<OpResult>(value);
    if (source || !result || tiedOperand(result))
      return false;
    source = value;
    return true;
  }
};

class Rematerialization {
public:
  Rematerialization(FusionGroups &groups, const FusionRules &rules,
                    const TargetPolicy::RematerializationLimits &policy)
      : groups(groups), rules(rules), policy(policy) {}

  /// If all kernels that read the result of `op` can recompute it, makes them
  /// do so and drops the ops that become dead.
  void visit(Operation *op) {
    if (dropped.contains(op))
      return;
    FusionGroup *own = groups[op];
    if (own->kind != FusionGroup::Kind::Loops || !isElementwise(op) ||
        op->getNumResults() != 1)
      return;
    Value result = op->getResult(0);
    int64_t elements = elementsOf(result);
    if (elements <= policy.minElements ||
        elements == std::numeric_limits<int64_t>::max())
      return;
    SetVector<FusionGroup *> readers;
    for (Operation *user : op->getUsers()) {
      FusionGroup *reader = groups[user];
      if (!reader ||
          (reader != own && !rules.canRematerialize(user, reader, result)))
        return;
      if (reader != own)
        readers.insert(reader);
    }
    RematerializedOps function(policy);
    if (readers.empty() || !function.collect(result, groups, own) ||
        (function.cost > policy.budgetInCache &&
         elements < policy.largeElements))
      return;
    LLVM_DEBUG(llvm::dbgs()
               << "rematerialize " << op->getName() << " in " << readers.size()
               << " kernels, " << function.cost << " multiplications\n");
    for (FusionGroup *reader : readers)
      computeIn(reader, op, function);
    dropUnused(op);
    ++numValues;
  }

  /// The number of rematerialized values.
  unsigned numValues = 0;

private:
  /// Clones `function.ops`, the producers that compute the result of `op`, into
  /// the kernel `reader`, before the first op of the kernel that uses the
  /// result. Makes all uses in this kernel read the clone of `op`. Ops that an
  /// earlier call has cloned into the kernel are not cloned again.
  void computeIn(FusionGroup *reader, Operation *op,
                 const RematerializedOps &function) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (groups[user] == reader && (!first || user->isBeforeInBlock(first)))
        first = user;
    IRMapping &known = copies[reader];
    for (Operation *member : function.ops) {
      Value copied = known.lookupOrNull(member->getResult(0));
      if (!copied) {
        OpBuilder builder(first);
        builder.clone(*member, known)->setLoc(first->getLoc());
      } else if (!copied.getDefiningOp()->isBeforeInBlock(first)) {
        copied.getDefiningOp()->moveBefore(first);
      }
      groups.join(reader, known.lookup(member->getResult(0)).getDefiningOp());
    }
    op->getResult(0).replaceUsesWithIf(
        known.lookup(op->getResult(0)),
        [&](OpOperand &use) { return groups[use.getOwner()] == reader; });
  }

  void dropUnused(Operation *op) {
    FusionGroup *own = groups[op];
    if (!op->use_empty() || own->ops.size() == 1)
      return;
    SmallVector<Operation *> definitions;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        definitions.push_back(definition);
    groups.drop(op);
    dropped.insert(op);
    op->erase();
    // Drop the producers that have become dead and are in the group of `op`. If
    // `definitions` lists a producer twice, its second occurrence is skipped,
    // because `groups` returns null for the address of an erased op.
    for (Operation *definition : definitions)
      if (groups[definition] == own && isElementwise(definition))
        dropUnused(definition);
  }

  FusionGroups &groups;
  const FusionRules &rules;
  const TargetPolicy::RematerializationLimits &policy;
  /// For each kernel, the clones of ops that were added to it so far.
  DenseMap<FusionGroup *, IRMapping> copies;
  /// The addresses of erased ops, which are still in the list of ops to visit.
  /// They are never removed from this set: a clone may later be created at such
  /// an address, but clones need not be visited.
  DenseSet<Operation *> dropped;
};

} // namespace

unsigned rematerialize(FusionGroups &groups, const FusionRules &rules,
                       Block &block,
                       const TargetPolicy::RematerializationLimits &policy) {
  Rematerialization rematerialization(groups, rules, policy);
  // Visit users before producers: once a user is rematerialized, its producer
  // may be dead, and then need not be rematerialized.
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (groups[&op])
      ops.push_back(&op);
  for (Operation *op : ops)
    rematerialization.visit(op);
  return rematerialization.numValues;
}

} // namespace ingot::graph
