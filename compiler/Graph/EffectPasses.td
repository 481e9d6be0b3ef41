//===- EffectPasses.td - Iterators and variables ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that order side effects, and promote variables to SSA values.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD
#define INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckInputPipelinesResumablePass : Pass<"ingot-check-input-pipelines-resumable", "::mlir::ModuleOp"> {
  let summary = "Reject input pipelines that cannot resume from a checkpoint";
  let description = [{
    A checkpoint stores the position of each dataset of a pipeline. On resume,
    buffered elements are recomputed from the inputs of the dataset that
    buffered them. The pass rejects

    - dataset functions that assign variables,
    - functions that read a variable which an entry assigns, upstream of a
      dataset that buffers: recomputed elements would see the new value,
    - functions that draw random numbers within an interleave, upstream of a
      dataset that buffers or rereads its input,
    - a shuffle that reshuffles in each epoch and that two datasets read,
    - more datasets, or deeper nesting, than the runtime supports.

    ```mlir
    // Rejected: %2 buffers results of @addV. On resume, they would be computed again, with the
    // value that the step has assigned to @v since.
    %1 = ingot.map_dataset(%0) @addV : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    %2 = ingot.shuffle_dataset(%1, %size, %seed, %seed2) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    // Accepted: the map follows the shuffle.
    %1 = ingot.shuffle_dataset(%0, %size, %seed, %seed2) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
    %2 = ingot.map_dataset(%1) @addV : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
    ```
  }];
}

def HoistIteratorNextAboveAssignmentsPass : Pass<"ingot-hoist-iterator-next-above-assignments", "::mlir::ModuleOp"> {
  let summary = "Schedule iterator_next ops before changes of state";
  let description = [{
    `ingot.iterator_next` may end the step, at the end of the input or on a
    request to stop. A step that ends there must not have assigned any variable
    or changed any lookup table, because its changes would be incomplete. The
    pass moves `iterator_next` ops to the start of an entry, together with the
    predicates of branches that contain one. An assignment that nothing reads
    before a loop or branch with an `iterator_next` moves after that loop or
    branch.

    A loop or branch that contains both an `iterator_next` and assignments is
    not moved; its body is scheduled like an entry, so that each iteration draws
    its element first. Assignments in a loop reach the variables only when the
    loop ends.

    `iterator_next` runs the functions of its pipeline. It never moves across an
    assignment of a variable that one of these functions reads.

    The pass rejects an entry in which an `iterator_next` must follow an
    assignment or a change of a lookup table, a loop that contains both an
    `iterator_next` and such a change, and an entry that writes a checkpoint
    between its first `iterator_next` and its last change of state. Entries that
    initialize, save or restore the program's state are not changed.

    ```mlir
    // Before: an assignment, then the draw of an element.
    ingot.assign @n, %m : tensor<i64>
    %x = ingot.iterator_next @it : tensor<4xf32>
    // After: the element is drawn before the assignment.
    %x = ingot.iterator_next @it : tensor<4xf32>
    ingot.assign @n, %m : tensor<i64>
    ```
  }];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted", "Ops hoisted to draw elements first">,
    Statistic<"numDelayed", "num-delayed", "Assignments moved after drawing elements">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def PromoteVariablesToSSAPass : Pass<"ingot-promote-variables-to-ssa", "::mlir::ModuleOp"> {
  let summary = "Promote variables to arguments and results of entries";
  let description = [{
    Promotes variables as mem2reg promotes memory: after this pass, an entry
    computes on SSA values only. A read after an assignment becomes the assigned
    value, and the value of the last assignment becomes a result of the entry.
    In a dataset's function, the state of random ops becomes the last arguments
    and results. The variables that the function reads become arguments after
    these, and are listed in `ingot.variables_read`.

    ```mlir
    // Before: the entry reads and assigns @w.
    ingot.entry @step role(step) feeds [] fetches [] variables [] updates [] {
      %w = ingot.read @w : tensor<f32>
      %y = ingot.add %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.assign @w, %y : tensor<f32>
      ingot.return
    }
    // After: the value of @w is an argument and a result of the entry.
    ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
    ^bb0(%w: tensor<f32>):
      %y = ingot.add %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.return %y : tensor<f32>
    }
    ```
  }];
  let statistics = [Statistic<"numPromoted", "num-promoted", "Variables promoted, counted for each entry and function">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_EFFECT_PASSES_TD
