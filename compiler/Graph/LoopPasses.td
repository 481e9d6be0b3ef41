//===- LoopPasses.td - Loops, their lists and what they keep -*- tablegen -*-===//
//
// What a loop computes, checks and keeps, and what it need not.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_LOOP_PASSES_TD
#define INGOT_COMPILER_GRAPH_LOOP_PASSES_TD

include "mlir/Pass/PassBase.td"

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

def AddUpPartsPass : Pass<"ingot-add-up-parts", "::mlir::ModuleOp"> {
  let summary = "Adds up a part of a tensor before it is put into zeros, and not after";
  let description = [{
    The gradient of a slice is zero but for the slice. Where a loop adds such
    gradients of a weight to a sum, in each iteration, it adds up the parts
    instead, of which each is a product's sum that stays in place; behind the
    loop they are put where they belong. Each element is added up in the same
    order where the sum begins with zeros and its parts do not overlap. Parts that
    fill a tensor, one behind the other along an axis, are joined and not added up.

    ```mlir
    // Before
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>):
      %u = ingot.strided_slice_update %zeros, %b, %e, %s, %part : (tensor<4x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4x2xf32>) -> tensor<4x8xf32>
      %n = ingot.add_n %sum, %u : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // After
    ^bb0(%i: tensor<i32>, %sum: tensor<4x8xf32>, %own: tensor<4x2xf32>):
      %n = ingot.add_n %own, %part : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    // Before
    %u = ingot.strided_slice_update %zeros, %b, %c, %s, %p : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8xf32>
    %v = ingot.strided_slice_update %zeros, %c, %e, %s, %q : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<5xf32>) -> tensor<8xf32>
    %n = ingot.add_n %u, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // After
    %n = ingot.concat %axis, %p, %q : (tensor<i32>, tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
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

def HoistProductsPass : Pass<"ingot-hoist-products", "::mlir::ModuleOp"> {
  let summary = "Multiplies the rows of all of a loop's iterations at once";
  let description = [{
    In front of a loop that runs a known number of times, a product of the iteration's
    row of a tensor with a matrix that the loop does not change, and a bias; behind it, a sum over
    all iterations of outer products, or of rows, and rows of products that nothing else
    in the loop reads. What is read behind the loop and computed in it becomes rows, in
    the order of those that are there already.

    Each number of a product in front of the loop, or of rows, is the sum that it was. A
    sum over all iterations is one sum over all rows, first to last, and not a sum of
    sums.

    ```mlir
    // Before
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
    // After
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
    Option<"bytesOfRow", "bytes-of-row", "int64_t", /*default=*/"64", "what rows are a multiple of">,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"256 * 1024 * 1024", "how much memory rows may take, of a product in front of a loop, or of all that products behind it read">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_LOOP_PASSES_TD
