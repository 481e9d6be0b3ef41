//===- FuseElementwise.cpp - Fuse chains of elementwise ops ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/Debug.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "codegen/Kernels/Passes.h.inc"

/// Whether the op has a reduction loop, and its body is out = out + a * b for
/// its two inputs a and b.
static bool multipliesAndAdds(mlir::linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return false;
  mlir::Block &body = *op.getBlock();
  auto add =
      body.getTerminator()->getOperand(0).getDefiningOp<mlir::arith::AddFOp>();
  auto multiply =
      add ? add.getRhs().getDefiningOp<mlir::arith::MulFOp>() : nullptr;
  return multiply && add.getLhs() == body.getArgument(2) &&
         llvm::isa<mlir::BlockArgument>(multiply.getLhs()) &&
         llvm::isa<mlir::BlockArgument>(multiply.getRhs()) &&
         multiply.getLhs() != multiply.getRhs() &&
         body.getOperations().size() == 3;
}

bool isContraction(mlir::linalg::LinalgOp op) {
  if (!multipliesAndAdds(op))
    return false;
  mlir::AffineMap first = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  mlir::AffineMap second = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  auto isWindow = [](mlir::AffineMap map) {
    return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
  };
  if (isWindow(first) || isWindow(second))
    return true;
  bool isFirstReused = false, isSecondReused = false;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != mlir::utils::IteratorType::parallel)
      continue;
    isFirstReused |= !first.isFunctionOfDim(loop);
    isSecondReused |= !second.isFunctionOfDim(loop);
  }
  return isFirstReused && isSecondReused;
}

bool isProduct(mlir::linalg::LinalgOp op) {
  return op.getNumLoops() == 3 && op.getNumParallelLoops() == 2 &&
         isContraction(op);
}
} // namespace ingot::kernels

#define DEBUG_TYPE "ingot-fuse-elementwise"

using namespace mlir;

/// Whether the op computes divisions, roots or math functions, each of which
/// costs as much as many multiplications.
static bool isCostly(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<arith::DivFOp, arith::RemFOp>(inner) ||
           (isa<math::MathDialect>(inner.getDialect()) &&
            !isa<math::AbsFOp, math::FmaOp>(inner));
  });
}

/// Whether the op reads the result of a reduction in the same kernel. The grid
/// of such a kernel is along a dimension that all of its reductions share, such
/// as channels.
static bool readsSums(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    auto producer = input.getDefiningOp<linalg::LinalgOp>();
    return producer &&
           (producer.getNumReductionLoops() != 0 || readsSums(producer));
  });
}

/// Whether to fuse the op that computes `operand` into the op that uses it.
static bool isWorthFusing(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  // A contraction, or a reduction with broadcasting, reads each element several
  // times. If its producer were fused into it, each element would be computed
  // several times.
  if (consumer && consumer.getNumReductionLoops() != 0 &&
      consumer.getMatchingIndexingMap(operand).getNumResults() <
          consumer.getNumLoops())
    return false;
  // An expensive op on channels is not fused into an op on all elements. In a
  // kernel whose grid is over channels, it runs once for each channel; if it
  // were fused, it would run once for each element.
  if (consumer && producer && producer.getNumLoops() != 0 &&
      producer.getNumLoops() < consumer.getNumLoops() && isCostly(producer) &&
      readsSums(producer))
    return false;
  return consumer && producer && !::ingot::kernels::isProduct(consumer) &&
         producer->hasOneUse() &&
         (producer.getNumLoops() != 0 || consumer.getNumLoops() == 0);
}

/// If an op's result is only copied to a part of a tensor, makes the op compute
/// it in that part, and erases the copy.
static void computeInParts(func::FuncOp kernel) {
  SmallVector<linalg::CopyOp> copies;
  kernel.walk([&](linalg::CopyOp copy) { copies.push_back(copy); });
  for (linalg::CopyOp copy : copies) {
    Value part = copy.getOutputs().front();
    auto op = copy.getInputs().front().getDefiningOp<linalg::GenericOp>();
    if (!op || op->getNumResults() != 1 || !op->hasOneUse() ||
        op->getBlock() != copy->getBlock() ||
        op->getResult(0).getType() != part.getType() ||
        !part.getDefiningOp<tensor::ExtractSliceOp>() ||
        !op.getOutputs().front().getDefiningOp<tensor::EmptyOp>())
      continue;
    op->moveBefore(copy);
    op.getOutputsMutable().assign(part);
    copy.replaceAllUsesWith(op->getResults());
    copy.erase();
  }
}

/// If `link` inserts a slice into a tensor.empty, makes it insert the slice
/// into `destination`. If the slice was computed in place on an extract_slice
/// of the tensor.empty, makes this extract_slice read `destination`, too.
/// Returns the tensor into which `link` inserted before.
static Value insertInto(BlockArgument destination, tensor::InsertSliceOp link) {
  Value whole = link.getDest();
  if (whole.getDefiningOp<tensor::EmptyOp>())
    whole.replaceUsesWithIf(destination, [&](OpOperand &use) {
      auto part = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
      return use.getOwner() == link ||
             (part && part.isSameAs(link, isEqualConstantIntOrValue));
    });
  return whole;
}

/// Makes a kernel compute its results in its destination arguments. From each
/// result, follows the ops that compute it in place up to a tensor.empty, which
/// is replaced by the argument. Returns the number of results for which this
/// succeeded.
static unsigned useDestinations(func::FuncOp kernel) {
  unsigned numReplaced = 0;
  Operation *terminator = kernel.getBody().front().getTerminator();
  unsigned inputs = kernel.getNumArguments() - terminator->getNumOperands();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    BlockArgument destination = kernel.getArgument(inputs + index);
    // If the kernel reads the argument, the argument is a variable that is
    // updated in place, and is the destination already.
    if (!llvm::all_of(destination.getUsers(), llvm::IsaPred<tensor::DimOp>) ||
        destination.getType() != value.getType())
      continue;
    OpResult result = dyn_cast<OpResult>(value);
    while (result) {
      if (auto link = dyn_cast<tensor::InsertSliceOp>(result.getOwner())) {
        result = dyn_cast<OpResult>(insertInto(destination, link));
        continue;
      }
      auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
      if (!op)
        break;
      OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
      if (init->get().getDefiningOp<tensor::EmptyOp>()) {
        init->set(destination);
        ++numReplaced;
        break;
      }
      result = dyn_cast<OpResult>(init->get());
      if (result && !result.hasOneUse())
        break;
    }
  }
  return numReplaced;
}

namespace {
struct FuseElementwise
    : ::ingot::kernels::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // The pattern calls this function for each operand whose producer can be
    // fused, and fuses the producer if the function returns true.
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [&](OpOperand *operand) {
          if (!isWorthFusing(operand))
            return false;
          LLVM_DEBUG(llvm::dbgs()
                     << "fuse " << operand->get().getLoc() << " into "
                     << operand->getOwner()->getLoc() << '\n');
          ++numFused;
          return true;
        });
    FrozenRewritePatternSet frozen(std::move(patterns));
    // Long chains of ops need more than the ten iterations that are the
    // driver's default limit. The driver terminates without a limit, because
    // each fusion removes an edge between two ops and adds no edge between
    // others.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      if (failed(applyPatternsGreedily(kernel, frozen, config)))
        return signalPassFailure();
      computeInParts(kernel);
      // The ops that result from fusion have new tensor.empty ops as
      // destinations, so destinations are assigned again.
      numInDestinations += useDestinations(kernel);
    }
  }
};
} // namespace
