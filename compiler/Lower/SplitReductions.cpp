//===- SplitReductions.cpp - Splits large reductions into blocks ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A new kernel reduces blocks independently of each other, and the original
// kernel combines their results in order. This tree of sums depends on sizes
// only, so that results do not depend on the number of threads. If the target's
// policy says so, GEMMs with few tiles are split along K in the same way
// (split-K).
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelSplitter.h"
#include "compiler/Lower/Passes.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Host/SumBlock.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::lower {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-split-reductions"

using namespace mlir;
using namespace ::ingot::lower;
using ::ingot::TargetPolicy;

namespace {

/// Returns the op in the body that combines the accumulator with the next
/// element. Returns null if this op is not associative and commutative, up to
/// rounding.
Operation *combinerOf(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  BlockArgument sum = op.getRegionOutputArgs().front();
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.getUsers().begin() != combiner ||
      combiner->getBlock() != op.getBlock() || !combiner->hasOneUse() ||
      !isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
           arith::MaxUIOp, arith::MinUIOp>(combiner))
    return nullptr;
  return combiner;
}

/// A reduced dimension `dim` of size `extent`, split into blocks of `rows` rows
/// each. The remaining rows are added last.
struct ReductionSplit {
  int64_t dim, extent, rows;
  int64_t blocks() const { return extent / rows; }
  int64_t rest() const { return extent % rows; }
};

/// Whether splitting `op` is profitable: it reduces enough elements, and has so
/// few results that a grid with one iteration per result would not keep all
/// threads busy.
bool isLarge(linalg::GenericOp op, const TargetPolicy &policy) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // A sum that is a tree of blocks has its order already.
  if (op->hasAttr(host::sumBlockAttrName))
    return false;
  if (op.getNumReductionLoops() == 0 || !combinerOf(op) ||
      llvm::is_contained(ranges, ShapedType::kDynamic))
    return false;
  int64_t total = 1, reduced = 1;
  for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    total *= ranges[index];
    if (linalg::isReductionIterator(type))
      reduced *= ranges[index];
    else if (index + 1 < ranges.size() &&
             ranges[index] >= policy.reductions.minGridRows)
      return false;
  }
  return total >= policy.minPartElements &&
         reduced >= policy.reductions.minReduced &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Returns how to split the outermost reduced dimension of `op` into blocks;
/// std::nullopt if the dimension is too short to be split.
std::optional<ReductionSplit> splitOf(linalg::GenericOp op,
                                      const TargetPolicy &policy) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t total = 1, dim = -1;
  for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    total *= ranges[index];
    if (dim < 0 && linalg::isReductionIterator(type))
      dim = index;
  }
  // A block of `rows` rows has about `blockElements` elements. But `rows` is at
  // least about the square root of `extent`, the number of all rows, so that
  // there are not many more blocks than rows in a block.
  int64_t extent = ranges[dim];
  int64_t rows = std::max(
      {policy.reductions.blockElements / std::max<int64_t>(1, total / extent),
       policy.reductions.minBlockRows,
       int64_t(1) << (llvm::Log2_64_Ceil(extent) / 2)});
  // Prefer a number of rows that leaves no remainder, even if it is smaller by
  // up to half.
  for (int64_t near = rows; near > rows / 2; --near)
    if (extent % near == 0) {
      rows = near;
      break;
    }
  if (extent / rows < policy.reductions.minBlocks)
    return std::nullopt;
  return ReductionSplit{dim, extent, rows};
}

//===----------------------------------------------------------------------===//
// Splits of the K dimension of GEMMs
//===----------------------------------------------------------------------===//

/// Whether a GEMM's operand is an argument of the kernel, or a reshape of one.
bool isStored(Value operand) {
  while (Operation *view = operand.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
      return false;
    operand = view->getOperand(0);
  }
  return true;
}

/// Whether a GEMM's operand is an im2col matrix: an op without inputs computes
/// its elements from their indices. The tiles of the GEMM compute the elements
/// that they need, and the matrix is never stored.
bool isIm2col(Value operand) {
  auto view = operand.getDefiningOp<tensor::CollapseShapeOp>();
  auto op = view ? view.getSrc().getDefiningOp<linalg::GenericOp>()
                 : linalg::GenericOp();
  return op && op.getNumDpsInputs() == 0 && op.getNumReductionLoops() == 0;
}

/// Returns the number of tiles of a (batched) GEMM's result. Loops that index
/// both operands and the result are batch dimensions. Of the result's other
/// loops, those that index A are rows, and those that index B are columns. B is
/// the operand that depends on the loop of the result's innermost dimension.
int64_t tilesOf(linalg::GenericOp op, const TargetPolicy &policy) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  AffineMap first = op.getIndexingMapsArray()[0],
            second = op.getIndexingMapsArray()[1],
            result = op.getIndexingMapsArray()[2];
  unsigned inner = result.getDimPosition(result.getNumResults() - 1);
  if (first.isFunctionOfDim(inner))
    std::swap(first, second);
  int64_t batch = 1, rows = 1, columns = 1;
  for (unsigned loop = 0; loop < ranges.size(); ++loop) {
    bool isRow = first.isFunctionOfDim(loop),
         isColumn = second.isFunctionOfDim(loop);
    if (result.isFunctionOfDim(loop))
      (isRow && isColumn ? batch : isRow ? rows : columns) *= ranges[loop];
  }
  return batch * llvm::divideCeil(rows, policy.gemmSplits.tileRows) *
         llvm::divideCeil(columns, policy.gemmSplits.tileColumns);
}

/// Splits K of a GEMM into parts, so that there is a tile for each
/// multiprocessor of the target GPU. Returns std::nullopt if the op is no GEMM,
/// has enough tiles already, or if K is too short or has no divisor that yields
/// enough parts.
std::optional<ReductionSplit> gemmSplitOf(linalg::GenericOp op,
                                          const TargetPolicy &policy) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (policy.gemmSplits.minDepth == 0 || reduced.size() != 1 ||
      op.getNumDpsInputs() != 2 || !linalg::isaContractionOpInterface(op) ||
      !isa_and_nonnull<arith::AddFOp>(combinerOf(op)) ||
      llvm::is_contained(ranges, ShapedType::kDynamic))
    return std::nullopt;
  // Splitting K reshapes the operands: K becomes two dimensions, the part and
  // the position in the part. At least one operand must be in memory, where the
  // reshape is a view; the other one may be im2col, which computes its
  // elements.
  Value first = op.getInputs()[0], second = op.getInputs()[1];
  if (!(isStored(first) && (isStored(second) || isIm2col(second))) &&
      !(isIm2col(first) && isStored(second)))
    return std::nullopt;
  int64_t depth = ranges[reduced.front()];
  if (depth < policy.gemmSplits.minDepth)
    return std::nullopt;
  int64_t wanted = std::min(policy.gemmSplits.tiles / tilesOf(op, policy),
                            depth / policy.gemmSplits.minPartDepth);
  // Prefer parts whose length is a multiple of 64, for which every stage of the
  // GEMM's copy pipeline is full. Otherwise prefer multiples of 16 and of 4,
  // for which several elements can be loaded at once.
  int64_t most = 1;
  for (int64_t multiple : {64, 16, 4, 1}) {
    for (int64_t parts = wanted; parts > most; --parts)
      if (depth % (parts * multiple) == 0)
        most = parts;
    if (2 * most > wanted)
      break;
  }
  if (most < 2)
    return std::nullopt;
  return ReductionSplit{reduced.front(), depth, depth / most};
}

//===----------------------------------------------------------------------===//
// Splitting a reduction into blocks
//===----------------------------------------------------------------------===//

/// Collapses adjacent reduced dimensions that are contiguous in memory.
linalg::GenericOp collapse(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.hasIndexSemantics())
    return op;
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool collapses = false;
  for (int64_t dim = 0; dim < std::ssize(iterators); ++dim) {
    bool joins = dim != 0 && linalg::isReductionIterator(iterators[dim]) &&
                 linalg::isReductionIterator(iterators[dim - 1]);
    if (joins) {
      ReassociationIndices group = groups.back();
      group.push_back(dim);
      joins = linalg::areDimSequencesPreserved(maps, {group});
    }
    if (!joins)
      groups.push_back({});
    groups.back().push_back(dim);
    collapses |= joins;
  }
  if (!collapses)
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp.getOperation());
}

class ReductionSplitter {
public:
  ReductionSplitter(RewriterBase &rewriter, linalg::GenericOp op,
                    ReductionSplit split)
      : b(op.getLoc(), rewriter), rewriter(rewriter), op(op), split(split),
        combiner(combinerOf(op)) {}

  /// Replaces the op by two ops: one reduces each block, and one combines the
  /// results of all blocks. Returns the results of the blocks, which the caller
  /// moves to a kernel of their own.
  Value run() {
    b.setInsertionPoint(op);
    Value partial = reduceBlocks();
    Value sum = combine(partial);
    if (split.rest() != 0)
      sum = reduceRest(sum);
    rewriter.replaceOp(op, sum);
    return partial;
  }

private:
  /// Returns the slice of an operand that has `length` elements along the split
  /// dimension, from index `from` on. If the slice is the whole operand,
  /// returns the operand itself, cast to the static size along this dimension
  /// if its own type lacks that size.
  Value slice(Value operand, AffineMap map, int64_t from, int64_t length) {
    auto position = map.getResultPosition(b.getAffineDimExpr(split.dim));
    auto type = cast<RankedTensorType>(operand.getType());
    if (!position || type.getDimSize(*position) == length)
      return operand;
    if (length == split.extent) {
      SmallVector<int64_t> shape(type.getShape());
      shape[*position] = length;
      return tensor::CastOp::create(b, type.clone(shape), operand);
    }
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), operand);
    offsets[*position] = b.getIndexAttr(from);
    sizes[*position] = b.getIndexAttr(length);
    return tensor::ExtractSliceOp::create(b, operand, offsets, sizes, strides);
  }

  /// Clones the op's body into another linalg op. `index` returns the value
  /// that replaces a linalg.index op, since the new op has other loops.
  void cloneBody(OpBuilder &nested, ValueRange arguments,
                 llvm::function_ref<Value(linalg::IndexOp)> index) {
    IRMapping mapping;
    mapping.map(op.getBlock()->getArguments(), arguments);
    for (Operation &member : *op.getBlock()) {
      if (auto indexOp = dyn_cast<linalg::IndexOp>(member))
        mapping.map(indexOp.getResult(), index(indexOp));
      else
        nested.clone(member, mapping);
    }
  }

  /// Builds the op that reduces each block. Its loops are one over blocks, then
  /// those of the original op, with the loop over the split dimension
  /// restricted to the rows of a block. Each block starts from the identity,
  /// not from the original op's initial value, which combine() includes once
  /// for all blocks.
  Value reduceBlocks() {
    int64_t rank = op.getNumLoops();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    AffineExpr block = b.getAffineDimExpr(0);
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      Value value = slice(operand->get(), map, 0, split.extent - split.rest());
      AffineMap shifted = map.shiftDims(1);
      if (auto position =
              map.getResultPosition(b.getAffineDimExpr(split.dim))) {
        SmallVector<AffineExpr> results(shifted.getResults());
        if (isIm2col(value)) {
          results[*position] = block * split.rows + results[*position];
        } else {
          value = expand(value, *position);
          results.insert(results.begin() + *position, block);
        }
        shifted = AffineMap::get(rank + 1, 0, results, b.getContext());
      }
      inputs.push_back(value);
      maps.push_back(shifted);
    }
    AffineMap out =
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).shiftDims(1);
    maps.push_back(out.insertResult(block, 0));
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<int64_t> shape = {split.blocks()};
    llvm::append_range(shape, type.getShape());
    Value start =
        linalg::FillOp::create(
            b,
            Value(arith::ConstantOp::create(
                b, arith::getIdentityValueAttr(kindOf(combiner),
                                               type.getElementType(), b,
                                               b.getLoc()))),
            Value(tensor::EmptyOp::create(b, shape, type.getElementType())))
            .getResult(0);
    SmallVector<utils::IteratorType> iterators = {
        utils::IteratorType::parallel};
    llvm::append_range(iterators, op.getIteratorTypesArray());
    auto partial = linalg::GenericOp::create(
        b, start.getType(), inputs, start, maps, iterators,
        [&](OpBuilder &nested, Location loc, ValueRange arguments) {
          cloneBody(nested, arguments, [&](linalg::IndexOp index) -> Value {
            int64_t dim = index.getDim();
            Value here = linalg::IndexOp::create(nested, loc, dim + 1);
            if (dim != split.dim)
              return here;
            Value first = arith::MulIOp::create(
                nested, loc, linalg::IndexOp::create(nested, loc, 0),
                arith::ConstantIndexOp::create(nested, loc, split.rows));
            return arith::AddIOp::create(nested, loc, first, here);
          });
        });
    return partial.getResult(0);
  }

  /// Expands dimension `position` of `value` into two dimensions: blocks, and
  /// rows of a block.
  Value expand(Value value, unsigned position) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      groups.push_back({std::ssize(shape)});
      if (dim == position) {
        shape.push_back(split.blocks());
        groups.back().push_back(std::ssize(shape));
      }
      shape.push_back(dim == position ? split.rows : type.getDimSize(dim));
    }
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, type.getElementType()), value, groups);
  }

  /// Combines the partial results, in block order, with the op's initial value.
  Value combine(Value partial) {
    auto type = cast<RankedTensorType>(partial.getType());
    int64_t rank = type.getRank();
    SmallVector<AffineExpr> kept;
    for (int64_t dim = 1; dim < rank; ++dim)
      kept.push_back(b.getAffineDimExpr(dim));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators[0] = utils::IteratorType::reduction;
    Value init = op.getDpsInitOperand(0)->get();
    unsigned sumIndex =
        combiner->getOperand(0) == op.getRegionOutputArgs().front() ? 0 : 1;
    auto sum = linalg::GenericOp::create(
        b, init.getType(), partial, init,
        {b.getMultiDimIdentityMap(rank),
         AffineMap::get(rank, 0, kept, b.getContext())},
        iterators, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
          IRMapping mapping;
          mapping.map(combiner->getOperand(sumIndex), arguments[1]);
          mapping.map(combiner->getOperand(1 - sumIndex), arguments[0]);
          Operation *next = nested.clone(*combiner, mapping);
          linalg::YieldOp::create(nested, loc, next->getResults());
        });
    return sum.getResult(0);
  }

  /// Combines the remainder after the last block with `sum`.
  Value reduceRest(Value sum) {
    int64_t from = split.extent - split.rest();
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands())
      inputs.push_back(slice(operand->get(), op.getMatchingIndexingMap(operand),
                             from, split.rest()));
    auto rest = linalg::GenericOp::create(
        b, sum.getType(), inputs, sum, op.getIndexingMapsArray(),
        op.getIteratorTypesArray(),
        [&](OpBuilder &nested, Location loc, ValueRange arguments) {
          cloneBody(nested, arguments, [&](linalg::IndexOp index) -> Value {
            int64_t dim = index.getDim();
            Value here = linalg::IndexOp::create(nested, loc, dim);
            if (dim != split.dim)
              return here;
            return arith::AddIOp::create(
                nested, loc, here,
                arith::ConstantIndexOp::create(nested, loc, from));
          });
        });
    return rest.getResult(0);
  }

  static arith::AtomicRMWKind kindOf(Operation *combiner) {
    using Kind = arith::AtomicRMWKind;
    return llvm::TypeSwitch<Operation *, Kind>(combiner)
        .Case<arith::AddFOp>([](auto) { return Kind::addf; })
        .Case<arith::AddIOp>([](auto) { return Kind::addi; })
        .Case<arith::MulFOp>([](auto) { return Kind::mulf; })
        .Case<arith::MulIOp>([](auto) { return Kind::muli; })
        .Case<arith::MaximumFOp>([](auto) { return Kind::maximumf; })
        .Case<arith::MinimumFOp>([](auto) { return Kind::minimumf; })
        .Case<arith::MaxSIOp>([](auto) { return Kind::maxs; })
        .Case<arith::MinSIOp>([](auto) { return Kind::mins; })
        .Case<arith::MaxUIOp>([](auto) { return Kind::maxu; })
        .Default([](auto) { return Kind::minu; });
  }

  ImplicitLocOpBuilder b;
  RewriterBase &rewriter;
  linalg::GenericOp op;
  ReductionSplit split;
  Operation *combiner;
};

struct SplitReductions
    : ::ingot::lower::impl::SplitReductionsPassBase<SplitReductions> {
  using SplitReductionsPassBase::SplitReductionsPassBase;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    divideKernels(getOperation(), [&](KernelSplitter &parts) {
      SmallVector<linalg::GenericOp> ops(
          parts.kernel().getBody().getOps<linalg::GenericOp>());
      for (linalg::GenericOp op : ops) {
        std::optional<ReductionSplit> split;
        if (isLarge(op, policy)) {
          op = collapse(rewriter, op);
          split = splitOf(op, policy);
        } else {
          split = gemmSplitOf(op, policy);
        }
        if (!split)
          continue;
        LLVM_DEBUG(llvm::dbgs()
                   << parts.kernel().getName() << ": " << split->blocks()
                   << " blocks of " << split->rows << " rows\n");
        parts.launchBefore(ReductionSplitter(rewriter, op, *split).run());
        ++numSplit;
      }
    });
  }
};

} // namespace
