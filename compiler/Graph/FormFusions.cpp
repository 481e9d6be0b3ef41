//===- FormFusions.cpp - Which ops become one kernel ----------------------===//
//
// Groups start as single ops and are merged with the groups of their
// producers, as far as that leaves an order in which every group can run.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/TwinOps.h"

#include "codegen/Layout/ReadPatches.h"
#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/NormalizationOps.h"
#include "dialects/Ingot/PoolingOps.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/RequireOps.h"
#include "dialects/Ingot/Reshapes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <queue>

namespace ingot::graph {
#define GEN_PASS_DEF_FORMFUSIONSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::isElementwise;

namespace {

/// What the target decides (codegen/TargetPolicy.h).
struct Limits {
  int64_t maxElements;
  size_t maxOps;
  bool fusesIntoProducts;
  int64_t maxPatchDepth;
  bool sharesUnknownSizes;
};

enum class GroupKind { Effect, Call, View, Contraction, Loops };

struct Group {
  GroupKind kind;
  SmallVector<Operation *> ops; // in program order
  unsigned order;               // of its last op
  unsigned first;               // order of its first op
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// So many elements a dimension is taken to have that is not known before run
/// time.
constexpr int64_t assumedSize = 64;

int64_t elementsOf(Value value) {
  int64_t elements = 1;
  for (int64_t size : shapeOf(value))
    elements *= ShapedType::isDynamic(size) ? assumedSize : size;
  return elements;
}

/// Whether the op's last pass computes each element of its first result by
/// itself, of tensors that are in memory as a whole by then.
bool endsElementwise(Operation *op) {
  auto gradient = dyn_cast<MaxPoolGradOp>(op);
  return isa<FusedBatchNormOp>(op) || (gradient && areWindowsApart(gradient));
}

/// The largest tensor that the op touches, in elements.
int64_t largestTensor(Operation *op) {
  int64_t largest = 0;
  auto measure = [&](Value value) {
    largest = std::max(largest, elementsOf(value));
  };
  llvm::for_each(op->getOperands(), measure);
  llvm::for_each(op->getResults(), measure);
  return largest;
}

/// Whether the op computes a tensor of a size that is not known before run
/// time.
bool makesUnknownSize(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

class FusionPlan {
public:
  FusionPlan(Block &block, const Limits &limits)
      : block(block), limits(limits), twins(block) {}

  void run() {
    delayUpdates();
    bringPatches();
    collect();
    for (Operation *op : computing)
      fuseWithProducers(op);
    emit();
  }

private:
  /// Another shape of a large tensor is the same memory, seen otherwise; that
  /// of a small one may as well be part of a kernel, unless no kernel computes
  /// it: what is parsed is to stay where the parser puts it.
  bool isView(Operation *op) const {
    return isReshape(op) &&
           cast<RankedTensorType>(op->getOperand(0).getType())
               .hasStaticShape() &&
           cast<RankedTensorType>(op->getResult(0).getType())
               .hasStaticShape() &&
           (largestTensor(op) > limits.maxElements ||
            op->getOperand(0).getDefiningOp<ParseExampleOp>());
  }

  /// Variables are updated in place: behind the last op that may end the run,
  /// unless something in front of that asks for the new value.
  void delayUpdates() {
    Operation *last = nullptr;
    for (Operation &op : llvm::reverse(block))
      if (mayFail(&op)) {
        last = &op;
        break;
      }
    if (!last)
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(
             llvm::make_range(block.begin(), last->getIterator()))))
      if (updates(&op) && !mayFail(&op) &&
          llvm::all_of(op.getUsers(), [&](Operation *user) {
            return last->isBeforeInBlock(block.findAncestorOpInBlock(*user));
          }))
        op.moveAfter(last);
  }

  /// Patches that one product alone reads, which its kernel makes.
  ::ingot::layout::PatchMatrix ownPatches(MatMulOp matmul) const {
    auto read = ::ingot::layout::patchesReadBy(matmul, limits.maxPatchDepth);
    return read && read.patches->hasOneUse() && read.matrix->hasOneUse() &&
                   read.patches->getBlock() == &block &&
                   read.matrix->getBlock() == &block
               ? read
               : ::ingot::layout::PatchMatrix();
  }

  /// Has patches stand in front of the products that make them.
  void bringPatches() {
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

  void collect() {
    unsigned order = 0;
    Group *lastEffect = nullptr, *lastCheck = nullptr;
    for (Operation &op : block.without_terminator()) {
      // A product's patches are part of its group.
      if (isa<ConstantOp>(op) || madeBy.contains(&op))
        continue;
      bool computes = isMemoryEffectFree(&op) && op.getNumResults() != 0;
      GroupKind kind =
          !computes ? GroupKind::Effect
          // Sizes are the entry's business.
          : !isa<IngotDialect>(op.getDialect()) ? GroupKind::View
          : op.hasTrait<trait::RunsInRuntime>() || isa<IfOp, WhileOp>(op)
              ? GroupKind::Call
          : isView(&op)       ? GroupKind::View
          : isa<MatMulOp>(op) ? GroupKind::Contraction
                              : GroupKind::Loops;
      groups.push_back(
          std::make_unique<Group>(Group{kind, {&op}, order, order}));
      endOfBegun.push_back(order++);
      groupOf[&op] = groups.back().get();
      guard(&op, computes, lastCheck);
      if (auto matmul = dyn_cast<MatMulOp>(op))
        addPatches(matmul, lastCheck);
      if (checks(&op))
        lastCheck = groups.back().get();
      else if (mayFail(&op))
        failing.push_back(groups.back().get());
      if (isa<RequireOp>(op))
        op.getLoc()->walk([&](Location location) {
          checkOf[location] = groups.back().get();
          return WalkResult::advance();
        });
      if (computes) {
        computing.push_back(&op);
        continue;
      }
      // Side effects keep their order; sizes are compared as soon as they are
      // there.
      if (isa<RequireOp>(op))
        continue;
      if (lastEffect)
        previousEffect[groups.back().get()] = lastEffect;
      lastEffect = groups.back().get();
    }
  }

  void addPatches(MatMulOp matmul, Group *lastCheck) {
    Group *group = groupOf.lookup(matmul);
    if (auto [patches, matrix] = ownPatches(matmul); matrix) {
      group->ops = {patches, matrix, matmul};
      for (Operation *op : group->ops) {
        groupOf[op] = group;
        guard(op, /*computes=*/true, lastCheck);
      }
    }
  }

  /// Has the op wait for the checks of sizes in front of it: one that computes
  /// for those that speak of its node, or of nodes in its regions; what changes
  /// something, and the next check, for all. What updates a variable in place
  /// also waits for the runtime's ops in front of it, which may end the run.
  void guard(Operation *op, bool computes, Group *lastCheck) {
    SmallVector<Group *, 1> &before = checksBefore[op];
    if (updates(op))
      llvm::append_range(before, failing);
    if (lastCheck && (!computes || updates(op)))
      before.push_back(lastCheck);
    else if (lastCheck)
      op->walk([&](Operation *inner) {
        if (Group *check = checkOf.lookup(inner->getLoc());
            check && !llvm::is_contained(before, check))
          before.push_back(check);
      });
  }

  /// The values that the op uses, itself or in its regions.
  static SmallVector<Value> usedBy(Operation *op) {
    SmallVector<Value> values(op->getOperands());
    if (op->getNumRegions() != 0) {
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      values.append(captured.begin(), captured.end());
    }
    return values;
  }

  /// Whether the run may end here because of a size.
  static bool checks(Operation *op) {
    return op->walk([](RequireOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Whether a variable is updated in place here, or in a branch of it.
  static bool updates(Operation *op) {
    return op
        ->walk([](Operation *inner) {
          return inner->hasTrait<trait::TiesOperands>()
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether the run may end here.
  static bool mayFail(Operation *op) {
    return op
        ->walk([](Operation *inner) {
          return isa<RequireOp>(inner) ||
                         inner->hasTrait<trait::RunsInRuntime>()
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The groups whose values `group` uses, the side effect before it, and what
  /// checks the sizes that it relies on.
  SetVector<Group *> producersOf(Group *group) const {
    SetVector<Group *> producers;
    for (Operation *op : group->ops)
      for (Value value : usedBy(op))
        if (Operation *producer = value.getDefiningOp())
          if (Group *other = groupOf.lookup(producer); other && other != group)
            producers.insert(other);
    if (Group *effect = previousEffect.lookup(group))
      producers.insert(effect);
    for (Operation *op : group->ops)
      for (Group *check : checksBefore.lookup(op))
        if (check != group)
          producers.insert(check);
    return producers;
  }

  /// Nothing that `group` depends on, directly or not, has an op behind this
  /// one: a producer began before, but may have been merged with later ops.
  unsigned endOfAllBehind(const Group *group) const {
    unsigned end = group->order;
    while (endOfBegun[end] != end)
      end = endOfBegun[end];
    return end;
  }

  /// Whether `from` depends on `target`, directly or not.
  bool reaches(Group *from, Group *target, DenseSet<Group *> &seen) const {
    if (from == target)
      return true;
    if (endOfAllBehind(from) < target->first || !seen.insert(from).second)
      return false;
    return llvm::any_of(producersOf(from), [&](Group *producer) {
      return reaches(producer, target, seen);
    });
  }

  /// Two groups can be one unless a third stands between them.
  bool canMerge(Group *a, Group *b) const {
    auto between = [&](Group *later, Group *earlier) {
      DenseSet<Group *> seen{later};
      return llvm::any_of(producersOf(later), [&](Group *producer) {
        return producer != earlier && reaches(producer, earlier, seen);
      });
    };
    return !between(a, b) && !between(b, a);
  }

  void merge(Group *into, Group *from) {
    for (Operation *op : from->ops)
      groupOf[op] = into;
    llvm::append_range(into->ops, from->ops);
    llvm::sort(into->ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    into->order = std::max(into->order, from->order);
    into->first = std::min(into->first, from->first);
    from->ops.clear();
    for (unsigned i = into->first; endOfBegun[i] < into->order; ++i)
      endOfBegun[i] = into->order;
  }

  /// Whether elementwise `op` can run on a tile of the product in `group`.
  bool fitsContraction(Operation *op, Group *group) const {
    if (group->kind != GroupKind::Contraction || !limits.fusesIntoProducts ||
        !isElementwise(op))
      return false;
    auto matmul = cast<MatMulOp>(*llvm::find_if(
        group->ops, [](Operation *member) { return isa<MatMulOp>(member); }));
    // The sum over all patches is in memory, block by block of them.
    if (matmul.getTransposeA() && group->ops.front() != matmul &&
        isa<ExtractPatchesOp>(group->ops.front()))
      return false;
    ArrayRef<int64_t> root = shapeOf(matmul.getResult());
    if (!llvm::all_of(op->getResults(),
                      [&](Value result) { return shapeOf(result) == root; }))
      return false;
    // One tile yields one result: everything else stays inside.
    for (Operation *member : group->ops)
      for (Operation *user : member->getUsers())
        if (user != op && groupOf.lookup(user) != group)
          return false;
    return true;
  }

  bool fitsLoops(Operation *op, Group *group) const {
    Group *own = groupOf.lookup(op);
    if (group->kind != GroupKind::Loops || own->kind != GroupKind::Loops ||
        group->ops.size() + own->ops.size() > limits.maxOps)
      return false;
    auto isSmall = [&](Operation *member) {
      return largestTensor(member) <= limits.maxElements &&
             (limits.sharesUnknownSizes || !makesUnknownSize(member));
    };
    if (llvm::all_of(group->ops, isSmall) && llvm::all_of(own->ops, isSmall))
      return true;
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    auto isComputedHere = [&](Value value) {
      Operation *definition = value.getDefiningOp();
      const Group *home = definition ? groupOf.lookup(definition) : nullptr;
      return home && (home == group || home == own);
    };
    unsigned numPasses = 0;
    auto sameShape = [&](Operation *member) {
      if (endsElementwise(member))
        return shapeOf(member->getResult(0)) == shape && ++numPasses == 1 &&
               llvm::none_of(member->getOperands(), isComputedHere);
      return isElementwise(member) &&
             llvm::all_of(member->getResults(), [&](Value result) {
               return shapeOf(result) == shape;
             });
    };
    return llvm::all_of(group->ops, sameShape) &&
           llvm::all_of(own->ops, sameShape);
  }

  /// What a group computes, in elements that are read or written once; a loss
  /// goes over its logits several times, with an exponential.
  static int64_t workOf(const Group *group) {
    constexpr int64_t workOfLoss = 16;
    int64_t work = 0;
    for (Operation *op : group->ops)
      work += largestTensor(op) *
              (isa<SparseSoftmaxCrossEntropyOp, SoftmaxCrossEntropyOp>(op)
                   ? workOfLoss
                   : 1);
    return work;
  }

  bool hasTwin(const Group *group) const {
    return llvm::any_of(group->ops,
                        [&](Operation *op) { return twins.contains(op); });
  }

  /// Whether ops of other groups than these two use what `group` computes.
  bool isWantedElsewhere(const Group *group, const Group *other) const {
    return llvm::any_of(group->ops, [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) {
        const Group *users = groupOf.lookup(block.findAncestorOpInBlock(*user));
        return users && users != group && users != other;
      });
    });
  }

  /// Whether, in one kernel, twins would no longer be the same code: two of
  /// them, or one and what others read, too.
  bool keepsTwinsApart(Operation *op, const Group *group) const {
    if (hasTwin(group))
      return twins.areBehind(
          op, [&](Operation *twin) { return groupOf.lookup(twin) == group; });
    const Group *own = groupOf.lookup(op);
    return hasTwin(own) && isWantedElsewhere(group, own);
  }

  /// Whether a group takes about a microsecond, and the op only a few numbers
  /// of it.
  bool isWorkForLittle(const Group *producer, Operation *op) const {
    constexpr int64_t few = 64, work = 8 * 1024;
    return producer->kind == GroupKind::Loops && workOf(producer) >= work &&
           llvm::all_of(usedBy(op), [&](Value value) {
             Operation *definition = value.getDefiningOp();
             return !definition || groupOf.lookup(definition) != producer ||
                    elementsOf(value) <= few;
           });
  }

  void fuseWithProducers(Operation *op) {
    SetVector<Group *> producers = producersOf(groupOf.lookup(op));
    // The product computed last is the one whose tile is at hand.
    llvm::SmallVector<Group *> byOrder(producers.begin(), producers.end());
    llvm::sort(byOrder, [](Group *a, Group *b) { return a->order > b->order; });
    for (Group *group : byOrder)
      if (fitsContraction(op, group) && canMerge(group, groupOf.lookup(op))) {
        merge(group, groupOf.lookup(op));
        return;
      }
    // What adds up losses would have them wait for each other: apart, they may
    // be computed side by side.
    auto isApart = [&](Group *group) { return isWorkForLittle(group, op); };
    if (llvm::count_if(byOrder, isApart) > 1)
      llvm::erase_if(byOrder, isApart);
    llvm::stable_sort(
        byOrder, [&](Group *a, Group *b) { return hasTwin(a) && !hasTwin(b); });
    for (Group *group : byOrder)
      if (!group->ops.empty() && fitsLoops(op, group) &&
          !keepsTwinsApart(op, group) && canMerge(group, groupOf.lookup(op)))
        merge(group, groupOf.lookup(op));
  }

  /// Groups in an order in which each comes after its producers; among those
  /// that can run, the one whose last op stood first in the graph.
  SmallVector<Group *> schedule() const {
    DenseMap<Group *, unsigned> missing; // producers that have not run
    DenseMap<Group *, SmallVector<Group *>> consumers;
    auto runsLater = [](Group *a, Group *b) { return a->order > b->order; };
    std::priority_queue<Group *, std::vector<Group *>, decltype(runsLater)>
        ready(runsLater);
    for (const std::unique_ptr<Group> &group : groups) {
      if (group->ops.empty())
        continue;
      SetVector<Group *> producers = producersOf(group.get());
      missing[group.get()] = producers.size();
      for (Group *producer : producers)
        consumers[producer].push_back(group.get());
      if (producers.empty())
        ready.push(group.get());
    }
    SmallVector<Group *> done;
    while (!ready.empty()) {
      Group *next = ready.top();
      ready.pop();
      done.push_back(next);
      for (Group *consumer : consumers.lookup(next))
        if (--missing[consumer] == 0)
          ready.push(consumer);
    }
    return done;
  }

  /// "fused_hidden1_MatMul_BiasAdd_Relu": the first node's name in full, of
  /// the others the last part.
  std::string nameOf(const Group &group) {
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
    for (Group *group : schedule()) {
      OpBuilder builder(block.getTerminator());
      if (group->kind == GroupKind::Effect || group->kind == GroupKind::Call ||
          group->kind == GroupKind::View) {
        group->ops.front()->moveBefore(block.getTerminator());
        continue;
      }
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
  const Limits &limits;
  const ::ingot::graph::TwinOps twins;
  std::vector<std::unique_ptr<Group>> groups;
  SmallVector<Operation *> computing;
  /// By an op's place: the last op of the groups that begin up to there.
  SmallVector<unsigned> endOfBegun;
  DenseMap<Operation *, Group *> groupOf;
  /// The products that make patches, and how they see them, themselves.
  DenseMap<Operation *, MatMulOp> madeBy;
  DenseMap<Group *, Group *> previousEffect;
  /// What has the runtime compute something, so far.
  SmallVector<Group *> failing;
  /// The last check of sizes that speaks of a node.
  DenseMap<Location, Group *> checkOf;
  /// The checks that an op waits for.
  DenseMap<Operation *, SmallVector<Group *, 1>> checksBefore;
};

struct FormFusions : ::ingot::graph::impl::FormFusionsPassBase<FormFusions> {
  using FormFusionsPassBase::FormFusionsPassBase;

  void runOnOperation() override {
    Limits limits = {maxElements, maxOps, fusesIntoProducts, maxPatchDepth,
                     sharesUnknownSizes};
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
        collect(&op);
      }
    for (Block *block : blocks)
      FusionPlan(*block, limits).run();
  }
};

} // namespace

namespace ingot::graph {

bool isElementwise(Operation *op) { return op->hasTrait<trait::Elementwise>(); }

Value tiedOperand(OpResult result) {
  Operation *op = result.getOwner();
  return op->hasTrait<trait::TiesOperands>()
             ? op->getOperand(result.getResultNumber())
             : Value();
}

} // namespace ingot::graph
