//===- SplitKernelsAtReductions.cpp - Splits kernels at full reductions ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel has no grid-wide barrier. In batch normalization, a sum over all
// images comes between two loops over images. A single kernel's grid could only
// run over the channels, the one dimension that the sum and both loops share,
// and there are few channels. With several kernels, the grids of both loops run
// over the images. Neither values nor the order of additions change.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelSplitter.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_SPLITKERNELSATREDUCTIONSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-split-kernels-at-reductions"

using namespace mlir;
using namespace ::ingot::lower;
using ::ingot::TargetPolicy;

namespace {

/// Returns the number of iterations of the op's loops; std::nullopt if it is
/// dynamic.
std::optional<int64_t> elementsOf(linalg::LinalgOp op) {
  int64_t elements = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    elements *= range;
  }
  return elements;
}

class ReductionPhaseSplitter {
public:
  ReductionPhaseSplitter(KernelSplitter &parts, const TargetPolicy &policy)
      : parts(parts), policy(policy) {}

  /// Splits the kernel if a large loop depends on a reduction that
  /// isReducedFurther() finds. Returns whether the kernel was split.
  bool run() {
    SmallVector<linalg::GenericOp> large;
    bool waits = false;
    for (auto op : parts.kernel().getBody().getOps<linalg::GenericOp>()) {
      std::optional<int64_t> elements = elementsOf(op);
      if (!elements)
        return false;
      if (*elements < policy.minPartElements)
        continue;
      waits |= llvm::any_of(large, [&](linalg::GenericOp phase) {
        return isReducedFurther(phase) && dependsOn(op, phase);
      });
      large.push_back(op);
    }
    if (!waits)
      return false;
    SetVector<Operation *> last = lastLoops(large);
    LLVM_DEBUG(llvm::dbgs() << "split " << parts.kernel().getName() << " at "
                            << large.size() - last.size() << " of "
                            << large.size() << " large loops\n");
    for (linalg::GenericOp op : large) {
      for (Value input : op.getDpsInputs())
        if (isSmall(input))
          parts.launchBefore(input);
      // The loops in `last` stay in this kernel; each large loop before them
      // moves to a kernel of its own.
      if (!last.contains(op) && op.getNumResults() == 1)
        parts.launchBefore(op.getResult(0));
    }
    return true;
  }

private:
  /// Returns the last loop, and the elementwise loops before it that loop
  /// fusion merges into it: their results are read only by the last loop and by
  /// other such elementwise loops. All of them stay in the kernel of the last
  /// loop.
  static SetVector<Operation *> lastLoops(ArrayRef<linalg::GenericOp> large) {
    SetVector<Operation *> last;
    last.insert(large.back());
    for (linalg::GenericOp op : llvm::reverse(large.drop_back()))
      if (op.getNumReductionLoops() == 0 &&
          llvm::all_of(op->getUsers(),
                       [&](Operation *user) { return last.contains(user); }))
        last.insert(op);
    return last;
  }

  /// Whether the op is the first half of a reduction over a batch of images: it
  /// reduces each image to one element per channel, and another op reduces its
  /// result over the images. With few channels, the second op alone has little
  /// parallelism. Returns false if there are enough channels.
  bool isReducedFurther(linalg::GenericOp op) const {
    if (op.getNumReductionLoops() == 0 || op.getNumResults() != 1)
      return false;
    // If no operand is indexed by all loops, the op is a GEMM. It stays in the
    // kernel, because its epilogue is fused.
    if (llvm::none_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); }))
      return false;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() < 2 || type.getShape().back() >= policy.minGridChannels)
      return false;
    return llvm::any_of(op->getUses(), [](OpOperand &use) {
      auto sum = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!sum)
        return false;
      SmallVector<utils::IteratorType> loops = sum.getIteratorTypesArray();
      return llvm::any_of(sum.getMatchingIndexingMap(&use).getResults(),
                          [&](AffineExpr result) {
                            auto dim = dyn_cast<AffineDimExpr>(result);
                            return dim && loops[dim.getPosition()] ==
                                              utils::IteratorType::reduction;
                          });
    });
  }

  /// Whether `op` depends, directly or through other ops, on a result of the
  /// earlier op `phase`.
  static bool dependsOn(Operation *op, Operation *phase) {
    SetVector<Operation *> needed;
    needed.insert(op);
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *definition = operand.getDefiningOp()) {
          if (definition == phase)
            return true;
          needed.insert(definition);
        }
    return false;
  }

  /// Whether `value` is computed by a loop with too few iterations for a kernel
  /// of its own.
  bool isSmall(Value value) const {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    return op && elementsOf(op).value_or(policy.minPartElements) <
                     policy.minPartElements;
  }

  KernelSplitter &parts;
  const TargetPolicy &policy;
};

struct SplitKernelsAtReductions
    : ::ingot::lower::impl::SplitKernelsAtReductionsPassBase<
          SplitKernelsAtReductions> {
  using SplitKernelsAtReductionsPassBase::SplitKernelsAtReductionsPassBase;
  void runOnOperation() override {
    divideKernels(getOperation(), [&](KernelSplitter &parts) {
      if (ReductionPhaseSplitter(parts, policy).run())
        ++numSplit;
    });
  }
};

} // namespace
