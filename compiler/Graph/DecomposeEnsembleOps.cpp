//===- DecomposeEnsembleOps.cpp - Ensemble ops as matmuls -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/EnsembleExpansion.h"
#include "dialects/Ingot/IR/EnsembleOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_DECOMPOSEENSEMBLEOPSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-decompose-ensemble-ops"

using namespace mlir;
using namespace mlir::ingot;

/// Whether a tensor of this type has more than `maxElements` elements or a
/// dynamic shape. An ensemble op on such a tensor is expanded, so that its
/// matmuls get kernels of their own. An ensemble op on small tensors shares a
/// kernel with neighboring ops.
static bool isLarge(Type type, int64_t maxElements) {
  auto tensor = cast<TensorType>(type);
  return !tensor.hasStaticShape() || tensor.getNumElements() > maxElements;
}

namespace {
struct DecomposeEnsembleOps
    : ::ingot::graph::impl::DecomposeEnsembleOpsPassBase<DecomposeEnsembleOps> {
  using DecomposeEnsembleOpsPassBase::DecomposeEnsembleOpsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (!isEnsembleOp(op))
        return;
      auto isLargeHere = [&](Type type) {
        return isLarge(type, policy.maxSharedKernelElements);
      };
      if (!all && llvm::none_of(op->getOperandTypes(), isLargeHere) &&
          llvm::none_of(op->getResultTypes(), isLargeHere)) {
        LLVM_DEBUG(llvm::dbgs() << "keep " << op->getName() << " at "
                                << op->getLoc() << ": its tensors are small\n");
        return;
      }
      OpBuilder builder(op);
      FailureOr<SmallVector<Value>> results = expandEnsembleOp(builder, op);
      if (failed(results)) {
        LLVM_DEBUG(llvm::dbgs() << "keep " << op->getName() << " at "
                                << op->getLoc() << ": unranked operands\n");
        return;
      }
      ++numExpanded;
      // The result type of the ensemble op may have static sizes that shape
      // inference does not find for the expanded ops. Keep these sizes.
      for (auto [result, value] : llvm::zip(op->getResults(), *results))
        if (value.getDefiningOp() && value.getType() != result.getType())
          value.setType(result.getType());
      op->replaceAllUsesWith(*results);
      op->erase();
    });
  }
};
} // namespace
