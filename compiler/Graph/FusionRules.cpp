//===- FusionRules.cpp - Legality and profit of fusing groups -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/FusionRules.h"

#include "compiler/Graph/LayerNormAsBatchNorm.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/RowFusion.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/Reshapes.h"
#include "dialects/Ingot/IR/ScatterOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The size that fusion rules assume for a dynamic dimension.
constexpr int64_t assumedSize = 64;

static int64_t elementsOf(Value value) {
  int64_t elements = 1;
  for (int64_t size : shapeOf(value))
    elements *= ShapedType::isDynamic(size) ? assumedSize : size;
  return elements;
}

/// Whether the last loop nest of `op` computes each element of the first result
/// independently, from tensors that earlier loop nests have completed.
/// Elementwise ops that read this result can then be fused into the last loop
/// nest.
static bool endsElementwise(Operation *op) {
  auto gradient = dyn_cast<MaxPoolGradOp>(op);
  return isa<FusedBatchNormOp>(op) || (gradient && areWindowsApart(gradient));
}

/// Whether an element of the op's results depends only on its position and on
/// the elements at this position in operands of the same shape. Random numbers
/// of a static shape depend on the position alone, unless their keys have the
/// same shape.
static bool computesByElement(Operation *op) {
  if (isElementwise(op))
    return true;
  auto threefry = dyn_cast<ThreefryBitsOp>(op);
  if (threefry && shapeOf(threefry.getKey()) == shapeOf(threefry))
    return false;
  return isa<StatelessRandomUniformOp, StatelessRandomUniformIntOp,
             StatelessRandomUniformFullIntOp, ThreefryBitsOp>(op) &&
         cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
}

/// Whether `op` splits a tensor in memory into slices of shape `shape`, so that
/// an elementwise reader of a slice can read that tensor in place.
static bool splitsInto(Operation *op, ArrayRef<int64_t> shape) {
  auto split = dyn_cast<SplitOp>(op);
  return split && split.getSizes().empty() &&
         matchPattern(split.getAxis(), m_Constant()) &&
         llvm::all_of(split.getOutputs(),
                      [&](Value part) { return shapeOf(part) == shape; });
}

/// Whether `op` concatenates tensors of shape `shape` along the last dimension,
/// and nothing else reads these tensors. Loops over `shape` can then compute
/// the elements directly in the result of the concatenation.
static bool joinsRows(Operation *op, ArrayRef<int64_t> shape) {
  auto concat = dyn_cast<ConcatOp>(op);
  DenseIntElementsAttr axis;
  return concat && shape.size() > 1 &&
         matchPattern(concat.getAxis(), m_Constant(&axis)) &&
         llvm::is_contained({int64_t(-1), int64_t(shape.size()) - 1},
                            (*axis.begin()).getSExtValue()) &&
         llvm::all_of(concat.getInputs(), [&](Value input) {
           return shapeOf(input) == shape && input.hasOneUse();
         });
}

/// Returns the number of elements of the op's largest operand or result.
static int64_t largestTensor(Operation *op) {
  int64_t largest = 0;
  auto measure = [&](Value value) {
    largest = std::max(largest, elementsOf(value));
  };
  llvm::for_each(op->getOperands(), measure);
  llvm::for_each(op->getResults(), measure);
  return largest;
}

/// Whether the op computes a tensor of dynamic shape.
static bool makesUnknownSize(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

/// Whether the sizes of a reshape's result can be computed from those of its
/// operand, because both have at most one dynamic dimension.
static bool hasSizesOfOperand(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  return from.getNumDynamicDims() == to.getNumDynamicDims() &&
         to.getNumDynamicDims() <= 1 &&
         (to.hasStaticShape() || (!llvm::is_contained(from.getShape(), 0) &&
                                  !llvm::is_contained(to.getShape(), 0)));
}

/// Whether `reshape` passes a value into a slice_region or out of one. A value
/// that a region replaces in place must keep its memory, and no op outside of
/// regions may read the parts of a value that is divided among processes.
static bool isBesideSliceRegion(Operation *reshape) {
  return isa_and_nonnull<SliceRegionOp>(
             reshape->getOperand(0).getDefiningOp()) ||
         llvm::any_of(reshape->getUsers(),
                      [](Operation *user) { return isa<SliceRegionOp>(user); });
}

bool FusionRules::isView(Operation *op) const {
  return isReshape(op) && hasSizesOfOperand(op) &&
         (isBesideSliceRegion(op) ||
          (largestTensor(op) > policy.maxSharedKernelElements &&
           !(policy.fusesTransposes && isPartOfRowNormalization(op))) ||
          op->getOperand(0).getDefiningOp<ParseExampleOp>());
}

bool FusionRules::fitsEpilogue(Operation *op, const FusionGroup *group) const {
  if (group->kind != FusionGroup::Kind::Contraction || !policy.fusesEpilogues ||
      !isElementwise(op))
    return false;
  auto matmul = cast<MatMulOp>(*llvm::find_if(
      group->ops, [](Operation *member) { return isa<MatMulOp>(member); }));
  // If A is transposed im2col patches, K runs over all patches, and the kernel
  // adds one block of patches after the other to C in memory. So a tile of C in
  // registers never has its final value, and `op` cannot be fused into an
  // epilogue.
  if (matmul.getTransposeA() && group->ops.front() != matmul &&
      isa<ExtractPatchesOp>(group->ops.front()))
    return false;
  ArrayRef<int64_t> root = shapeOf(matmul.getResult());
  if (!llvm::all_of(op->getResults(),
                    [&](Value result) { return shapeOf(result) == root; }))
    return false;
  // For each tile, the fused kernel stores only the result of `op`. The results
  // of the ops before `op` stay in registers, so no op outside of the kernel
  // may read them.
  for (Operation *member : group->ops)
    for (Operation *user : member->getUsers())
      if (user != op && groups[user] != group)
        return false;
  return true;
}

bool FusionRules::fitsLoops(Operation *op, const FusionGroup *group) const {
  const FusionGroup *own = groups[op];
  if (group->kind != FusionGroup::Kind::Loops ||
      own->kind != FusionGroup::Kind::Loops ||
      group->ops.size() + own->ops.size() > policy.maxOpsPerKernel)
    return false;
  auto isSmall = [&](Operation *member) {
    return largestTensor(member) <= policy.maxSharedKernelElements &&
           (policy.sharesKernelsOfUnknownSizes || !makesUnknownSize(member));
  };
  if (llvm::all_of(group->ops, isSmall) && llvm::all_of(own->ops, isSmall))
    return true;
  if (policy.fusesTransposes && isOneNormalization(group->ops, own->ops))
    return true;
  if (policy.maxFusedRowElements != 0) {
    SmallVector<Operation *> both(group->ops.begin(), group->ops.end());
    llvm::append_range(both, own->ops);
    if (areRowsOfOneKernel(both, policy.maxFusedRowElements))
      return true;
  }
  auto concat = dyn_cast<ConcatOp>(op);
  ArrayRef<int64_t> shape =
      shapeOf(concat && !concat.getInputs().empty() ? concat.getInputs().front()
                                                    : op->getResult(0));
  auto isComputedHere = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    const FusionGroup *home = definition ? groups[definition] : nullptr;
    return home && (home == group || home == own);
  };
  // At this point, at least one tensor is known to be large. So the ops can
  // share a kernel only if a single loop nest over `shape` computes all of them
  // element by element. An op that is not elementwise may read only tensors
  // that are complete before the kernel starts.
  unsigned numPasses = 0;
  auto sameShape = [&](Operation *member) {
    // Each block of the kernel's grid updates a range of table rows: it
    // searches all indices for those in this range, and reads their gradients.
    // So the kernel may compute the tables, row by row, but the indices and
    // gradients must be complete before it starts.
    if (auto update = dyn_cast<UpdateRowsOp>(member))
      return policy.fusesIntoRowUpdates &&
             llvm::all_of(
                 update->getResults(),
                 [&](Value result) { return shapeOf(result) == shape; }) &&
             llvm::none_of(llvm::drop_begin(update->getOperands(),
                                            update.getTables().size()),
                           isComputedHere);
    if (splitsInto(member, shape))
      return !isComputedHere(member->getOperand(1));
    // The result of a concatenation is larger than `shape`, so no loop over
    // `shape` in this kernel may read it.
    if (joinsRows(member, shape))
      return llvm::none_of(member->getUsers(), [&](Operation *user) {
        return groups[user] == group || groups[user] == own;
      });
    // A gather reads any element of its operands.
    if (isa<GatherOp>(member))
      return shapeOf(member->getResult(0)) == shape &&
             llvm::none_of(member->getOperands(), isComputedHere);
    // A kernel can contain only one op with several loop nests. To merge the
    // last loop nests of two such ops, the preceding loop nests of the second
    // op would have to run between the loop nests of the first op.
    if (endsElementwise(member))
      return shapeOf(member->getResult(0)) == shape && ++numPasses == 1 &&
             llvm::none_of(member->getOperands(), isComputedHere);
    return computesByElement(member) &&
           llvm::all_of(member->getResults(),
                        [&](Value result) { return shapeOf(result) == shape; });
  };
  return llvm::all_of(group->ops, sameShape) &&
         llvm::all_of(own->ops, sameShape);
}

bool FusionRules::canRematerialize(Operation *user, const FusionGroup *group,
                                   Value value) const {
  auto hasShape = [&](Operation *member) {
    return computesByElement(member) &&
           llvm::all_of(member->getResults(), [&](Value result) {
             return shapeOf(result) == shapeOf(value);
           });
  };
  if (group->kind == FusionGroup::Kind::Contraction)
    return policy.fusesEpilogues && hasShape(user);
  // Allows only groups with at most half of `maxOpsPerKernel` ops: recomputing
  // the value adds a few ops to the kernel.
  return group->kind == FusionGroup::Kind::Loops &&
         2 * group->ops.size() <= policy.maxOpsPerKernel &&
         llvm::all_of(group->ops, hasShape);
}

/// Returns an estimate of a group's run time, in reads and writes of elements.
/// An element of a loss counts as several, because a loss makes several passes
/// over its logits, one of which computes exponentials.
static int64_t workOf(const FusionGroup *group) {
  constexpr int64_t workOfLoss = 16;
  int64_t work = 0;
  for (Operation *op : group->ops)
    work += largestTensor(op) *
            (isa<SparseSoftmaxCrossEntropyOp, SoftmaxCrossEntropyOp>(op)
                 ? workOfLoss
                 : 1);
  return work;
}

bool FusionRules::hasIsomorphicOp(const FusionGroup *group) const {
  return llvm::any_of(group->ops,
                      [&](Operation *op) { return isomorphic.contains(op); });
}

/// Whether an op that is neither in `group` nor in `other` uses a result of
/// `group`.
bool FusionRules::hasOtherUsers(const FusionGroup *group,
                                const FusionGroup *other) const {
  return llvm::any_of(group->ops, [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      const FusionGroup *users = groups[block.findAncestorOpInBlock(*user)];
      return users && users != group && users != other;
    });
  });
}

bool FusionRules::keepsIsomorphicOpsApart(Operation *op,
                                          const FusionGroup *group) const {
  if (hasIsomorphicOp(group))
    return isomorphic.reachedFrom(
        op, [&](Operation *twin) { return groups[twin] == group; });
  const FusionGroup *own = groups[op];
  return hasIsomorphicOp(own) && hasOtherUsers(group, own);
}

bool FusionRules::isCostlyForFewElements(const FusionGroup *producer,
                                         Operation *op) const {
  constexpr int64_t few = 64, work = 8 * 1024;
  return producer->kind == FusionGroup::Kind::Loops &&
         workOf(producer) >= work &&
         llvm::all_of(valuesUsedBy(op), [&](Value value) {
           Operation *definition = value.getDefiningOp();
           return !definition || groups[definition] != producer ||
                  elementsOf(value) <= few;
         });
}

} // namespace ingot::graph
