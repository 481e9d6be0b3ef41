// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-drop-dead-loop-state -split-input-file | FileCheck %s

// A dead list of a later loop is dropped, and with it the list of an earlier
// loop that it was computed from.
// CHECK-LABEL: ingot.entry @chain
// CHECK: %[[FIRST:.*]]:2 = ingot.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
// CHECK: ingot.condition
// CHECK: ingot.add
// CHECK-NEXT: ingot.exp
// CHECK-NEXT: ingot.result
// CHECK: ingot.while(%{{.*}}) : (tensor<i32>) -> tensor<i32>
// CHECK-NOT: ingot.neg
// CHECK-NOT: ingot.mul
// CHECK: ingot.return %[[FIRST]]#1, %{{.*}} : tensor<4xf32>, tensor<i32>
ingot.entry @chain role(step) feeds ["x:0"] fetches ["y:0", "n:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %a:3 = ingot.while(%zero, %x, %x) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>, %z: tensor<4xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>, %z: tensor<4xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %neg = ingot.neg %z : (tensor<4xf32>) -> tensor<4xf32>
    %exp = ingot.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    ingot.result %next, %exp, %neg : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  %b:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %mul = ingot.mul %y, %a#2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ingot.result %next, %mul : tensor<i32>, tensor<4xf32>
  }
  ingot.return %a#1, %b#0 : tensor<4xf32>, tensor<i32>
}

// -----

// State that the condition depends on, by way of other state, stays.
// CHECK-LABEL: ingot.entry @tested
// CHECK: ingot.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<i32>)
// CHECK: ingot.add
ingot.entry @tested role(step) feeds ["n:0"] fetches [] variables [] updates [] {
^bb0(%n: tensor<i32>):
  %ten = ingot.constant dense<10> : tensor<i32>
  %a:2 = ingot.while(%n, %n) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) test {
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    ingot.require_numbers %j {kind = "divisor"} : (tensor<i32>) -> ()
    %next = ingot.add %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %j : tensor<i32>, tensor<i32>
  }
  ingot.return
}
