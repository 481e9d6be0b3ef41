//===- EffectPasses.td - Iterators and variables ----------*- tablegen -*-===//
//
// The order of what has effects, until entries compute on values only.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD
#define INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckPipelinesPass : Pass<"ingot-check-pipelines", "::mlir::ModuleOp"> {
  let summary = "Refuses pipelines that no run could go on with";
  let description = [{
    A saved run keeps of a pipeline where each dataset stands, and makes the
    elements that they hold again from their inputs. Refused are

    - functions of datasets that assign variables,
    - functions that read a variable which an entry assigns, below a dataset
      whose elements would be made again: they would be others by then,
    - functions that draw random numbers within an interleave, below a dataset
      that reads ahead or again,
    - a shuffle that reshuffles and has two consumers,
    - more datasets, or deeper ones, than the runtime takes.

    ```mlir
    // Refused: @addV reads @v, and the step assigns it.
    %1 = ingot.map_dataset(%0) @addV : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    %2 = ingot.shuffle_dataset(%1, %size, %seed, %seed2) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    // Accepted: the map stands after the shuffle.
    %1 = ingot.shuffle_dataset(%0, %size, %seed, %seed2) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    %2 = ingot.map_dataset(%1) @addV : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
}

def OrderIteratorsPass : Pass<"ingot-order-iterators", "::mlir::ModuleOp"> {
  let summary = "Lets a step ask for its elements before it does anything else";
  let description = [{
    A request for an element may end the step: the input is over, or the run is
    to stop. Nothing may have been assigned by then. Requests go to the front of
    an entry, with what a branch needs to know whether it asks; an assignment
    that nothing looks at until a loop or branch has asked comes behind that.

    A loop or branch that both asks and assigns is ordered inside: each pass of
    a loop asks first. What loops assign gets into variables when they end.

    A request reads the variables that functions of its pipeline read: it stays
    on its side of their assignments.

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
    results; the variables that it reads become arguments after those, which
    `ingot.variables_read` names.

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
