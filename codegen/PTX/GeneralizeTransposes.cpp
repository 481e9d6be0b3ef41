//===- GeneralizeTransposes.cpp - Transposes that fuse with other ops -----===//
// SPDX-License-Identifier: Apache-2.0
//
// A linalg.transpose is an op of its own, which FuseElementwise does not fuse.
// As a linalg.generic it becomes part of the elementwise op before or after it,
// whose operand then goes through a tile in shared memory
// (DistributedTiles.cpp), and not through a temporary.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-ptx-generalize-transposes"

namespace ingot::ptx {
#define GEN_PASS_DEF_GENERALIZETRANSPOSESPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;

/// Whether the kernel reduces. If a transpose were fused into a reduction, or
/// into an op on whose result a reduction depends, the threads would divide the
/// reduction in another way, and its result would have other bits.
static bool hasReduction(func::FuncOp kernel) {
  return kernel
      .walk([](linalg::LinalgOp op) {
        return op.getNumReductionLoops() != 0 ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct GeneralizeTransposes
    : ::ingot::ptx::impl::GeneralizeTransposesPassBase<GeneralizeTransposes> {
  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> transposes;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!::ingot::ptx::isDeviceKernel(kernel))
        continue;
      if (hasReduction(kernel)) {
        LLVM_DEBUG(llvm::dbgs() << kernel.getName()
                                << " keeps its transposes: it reduces\n");
        continue;
      }
      kernel.walk([&](linalg::TransposeOp op) { transposes.push_back(op); });
    }
    IRRewriter rewriter(&getContext());
    for (linalg::TransposeOp op : transposes) {
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::generalizeNamedOp(rewriter, op)))
        ++numGeneralized;
    }
  }
};
} // namespace
