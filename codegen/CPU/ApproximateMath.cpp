//===- ApproximateMath.cpp - Functions as polynomials on vectors ----------===//

#include "codegen/CPU/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {
struct ApproximateMath
    : ::ingot::cpu::impl::ApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == "math.exp" || name == "math.log" || name == "math.tanh";
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
