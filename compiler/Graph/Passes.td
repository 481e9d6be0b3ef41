//===- Passes.td - Passes on the graph dialect -*- tablegen -*-===//
//
// From the program as imported to values, static shapes and fusions.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PASSES_TD
#define INGOT_COMPILER_GRAPH_PASSES_TD

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

def AddTrainingPass : Pass<"ingot-add-training", "::mlir::ModuleOp"> {
  let summary = "Makes a trainer of a graph that predicts";
  let description = [{
    Of the entry that gives the loss a copy becomes the step: it also moves each
    variable that the loss depends on along its gradient, as the optimizer
    does (OptimizerFlag.h). Of several numbers the mean is the loss. Where the
    graph says which variables are trainable, others stay as they are. Slots and
    `global_step` are called as TensorFlow 1 calls them; they get first values,
    and places in checkpoints.

    ```mlir
    // Before
    ingot.entry @main role(predict) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
    ^bb0(%x: tensor<f32>):
      %w = ingot.read @w : tensor<f32>
      %0 = ingot.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.return %0 : tensor<f32>
    }
    // After, with loss=loss optimizer=sgd:0.1, also
    ingot.entry @step role(step) feeds ["x:0"] fetches ["loss:0"] variables [] updates [] {
    ^bb0(%x: tensor<f32>):
      %w = ingot.read @w : tensor<f32>
      %0 = ingot.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %rate = ingot.constant dense<0.1> : tensor<f32>
      %w1 = ingot.apply_gradient_descent %w, %rate, %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
      ingot.assign @w, %w1 : tensor<f32>
      ingot.return %0 : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"", "what is minimized, a fetch of an entry">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"", "NAME:RATE,KEY=VALUE">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def DifferentiatePass : Pass<"ingot-differentiate", "::mlir::ModuleOp"> {
  let summary = "Puts the arithmetic of derivatives in the place of `ingot.gradients`";
  let description = [{
    From the outputs back to the inputs each op says what the gradients of its
    results make of those of its operands (`<Family>Gradients.cpp`); where a
    value is used several times they are added up. Shapes that are not static
    are read when the program runs. An op on the way that has no gradient is
    an error, at its node.

    ```mlir
    // Before
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %dx = ingot.gradients of(%y) by(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // After
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %ones = ingot.constant dense<1.0> : tensor<4xf32>
    %dx = ingot.relu_grad %ones, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
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

def ForwardItemsPass : Pass<"ingot-forward-items", "::mlir::ModuleOp"> {
  let summary = "Takes for a constant what is taken from a list of nothing else";
  let description = [{
    What a loop's gradient asks for of each iteration the loop pushes onto lists,
    shapes of what is broadcast among it. Where all that is ever put into a list
    is one constant, what is popped is that, and sizes that follow from it are
    known. Types are inferred before and behind, where a program has such lists.

    ```mlir
    // Before
    %n = ingot.while(%empty) : (tensor<!ingot.variant, none>) -> tensor<!ingot.variant, tensor<2xi32>> test {
      ...
    } body {
    ^bb0(%l: tensor<!ingot.variant, tensor<2xi32>>):
      %m = ingot.tensor_list_push_back %l, %shape : (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<2xi32>>
      ingot.result %m : tensor<!ingot.variant, tensor<2xi32>>
    }
    %m, %x = ingot.tensor_list_pop_back %n, %any {element_type = i32} : (tensor<!ingot.variant, tensor<2xi32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<2xi32>>, tensor<2xi32>)
    %y = ingot.fill %x, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
    // After
    %y = ingot.fill %shape, %v : (tensor<2xi32>, tensor<f32>) -> tensor<4x8xf32>
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

def HoistChecksPass : Pass<"ingot-hoist-checks", "::mlir::ModuleOp"> {
  let summary = "Checks values that a loop does not change once, in front of it";
  let description = [{
    A check of values reads them all. One that asks the same in each iteration of
    a loop is asked before the first; where the loop has none, its test says so
    and nothing is checked.

    ```mlir
    // Before
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
    // After
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
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def AddUpPartsPass : Pass<"ingot-add-up-parts", "::mlir::ModuleOp"> {
  let summary = "Adds up a part of a tensor before it is put into zeros, and not after";
  let description = [{
    The gradient of a slice is zero but for the slice. Where a loop adds such
    gradients of a weight to a sum, in each iteration, it adds up the parts
    instead, of which each is a product's sum that stays in place; behind the
    loop they are put where they belong. Each element is added up in the same
    order where the sum begins with zeros and its parts do not overlap.

    ```mlir
    // Before
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>):
      %u = ingot.strided_slice_update %zeros, %b, %e, %s, %part : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
      %n = ingot.add_n %sum, %u : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // After
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>, %own: tensor<4x2xf32>):
      %n = ingot.add_n %own, %part : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def HoistInvariantsPass : Pass<"ingot-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "Computes what a loop does not change once, in front of it";
  let description = [{
    Products, elementwise ops and rearrangements of floats, of sizes that are
    known: they cannot fail where the loop turns out to have no iteration. What
    would be larger than all that it is computed from stays, and so does what a
    branch may not need.

    ```mlir
    // Before
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
    // After
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
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ListsToRowsPass : Pass<"ingot-lists-to-rows", "::mlir::ModuleOp"> {
  let summary = "Makes lists of counted loops tensors with a row an iteration";
  let description = [{
    A loop that runs a known number of times puts one element into a list in each
    iteration, and its gradient takes them out, the last one first. Where each lies is
    known: it is a row of a tensor. A list that such a loop fills and that is stacked
    behind it is that tensor, elements of a list of a tensor's rows are these rows. What
    a loop has not computed itself is not kept: its counter, a row of its input, what
    was there before it. Rows are multiples of `bytes-of-row`, so that
    each begins where a kernel expects a tensor to; elements of other sizes, and of
    sizes that are not known, stay in lists.

    ```mlir
    // Before
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
    // After
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
    Option<"bytesOfRow", "bytes-of-row", "int64_t", /*default=*/"64", "what rows are a multiple of">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def NarrowProductsPass : Pass<"ingot-narrow-products", "::mlir::ModuleOp"> {
  let summary = "Computes of a product only the slice that is used";
  let description = [{
    A recurrent cell multiplies its input and its state by one matrix, side by
    side; where nobody asks for the input's gradient, a part of the gradient's
    columns is cut off as soon as they are there. Rows of the first operand, or
    columns of the second, are cut out instead, unless to copy these takes
    longer than what is saved; in front of a loop that does not change them it
    costs next to nothing.

    ```mlir
    // Before
    %c = ingot.matmul %a, %b : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
    %s = ingot.slice %c, %begin, %size : (tensor<64x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<64x4xf32>
    // After
    %t = ingot.slice %b, %first, %count : (tensor<8x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x4xf32>
    %s = ingot.matmul %a, %t : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
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

def ExpandEinsumsPass : Pass<"ingot-expand-einsums", "::mlir::ModuleOp"> {
  let summary = "Makes an einsum without a batch a product of two matrices";
  let description = [{
    What both operands have, and the result lacks, is summed over; what one of
    them has are rows, or columns. Several dimensions of one kind are one
    dimension of a matrix, in another shape of the same memory where they stand
    behind each other, and after a transpose where they do not. Such a product
    is tiled, and takes along what follows, like any other. An einsum whose
    operands and result share a dimension is a batch of products, and stays.

    ```mlir
    // Before
    %y = ingot.einsum "abc,cde->abde"(%x, %w) : (tensor<32x64x128xf32>, tensor<128x4x32xf32>) -> tensor<32x64x4x32xf32>
    // After
    %0 = ingot.reshape %x, %s : (tensor<32x64x128xf32>, tensor<2xi64>) -> tensor<2048x128xf32>
    %1 = ingot.reshape %w, %t : (tensor<128x4x32xf32>, tensor<2xi64>) -> tensor<128x128xf32>
    %2 = ingot.matmul %0, %1 : (tensor<2048x128xf32>, tensor<128x128xf32>) -> tensor<2048x128xf32>
    %y = ingot.reshape %2, %u : (tensor<2048x128xf32>, tensor<4xi64>) -> tensor<32x64x4x32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
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

def DropUnusedStatePass : Pass<"ingot-drop-unused-state", "::mlir::ModuleOp"> {
  let summary = "Takes state out of loops that nobody asks for";
  let description = [{
    What a loop computes from step to step for itself only, of which neither its
    test nor what stands behind it sees anything: the gradients of a recurrent
    network's input, say, which TensorFlow's loops of gradients collect in lists.
    What the body does besides computing values stays.

    ```mlir
    // Before
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
    // After, where %0#1 is not used
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

def ComputeOnMatricesPass : Pass<"ingot-compute-on-matrices", "::mlir::ModuleOp"> {
  let summary = "Computes elementwise ops of a product on its matrix, in front of a reshape";
  let description = [{
    A dense layer of a tensor of rank 3 is a product of matrices whose result
    gets the tensor's shape, and then a bias and an activation, behind which the
    next layer makes a matrix of it again. What is computed element by element
    is computed on the matrix, where the product can take it along; operands of
    the whole shape are reshaped, and numbers and vectors along the columns stay
    as they are. Small tensors share a kernel as they are.

    ```mlir
    // Before
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.reshape %p, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    %s = ingot.bias_add %q, %b : (tensor<8x64x256xf32>, tensor<256xf32>) -> tensor<8x64x256xf32>
    // After
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.bias_add %p, %b : (tensor<512x256xf32>, tensor<256xf32>) -> tensor<512x256xf32>
    %s = ingot.reshape %q, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    ```
  }];
  let options = [
    Option<"minElements", "min-elements", "int64_t", "16 * 1024",
           "Tensors of up to this many elements stay as they are">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def FormFusionsPass : Pass<"ingot-form-fusions", "::mlir::ModuleOp"> {
  let summary = "Groups the ops of each entry into kernels";
  let description = [{
    A matrix product takes along the elementwise ops that consume it (bias,
    activation, the optimizer's update), and the patches that only it reads; small reductions and elementwise ops
    that depend on each other become one kernel, and random numbers of a known
    count are drawn in the loops that use them; losses of which only the sum is
    asked for stay apart, so that they may run side by side, and so do losses and
    predictions of networks beside each other: they are the same code then,
    which is compiled once (`TwinOps`). What several kernels need of a large
    tensor that is in memory anyway, and is a short function of, each of them
    computes itself (`Recomputation`): two functions take less time than to
    write their result and to read it again. Groups are named after their nodes, and
    brought into an order that respects data and side effects. What updates a
    variable in place stands behind all that may end the run.

    ```mlir
    // Before
    %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("h/MatMul")
    %1 = ingot.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("h/Relu")
    // After
    %1 = ingot.fusion "fused_h_MatMul_Relu" -> tensor<4x2xf32> {
      %2 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %3 = ingot.relu %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
      ingot.return %3 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "16 * 1024",
           "Ops on tensors of up to this many elements share a kernel">,
    Option<"maxOps", "max-ops", "unsigned", "48", "Ops in such a kernel at the most">,
    Option<"fusesIntoProducts", "fuses-into-products", "bool", "true",
           "Products take along what consumes their tiles">,
    Option<"fusesRowUpdates", "fuses-row-updates", "bool", "false",
           "Updates of rows take along what is computed of all rows">,
    Option<"transposesRows", "transposes-rows", "bool", "false",
           "Normalizations of rows take along transposes on both sides">,
    Option<"maxPatchDepth", "max-patch-depth", "int64_t", "0",
           "Products make patches of so many elements themselves (ingot-read-patches)">,
    Option<"minRecomputed", "min-recomputed", "int64_t", "16 * 1024",
           "Tensors of so many elements are read rather than computed again">,
    Option<"largeRecomputed", "large-recomputed", "int64_t", "128 * 1024",
           "Of tensors of so many elements long functions are computed again">,
    Option<"shortFunction", "short-function", "int64_t", "4",
           "Multiplications that take no longer than to read a number">,
    Option<"longFunction", "long-function", "int64_t", "40",
           "And to read one of a large tensor">,
    Option<"patchesOfUnknownSizes", "patches-of-unknown-sizes", "bool", "false",
           "Patches of images of unknown height and width, too">,
    Option<"sharesUnknownSizes", "shares-unknown-sizes", "bool", "true",
           "Tensors of sizes that are not known count as small">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_PASSES_TD
