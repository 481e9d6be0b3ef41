//===- FormFusionGroups.cpp - Fuses ops into kernels ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Groups start as single ops. A group is merged with the groups of its
// producers, unless the graph of groups would become cyclic.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/FusionGroups.h"
#include "compiler/Graph/FusionRules.h"
#include "compiler/Graph/LayerNormAsBatchNorm.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/Rematerialization.h"

#include "codegen/Layout/RematerializeIm2col.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_FORMFUSIONGROUPSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-form-fusion-groups"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;
using ::ingot::Rewrite;
using ::ingot::TargetPolicy;

namespace {

class FusionPlan {
public:
  FusionPlan(Block &block, const TargetPolicy &policy)
      : block(block), policy(policy), rules(block, policy, groups) {}

  /// The counts that the pass reports as its statistics.
  struct FusionCounts {
    unsigned epilogues = 0, loops = 0, rematerialized = 0, kernels = 0;
  };

  // Visits ops in program order, so that the groups of an op's producers are
  // final when the op is visited: fusion is greedy and never undone.
  FusionCounts run() {
    delayUpdates();
    movePatches();
    if (policy.fusesTransposes)
      transposeForEach(block);
    collect();
    if (policy.maxOpsPerKernel > 1) {
      for (Operation *op : computing)
        fuseWithProducers(op);
      counts.rematerialized =
          rematerialize(groups, rules, block, policy.rematerialization);
    }
    emit();
    return counts;
  }

private:
  /// Moves in-place updates of variables after the last op that may end the run
  /// early, such as a shape check or a runtime op, so that a run that ends
  /// early updates no variable. An update stays in its place if that last op,
  /// or an op before that op, reads the updated value.
  void delayUpdates() {
    Operation *last = nullptr;
    for (Operation &op : llvm::reverse(block))
      if (mayEndRun(&op)) {
        last = &op;
        break;
      }
    if (!last)
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(
             llvm::make_range(block.begin(), last->getIterator()))))
      if (updatesVariables(&op) && !mayEndRun(&op) &&
          llvm::all_of(op.getUsers(), [&](Operation *user) {
            return last->isBeforeInBlock(block.findAncestorOpInBlock(*user));
          }))
        op.moveAfter(last);
  }

  /// Returns the im2col ops of operand A if only `matmul` reads their patches,
  /// so that the kernel of `matmul` can compute the patches itself (prologue
  /// fusion). Returns null ops otherwise.
  ::ingot::layout::Im2colMatrix ownPatches(MatMulOp matmul) const {
    auto read = ::ingot::layout::fusibleIm2colOf(matmul, policy);
    return read && read.patches->hasOneUse() && read.matrix->hasOneUse() &&
                   read.patches->getBlock() == &block &&
                   read.matrix->getBlock() == &block
               ? read
               : ::ingot::layout::Im2colMatrix();
  }

  /// Moves im2col ops right before the matmuls into which they are fused.
  void movePatches() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto matmul = dyn_cast<MatMulOp>(op);
      if (!matmul)
        continue;
      if (auto [patches, matrix] = ownPatches(matmul); matrix) {
        patches->moveBefore(matmul);
        matrix->moveBefore(matmul);
        madeBy[patches] = madeBy[matrix] = matmul;
      }
    }
  }

  FusionGroup::Kind kindOf(Operation *op) const {
    if (!isMemoryEffectFree(op) || op->getNumResults() == 0)
      return FusionGroup::Kind::Effect;
    // Ops of other dialects (arith, tensor) do arithmetic on sizes. They become
    // code of the entry and need no kernel.
    if (!isa<IngotDialect>(op->getDialect()))
      return FusionGroup::Kind::View;
    if (op->hasTrait<trait::ComputedByRuntime>() || isa<IfOp, WhileOp>(op))
      return FusionGroup::Kind::Call;
    if (rules.isView(op) || isa<RowsEmptyOp, RowsGetOp, RowsSetOp>(op))
      return FusionGroup::Kind::View;
    return isa<MatMulOp>(op) ? FusionGroup::Kind::Contraction
                             : FusionGroup::Kind::Loops;
  }

  void collect() {
    for (Operation &op : block.without_terminator()) {
      // A constant needs no group. Neither does an im2col op that is fused into
      // a matmul (`madeBy`): it joins the group of the matmul.
      if (isa<ConstantOp>(op) || madeBy.contains(&op))
        continue;
      SmallVector<Operation *> ops = {&op};
      if (auto matmul = dyn_cast<MatMulOp>(op))
        if (auto [patches, matrix] = ownPatches(matmul); matrix)
          ops = {patches, matrix, matmul};
      FusionGroup::Kind kind = kindOf(&op);
      groups.add(kind, ops);
      if (mayEndRun(&op))
        waiting.clear();
      else if (computesFinalValue(&op))
        waiting.insert(&op);
      if (kind != FusionGroup::Kind::Effect)
        computing.push_back(&op);
    }
  }

  void fuseWithProducers(Operation *op) {
    SetVector<FusionGroup *> producers = groups.producersOf(groups[op]);
    // Tries the latest producers first. If several operands are results of
    // matmuls, `op` is thus fused into the epilogue of the matmul that is
    // computed last.
    llvm::SmallVector<FusionGroup *> byOrder(producers.begin(),
                                             producers.end());
    llvm::sort(byOrder, [](FusionGroup *a, FusionGroup *b) {
      return a->order > b->order;
    });
    for (FusionGroup *group : byOrder)
      if (rules.fitsEpilogue(op, group) && groups.canMerge(group, groups[op])) {
        LLVM_DEBUG(llvm::dbgs() << "epilogue: " << op->getName() << " at "
                                << op->getLoc() << '\n');
        groups.merge(group, groups[op]);
        ++counts.epilogues;
        return;
      }
    // If `op` adds up several losses, it is fused with none of them: in one
    // kernel, the losses would run one after the other; in kernels of their
    // own, they run concurrently.
    auto isApart = [&](FusionGroup *group) {
      return rules.isCostlyForFewElements(group, op);
    };
    if (llvm::count_if(byOrder, isApart) > 1)
      llvm::erase_if(byOrder, isApart);
    // Tries first the producers with an op that is isomorphic to an op of
    // another group, so that the kernels of both groups can share a function.
    // The order matters: each fusion enlarges the group of `op`, and may rule
    // out later fusions.
    llvm::stable_sort(byOrder, [&](FusionGroup *a, FusionGroup *b) {
      return rules.hasIsomorphicOp(a) && !rules.hasIsomorphicOp(b);
    });
    for (FusionGroup *group : byOrder) {
      if (group->ops.empty() || !rules.fitsLoops(op, group))
        continue;
      if (feedsSeveralUpdates(group) && !isSingleNumber(op)) {
        explainApart(op, group, "other updates would wait for this op");
      } else if (rules.keepsIsomorphicOpsApart(op, group)) {
        explainApart(op, group, "isomorphic ops would get different kernels");
      } else if (!groups.canMerge(group, groups[op])) {
        explainApart(op, group, "the groups would form a cycle");
      } else {
        LLVM_DEBUG(llvm::dbgs() << "loops: " << op->getName() << " at "
                                << op->getLoc() << '\n');
        groups.merge(group, groups[op]);
        ++counts.loops;
      }
    }
  }

  static bool isSingleNumber(Operation *op) {
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
    });
  }

  static void explainApart([[maybe_unused]] Operation *op,
                           [[maybe_unused]] FusionGroup *group,
                           [[maybe_unused]] StringRef reason) {
    LLVM_DEBUG(llvm::dbgs()
               << "not fused: " << op->getName() << " at " << op->getLoc()
               << " from " << group->ops.back()->getLoc() << ": " << reason
               << '\n');
  }

  /// Returns the name of the group's kernel, such as
  /// "fused_hidden1_MatMul_BiasAdd_Relu": the full name of the first node, and
  /// the last component of the names of the other nodes.
  std::string nameOf(const FusionGroup &group) {
    std::string name = group.ops.size() == 1 ? "" : "fused";
    StringRef previous, previousNode;
    unsigned parts = 0;
    for (Operation *op : group.ops) {
      auto location = dyn_cast<NameLoc>(op->getLoc());
      StringRef node =
          location ? location.getName().strref() : op->getName().stripDialect();
      StringRef part = parts == 0 ? node : node.rsplit('/').second;
      if (part.empty())
        part = node;
      if (part == previous || node == previousNode || ++parts > 5)
        continue;
      previous = part;
      previousNode = node;
      if (!name.empty())
        name += '_';
      name += part;
    }
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_')
        c = '_';
    return name;
  }

  void emit() {
    // The runtime executes consecutive kernel launches in one call. The body of
    // a loop or slice_region is short, so runtime ops between its kernels would
    // leave only one or two launches per call. Schedule its kernels one after
    // the other.
    bool gathersRuns = isa<WhileOp, SliceRegionOp>(block.getParentOp());
    for (FusionGroup *group : groups.schedule(gathersRuns)) {
      OpBuilder builder(block.getTerminator());
      if (group->kind == FusionGroup::Kind::Effect ||
          group->kind == FusionGroup::Kind::Call ||
          group->kind == FusionGroup::Kind::View) {
        group->ops.front()->moveBefore(block.getTerminator());
        continue;
      }
      ++counts.kernels;
      LLVM_DEBUG(llvm::dbgs() << "kernel " << nameOf(*group) << ": "
                              << group->ops.size() << " ops\n");
      DenseSet<Operation *> members(group->ops.begin(), group->ops.end());
      SmallVector<Value> outputs;
      for (Operation *op : group->ops)
        for (Value result : op->getResults())
          if (llvm::any_of(result.getUsers(), [&](Operation *user) {
                return !members.contains(user);
              }))
            outputs.push_back(result);
      SmallVector<Location> locations = llvm::map_to_vector(
          group->ops, [](Operation *op) { return op->getLoc(); });
      auto fusion = FusionOp::create(builder, builder.getFusedLoc(locations),
                                     TypeRange(ValueRange(outputs)),
                                     builder.getStringAttr(nameOf(*group)));
      fusion.setDelayed(llvm::any_of(
          group->ops, [&](Operation *op) { return waiting.contains(op); }));
      Block *body = builder.createBlock(&fusion.getBody());
      for (Operation *op : group->ops)
        op->moveBefore(body, body->end());
      builder.setInsertionPointToEnd(body);
      for (auto [output, result] : llvm::zip(outputs, fusion.getResults()))
        output.replaceUsesWithIf(result, [&](OpOperand &use) {
          return !members.contains(use.getOwner());
        });
      ReturnOp::create(builder, fusion.getLoc(), outputs);
    }
  }

  Block &block;
  const TargetPolicy &policy;
  FusionGroups groups;
  const FusionRules rules;
  SmallVector<Operation *> computing;
  /// The ops that compute final values of large variables after all ops that
  /// may end the run: FusionGroups makes their groups wait for these.
  DenseSet<Operation *> waiting;
  FusionCounts counts;
  /// Maps each im2col op that is fused into a matmul (prologue fusion) to this
  /// matmul.
  DenseMap<Operation *, MatMulOp> madeBy;
};

struct FormFusionGroups
    : ::ingot::graph::impl::FormFusionGroupsPassBase<FormFusionGroups> {
  using FormFusionGroupsPassBase::FormFusionGroupsPassBase;

  void runOnOperation() override {
    TargetPolicy limits = policy;
    if (!policy.rewrites.has(Rewrite::FormFusionGroups)) {
      // If the target's policy disables the rewrite FormFusionGroups (`ingotc
      // --reference`), each op becomes a kernel of its own.
      limits.maxSharedKernelElements = limits.maxFusedRowElements = 0;
      limits.maxOpsPerKernel = 1;
      limits.fusesEpilogues = limits.fusesTransposes = false;
    }
    SmallVector<Block *> blocks;
    auto collect = [&](Operation *op) {
      for (Region &region : op->getRegions())
        blocks.push_back(&region.front());
    };
    for (Operation &op : *getOperation().getBody())
      if (isa<EntryOp>(op) ||
          (isa<func::FuncOp>(op) && !cast<func::FuncOp>(op).isExternal())) {
        op.walk([&](IfOp branches) { collect(branches); });
        op.walk([&](WhileOp loop) { collect(loop); });
        op.walk([&](SliceRegionOp region) { collect(region); });
        collect(&op);
      }
    for (Block *block : blocks) {
      FusionPlan::FusionCounts counts = FusionPlan(*block, limits).run();
      numEpilogues += counts.epilogues;
      numLoopFusions += counts.loops;
      numRematerialized += counts.rematerialized;
      numKernels += counts.kernels;
    }
  }
};

} // namespace

namespace ingot::graph {

bool isElementwise(Operation *op) { return op->hasTrait<trait::Elementwise>(); }

Value tiedOperand(OpResult result) {
  Operation *op = result.getOwner();
  return op->hasTrait<trait::MayReuseOperandMemory>()
             ? op->getOperand(result.getResultNumber())
             : Value();
}

} // namespace ingot::graph
