//===- VectorizeLoops.cpp - linalg on buffers to loops over vectors -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers linalg ops to loops over vectors. The order of a sum depends neither
// on the target nor on the ops that are fused into it (SumOrder.h): a row is
// summed in a fixed number of lanes, and a long sum as a tree of blocks that
// depends on sizes only. Elements that are not contiguous are loaded one by one
// into the lanes.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/VectorLoopLowering.h"
#include "codegen/Kernels/Passes.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZELOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-vectorize-loops"

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// Long sums are computed as a tree of blocks (as in pairwise summation), so
/// that rounding errors grow with the depth of the tree and not with the number
/// of summands. A block of the lowest level has `stepsOfSumBlock` summands in
/// each lane; a block of a higher level consists of `stepsOfSumBlock` blocks of
/// the level below. The shape of the tree depends only on sizes.
constexpr int64_t stepsOfSumBlock = 64;
constexpr unsigned maxLevels = 3;

/// Sums of at most this number of summands are added without a tree of blocks.
constexpr int64_t longSum = 1024;

/// The number of neighbouring vectors of columns that are summed in one loop.
/// Additions to different vectors do not depend on each other, so they overlap
/// and hide their latency.
constexpr int64_t columnVectors = 4;

/// Lowers one linalg op to loops over vectors. A sum of many summands becomes
/// loops that form a tree of blocks.
class GenericOpVectorizer : public VectorLoopLowering {
public:
  using VectorLoopLowering::VectorLoopLowering;

  void run() {
    hoistLoads();
    if (inner < 0) {
      step(1);
    } else {
      reduces =
          op.getIteratorTypesArray()[inner] == utils::IteratorType::reduction;
      sumsRow = sumsRows(op) &&
                accessOf(*op.getDpsInitOperand(0)) == AccessPattern::Invariant;
      if (sumsRow)
        row = firstLoopOfRow(op);
      // A sum of at most one element has only one order, so it needs no partial
      // sums in lanes, and its loops are treated like any others.
      if (int64_t size = sizeOfRow();
          !ShapedType::isDynamic(size) && size < 2) {
        sumsRow = false;
        row = inner;
      }
      vectorizes = (isDynamic(inner) || ranges[inner] > 1) && row == inner &&
                   canVectorize();
      sumsRow |= vectorizes && reduces;
      isTree = isLongSum();
      picks = reduces && findPick();
      LLVM_DEBUG(llvm::dbgs() << "op at " << op.getLoc() << ": "
                              << (vectorizes ? "vectors" : "single elements")
                              << (reduces ? ", reduced" : "")
                              << (isTree ? ", tree" : "") << '\n');
      if (isTree)
        reduceLong();
      else
        outerLoops();
    }
    op->erase();
  }

  bool areVectors() const { return vectorizes; }
  bool isTreeOfBlocks() const { return isTree; }

private:
  /// Builds a loop for each dimension outside of the row (the loops from `row`
  /// to `inner`), and in the innermost of these loops the code for the row.
  void outerLoops() {
    position.resize(ranges.size());
    SmallVector<scf::ForOp> loops;
    for (int64_t dimension = 0; dimension < row; ++dimension) {
      auto loop = scf::ForOp::create(builder, at(0), boundOf(dimension), at(1));
      position[dimension] = loop.getInductionVar();
      builder.setInsertionPointToStart(loop.getBody());
    }
    if (picks)
      pick();
    else if (sumsRow)
      reduceInner();
    else
      mapInner();
  }

  /// Builds the reduction of one row: loads the accumulated result, combines it
  /// with the row's elements, and stores it. Each lane has an accumulator. At
  /// the end, the lanes are combined, and then the elements that do not fill
  /// all lanes are added one by one.
  void reduceInner() {
    OpOperand &init = op.getDpsInitsMutable()[0];
    Value total = memref::LoadOp::create(builder, init.get(), indicesOf(init));
    total = isExtreme(combinerOf(0)) && !ShapedType::isDynamic(sizeOfRow())
                ? extremeOfRow(total)
                : reduceRow(total);
    memref::StoreOp::create(builder, total, init.get(), indicesOf(init));
  }

  /// Computes, for `lanes` elements of the row from `index` on, the values that
  /// the body combines with the accumulator.
  Value elementsOfRow(Value index, int64_t lanes) {
    moveLanes(index, lanes);
    return elements(lanes);
  }

  /// Combines `total`, one by one, with the elements from `index` to the end of
  /// the row, of which there are fewer than `lanes`. The elements are computed
  /// in vectors of fewer lanes, so that the body is not repeated for each of
  /// them.
  Value reduceRest(Value total, int64_t index, int64_t lanes) {
    Operation *combiner = combinerOf(0);
    for (int64_t size = sizeOfRow(); index < size;) {
      while (lanes > size - index)
        lanes /= 2;
      Value part = elementsOfRow(at(index), lanes);
      for (int64_t lane = 0; lane < lanes; ++lane)
        total = combined(
            combiner, total,
            lanes == 1 ? part : vector::ExtractOp::create(builder, part, lane));
      index += lanes;
    }
    return total;
  }

  /// Combines `total` with all elements of the row: in lanes first, then the
  /// lanes with each other and with `total`, then the remaining elements one by
  /// one. Returns the result.
  Value reduceRow(Value total) {
    hoistInvariants();
    Operation *combiner = combinerOf(0);
    int64_t size = sizeOfRow(), lanes = sumLanes;
    bool isDynamicRow = ShapedType::isDynamic(size);
    while (!isDynamicRow && lanes > size)
      lanes /= 2;
    auto combine = [&](Value index, int64_t width, Value into) {
      return combined(combiner, into, elementsOfRow(index, width));
    };
    auto [end, whole] = boundsOfRow(lanes);
    SmallVector<int64_t> levels;
    if (isDynamicRow || size > longSum)
      levels = levelsOf(combiner, size, stepsOfSumBlock * lanes);
    Value sums = accumulate(
        at(0), whole, lanes, levels,
        neutralOf(combiner, VectorType::get({lanes}, total.getType())),
        [&](Value index, ValueRange into) -> SmallVector<Value> {
          return {combine(index, lanes, into[0])};
        },
        combiner)[0];
    total = isExtreme(combiner)
                ? combined(combiner, total, reduceLanes(combiner, sums))
                : vector::ReductionOp::create(builder, kindOf(combiner), sums,
                                              total);
    if (isDynamicRow) {
      auto rest =
          scf::ForOp::create(builder, whole, end, at(1), ValueRange{total});
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(rest.getBody());
      scf::YieldOp::create(builder, combine(rest.getInductionVar(), 1,
                                            rest.getRegionIterArg(0)));
      total = rest.getResult(0);
    } else if (!INGOT_MUTANT("sum_without_its_rest")) {
      total = reduceRest(total, size / lanes * lanes, lanes);
    }
    moveLanes(at(0), 1);
    return total;
  }

  /// Combines `total` with all elements of a row of static size by a maximum or
  /// minimum, which has the same result in any order, and if it reads an
  /// element twice: in several vectors, whose operations overlap. The last
  /// vector ends with the row.
  Value extremeOfRow(Value total) {
    hoistInvariants();
    Operation *combiner = combinerOf(0);
    int64_t size = sizeOfRow(), lanes = sumLanes;
    while (lanes > size)
      lanes /= 2;
    int64_t count =
        std::clamp<int64_t>(columnVectors * maxLanes / lanes, 1, size / lanes);
    auto take = [&](Value into, Value index) {
      return combined(combiner, into, elementsOfRow(index, lanes));
    };
    int64_t done = size / (lanes * count) * lanes * count;
    SmallVector<Value> parts = accumulate(
        at(0), at(done), lanes * count, {},
        SmallVector<Value>(count, widen(total, lanes)),
        [&](Value index, ValueRange into) {
          SmallVector<Value> next;
          for (Value part : into)
            next.push_back(
                take(part, arith::AddIOp::create(
                               builder, index, at(std::ssize(next) * lanes))));
          return next;
        },
        combiner);
    for (int64_t part = 0; done < size; done += lanes, ++part)
      parts[part] = take(parts[part], at(std::min(done, size - lanes)));
    for (; parts.size() > 1; parts.pop_back())
      parts[parts.size() / 2 - 1] =
          combined(combiner, parts[parts.size() / 2 - 1], parts.back());
    moveLanes(at(0), 1);
    return reduceLanes(combiner, parts.front());
  }

  /// Returns the block sizes of the tree for a sum over `size` iterations, from
  /// the highest level to the lowest. Blocks of the lowest level have `block`
  /// iterations. Returns an empty vector for combiners whose result does not
  /// depend on the order, such as maximum.
  static SmallVector<int64_t> levelsOf(Operation *combiner, int64_t size,
                                       int64_t block) {
    SmallVector<int64_t> levels;
    if (!isa<arith::AddFOp, arith::MulFOp>(combiner))
      return levels; // the result is the same in any order
    while (levels.size() < maxLevels &&
           (ShapedType::isDynamic(size) || size > block)) {
      levels.insert(levels.begin(), block);
      block *= stepsOfSumBlock;
    }
    return levels;
  }

  /// A callback that builds the body of one iteration. It receives the index
  /// and the accumulators, and returns the next accumulators.
  using Step = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

  /// Builds loops over [from, to), with increment `by`, whose innermost body is
  /// `step`. For each size in `levels` there is a loop over blocks of this
  /// size. In a block, accumulators start at `start`, the identity of
  /// `combiner`; after the block, they are combined with the accumulators of
  /// the enclosing loop. Returns the final accumulators.
  SmallVector<Value> accumulate(Value from, Value to, int64_t by,
                                ArrayRef<int64_t> levels, ValueRange start,
                                Step step, Operation *combiner) {
    int64_t length = levels.empty() ? by : levels.front();
    auto loop = scf::ForOp::create(builder, from, to, at(length), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    Value index = loop.getInductionVar();
    SmallVector<Value> sums(loop.getRegionIterArgs());
    if (levels.empty()) {
      sums = step(index, sums);
    } else {
      Value end = arith::MinUIOp::create(
          builder, arith::AddIOp::create(builder, index, at(length)), to);
      SmallVector<Value> block = accumulate(index, end, by, levels.drop_front(),
                                            start, step, combiner);
      for (auto [sum, part] : llvm::zip(sums, block))
        sum = combined(combiner, sum, part);
    }
    scf::YieldOp::create(builder, sums);
    return SmallVector<Value>(loop.getResults());
  }

  /// Returns true if the op is a sum that is added in a tree: it has more terms
  /// than `longSum`, or a dynamic number of terms. A sum that only runs along
  /// one row is excluded, because reduceRow() builds its tree.
  bool isLongSum() {
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
        (sumsRow && op.getNumReductionLoops() == inner - row + 1))
      return false;
    Operation *combiner = combinerOf(0);
    if (!combiner || !isa<arith::AddFOp, arith::MulFOp>(combiner))
      return false;
    int64_t reduced = 1;
    for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (!linalg::isReductionIterator(type))
        continue;
      if (isDynamic(index))
        return true;
      reduced *= ranges[index];
    }
    return reduced > longSum;
  }

  /// Builds a long sum (isLongSum()). If the innermost dimension is not
  /// reduced, its indices are the columns of the result. Each reduced dimension
  /// has a tree of its own, whose leaves are the sums along the next reduced
  /// dimension.
  void reduceLong() {
    position.resize(ranges.size());
    SmallVector<int64_t> reduced;
    for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      auto dimension = static_cast<int64_t>(index);
      if (linalg::isReductionIterator(type)) {
        // The loops from `row` to `inner` form one row, which is reduced as a
        // single dimension, `inner`.
        if (dimension < row || dimension == inner)
          reduced.push_back(dimension);
      } else if (dimension != inner) {
        auto loop = scf::ForOp::create(builder, at(0), boundOf(index), at(1));
        position[index] = loop.getInductionVar();
        builder.setInsertionPointToStart(loop.getBody());
      }
    }
    if (reduces)
      return sumColumns(reduced, 1, 1);
    int64_t lanes = vectorizes ? maxLanes : 1, wide = lanes * columnVectors;
    if (isDynamic(inner)) {
      auto [whole, size] = wholeVectors(wide);
      auto [most, same] = wholeVectors(lanes);
      loopOver(at(0), whole, wide,
               [&] { sumColumns(reduced, lanes, columnVectors); });
      loopOver(whole, most, lanes, [&] { sumColumns(reduced, lanes, 1); });
      return loopOver(most, size, 1, [&] { sumColumns(reduced, 1, 1); });
    }
    int64_t size = ranges[inner], done = size / wide * wide;
    if (done != 0)
      loopOver(at(0), at(done), wide,
               [&] { sumColumns(reduced, lanes, columnVectors); });
    for (; done < size; lanes = std::max<int64_t>(1, lanes / 2)) {
      int64_t end = size / lanes * lanes;
      if (end > done)
        loopOver(at(done), at(end), lanes,
                 [&] { sumColumns(reduced, lanes, 1); });
      done = std::max(done, end);
    }
  }

  /// Builds the sums of `count` neighbouring vectors of `lanes` columns each,
  /// from the current position on, along the dimensions `reduced`, and combines
  /// them with the result in memory. If the innermost dimension is reduced,
  /// too, builds one scalar sum instead.
  void sumColumns(ArrayRef<int64_t> reduced, int64_t lanes, int64_t count) {
    OpOperand &init = op.getDpsInitsMutable()[0];
    Operation *combiner = combinerOf(0);
    Type element = getElementTypeOrSelf(init.get().getType()), type = element;
    if (lanes > 1)
      type = VectorType::get({lanes}, element);
    Value first = reduces ? Value() : position[inner];
    auto moveTo = [&](int64_t vector) {
      if (!reduces)
        position[inner] =
            vector == 0
                ? first
                : arith::AddIOp::create(builder, first, at(vector * lanes));
    };
    for (int64_t dimension : reduced)
      position[dimension] = at(0);
    SmallVector<Value> start(count, neutralOf(combiner, type));
    SmallVector<Value> sums = sumAlong(reduced, start, lanes, moveTo);
    for (int64_t dimension : reduced)
      position[dimension] = at(0);
    for (int64_t vector = 0; vector < count; ++vector) {
      moveTo(vector);
      Value old = load(init, lanes);
      Value sum = combined(combiner, old, sums[vector]);
      if (lanes == 1)
        memref::StoreOp::create(builder, sum, init.get(), indicesOf(init));
      else
        storeVector(sum, init.get(), indicesOf(init));
    }
  }

  /// Builds nested loops over the dimensions `dims`, the first one outermost,
  /// that sum along these dimensions, and returns the sums, one per vector of
  /// columns. `moveTo(i)` sets the current position to the columns of vector i.
  SmallVector<Value> sumAlong(ArrayRef<int64_t> dims, ValueRange start,
                              int64_t lanes,
                              llvm::function_ref<void(int64_t)> moveTo) {
    Operation *combiner = combinerOf(0);
    int64_t dimension = dims.front();
    if (dimension == inner && sumsRow)
      return {reduceRow(start[0])};
    return accumulate(
        at(0), boundOf(dimension), 1,
        levelsOf(combiner, ranges[dimension], stepsOfSumBlock), start,
        [&](Value index, ValueRange into) -> SmallVector<Value> {
          position[dimension] = index;
          SmallVector<Value> sums;
          if (dims.size() > 1)
            sums = sumAlong(dims.drop_front(), start, lanes, moveTo);
          for (auto [vector, sum] : llvm::enumerate(into)) {
            moveTo(vector);
            Value next = dims.size() > 1 ? sums[vector] : elements(lanes);
            if (dims.size() > 1)
              sums[vector] = combined(combiner, sum, next);
            else
              sums.push_back(combined(combiner, sum, next));
          }
          return sums;
        },
        combiner);
  }

  /// Computes, for `lanes` elements from the current position on, the value
  /// that the body combines with the accumulator, and returns it.
  Value elements(int64_t lanes) {
    Operation *combiner = combinerOf(0);
    Value accumulated =
        op.getMatchingBlockArgument(&op.getDpsInitsMutable()[0]);
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands())
      mapping.map(op.getMatchingBlockArgument(operand), load(*operand, lanes));
    compute(mapping, lanes, combiner);
    return widen(mapping.lookupOrDefault(combiner->getOperand(0) == accumulated
                                             ? combiner->getOperand(1)
                                             : combiner->getOperand(0)),
                 lanes);
  }

  bool isTree = false;
  /// Whether each row of the op only picks one of its elements (findPick()).
  bool picks = false;
  /// Whether the loops from `row` to `inner` are reductions that are summed
  /// with an accumulator in each lane of a vector.
  bool sumsRow = false;
};

struct VectorizeLoops
    : ::ingot::cpu::impl::VectorizeLoopsPassBase<VectorizeLoops> {
  using VectorizeLoopsPassBase::VectorizeLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> generalized =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(generalized)) {
          op.emitError("cannot lower this op to loops: this is a bug in Ingot, "
                       "not in the graph");
          return signalPassFailure();
        }
        generic = *generalized;
      }
      GenericOpVectorizer loops(generic, vectorBits);
      loops.run();
      if (loops.areVectors())
        ++numVectorized;
      else
        ++numScalar;
      if (loops.isTreeOfBlocks())
        ++numTrees;
    }
  }
};

} // namespace
