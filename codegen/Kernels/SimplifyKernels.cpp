//===- SimplifyKernels.cpp - Canonicalize the ops of some dialects --------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_SIMPLIFYKERNELSPASS
#include "codegen/Kernels/Passes.h.inc"
} // namespace ingot::kernels

using namespace mlir;

namespace {

/// An analysis without content: as long as it is valid, no pass has changed the
/// module since a run of the pass.
struct IsSimplified {
  explicit IsSimplified(Operation *) {}
};

struct SimplifyKernels
    : ::ingot::kernels::impl::SimplifyKernelsPassBase<SimplifyKernels> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      if (llvm::is_contained(dialects, dialect->getNamespace()))
        dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (llvm::is_contained(dialects, op.getDialectNamespace()))
        op.getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (getCachedAnalysis<IsSimplified>()) {
      markAllAnalysesPreserved();
      return;
    }
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    // The pass need not converge: whatever is left is correct.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
    (void)getAnalysis<IsSimplified>();
    markAnalysesPreserved<IsSimplified>();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
