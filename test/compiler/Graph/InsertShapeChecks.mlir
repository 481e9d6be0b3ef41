// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-insert-shape-checks -split-input-file | FileCheck %s
// RUN: ingot-opt %s -ingot-insert-shape-checks -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=LEFT

// Static types need no check.
// CHECK-LABEL: ingot.entry @static
// CHECK-NOT: ingot.require
ingot.entry @static role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>):
  %w = ingot.constant dense<1.0> : tensor<8x3xf32>
  %b = ingot.constant dense<1.0> : tensor<3xf32>
  %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = ingot.add %0, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  // CHECK: ingot.return
  ingot.return
}

// -----

// Nor do sizes of one origin, through shape arithmetic.
// CHECK-LABEL: ingot.entry @same
// CHECK-NOT: ingot.require
ingot.entry @same role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x8xf32>):
  %w = ingot.constant dense<1.0> : tensor<8x8xf32>
  %0 = ingot.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %1 = ingot.add %0, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = ingot.constant dense<[-1, 4]> : tensor<2xi32>
  %2 = ingot.reshape %1, %s : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %shape = ingot.shape %x {output_type = i32} : (tensor<?x8xf32>) -> tensor<2xi32>
  %3 = ingot.reshape %2, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  %4 = ingot.mul %3, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: ingot.return
  ingot.return
}

// -----

// One comparison per pair of sizes, before all computation, with the sizes of
// the values that are defined first.
// LEFT-LABEL: ingot.entry @first
// LEFT: ^bb0(%[[X:.*]]: tensor<?x8xf32>, %[[Y:.*]]: tensor<?x8xf32>):
// LEFT-DAG: %[[N:.*]] = tensor.dim %[[X]]
// LEFT-DAG: %[[M:.*]] = tensor.dim %[[Y]]
// LEFT: ingot.require %{{.*}}, "Incompatible shapes: [{},8] vs. [{},8]"(%[[N]], %[[M]])
// LEFT: ingot.relu
// LEFT-NOT: ingot.require
ingot.entry @first role(step) feeds ["x:0", "y:0"] fetches ["a:0", "b:0"] variables [] updates [] {
^bb0(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>):
  %0 = ingot.relu %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = ingot.add %0, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = ingot.mul %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // LEFT: ingot.return
  ingot.return %1, %2 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A variable of four numbers accepts no other number of them.
// CHECK-LABEL: ingot.entry @assigned
// CHECK: ingot.require %{{.*}}, "Trying to assign to variable with tensor with wrong shape. Expected [4] got [{}]"
// CHECK: ingot.assign @v
ingot.variable @v : tensor<4xf32>
ingot.entry @assigned role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>):
  ingot.assign @v, %x : tensor<?xf32>
  ingot.return
}

// -----

// Within a loop only sizes that change are compared; in a branch only if it is
// taken.
// LEFT-LABEL: ingot.entry @nested
// LEFT: arith.ori
// LEFT: %[[OK:.*]] = arith.ori
// LEFT: ingot.while
// LEFT: body
// LEFT-NOT: arith.cmpi
// LEFT: ingot.require %[[OK]]
// LEFT: ingot.if
// LEFT-NOT: arith.cmpi
// LEFT: ingot.require %[[OK]]
ingot.entry @nested role(step) feeds ["a:0", "b:0", "c:0"] fetches [] variables [] updates [] {
^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<i1>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %sum = ingot.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next : tensor<i32>
  }
  %y = ingot.if %c : tensor<i1> -> (tensor<?xf32>) {
    %0 = ingot.mul %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ingot.result %0 : tensor<?xf32>
  } else {
    ingot.result %a : tensor<?xf32>
  }
  ingot.return
}

// -----

// A number that is a size is read where it is defined.
// CHECK-LABEL: ingot.entry @number
// CHECK: %[[K:.*]] = tensor.extract
// CHECK: ingot.require %{{.*}}, "Need k >= 0, got {}"
// CHECK: ingot.require %{{.*}}, "input must have at least k columns. Had 8, needed {}"
// CHECK: ingot.top_k
ingot.entry @number role(step) feeds ["x:0", "k:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %k: tensor<i32>):
  %0:2 = ingot.top_k %x, %k {index_type = i32} : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  ingot.return
}

// -----

// A loop-carried value that keeps its size has the initial one.
// CHECK-LABEL: ingot.entry @kept
// CHECK-NOT: ingot.require
ingot.entry @kept role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %y:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<?x8xf32>) -> (tensor<i32>, tensor<?x8xf32>) test {
  ^bb0(%i: tensor<i32>, %state: tensor<?x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %state: tensor<?x8xf32>):
    %sum = ingot.add %state, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %sum : tensor<i32>, tensor<?x8xf32>
  }
  %z = ingot.mul %y#1, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: ingot.return
  ingot.return
}

// -----

// A loop-carried value that grows does not.
// CHECK-LABEL: ingot.entry @grows
// CHECK: body
// CHECK: ingot.require
// CHECK: ingot.add
ingot.entry @grows role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %y:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) test {
  ^bb0(%i: tensor<i32>, %state: tensor<?xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %state: tensor<?xf32>):
    %sum = ingot.add %state, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %longer = ingot.concat %zero, %sum, %x : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %longer : tensor<i32>, tensor<?xf32>
  }
  ingot.return
}

// -----

// Sizes that have been checked to be equal are one size from then on.
// CHECK-LABEL: ingot.entry @learned
// CHECK: ingot.require %{{.*}}, "Matrix size-incompatible
// CHECK-NOT: ingot.require
ingot.entry @learned role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<4x?xf32>, %y: tensor<?x3xf32>):
  %0 = ingot.matmul %x, %y : (tensor<4x?xf32>, tensor<?x3xf32>) -> tensor<4x3xf32>
  %1 = ingot.matmul %x, %y {transpose_a = false} : (tensor<4x?xf32>, tensor<?x3xf32>) -> tensor<4x3xf32>
  %axes = ingot.constant dense<1> : tensor<1xi32>
  %axis = ingot.constant dense<0> : tensor<1xi32>
  %2 = ingot.sum %y, %axes : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %3 = ingot.sum %x, %axis : (tensor<4x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %4 = ingot.add %2, %3 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: ingot.return
  ingot.return
}

// -----

// Shapes that must be equal: no check for shapes of one origin, for others a
// comparison per dimension.
// CHECK-LABEL: ingot.entry @same_shape
// CHECK-NOT: ingot.require_same_shape
// CHECK: ingot.require %{{.*}}, "shapes [{},8] and [{},8] differ"
// CHECK-NOT: ingot.require
// CHECK: ingot.return
ingot.entry @same_shape role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>):
  %0 = ingot.relu %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  ingot.require_same_shape %0, %x {text = "shapes {} and {} differ"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  ingot.require_same_shape %y, %0 {text = "shapes {} and {} may differ", free = array<i64: -2>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  ingot.require_same_shape %x, %y {text = "shapes {} and {} differ"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
  ingot.return
}

// -----

// For computed shapes, their lengths first.
// CHECK-LABEL: ingot.entry @same_sizes
// CHECK: ingot.require %{{.*}}, "shapes of 2 and {} dimensions must have equal ranks"
// CHECK: %[[B:.*]] = tensor.extract
// CHECK: ingot.require %{{.*}}, "[{},{}] vs. [{},{}]"
// CHECK: ingot.return
ingot.entry @same_sizes role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<2xi32>, %y: tensor<?xi32>):
  ingot.require_same_shape %x, %y {text = "{} vs. {}", free = array<i64: 1>, are_shapes} : (tensor<2xi32>, tensor<?xi32>) -> ()
  ingot.return
}

// -----

// Impossible shapes are rejected, whatever is fed.
// CHECK-LABEL: ingot.entry @other_rank
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: ingot.require %[[NO]], "[{}] vs. [2,2]"
ingot.entry @other_rank role(step) feeds ["x:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>):
  %y = ingot.constant dense<1.0> : tensor<2x2xf32>
  ingot.require_same_shape %x, %y {text = "{} vs. {}"} : (tensor<?xf32>, tensor<2x2xf32>) -> ()
  ingot.return
}

// -----

// A slice ends where its input does: it may have fewer elements than its end says.
// CHECK-LABEL: ingot.entry @clamped_slice
// CHECK: ingot.require %{{.*}}, "shapes {{.*}} differ"
// CHECK: ingot.require %{{.*}}, "a slice of
// CHECK: ingot.return
ingot.entry @clamped_slice role(step) feeds ["x:0", "y:0", "n:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>, %y: tensor<?xf32>, %five: tensor<5xf32>):
  %zero = ingot.constant dense<0> : tensor<1xi32>
  %one = ingot.constant dense<1> : tensor<1xi32>
  %last = ingot.constant dense<5> : tensor<1xi32>
  %end = ingot.shape %y {output_type = i32} : (tensor<?xf32>) -> tensor<1xi32>
  %0 = ingot.strided_slice %x, %zero, %end, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  ingot.require_same_shape %0, %y {text = "shapes [{}] and [{}] differ"} : (tensor<?xf32>, tensor<?xf32>) -> ()
  %1 = ingot.strided_slice %x, %zero, %last, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  ingot.require_same_shape %1, %five {text = "a slice of {} and {} numbers"} : (tensor<?xf32>, tensor<5xf32>) -> ()
  ingot.return
}

// -----

// Which of two sizes is larger depends on the run.
// CHECK-LABEL: ingot.entry @larger_size
// CHECK: ingot.require %{{.*}}, "shapes {{.*}} differ"
// CHECK: ingot.require %{{.*}}, "a diagonal of
// CHECK: ingot.return
ingot.entry @larger_size role(step) feeds ["x:0", "y:0", "m:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xf32>, %y: tensor<?xf32>, %m: tensor<?x?xf32>):
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %rows = ingot.shape %x {output_type = i32} : (tensor<?xf32>) -> tensor<1xi32>
  %columns = ingot.shape %y {output_type = i32} : (tensor<?xf32>) -> tensor<1xi32>
  %larger = ingot.maximum %rows, %columns : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %0 = ingot.fill %larger, %zero : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  ingot.require_same_shape %0, %y {text = "shapes [{}] and [{}] differ"} : (tensor<?xf32>, tensor<?xf32>) -> ()
  %k = ingot.constant dense<0> : tensor<i32>
  %1 = ingot.matrix_diag_part %m, %k, %zero : (tensor<?x?xf32>, tensor<i32>, tensor<f32>) -> tensor<?xf32>
  %2 = ingot.fill %columns, %zero : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  ingot.require_same_shape %1, %2 {text = "a diagonal of {} and {} numbers"} : (tensor<?xf32>, tensor<?xf32>) -> ()
  ingot.return
}
