//===- EnsemblePasses.td - AdaNet's ensembles -------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that replace the arithmetic of ensembles by ensemble ops, and expand
// ensemble ops on large tensors to arithmetic again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD
#define INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD

include "codegen/PolicyOption.td"

def RaiseToEnsembleOpsPass : Pass<"ingot-raise-to-ensemble-ops", "::mlir::ModuleOp"> {
  let summary = "Raise arithmetic to AdaNet ensemble ops";
  let description = [{
    The pass replaces

    - sums of weighted members by `ingot.mixture`,
    - the matmuls and sums that compute the gradients of a mixture's weights by
      `ingot.mixture_grad`,
    - sums of weighted L1 norms by `ingot.complexity_penalty`,
    - zero-debiased moving averages by `ingot.ema`,
    - the argmin over losses, and the gathers that it indexes, by
      `ingot.select_best`.

    Results stay bit-equal, except those of matmuls whose products are
    accumulated in loops of their own.

    A mixture ends where its partial sum has a use other than the next addition.
    A sum is a mixture only if variables weight its members; scalar weights must
    be trainable, too, so that scaled residual connections are not raised. With
    `remarks`, the pass reports each op that it raises, and for arithmetic that
    nearly matches, the reason why it is not raised.

    ```mlir
    // Before: a bias plus two members, each times its weight.
    %0 = ingot.matmul %h0, %w0 : (tensor<64x32xf32>, tensor<32x10xf32>) -> tensor<64x10xf32>
    %1 = ingot.matmul %h1, %w1 : (tensor<64x16xf32>, tensor<16x10xf32>) -> tensor<64x10xf32>
    %2 = ingot.add %b, %0 : (tensor<10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %3 = ingot.add %2, %1 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    // After: one op for the weighted sum.
    %3 = ingot.mixture(%h0, %h1) weights(%w0, %w1) bias(%b)
        : (tensor<64x32xf32>, tensor<64x16xf32>, tensor<32x10xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Emit a remark for each raised op and each near miss">];
  let statistics = [Statistic<"numRaised", "num-raised", "Ensemble ops raised">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DecomposeEnsembleOpsPass : Pass<"ingot-decompose-ensemble-ops", "::mlir::ModuleOp"> {
  let summary = "Expand ensemble ops to matmuls and elementwise ops";
  let description = [{
    An ensemble op on small tensors shares a kernel with its neighbours, as a
    sequence of loops. If one of its tensors has more elements than
    `max-shared-kernel-elements` of the policy, the op is expanded before
    fusion, so that each of its matmuls gets a tiled kernel. With `all`, which
    the pipeline sets inside kernels, every op is expanded.

    ```mlir
    // Before: a mixture whose weight exceeds `max-shared-kernel-elements`.
    %z = ingot.mixture(%h) weights(%w) : (tensor<256x2048xf32>, tensor<2048x1000xf32>) -> tensor<256x1000xf32>
    // After: the matmul that computes the mixture.
    %z = ingot.matmul %h, %w : (tensor<256x2048xf32>, tensor<2048x1000xf32>) -> tensor<256x1000xf32>
    ```
  }];
  let options = [
    Ingot_PolicyOption,
    Option<"all", "all", "bool", "false", "Expand ops on small tensors, too">];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Ensemble ops expanded">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD
