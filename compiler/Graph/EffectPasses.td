//===- EffectPasses.td - Iterators and variables ----------*- tablegen -*-===//
//
// The order of what has effects, until entries compute on values only.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD
#define INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD

include "mlir/Pass/PassBase.td"

def OrderIteratorsPass : Pass<"ingot-order-iterators", "::mlir::ModuleOp"> {
  let summary = "Lets a step ask for its elements before it does anything else";
  let description = [{
    A request for an element may end the step: the input is over, or the run is
    to stop. Nothing may have been assigned by then. Requests go to the front of
    an entry, with what a branch needs to know whether it asks; an assignment
    that nothing looks at until a loop or branch has asked comes behind that.

    A loop or branch that both asks and assigns is ordered inside: each pass of
    a loop asks first. What loops assign gets into variables when they end.

    Refused is an entry in which a request has to stay behind an assignment, and
    one that writes a checkpoint between its first request and its last
    assignment. Entries that initialize, save or restore are left alone.

    ```mlir
    // Before
    ingot.assign @n, %m : tensor<i64>
    %x = ingot.iterator_next @it : tensor<4xf32>
    // After
    %x = ingot.iterator_next @it : tensor<4xf32>
    ingot.assign @n, %m : tensor<i64>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def PromoteVariablesPass : Pass<"ingot-promote-variables", "::mlir::ModuleOp"> {
  let summary = "Turns reads and writes of variables into arguments and results";
  let description = [{
    Afterwards an entry computes on values only. A read after an assignment
    gets the assigned value; of several assignments the last one counts.
    What random ops of a dataset's function keep becomes its last arguments and
    results.

    ```mlir
    // Before
    ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
      %w = ingot.read @w : tensor<f32>
      %y = ingot.add %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.assign @w, %y : tensor<f32>
      ingot.return
    }
    // After
    ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
    ^bb0(%w: tensor<f32>):
      %y = ingot.add %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.return %y : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD
