//===- KernelPasses.td - Matmuls and fusion ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that bring matmuls and their neighbours into canonical forms, and fuse
// ops into kernels.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD
#define INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD

include "codegen/PolicyOption.td"

def LowerEinsumsToMatmulsPass : Pass<"ingot-lower-einsums-to-matmuls", "::mlir::ModuleOp"> {
  let summary = "Lower einsums without batch dimensions to matmuls";
  let description = [{
    Labels that are in both operands but not in the result become K. Labels of
    only one operand become M, and labels of only the other operand become N. If
    several labels become one dimension, a reshape collapses them; if they are
    not adjacent and in order, the operand is transposed first. The matmul is
    then tiled and fused with its epilogue like any other matmul. An einsum with
    a label in both operands and the result is a batched matmul, and stays an
    einsum.

    ```mlir
    // Before: an einsum with M = ab, K = c and N = de.
    %y = ingot.einsum "abc,cde->abde"(%x, %w) : (tensor<32x64x128xf32>, tensor<128x4x32xf32>) -> tensor<32x64x4x32xf32>
    // After: a matmul of reshaped operands, and a reshape of its result.
    %0 = ingot.reshape %x, %s : (tensor<32x64x128xf32>, tensor<2xi64>) -> tensor<2048x128xf32>
    %1 = ingot.reshape %w, %t : (tensor<128x4x32xf32>, tensor<2xi64>) -> tensor<128x128xf32>
    %2 = ingot.matmul %0, %1 : (tensor<2048x128xf32>, tensor<128x128xf32>) -> tensor<2048x128xf32>
    %y = ingot.reshape %2, %u : (tensor<2048x128xf32>, tensor<4xi64>) -> tensor<32x64x4x32xf32>
    ```
  }];
  let statistics = [Statistic<"numMatmuls", "num-matmuls", "Einsums lowered to matmuls">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def SinkMatmulReshapesPass : Pass<"ingot-sink-matmul-reshapes", "::mlir::ModuleOp"> {
  let summary = "Sink reshapes of matmuls below elementwise ops";
  let description = [{
    A dense layer on a rank-3 tensor is a matmul, a reshape to rank 3, a bias
    and an activation; the next layer reshapes to a matrix again. The reshape
    between a matmul and its consumers blocks epilogue fusion, so the pass moves
    elementwise ops before the reshape. Their other operands are reshaped if
    they have the full shape; scalars and vectors along the columns stay as they
    are. Reshapes of small tensors are not moved, because they do not block the
    fusion of such tensors.

    ```mlir
    // Before: a reshape between a matmul and its bias.
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.reshape %p, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    %s = ingot.bias_add %q, %b : (tensor<8x64x256xf32>, tensor<256xf32>) -> tensor<8x64x256xf32>
    // After: the bias is added to the matrix; the reshape comes last.
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.bias_add %p, %b : (tensor<512x256xf32>, tensor<256xf32>) -> tensor<512x256xf32>
    %s = ingot.reshape %q, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [Statistic<"numMoved", "num-moved", "Ops moved before a reshape">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def HoistSlicesAboveMatmulsPass : Pass<"ingot-hoist-slices-above-matmuls", "::mlir::ModuleOp"> {
  let summary = "Narrow a matmul to its used slice";
  let description = [{
    A recurrent cell multiplies the concatenation of input and state by one
    matrix. In its gradient, if nothing uses the gradient of the input, a slice
    drops the input's columns from the result of a matmul. The pass instead
    slices the rows of the matmul's first operand, or the columns of the second
    one, so that the dropped columns are not computed, unless copying the
    operand costs more than this saves. In a loop, the slice of a loop-invariant
    operand is hoisted, and thus nearly free.

    ```mlir
    // Before: a slice uses 4 of the 16 columns that the matmul computes.
    %c = ingot.matmul %a, %b : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
    %s = ingot.slice %c, %begin, %size : (tensor<64x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<64x4xf32>
    // After: only these 4 columns are computed, from a slice of %b.
    %t = ingot.slice %b, %first, %count : (tensor<8x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x4xf32>
    %s = ingot.matmul %a, %t : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
    ```
  }];
  let statistics = [Statistic<"numNarrowed", "num-narrowed", "Matmuls narrowed to a slice">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def MergeRowUpdatesPass : Pass<"ingot-merge-row-updates", "::mlir::ModuleOp"> {
  let summary = "Merge row-sparse updates of several tables at the same indices";
  let description = [{
    Sparse Adam adds gradients, and their squares, to the rows of two tables at
    the same indices. The kernel of an update looks at all indices for each of
    its ranges of rows; one update of both tables does so once. Each table's
    rows are updated in the same order as before. Only updates in one fusion are
    merged.

    ```mlir
    // Before, in a fusion
    %m1 = ingot.update_rows (%m) at %indices by (%g) : ... { ... }
    %v1 = ingot.update_rows (%v) at %indices by (%s) : ... { ... }
    // After
    %m1, %v1 = ingot.update_rows (%m, %v) at %indices by (%g, %s) : ... { ... }
    ```
  }];
  let statistics = [Statistic<"numMerged", "num-merged", "Pairs of row-sparse updates merged">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def FormFusionGroupsPass : Pass<"ingot-form-fusion-groups", "::mlir::ModuleOp"> {
  let summary = "Fuse the ops of each entry into kernels";
  let description = [{
    - Epilogue fusion: a matmul absorbs the elementwise ops that consume it
      (bias, activation, the optimizer's update).
    - Prologue fusion: a matmul absorbs the im2col ops whose patches only it
      reads.
    - Loop fusion: dependent small reductions and elementwise ops become one
      kernel; random numbers of a static count are drawn in the loops that use
      them.
    - Parallel branches are not fused with each other: losses that are only
      summed, and the losses and predictions of parallel networks, run
      concurrently. As they are isomorphic (`IsomorphicOps`), they share one
      compiled kernel.
    - Rematerialization (`Rematerialization`): a cheap function of a large tensor
      that is in memory anyway is recomputed in each consumer, which takes less
      time than a round trip of its result through memory.

    Fusions are named after their nodes and topologically sorted by data
    dependences and side effects. In-place updates of variables come after
    every op that may end the run.

    ```mlir
    // Before: a matmul and its activation.
    %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("h/MatMul")
    %1 = ingot.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("h/Relu")
    // After: one fusion, named after both nodes.
    %1 = ingot.fusion "fused_h_MatMul_Relu" -> tensor<4x2xf32> {
      %2 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %3 = ingot.relu %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
      ingot.return %3 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [
    Statistic<"numEpilogues", "num-epilogues", "Elementwise ops fused into matmuls">,
    Statistic<"numLoopFusions", "num-loop-fusions", "Pairs of fusion groups merged by loop fusion">,
    Statistic<"numRematerialized", "num-rematerialized", "Values rematerialized in their consumers">,
    Statistic<"numKernels", "num-kernels", "Kernels formed">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD
