// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-hoist-loop-invariant-checks -split-input-file | FileCheck %s

// A check of the same values in each iteration runs once, if there is an
// iteration; its operands are computed there.
// CHECK-LABEL: ingot.entry @same
// CHECK: %[[RUNS:.*]] = ingot.less %[[ZERO:.*]], %[[TEN:.*]] :
// CHECK: ingot.if %[[RUNS]]
// CHECK-NEXT: ingot.require_numbers %[[Y:.*]] {kind = "divisor"}
// CHECK-NEXT: %[[SHAPE:.*]] = ingot.shape
// CHECK-NEXT: ingot.require_indices %[[Y]], %[[SHAPE]] {kind = "gather"}
// CHECK-NEXT: ingot.result
// CHECK: ingot.while(%[[ZERO]])
// CHECK: body
// CHECK-NOT: ingot.require_numbers %[[Y]]
// CHECK-NOT: ingot.require_indices
// CHECK: ingot.require_numbers %{{.*}} {kind = "exponent"}
ingot.entry @same role(step) feeds ["y:0", "x:0"] fetches [] variables [] updates [] {
^bb0(%y: tensor<4xi32>, %x: tensor<?xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
    %shape = ingot.shape %x {output_type = i64} : (tensor<?xf32>) -> tensor<1xi64>
    ingot.require_indices %y, %shape {kind = "gather"} : (tensor<4xi32>, tensor<1xi64>) -> ()
    ingot.require_numbers %i {kind = "exponent"} : (tensor<i32>) -> ()
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next : tensor<i32>
  }
  ingot.return
}

// -----

// The condition runs at least once; a check leaves two loops, too.
// CHECK-LABEL: ingot.entry @test
// CHECK: ingot.require_order
// CHECK: ingot.while
// CHECK-NOT: ingot.require_order
// CHECK: ingot.return
ingot.entry @test role(step) feeds ["p:0"] fetches [] variables [] updates [] {
^bb0(%p: tensor<4xi32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    ingot.require_order %p {kind = "permutation"} : (tensor<4xi32>) -> ()
    %less = ingot.less %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next : tensor<i32>
  }
  ingot.return
}

// -----

// In a branch of the body the check stays with the branch.
// CHECK-LABEL: ingot.entry @branch
// CHECK-NOT: ingot.require_numbers
// CHECK: ingot.while
// CHECK: ingot.if
// CHECK: ingot.require_numbers
ingot.entry @branch role(step) feeds ["y:0"] fetches [] variables [] updates [] {
^bb0(%y: tensor<4xi32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %n = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %less = ingot.less %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %is = ingot.less %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.if %is : tensor<i1> {
      ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
      ingot.result
    } else {
      ingot.result
    }
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next : tensor<i32>
  }
  ingot.return
}

// -----

// Operands computed from checked numbers have the shape of the loop's initial
// values.
// CHECK-LABEL: ingot.entry @kept
// CHECK: ingot.if
// CHECK: %[[SHAPE:.*]] = ingot.shape %[[X:.*]] {output_type = i64}
// CHECK: ingot.require_numbers %[[Y:.*]], %[[SHAPE]]
// CHECK: ingot.while(%{{.*}}, %[[X]])
// CHECK-NOT: ingot.require_numbers
// CHECK: ingot.return
ingot.entry @kept role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?xi32>, %y: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %n:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<?xi32>) -> (tensor<i32>, tensor<?xi32>) test {
  ^bb0(%i: tensor<i32>, %z: tensor<?xi32>):
    %less = ingot.less %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %z: tensor<?xi32>):
    %shape = ingot.shape %z {output_type = i64} : (tensor<?xi32>) -> tensor<1xi64>
    ingot.require_numbers %y, %shape {kind = "divisor"} : (tensor<i32>, tensor<1xi64>) -> ()
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %less = ingot.sub %z, %y : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
    ingot.result %next, %less : tensor<i32>, tensor<?xi32>
  }
  ingot.return
}
