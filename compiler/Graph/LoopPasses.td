//===- LoopPasses.td - Loops, their TensorLists and state --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes on loops: hoisting of loop invariants, removal of dead loop-carried
// values, and replacement of TensorLists by stacked tensors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_LOOP_PASSES_TD
#define INGOT_COMPILER_GRAPH_LOOP_PASSES_TD

include "codegen/PolicyOption.td"

def ForwardTensorListConstantsPass : Pass<"ingot-forward-tensor-list-constants", "::mlir::ModuleOp"> {
  let summary = "Forward a constant pushed to a TensorList to its pops";
  let description = [{
    A loop pushes the intermediate values that its gradient needs onto
    TensorLists, shapes of broadcast operands among them. If every push onto a
    list pushes the same constant, each pop is that constant, and shapes that
    depend on it become static. If a program has such lists, the pass infers
    shapes before and after it forwards the constants.

    ```mlir
    // Before: each iteration pushes %shape, a constant; %x is popped.
    %n = ingot.while(%empty) : (tensor<!ingot.variant, none>) -> tensor<!ingot.variant, tensor<2xi32>> test {
      ...
    } body {
    ^bb0(%l: tensor<!ingot.variant, tensor<2xi32>>):
      %m = ingot.tensor_list_push_back %l, %shape : (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<2xi32>>
      ingot.result %m : tensor<!ingot.variant, tensor<2xi32>>
    }
    %m, %x = ingot.tensor_list_pop_back %n, %any {element_type = i32} : (tensor<!ingot.variant, tensor<2xi32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>)
    %y = ingot.fill %x, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
    // After: the constant replaces the popped value %x.
    %y = ingot.fill %shape, %v : (tensor<2xi32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let statistics = [Statistic<"numForwarded", "num-forwarded", "Pops replaced by a constant">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def HoistLoopInvariantChecksPass : Pass<"ingot-hoist-loop-invariant-checks", "::mlir::ModuleOp"> {
  let summary = "Hoist loop-invariant value checks";
  let description = [{
    A value check reads every element of its operand. A check whose operands are
    loop-invariant runs once before the loop, guarded by the loop's condition on
    the initial state: if the loop has no iterations, the check does not run.

    ```mlir
    // Before: a check of %y, a loop invariant, in the body.
    %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
      %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %next : tensor<i32>
    }
    // After: the check runs before the loop, if the loop has an iteration.
    %runs = ingot.less %zero, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.if %runs : tensor<i1> {
      ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
      ingot.result
    } else {
      ingot.result
    }
    %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %next : tensor<i32>
    }
    ```
  }];
  let statistics = [Statistic<"numHoisted", "num-hoisted", "Checks hoisted out of a loop">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DropDeadLoopStatePass : Pass<"ingot-drop-dead-loop-state", "::mlir::ModuleOp"> {
  let summary = "Drop dead loop-carried state";
  let description = [{
    Drops loop-carried values on which neither the loop's condition, nor a live
    loop-carried value, nor a use of the loop's results depends: for example
    the gradients of a recurrent network's input, which TensorFlow's gradient
    loops collect in TensorLists. Side effects of the body stay.

    ```mlir
    // Before: a loop with two results, of which %0#1 is not used.
    %0:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) test {
    ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
      %c = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
      %1 = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = ingot.neg %y : (tensor<4xf32>) -> tensor<4xf32>
      ingot.result %1, %2 : tensor<i32>, tensor<4xf32>
    }
    // After: %0#1 is dropped, with the op that computes it.
    %0 = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      %1 = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %1 : tensor<i32>
    }
    ```
  }];
  let statistics = [Statistic<"numDropped", "num-dropped", "Loop-carried values dropped">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ForwardStackedInvariantsPass : Pass<"ingot-forward-stacked-invariants", "::mlir::ModuleOp"> {
  let summary = "Forward loop invariants past stacks";
  let description = [{
    A loop of TensorFlow 1 pushes the values that its gradient needs on stacks,
    weights that it reads in each iteration among them. If each iteration of the
    loop pushes the same value, so that each pop returns it, this value replaces
    the pops, and the stack is erased. One stack of a pair of loops is kept: it
    fails where the gradient's loop has more iterations than the loop.

    ```mlir
    // Before: each iteration pushes %weights, which no iteration changes.
    %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<8x8xf32>>
    %n = ingot.while(%zero) ... {
      ingot.stack_push %s, %weights : (tensor<!ingot.variant, tensor<8x8xf32>>, tensor<8x8xf32>) -> ()
    %m = ingot.while(%n) ... {
      %w = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<8x8xf32>>) -> tensor<8x8xf32>
      %y = ingot.matmul %x, %w ...
    // After: there is no stack.
    %m = ingot.while(%n) ... {
      %y = ingot.matmul %x, %weights ...
    ```
  }];
  let statistics = [Statistic<"numForwarded", "num-forwarded", "Stacks erased">];
}

def NormalizeLoopCountersPass : Pass<"ingot-normalize-loop-counters", "::mlir::ModuleOp"> {
  let summary = "Make loops that count down count up";
  let description = [{
    The gradient of a loop of TensorFlow 1 starts with the number of the loop's
    iterations and counts down to zero. Where this number is known at compile
    time, or a bound of it, the gradient's loop counts up instead, so that other
    passes find its trip count.

    A loop with as many iterations as an earlier one, of which only a bound is
    known, gets a reverse counter: an index that starts with the trip count less
    one and counts down.

    ```mlir
    // Before
    %m = ingot.while(%five) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.greater_equal %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      %j = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %j : tensor<i32>
    }
    // After; what else used %i uses %five - %i.
    %m = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%i: tensor<i32>):
      %c = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>):
      %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %j : tensor<i32>
    }
    ```
  }];
  let statistics = [Statistic<"numNormalized", "num-normalized", "Loops that count up">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ReplaceArraysByListsPass : Pass<"ingot-replace-arrays-by-lists", "::mlir::ModuleOp"> {
  let summary = "Replace TensorArrays of counted loops by TensorLists";
  let description = [{
    A TensorArray is an object that ops change in order. It becomes a list, a
    value, if all its elements are written once, by one scatter or by a write in
    each iteration of a counted loop, and then read once, by one gather or by a
    read in each iteration; and likewise the arrays of its gradients. So no op
    on the array can fail, and no gradients are added up. The elements' type must
    be static.

    A loop of which only a bound of the trip count is known, as many iterations
    as there are elements, may leave the last ones. They are zeros in the array
    and in the list, if the array states the shape of elements or one of them is
    written.

    ```mlir
    // Before
    %a = ingot.tensor_array %five {element_type = f32, ...} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %n = ingot.while(%zero) ... {
      ingot.tensor_array_write %a, %i, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    %y = ingot.tensor_array_gather %a, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
    // After
    %r = ingot.tensor_list_reserve %any, %five {element_type = f32} : (tensor<i32>, tensor<i32>) -> tensor<!ingot.variant, none>
    %n:2 = ingot.while(%zero, %r) ... {
      %m = ingot.tensor_list_set_item %l, %i, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %y = ingot.tensor_list_stack %n#1, %any {element_type = f32, num_elements = 5 : i64} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<5x16xf32>
    ```
  }];
  let statistics = [Statistic<"numReplaced", "num-replaced", "TensorArrays replaced">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ReplaceStacksByListsPass : Pass<"ingot-replace-stacks-by-lists", "::mlir::ModuleOp"> {
  let summary = "Replace stacks between counted loops by TensorLists";
  let description = [{
    A stack is an object that ops change in order. It becomes a list, a value, if
    each iteration of a counted loop pushes one element, and each iteration of a
    later one, with as many iterations, pops one. So no pop can fail. Of their
    number only a bound need be known at compile time.

    ```mlir
    // Before
    %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<16xf32>>
    %n = ingot.while(%zero) ... {
      ingot.stack_push %s, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> ()
    %m = ingot.while(%zero) ... {
      %y = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<16xf32>
    // After
    %e = ingot.tensor_list_empty %any, %any {element_type = f32} : (tensor<i32>, tensor<i32>) -> tensor<!ingot.variant, none>
    %n:2 = ingot.while(%zero, %e) ... {
      %p = ingot.tensor_list_push_back %l, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %m:2 = ingot.while(%zero, %n#1) ... {
      %q, %y = ingot.tensor_list_pop_back %l, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    ```
  }];
  let statistics = [Statistic<"numReplaced", "num-replaced", "Stacks replaced">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def StackTensorListsPass : Pass<"ingot-stack-tensor-lists", "::mlir::ModuleOp"> {
  let summary = "Replace TensorLists in counted loops by stacked tensors";
  let description = [{
    A loop of constant trip count pushes one element onto a TensorList in each
    iteration, and its gradient loop pops them in reverse order. The position of
    each element is known, so the list becomes a tensor with one row per
    iteration. If the loop fills a list that is stacked after the loop, this
    tensor is also the stacked result; if a list was made of the rows of a
    tensor, reads of its elements become reads of these rows. If an iteration
    adds several elements at one position to the list, their sum is written; if
    an iteration adds elements at several positions, the list is kept. Values
    that the gradient loop can recompute are not stored: the loop counter, a row
    of the loop's input, loop invariants, booleans computed from these.

    If only a bound of the trip count is known, as in a recurrent network on
    sequences of different lengths, there is a row for each iteration that the
    loop may have, as far as the rows of one loop take `max-bytes`. Rows that no
    iteration writes are zeros where an op reads all rows, as TensorFlow has it.
    The gradient's loop reads rows by its reverse counter
    (`ingot-normalize-loop-counters`).

    The size of a row must be a multiple of `bytes-of-list-rows`, the alignment that
    kernels expect of a tensor. Elements of other or dynamic sizes stay in
    lists.

    ```mlir
    // Before: each of five iterations pushes %x to the list %l.
    %f:2 = ingot.while(%zero, %empty) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) test {
    ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
      %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %less : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
      ...
      %m = ingot.tensor_list_push_back %l, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
      ingot.result %j, %m : tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>
    }
    // After: the list is a tensor; iteration %i writes %x to row %i.
    %empty = ingot.rows_empty : tensor<5x16xf32>
    %f:2 = ingot.while(%zero, %empty) : (tensor<i32>, tensor<5x16xf32>) -> (tensor<i32>, tensor<5x16xf32>) test {
    ^bb0(%i: tensor<i32>, %l: tensor<5x16xf32>):
      %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %less : tensor<i1>
    } body {
    ^bb0(%i: tensor<i32>, %l: tensor<5x16xf32>):
      ...
      %m = ingot.rows_set %l, %i, %x : (tensor<5x16xf32>, tensor<i32>, tensor<16xf32>) -> tensor<5x16xf32>
      ingot.result %j, %m : tensor<i32>, tensor<5x16xf32>
    }
    ```

    and in the gradient's loop `%k` is

    ```mlir
    %x = ingot.rows_get %f#1, %k {from_end} : (tensor<5x16xf32>, tensor<i32>) -> tensor<16xf32>
    ```
  }];
  let options = [
    Ingot_PolicyOption,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 * 1024 * 1024", "Memory budget, in bytes, of tensors in a loop whose trip count is only bounded">
  ];
  let statistics = [Statistic<"numLists", "num-lists", "TensorLists replaced">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def AccumulateGradientsBeforePaddingPass : Pass<"ingot-accumulate-gradients-before-padding", "::mlir::ModuleOp"> {
  let summary = "Accumulate gradients of slices before padding them with zeros";
  let description = [{
    The gradient of a slice is the slice's gradient padded with zeros. If a loop
    accumulates such gradients of a weight, the pass accumulates the unpadded
    slices in each iteration, so that a matmul can accumulate in place, and pads
    the sums after the loop. The order of additions of each element is
    unchanged, as the sum starts with zeros and the slices do not overlap.
    Slices that tile a tensor along one axis are concatenated instead of
    padded and added.

    ```mlir
    // Before: an iteration pads %part and adds it to the sum %sum.
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>):
      %u = ingot.strided_slice_update %zeros, %b, %e, %s, %part : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
      %n = ingot.add_n %sum, %u : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // After: it adds %part to %own, which is padded after the loop.
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>, %own: tensor<4x2xf32>):
      %n = ingot.add_n %own, %part : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    // Before: %p and %q tile the sum; each is padded, and both are added.
    %u = ingot.strided_slice_update %zeros, %b, %c, %s, %p : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8xf32>
    %v = ingot.strided_slice_update %zeros, %c, %e, %s, %q : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<5xf32>) -> tensor<8xf32>
    %n = ingot.add_n %u, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // After: %p and %q are concatenated.
    %n = ingot.concat %axis, %p, %q : (tensor<i32>, tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numAccumulated", "num-accumulated", "Slices accumulated without padding">,
    Statistic<"numConcatenated", "num-concatenated", "Sums of slices replaced by a concatenation">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def HoistLoopInvariantsPass : Pass<"ingot-hoist-loop-invariants", "::mlir::ModuleOp"> {
  let summary = "Hoist loop-invariant ops (LICM)";
  let description = [{
    Hoists matmuls, elementwise ops and rearrangements of floats with static
    shapes: these cannot fail, so a loop without iterations stays correct. An op
    whose result is larger than all its operands together is not hoisted,
    because the result would be kept in memory for the whole loop. Neither are
    ops in branches, which may not run.

    ```mlir
    // Before: %w, a loop invariant, is transposed in the body.
    %n = ingot.while(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> test {
    ^bb0(%y: tensor<4x8xf32>):
      %c = ingot.read @more : tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%y: tensor<4x8xf32>):
      %t = ingot.transpose %w, %p : (tensor<8x8xf32>, tensor<2xi32>) -> tensor<8x8xf32>
      %z = ingot.matmul %y, %t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      ingot.result %z : tensor<4x8xf32>
    }
    // After: the transpose is before the loop.
    %t = ingot.transpose %w, %p : (tensor<8x8xf32>, tensor<2xi32>) -> tensor<8x8xf32>
    %n = ingot.while(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> test {
    ^bb0(%y: tensor<4x8xf32>):
      %c = ingot.read @more : tensor<i1>
      ingot.condition %c : tensor<i1>
    } body {
    ^bb0(%y: tensor<4x8xf32>):
      %z = ingot.matmul %y, %t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      ingot.result %z : tensor<4x8xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numHoisted", "num-hoisted", "Ops hoisted out of a loop">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def BatchMatmulsAcrossIterationsPass : Pass<"ingot-batch-matmuls-across-iterations", "::mlir::ModuleOp"> {
  let summary = "Batch matmuls of a constant-trip loop across its iterations";
  let description = [{
    If each iteration of a loop of constant trip count multiplies a row of a
    stacked tensor by a loop-invariant matrix (and adds a bias), one matmul of
    all rows before the loop replaces these matmuls.

    After the loop, one op on the rows of all iterations replaces

    - a sum of outer products, or of rows, over all iterations,
    - matmuls whose results the loop only writes to the rows of a stacked
      tensor.

    Operands that the loop computes are stacked for the matmul after the loop,
    in the row order of the operand that is stacked already.

    Each element of a matmul before the loop, or of stacked rows, is computed by
    the same sum as without the pass. A sum over all iterations is computed in
    another order: as one sum over all rows, from the first to the last, instead
    of a sum of partial sums.

    ```mlir
    // Before: each iteration adds a matmul of %x and %d to %s.
    %g:2 = ingot.while(%zero, %zeros) : (tensor<i32>, tensor<8x4xf32>) -> (tensor<i32>, tensor<8x4xf32>) test {
      ...
    } body {
    ^bb0(%k: tensor<i32>, %s: tensor<8x4xf32>):
      %x = ingot.rows_get %r, %k {from_end} : (tensor<5x16x8xf32>, tensor<i32>) -> tensor<16x8xf32>
      ...
      %p = ingot.matmul %x, %d {transpose_a = true} : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %t = ingot.add_n %s, %p : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
      ingot.result %next, %t : tensor<i32>, tensor<8x4xf32>
    }
    // After: iterations stack %d; one matmul after the loop replaces the sum.
    %room = ingot.rows_empty : tensor<5x16x4xf32>
    %g:2 = ingot.while(%zero, %room) : (tensor<i32>, tensor<5x16x4xf32>) -> (tensor<i32>, tensor<5x16x4xf32>) test {
      ...
    } body {
    ^bb0(%k: tensor<i32>, %e: tensor<5x16x4xf32>):
      ...
      %t = ingot.rows_set %e, %k, %d {from_end} : (tensor<5x16x4xf32>, tensor<i32>, tensor<16x4xf32>) -> tensor<5x16x4xf32>
      ingot.result %next, %t : tensor<i32>, tensor<5x16x4xf32>
    }
    %a = ingot.reshape %r, %n : (tensor<5x16x8xf32>, tensor<2xi64>) -> tensor<80x8xf32>
    %b = ingot.reshape %g#1, %m : (tensor<5x16x4xf32>, tensor<2xi64>) -> tensor<80x4xf32>
    %s = ingot.matmul %a, %b {transpose_a = true} : (tensor<80x8xf32>, tensor<80x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let options = [
    Ingot_PolicyOption,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 * 1024 * 1024", "Memory budget, in bytes, of a matmul before a loop, and of all rows stacked for matmuls after it">
  ];
  let statistics = [
    Statistic<"numBefore", "num-before", "Matmuls batched before a loop">,
    Statistic<"numAfter", "num-after", "Sums and stacks of matmuls batched after a loop">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_LOOP_PASSES_TD
