//===- EnsemblePasses.td - AdaNet's ensembles -------------*- tablegen -*-===//
//
// Found in the arithmetic that graphs write, and taken apart again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD
#define INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseEnsemblesPass : Pass<"ingot-raise-ensembles", "::mlir::ModuleOp"> {
  let summary = "Finds AdaNet's ensembles in the arithmetic that its graphs write";
  let description = [{
    Sums of weighted members become `ingot.mixture`, the products and sums of
    its weights' gradients `ingot.mixture_grad`, sums of weighted L1 norms
    `ingot.complexity_penalty`, zero-debiased moving averages `ingot.ema`, and
    the choice of the smallest loss, with what is taken from lists by it,
    `ingot.select_best`. What they compute stays the same, bit by bit but for
    products that are added up in loops of their own.

    Whatever else uses a sum on the way stays: a mixture ends where its sum is
    used by something other than the next addition. A sum is a mixture where
    its members are weighed by variables; scalars that weigh must be trained,
    too, so that scaled residuals stay what they are. With `remarks` each op
    that is found says so, and what was nearly one says what it lacks.

    ```mlir
    // Before
    %0 = ingot.matmul %h0, %w0 : (tensor<64x32xf32>, tensor<32x10xf32>) -> tensor<64x10xf32>
    %1 = ingot.matmul %h1, %w1 : (tensor<64x16xf32>, tensor<16x10xf32>) -> tensor<64x10xf32>
    %2 = ingot.add %b, %0 : (tensor<10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %3 = ingot.add %2, %1 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    // After
    %3 = ingot.mixture(%h0, %h1) weights(%w0, %w1) bias(%b)
        : (tensor<64x32xf32>, tensor<64x16xf32>, tensor<32x10xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Say what was found, and what was not">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ExpandEnsemblesPass : Pass<"ingot-expand-ensembles", "::mlir::ModuleOp"> {
  let summary = "Replaces ops on ensembles by the ops that they stand for";
  let description = [{
    An op on ensembles shares a kernel with its neighbours, whose loops follow
    each other. Where a tensor of it is larger than those that share a kernel,
    it becomes the ops that it stands for before kernels are formed, and its
    products get kernels of their own. In kernels `all` of them do.

    ```mlir
    // Before
    %z = ingot.mixture(%h) weights(%w) : (tensor<256x2048xf32>, tensor<2048x1000xf32>) -> tensor<256x1000xf32>
    // After
    %z = ingot.matmul %h, %w : (tensor<256x2048xf32>, tensor<2048x1000xf32>) -> tensor<256x1000xf32>
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "16 * 1024",
           "Tensors of up to this many elements share a kernel">,
    Option<"all", "all", "bool", "false", "Replace small ones, too">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_ENSEMBLE_PASSES_TD
