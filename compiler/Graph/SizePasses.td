//===- SizePasses.td - What is known of sizes -------------*- tablegen -*-===//
//
// Shapes inferred, batches made static, and what is checked of the rest.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_SIZE_PASSES_TD
#define INGOT_COMPILER_GRAPH_SIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferShapesPass : Pass<"ingot-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Folds shape arithmetic and refines types to what follows from it";
  let description = [{
    Walks every entry, function and pipeline, from operands to results:
    an op that folds is replaced by its constant, any other gets the types
    that its shape function infers, where they say more than those it has. What
    is on TF1's stacks and in its arrays is what all their writes have in common;
    where that says more, the walk is repeated.

    ```mlir
    // Before
    %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
    %0 = ingot.fill %s, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
    // After
    %s = ingot.constant dense<[2, 3]> : tensor<2xi32>
    %0 = ingot.fill %s, %v : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def SpecializeBatchPass : Pass<"ingot-specialize-batch", "::mlir::ModuleOp"> {
  let summary = "Gives elements the batch size that their pipeline guarantees";
  let description = [{
    A batch is never short where remainders are dropped, where the input
    repeats for ever, or where batches divide its tensors evenly; exporters often
    leave its size unknown all the same. What an iterator hands out, and what
    entries take from it, gets the static size.

    ```mlir
    // Before
    %r = ingot.repeat_dataset(%0, %forever) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>) -> !ingot.dataset<tensor<4xf32>>
    %b = ingot.batch_dataset(%r, %fifty, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
    // After
    %b = ingot.batch_dataset(%r, %fifty, %keep) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<50x4xf32>>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def SpecializeFullBatchesPass : Pass<"ingot-specialize-full-batches", "::mlir::ModuleOp"> {
  let summary = "Gives a step a copy for batches that are not short";
  let description = [{
    Where the last batch may be short, all others are as large as the pipeline
    says. A step that takes such a batch gets a copy, named like it with
    `.full` behind, whose sizes are static; which of them runs is decided when
    the batch is there (ingot-join-batches).

    ```mlir
    // Before
    ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
      %x = ingot.iterator_next @it : tensor<?x4xf32>
      ...
    }
    // After
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
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def RequireSizesPass : Pass<"ingot-require-sizes", "::mlir::ModuleOp"> {
  let summary = "Checks sizes that types leave dynamic before anything is computed";
  let description = [{
    Each op says what sizes it requires (`Requirements.h`). What follows from
    types or from how shapes are computed is left out, as is what has been
    checked before; the rest is compared as soon as it is known, in front of all
    that could be changed by then. What does not change within a loop is
    compared in front of it.

    ```mlir
    // Before
    %y = ingot.add %a, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sum")
    // After
    %n = tensor.dim %a, %c0 : tensor<?x4xf32>
    %0 = arith.cmpi eq, %n, %c8 : index
    %1 = arith.cmpi eq, %n, %c1 : index
    %ok = arith.ori %0, %1 : i1
    ingot.require %ok, "Incompatible shapes: [{},4] vs. [8,4]" (%n) loc("sum")
    %y = ingot.add %a, %b : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("sum")
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ingot::IngotDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CheckCompilablePass : Pass<"ingot-check-compilable", "::mlir::ModuleOp"> {
  let summary = "Refuses what later stages could not compile, all at once";
  let description = [{
    The front door's last gate: every tensor that an entry computes must have
    a static shape and an element type that code is generated for, and every
    operand of a dataset must be constant. The IR is not changed.

    ```mlir
    // Before and after; an error at %y's node: its shape is not known
    %y = ingot.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
}

def MaterializeBroadcastsPass : Pass<"ingot-materialize-broadcasts", "::mlir::ModuleOp"> {
  let summary = "Makes broadcasting along dynamic dimensions an op of its own";
  let description = [{
    A dimension that is not known before run time may be 1, and then broadcast.
    Where it is not certain that an operand of an elementwise op is as long as
    the result, the operand is broadcast first; lowerings need not ask. The
    gradients of broadcasts become sums over axes where the axes are certain.

    ```mlir
    // Before: %a and %b come from elsewhere
    %y = ingot.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    // After
    %0 = ingot.broadcast_against %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %1 = ingot.broadcast_against %b, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %y = ingot.add %0, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_SIZE_PASSES_TD
