//===- SizePasses.td - Shapes and batch sizes -------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that infer shapes, make batch sizes static, and check dynamic shapes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_SIZE_PASSES_TD
#define INGOT_COMPILER_GRAPH_SIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferShapesPass : Pass<"ingot-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Infer shapes and fold shape arithmetic";
  let description = [{
    Visits the ops of every entry, function and pipeline, operands before
    results. An op that folds is replaced by the constant or value that it folds
    to. The result types of any other op are refined by its shape function. The
    element type of a TF1 stack or TensorArray is the join of the types of all
    values written to it; if this refines the type of any stack or array, the
    walk is repeated.

    ```mlir
    // Before: the shape is a constant, but the result type is dynamic.
    %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
    %0 = ingot.fill %s, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
    // After: the result type is static.
    %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
    %0 = ingot.fill %s, %v : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let statistics = [Statistic<"numRounds", "num-rounds", "Rounds until no type changes">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DecomposeComplexArithmeticPass : Pass<"ingot-decompose-complex-arithmetic", "::mlir::ModuleOp"> {
  let summary = "Decompose arithmetic on complex numbers to real arithmetic";
  let description = [{
    An op that computes with complex numbers becomes ops on their real and
    imaginary parts, which are fused and vectorized like any others. The only
    remaining ops on complex numbers are those that only move elements, those
    that the runtime executes, and `complex`, `real` and `imag`, which join and
    split numbers in memory. An op that computes with complex numbers, but
    cannot be decomposed, is an error.

    ```mlir
    // Before: |x y|.
    %0 = ingot.mul %x, %y : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %1 = ingot.complex_abs %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    // After: the product is not stored, only its absolute value.
    %a = ingot.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %b = ingot.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %c = ingot.real %y : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %d = ingot.imag %y : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = ingot.mul %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ...
    ```
  }];
  let statistics = [Statistic<"numDecomposed", "num-decomposed", "Ops on complex numbers decomposed">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def MakeBatchSizesStaticPass : Pass<"ingot-make-batch-sizes-static", "::mlir::ModuleOp"> {
  let summary = "Make batch sizes static if no batch can be partial";
  let description = [{
    No batch is partial if the dataset drops the remainder, if the input repeats
    for ever, or if the batch size divides the number of elements; the types in
    exported graphs often have a dynamic batch size nevertheless. The types of
    the iterator and of the elements that entries draw from it get the static
    size.

    ```mlir
    // Before: batches of a dataset that repeats for ever.
    %r = ingot.repeat_dataset(%0, %forever) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<4xf32>>
    %b = ingot.batch_dataset(%r, %fifty, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
    // After: no batch is partial, so the batch size is static.
    %b = ingot.batch_dataset(%r, %fifty, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<50x4xf32>>
    ```
  }];
  let statistics = [Statistic<"numStatic", "num-static", "Batches of static size">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def SpecializeStepsForFullBatchesPass : Pass<"ingot-specialize-steps-for-full-batches", "::mlir::ModuleOp"> {
  let summary = "Clone steps for full batches, with static shapes";
  let description = [{
    If the last batch of an epoch may be partial, all others have the pipeline's
    batch size. A step that draws such a batch is cloned, with `.full` appended
    to its name and static shapes; ingot-branch-on-batch-size chooses between the two by
    the size of the batch.

    ```mlir
    // Before: batches have up to 50 rows.
    ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
      %x = ingot.iterator_next @it : tensor<?x4xf32>
      ...
    }
    // After: @step.full is the clone for batches of 50 rows.
    ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
      %x = ingot.iterator_next @it : tensor<?x4xf32>
      ...
    }
    ingot.entry @step.full role(step) feeds [] fetches [] variables [] updates [] attributes {host.full_batch_of = @step} {
      %x = ingot.iterator_next @it : tensor<50x4xf32>
      ...
    }
    ```
  }];
  let statistics = [Statistic<"numCloned", "num-cloned", "Steps cloned for full batches">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def InsertShapeChecksPass : Pass<"ingot-insert-shape-checks", "::mlir::ModuleOp"> {
  let summary = "Insert checks of dynamic shapes";
  let description = [{
    Each op states the shapes that it requires (`ShapeRequirementBuilder.h`). The pass
    drops requirements that follow from types, from shape arithmetic, or from an
    earlier check, and checks the rest as soon as their sizes are known, before
    any side effect. Loop-invariant checks run before the loop.

    ```mlir
    // Before: an addition that fails unless %a has 8 rows, or 1.
    %y = ingot.add %a, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sum")
    // After: a check of the number of rows precedes the addition.
    %n = tensor.dim %a, %c0 : tensor<?x4xf32>
    %0 = arith.cmpi eq, %n, %c8 : index
    %1 = arith.cmpi eq, %n, %c1 : index
    %ok = arith.ori %0, %1 : i1
    ingot.require %ok, "Incompatible shapes: [{},4] vs. [8,4]" (%n) loc("sum")
    %y = ingot.add %a, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sum")
    ```
  }];
  let statistics = [
    Statistic<"numChecks", "num-checks", "Checks inserted">,
    Statistic<"numShared", "num-shared", "Requirements that an earlier check covers">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ingot::IngotDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CheckCompilablePass : Pass<"ingot-check-compilable", "::mlir::ModuleOp"> {
  let summary = "Reject ops and types that cannot be lowered";
  let description = [{
    Reports all errors, not only the first one, at the user's nodes: each tensor
    that an entry computes must have a static shape and an element type that
    code generation supports, and each operand of a dataset must be constant.
    The IR is not changed.

    ```mlir
    // Rejected, with an error at %y's node: the shape of %y is not static.
    %y = ingot.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
}

def MaterializeBroadcastsPass : Pass<"ingot-materialize-broadcasts", "::mlir::ModuleOp"> {
  let summary = "Materialize broadcasts along dynamic dimensions";
  let description = [{
    A dynamic dimension may be 1 at run time, and then broadcasts. Unless an
    operand of an elementwise op provably has the size of the result, an
    explicit broadcast is inserted, so that lowerings can assume equal sizes.
    Gradients of broadcasts (`ingot.sum_to_shape`) become sums over axes if the
    axes are known at compile time.

    ```mlir
    // Before: %a or %b may have size 1 at run time, and then broadcasts.
    %y = ingot.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    // After: each operand is broadcast to the size of the result.
    %0 = ingot.broadcast_against %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %1 = ingot.broadcast_against %b, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %y = ingot.add %0, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let statistics = [
    Statistic<"numBroadcasts", "num-broadcasts", "Operands with an explicit broadcast">,
    Statistic<"numSums", "num-sums", "Sums to a shape expanded">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_SIZE_PASSES_TD
