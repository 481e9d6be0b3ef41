//===- EstimateKernelCosts.cpp - Estimate the cost of a kernel's blocks ---===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_ESTIMATEKERNELCOSTSPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

#define DEBUG_TYPE "ingot-estimate-kernel-costs"

using namespace mlir;
using namespace ::ingot::kernels;

namespace {

int64_t product(int64_t x, int64_t y) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(
      std::min<uint64_t>(limit, llvm::SaturatingMultiply<uint64_t>(x, y)));
}

int64_t sum(int64_t x, int64_t y) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(
      std::min<uint64_t>(limit, llvm::SaturatingAdd<uint64_t>(x, y)));
}

/// A number of operations, and a number of bytes that are read and written.
/// Sums saturate instead of overflowing.
struct Cost {
  int64_t operations = 0, bytes = 0;

  void add(int64_t moreOperations, int64_t moreBytes) {
    operations = sum(operations, moreOperations);
    bytes = sum(bytes, moreBytes);
  }
  int64_t total() const { return sum(operations, bytes); }
};

/// Returns an upper bound of the loop's trip count, or an estimate if none can
/// be derived.
int64_t tripsOf(scf::ForOp loop) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return trips->getSExtValue();
  // If the loop runs over a block of an outer loop, its range is at most the
  // outer loop's step.
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  auto end = loop.getUpperBound().getDefiningOp<affine::AffineMinOp>();
  if (!step || !end)
    return assumedSize;
  for (AffineExpr result : end.getMap().getResults()) {
    auto sum = dyn_cast<AffineBinaryOpExpr>(result);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(sum.getLHS());
    auto length = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (dim && length &&
        end.getDimOperands()[dim.getPosition()] == loop.getLowerBound())
      return llvm::divideCeil(length.getValue(), *step);
  }
  return assumedSize;
}

/// Whether `value` is computed from the loop's induction variable `index`.
bool dependsOn(Value value, Value index) {
  if (value == index)
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, index);
         });
}

/// Returns the operations of one iteration of `op`, with divisions, square
/// roots and random numbers counted as `target` says. operationsPerElement(),
/// by which blocks are sized, counts them alike for all targets.
int64_t flopsPerElement(linalg::LinalgOp op,
                        const EstimateKernelCostsPassOptions &target) {
  int64_t flops = operationsPerElement(op);
  op.getBlock()->walk([&](Operation *member) {
    if (isa<arith::DivFOp>(member))
      flops += target.flopsOfDivision - operationsPerDivision;
    else if (isa<math::SqrtOp>(member))
      flops += target.flopsOfSquareRoot - operationsPerDivision;
    else if (isa<host::RandomBitsOp, host::ThreefryOp>(member))
      flops += target.flopsOfRandomNumber - operationsPerRandomNumber;
  });
  return flops;
}

/// Adds up the estimated cost of a block of a kernel and of the loops in it.
class CostEstimator {
public:
  explicit CostEstimator(const EstimateKernelCostsPassOptions &target)
      : target(target) {}

  Cost cost;
  /// The number of blocks that a thread is assumed to merge into one, or 1 if
  /// the kernel's blocks cannot be merged. Each outermost loop of a block, a
  /// scan of the indices of a row-sparse update, runs only once for all merged
  /// blocks.
  int64_t sharers = 1;
  /// The kernel's grid, if its blocks are ranges of rows (`gridRangeAttrName`).
  scf::ForOp ranges;

  void measure(Block &block) {
    for (Operation &op : block) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        measure(linalgOp);
      else if (auto copy = dyn_cast<memref::CopyOp>(op))
        measure(copy);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        measure(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        measure(branch);
      else if (isa<memref::LoadOp, memref::StoreOp>(op))
        cost.add(0, product(times(), 8));
    }
  }

private:
  /// Adds the cost of all iterations of a loop. In a grid whose iterations can
  /// be merged (`gridRangeAttrName`), an outermost loop scans the indices of a
  /// row-sparse update. As a thread merges its blocks and scans the indices
  /// once for all of them, the cost of this loop is divided by the number of
  /// blocks.
  void measure(scf::ForOp loop) {
    // A range of rows may be cut into parts. All of them together are measured
    // as one part that has the rows of the range.
    if (isOfParts(loop))
      return measure(*loop.getBody());
    Cost before = cost;
    loops.push_back({loop.getInductionVar(), tripsOf(loop)});
    measure(*loop.getBody());
    loops.pop_back();
    if (!loops.empty() || sharers == 1)
      return;
    Cost all = cost;
    cost = before;
    cost.add(llvm::divideCeil(all.operations - before.operations, sharers),
             llvm::divideCeil(all.bytes - before.bytes, sharers));
  }

  /// Adds the cost of the more expensive branch of an scf.if. The other branch
  /// computes a shorter remainder, or is empty.
  void measure(scf::IfOp branch) {
    Cost before = cost;
    Cost most = before;
    for (Region &region : branch->getRegions()) {
      cost = before;
      if (!region.empty())
        measure(region.front());
      if (cost.total() > most.total())
        most = cost;
    }
    cost = most;
  }

  /// Adds the operations of all iterations of a linalg op, and the bytes of its
  /// operands and of the loads in its body. A load cannot read more bytes than
  /// its buffer has.
  void measure(linalg::LinalgOp op) {
    SmallVector<int64_t> trips = boundedRanges(op);
    for (OpOperand &operand : op->getOpOperands())
      for (auto [position, result] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result);
            dim && isOfPart(operand.get(), position))
          trips[dim.getPosition()] = rowsOfRange();
    int64_t iterations = 1;
    for (int64_t count : trips)
      iterations = product(iterations, count);
    // Of rows beside a row-sparse update, only the data say how many are zeros,
    // which a target may leave undivided (codegen/CPU/SkipZeroQuotients.cpp).
    int64_t each = computesAllRows(op) ? operationsPerElement(op)
                                       : flopsPerElement(op, target);
    cost.add(product(times(), product(iterations, each)), 0);
    for (OpOperand &operand : op->getOpOperands())
      if (op.payloadUsesValueFromOperand(&operand) || op.isDpsInit(&operand))
        access(operand.get());
    op.getBlock()->walk([&](memref::LoadOp load) {
      int64_t bytes = product(iterations, elementBytes(load.getType()));
      auto type = load.getMemRefType();
      if (type.hasStaticShape())
        bytes = std::min(bytes, product(type.getNumElements(),
                                        elementBytes(load.getType())));
      cost.add(0, product(times(), bytes));
    });
  }

  void measure(memref::CopyOp copy) {
    access(copy.getSource());
    access(copy.getTarget());
  }

  /// Adds the number of bytes of a view, an operand of the current op, to the
  /// cost. Multiplies it by the trip count of each loop around the op on whose
  /// index the view depends. If the view does not depend on a loop's index, all
  /// iterations of the loop access the same memory, which stays in cache.
  /// Temporaries of the kernel do not count.
  void access(Value view) {
    auto type = dyn_cast<MemRefType>(view.getType());
    if (!type || isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
                     rootOf(view).getDefiningOp()))
      return;
    int64_t bytes = elementBytes(type);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      bytes = product(bytes,
                      isOfPart(view, dim) ? rowsOfRange() : boundOf(view, dim));
    for (auto [index, trips] : loops)
      if (dependsOn(view, index))
        bytes = product(bytes, trips);
    cost.add(0, bytes);
  }

  /// Whether `op` computes all rows of a range, in parts or as a whole.
  bool computesAllRows(linalg::LinalgOp op) {
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    return loop && ranges && (loop == ranges || isOfParts(loop));
  }

  /// Whether `loop` is over the parts of a range of rows
  /// (PartitionKernelsIntoBlocks.cpp).
  bool isOfParts(scf::ForOp loop) {
    return ranges && loop.getLowerBound() == ranges.getInductionVar();
  }

  /// Whether the size of dimension `dim` of `view` is the number of rows of a
  /// part.
  bool isOfPart(Value view, int64_t dim) {
    auto slice = view.getDefiningOp<memref::SubViewOp>();
    if (!slice || slice.getDroppedDims().any())
      return false;
    auto size = dyn_cast<Value>(slice.getMixedSizes()[dim]);
    auto rows = size ? size.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
    auto loop = rows ? dyn_cast<scf::ForOp>(rows->getParentOp()) : scf::ForOp();
    return loop && isOfParts(loop);
  }

  int64_t rowsOfRange() {
    return getConstantIntValue(ranges.getStep()).value_or(assumedSize);
  }

  /// Returns the product of the trip counts of the loops around the current op.
  int64_t times() const {
    int64_t result = 1;
    for (auto [index, trips] : loops)
      result = product(result, trips);
    return result;
  }

  const EstimateKernelCostsPassOptions &target;
  SmallVector<std::pair<Value, int64_t>> loops; // outermost first
};

/// Sets the attribute `host.strides` of a kernel. For each argument it has the
/// distance in bytes between the ranges that successive iterations of the grid
/// access (`strideOf`).
void noteStrides(func::FuncOp kernel, scf::ForOp grid) {
  SmallVector<int64_t> strides;
  for (BlockArgument argument : kernel.getArguments())
    strides.push_back(strideOf(argument, grid));
  if (llvm::any_of(strides, [](int64_t stride) { return stride != 0; }))
    kernel->setAttr(host::stridesAttrName,
                    Builder(kernel.getContext()).getDenseI64ArrayAttr(strides));
}

/// Annotates the kernel with its estimated cost. Removes the kernel's grid if
/// there is too little work for several threads. Returns whether the grid was
/// removed.
bool annotate(func::FuncOp kernel,
              const EstimateKernelCostsPassOptions &target) {
  bool isRemoved = false;
  Cost cost;
  Block &body = kernel.getBody().front();
  CostEstimator measurement(target);
  scf::ForOp grid = gridLoopOf(kernel);
  if (grid) {
    bool isRange = grid->hasAttr(gridRangeAttrName);
    if (isRange) {
      measurement.sharers = std::max<int64_t>(1, tripsOf(grid));
      measurement.ranges = grid;
    }
    measurement.measure(*grid.getBody());
    cost = measurement.cost;
    if (std::optional<APInt> trips = grid.getStaticTripCount()) {
      Cost all = {product(cost.operations, trips->getSExtValue()),
                  product(cost.bytes, trips->getSExtValue())};
      // A kernel with less work than these limits gets no grid, because running
      // it takes less time than distributing its blocks to threads.
      if (all.operations < target.minGridOperations &&
          all.bytes < target.minGridBytes) {
        LLVM_DEBUG(llvm::dbgs() << "no grid for " << kernel.getName() << ": "
                                << all.operations << " operations, "
                                << all.bytes << " bytes\n");
        grid->removeAttr(gridLoopAttrName);
        grid = nullptr;
        isRemoved = true;
        CostEstimator whole(target);
        if (isRange)
          whole.cost = all;
        else
          whole.measure(body);
        cost = whole.cost;
      }
    }
  } else {
    measurement.measure(body);
    cost = measurement.cost;
  }
  if (grid)
    noteStrides(kernel, grid);
  Builder builder(kernel.getContext());
  kernel->setAttr(host::flopsAttrName,
                  builder.getI64IntegerAttr(cost.operations));
  kernel->setAttr(host::bytesAttrName, builder.getI64IntegerAttr(cost.bytes));
  return isRemoved;
}

struct EstimateKernelCosts
    : ::ingot::kernels::impl::EstimateKernelCostsPassBase<EstimateKernelCosts> {
  using EstimateKernelCostsPassBase::EstimateKernelCostsPassBase;
  void runOnOperation() override {
    EstimateKernelCostsPassOptions target;
    target.minGridOperations = minGridOperations;
    target.minGridBytes = minGridBytes;
    target.flopsOfDivision = flopsOfDivision;
    target.flopsOfSquareRoot = flopsOfSquareRoot;
    target.flopsOfRandomNumber = flopsOfRandomNumber;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal())
        numRemoved += annotate(kernel, target);
  }
};

} // namespace
