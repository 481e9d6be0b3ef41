//===- CollapseLeadingDimensions.cpp - Grids of several dimensions --------===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel's grid is one dimension that all of its ops share. This dimension,
// such as the images of a batch, is often far smaller than the number of thread
// blocks that a GPU runs at once. SplitIterationsAcrossThreadBlocks.cpp cannot
// help if the ops of an iteration depend on each other, as in a softmax. But if
// all ops share further leading dimensions, such as heads and positions, these
// are collapsed into the first one. Tensors are contiguous, so only their types
// change.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/BufferAccesses.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Debug.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_COLLAPSELEADINGDIMENSIONSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

#define DEBUG_TYPE "ingot-ptx-collapse-leading-dimensions"

using namespace mlir;
using namespace ::ingot::ptx;

/// Dimensions are collapsed until the grid has about as many iterations as a
/// large GPU runs blocks of 256 threads at once.
static constexpr int64_t enoughIterations = 1024;
/// The minimum number of elements that the kernel's largest op has for each
/// iteration of its first loop. Smaller kernels keep their dimensions, because
/// they take only about as long as a launch.
static constexpr int64_t largeIteration = 4 * 1024;

namespace {

/// The leading dimensions of one kernel that are to be collapsed, and which of
/// its tensors have them.
class LeadingDimensionCollapser {
public:
  explicit LeadingDimensionCollapser(func::FuncOp kernel) : kernel(kernel) {}

  /// Collapses the dimensions if that is legal and gives more blocks. Returns
  /// whether it did.
  bool run() {
    linalg::GenericOp largest = findLargest();
    if (!largest)
      return false;
    SmallVector<int64_t> ranges = largest.getStaticLoopRanges();
    SmallVector<utils::IteratorType> kinds = largest.getIteratorTypesArray();
    int64_t most = 0, iterations = 1, elements = 1;
    while (most < std::ssize(ranges) &&
           kinds[most] == utils::IteratorType::parallel)
      ++most;
    for (int64_t range : ranges)
      elements *= range;
    if (most < 2 || ranges[0] == 0 || ranges[0] >= enoughIterations ||
        elements / ranges[0] < largeIteration || canSplitIterations(largest))
      return false;
    int64_t wanted = 0;
    while (wanted < most && iterations < enoughIterations)
      iterations *= ranges[wanted++];
    for (int64_t count = wanted; count >= 2; --count) {
      sizes.assign(ranges.begin(), ranges.begin() + count);
      isCollapsed.clear();
      if (!llvm::all_of(kernel.getBody().front(),
                        [&](Operation &op) { return canCollapse(&op); }) ||
          !canCollapseResults())
        continue;
      LLVM_DEBUG(llvm::dbgs() << kernel.getName() << ": collapses " << count
                              << " dimensions\n");
      collapse();
      return true;
    }
    return false;
  }

private:
  /// Whether SplitIterationsAcrossThreadBlocks can divide each iteration of the
  /// grid among several blocks instead: the kernel has only one large op, whose
  /// elements do not depend on each other.
  bool canSplitIterations(linalg::GenericOp largest) {
    if (largest.getNumReductionLoops() != 0)
      return false;
    int64_t first = largest.getStaticLoopRanges().front();
    return llvm::count_if(kernel.getBody().front().getOps<linalg::GenericOp>(),
                          [&](linalg::GenericOp op) {
                            SmallVector<int64_t> ranges =
                                op.getStaticLoopRanges();
                            return ranges.size() > 1 &&
                                   ranges.front() == first &&
                                   op.getIteratorTypesArray().front() ==
                                       utils::IteratorType::parallel;
                          }) < 2;
  }

  int64_t count() const { return std::ssize(sizes); }

  /// Returns the op with the most iterations. Returns null if the kernel has
  /// dynamic sizes, or a contraction, whose dimensions are tiled instead.
  linalg::GenericOp findLargest() {
    linalg::GenericOp largest;
    int64_t most = 0;
    for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
      if (::ingot::kernels::isContraction(op))
        return {};
      int64_t iterations = 1;
      for (int64_t range : op.getStaticLoopRanges()) {
        if (ShapedType::isDynamic(range))
          return {};
        iterations *= range;
      }
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic || iterations <= most)
        continue;
      largest = generic;
      most = iterations;
    }
    return largest;
  }

  bool hasSizes(ArrayRef<int64_t> shape) const {
    return shape.take_front(sizes.size()) == ArrayRef(sizes);
  }

  /// Records in `isCollapsed` whether the leading dimensions of a tensor are
  /// collapsed (`isHere`). Returns false if the opposite was recorded before.
  bool note(Value tensor, bool isHere) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return !isHere;
    if (isHere && !hasSizes(type.getShape()))
      return false;
    return isCollapsed.try_emplace(tensor, isHere).first->second == isHere;
  }

  /// Whether `op` allows the collapse. Records which of its tensors are
  /// collapsed.
  bool canCollapse(Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return canCollapseLoops(generic);
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      Value init = fill.getOutputs().front(), result = fill.getResult(0);
      bool isHere = isCollapsed.contains(init)
                        ? isCollapsed.lookup(init)
                        : hasSizes(cast<ShapedType>(init.getType()).getShape());
      return note(init, isHere) && note(result, isHere);
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return canCollapseReshape(op);
    if (isa<tensor::EmptyOp, func::ReturnOp>(op))
      return true;
    auto isKept = [&](Value value) {
      return !isa<RankedTensorType>(value.getType()) || note(value, false);
    };
    return op->walk([&](Operation *inner) {
               return llvm::all_of(inner->getOperands(), isKept) &&
                              llvm::all_of(inner->getResults(), isKept)
                          ? WalkResult::advance()
                          : WalkResult::interrupt();
             }).wasInterrupted() == false;
  }

  /// Whether the dimensions can be collapsed in `op`. This is so if the leading
  /// loops of `op` are not those of the collapsed dimensions. Otherwise, each
  /// operand must use all of these loops, in order, as its leading indices, or
  /// use none of them. Records which operands are collapsed.
  bool canCollapseLoops(linalg::GenericOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    bool isHere = hasSizes(ranges) &&
                  llvm::all_of(ArrayRef(kinds).take_front(sizes.size()),
                               [](utils::IteratorType kind) {
                                 return kind == utils::IteratorType::parallel;
                               });
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      std::optional<bool> reads =
          isHere ? indexesLeading(op.getMatchingIndexingMap(&operand)) : false;
      if (!reads || !note(operand.get(), *reads))
        return false;
      if (op.isDpsInit(&operand) && !note(op.getTiedOpResult(&operand), *reads))
        return false;
    }
    return op.getBlock()
               ->walk([&](Operation *inner) {
                 auto index = dyn_cast<linalg::IndexOp>(inner);
                 bool counts = isHere && index &&
                               static_cast<int64_t>(index.getDim()) < count();
                 return !counts && llvm::all_of(inner->getOperands(),
                                                [&](Value value) {
                                                  return !isa<RankedTensorType>(
                                                             value.getType()) ||
                                                         note(value, false);
                                                })
                            ? WalkResult::advance()
                            : WalkResult::interrupt();
               })
               .wasInterrupted() == false;
  }

  /// Returns true if the map's first results are the collapsed loops, in order,
  /// and false if the map does not use these loops. Returns std::nullopt if it
  /// uses them in any other way.
  std::optional<bool> indexesLeading(AffineMap map) const {
    auto usesLeading = [&](AffineExpr result) {
      return llvm::any_of(llvm::seq(count()), [&](int64_t loop) {
        return result.isFunctionOfDim(loop);
      });
    };
    if (llvm::none_of(map.getResults(), usesLeading))
      return false;
    if (map.getNumResults() < sizes.size())
      return std::nullopt;
    for (int64_t loop : llvm::seq(count()))
      if (map.getResult(loop) != getAffineDimExpr(loop, map.getContext()))
        return std::nullopt;
    if (llvm::any_of(map.getResults().drop_front(count()), usesLeading))
      return std::nullopt;
    return true;
  }

  /// Returns the groups of dimensions of a reshape, and the shape on its
  /// expanded side, to which the groups refer.
  static std::pair<SmallVector<ReassociationIndices>, ArrayRef<int64_t>>
  groupsOf(Operation *op) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return {expand.getReassociationIndices(),
              expand.getResultType().getShape()};
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    return {collapse.getReassociationIndices(),
            collapse.getSrcType().getShape()};
  }

  /// Whether the dimensions can be collapsed on both sides of a reshape, or on
  /// neither of them. They are collapsed on both if the reshape leaves the
  /// leading dimensions unchanged, except for dimensions of size 1 that may
  /// follow the last of them.
  bool canCollapseReshape(Operation *op) {
    Value source = op->getOperand(0), result = op->getResult(0);
    auto [groups, shape] = groupsOf(op);
    bool isHere = hasSizes(cast<ShapedType>(source.getType()).getShape()) &&
                  hasSizes(cast<ShapedType>(result.getType()).getShape()) &&
                  isCollapsed.lookup_or(source, true);
    for (int64_t loop = 0; isHere && loop < count(); ++loop)
      isHere = groups[loop].front() == loop &&
               (loop + 1 == count() || groups[loop].size() == 1);
    return note(source, isHere) && note(result, isHere);
  }

  /// Whether the results can be collapsed together with their buffers, the
  /// kernel's last arguments, which must have the same types.
  bool canCollapseResults() {
    Operation *end = kernel.getBody().front().getTerminator();
    unsigned first = kernel.getNumArguments() - end->getNumOperands();
    for (OpOperand &operand : end->getOpOperands())
      if (!note(kernel.getArgument(first + operand.getOperandNumber()),
                isCollapsed.lookup(operand.get())))
        return false;
    return true;
  }

  /// Returns the index that dimension `dim` has after the collapse.
  int64_t dimAfter(int64_t dim) const {
    return std::max<int64_t>(0, dim - count() + 1);
  }

  void collapse() {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    for (Operation &op : kernel.getBody().front())
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        collapseLoops(generic);
      else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        collapseGroups(&op);
    for (auto [value, isHere] : isCollapsed) {
      if (!isHere)
        continue;
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape = {product};
      llvm::append_range(shape, type.getShape().drop_front(count()));
      Value(value).setType(type.clone(shape));
    }
    SmallVector<Type> results(
        kernel.getBody().front().getTerminator()->getOperandTypes());
    kernel.setFunctionType(FunctionType::get(
        kernel.getContext(), kernel.getBody().getArgumentTypes(), results));
  }

  void collapseLoops(linalg::GenericOp op) {
    bool isHere = llvm::any_of(op->getOperands(), [&](Value operand) {
      return isCollapsed.lookup(operand);
    });
    if (!isHere)
      return;
    MLIRContext *context = op.getContext();
    SmallVector<AffineExpr> loops;
    for (int64_t loop : llvm::seq<int64_t>(op.getNumLoops()))
      loops.push_back(getAffineDimExpr(dimAfter(loop), context));
    SmallVector<AffineMap> maps;
    for (AffineMap map : op.getIndexingMapsArray()) {
      bool isLeading = map.getNumResults() != 0 && *indexesLeading(map);
      SmallVector<AffineExpr> indices;
      for (AffineExpr result :
           map.getResults().drop_front(isLeading ? count() - 1 : 0))
        indices.push_back(result.replaceDims(loops));
      maps.push_back(
          AffineMap::get(dimAfter(op.getNumLoops()), 0, indices, context));
    }
    SmallVector<Attribute> kinds(op.getIteratorTypes().getValue());
    kinds.erase(kinds.begin() + 1, kinds.begin() + count());
    Builder builder(context);
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
    op.setIteratorTypesAttr(builder.getArrayAttr(kinds));
    op.getBlock()->walk([&](linalg::IndexOp index) {
      index.setDim(dimAfter(static_cast<int64_t>(index.getDim())));
    });
  }

  void collapseGroups(Operation *op) {
    if (!isCollapsed.lookup(op->getOperand(0)))
      return;
    SmallVector<ReassociationIndices> groups = groupsOf(op).first, fewer;
    for (ReassociationIndices &group :
         MutableArrayRef(groups).drop_front(count() - 1)) {
      for (int64_t &dim : group)
        dim = dimAfter(dim);
      fewer.push_back(group);
    }
    Builder builder(op->getContext());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      SmallVector<int64_t> shape(
          expand.getStaticOutputShape().drop_front(count() - 1));
      shape[0] = 1;
      for (int64_t size : sizes)
        shape[0] *= size;
      expand.setStaticOutputShape(shape);
    }
    op->setAttr("reassociation",
                getReassociationIndicesAttribute(builder, fewer));
  }

  func::FuncOp kernel;
  SmallVector<int64_t> sizes; // sizes of the collapsed dimensions
  DenseMap<Value, bool> isCollapsed;
};

struct CollapseLeadingDimensions
    : ::ingot::ptx::impl::CollapseLeadingDimensionsPassBase<
          CollapseLeadingDimensions> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isDeviceKernel(kernel) && LeadingDimensionCollapser(kernel).run())
        ++numCollapsed;
  }
};

} // namespace
