// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-forward-stacked-invariants | FileCheck %s

// Each iteration pushes the argument %w, which replaces the pop. The stack of a
// loop-carried value is kept.
// CHECK-LABEL: ingot.entry @weights
// CHECK: ^bb0(%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x8xf32>):
// CHECK: %[[STACK:.*]] = ingot.stack
// CHECK-NOT: ingot.stack {
// CHECK: ingot.while
// CHECK: ingot.stack_push %[[STACK]]
// CHECK-NOT: ingot.stack_push
// CHECK: ingot.while
// CHECK: %[[POPPED:.*]] = ingot.stack_pop %[[STACK]]
// CHECK-NOT: ingot.stack_pop
// CHECK: ingot.matmul %[[POPPED]], %[[W]]
ingot.entry @weights role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %ten = ingot.constant dense<10> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<8x8xf32>>
  %t = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<4x8xf32>>
  %a:2 = ingot.while(%zero, %x) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.stack_push %s, %w : (tensor<!ingot.variant, tensor<8x8xf32>>, tensor<8x8xf32>) -> ()
    ingot.stack_push %t, %y : (tensor<!ingot.variant, tensor<4x8xf32>>, tensor<4x8xf32>) -> ()
    %z = ingot.matmul %y, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %z : tensor<i32>, tensor<4x8xf32>
  }
  %b:2 = ingot.while(%a#0, %a#1) : (tensor<i32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %less = ingot.less %zero, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4x8xf32>):
    %next = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %v = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<8x8xf32>>) -> tensor<8x8xf32>
    %u = ingot.stack_pop %t {element_type = f32} : (tensor<!ingot.variant, tensor<4x8xf32>>) -> tensor<4x8xf32>
    %z = ingot.matmul %u, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    ingot.result %next, %z : tensor<i32>, tensor<4x8xf32>
  }
  ingot.return %b#1 : tensor<4x8xf32>
}

// -----

// The only stacks of two loops hold invariants: the smaller one is kept, since
// its pop fails if the second loop has more iterations.
// CHECK-LABEL: ingot.entry @last
// CHECK: ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<f32>>
// CHECK-NOT: ingot.stack {
// CHECK: ingot.stack_push %{{.*}}, %{{.*}} : (tensor<!ingot.variant, tensor<f32>>, tensor<f32>) -> ()
// CHECK-NOT: ingot.stack_push
// CHECK: ingot.stack_pop
// CHECK-NOT: ingot.stack_pop
ingot.entry @last role(step) feeds ["r:0", "w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%r: tensor<f32>, %w: tensor<4xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<4xf32>>
  %t = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<f32>>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.stack_push %s, %w : (tensor<!ingot.variant, tensor<4xf32>>, tensor<4xf32>) -> ()
    ingot.stack_push %t, %r : (tensor<!ingot.variant, tensor<f32>>, tensor<f32>) -> ()
    ingot.result %next : tensor<i32>
  }
  %b:2 = ingot.while(%a, %w) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) test {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %less = ingot.less %zero, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %next = ingot.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %v = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<4xf32>>) -> tensor<4xf32>
    %u = ingot.stack_pop %t {element_type = f32} : (tensor<!ingot.variant, tensor<f32>>) -> tensor<f32>
    %p = ingot.mul %v, %u : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %z = ingot.add %y, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ingot.result %next, %z : tensor<i32>, tensor<4xf32>
  }
  ingot.return %b#1 : tensor<4xf32>
}

// -----

// Items of one stack are pushed by two ops, and both are kept.
// CHECK-LABEL: ingot.entry @two_pushes
// CHECK-COUNT-2: ingot.stack_push
// CHECK: ingot.stack_pop
ingot.entry @two_pushes role(step) feeds ["w:0", "v:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<4xf32>, %v: tensor<4xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<4xf32>>
  %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
  ^bb0(%i: tensor<i32>):
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.stack_push %s, %w : (tensor<!ingot.variant, tensor<4xf32>>, tensor<4xf32>) -> ()
    ingot.stack_push %s, %v : (tensor<!ingot.variant, tensor<4xf32>>, tensor<4xf32>) -> ()
    ingot.result %next : tensor<i32>
  }
  %u = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<4xf32>>) -> tensor<4xf32>
  ingot.return %u : tensor<4xf32>
}

// -----

// Each iteration of a loop around both loops pops what earlier ones pushed.
// CHECK-LABEL: ingot.entry @earlier_iterations
// CHECK-COUNT-2: ingot.stack_pop
// CHECK-COUNT-2: ingot.stack_push
ingot.entry @earlier_iterations role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<4xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<4xf32>>
  %t = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant, tensor<i32>>
  %o:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) test {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b:2 = ingot.while(%i, %v) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) test {
    ^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
      %less = ingot.less %zero, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %less : tensor<i1>
    } body {
    ^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
      %u = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<4xf32>>) -> tensor<4xf32>
      %k = ingot.stack_pop %t {element_type = i32} : (tensor<!ingot.variant, tensor<i32>>) -> tensor<i32>
      %m = ingot.sub %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %z = ingot.add %y, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ingot.result %m, %z : tensor<i32>, tensor<4xf32>
    }
    %a = ingot.while(%zero) : (tensor<i32>) -> tensor<i32> test {
    ^bb0(%j: tensor<i32>):
      %less = ingot.less %j, %next : (tensor<i32>, tensor<i32>) -> tensor<i1>
      ingot.condition %less : tensor<i1>
    } body {
    ^bb0(%j: tensor<i32>):
      ingot.stack_push %s, %v : (tensor<!ingot.variant, tensor<4xf32>>, tensor<4xf32>) -> ()
      ingot.stack_push %t, %j : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> ()
      %m = ingot.add %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      ingot.result %m : tensor<i32>
    }
    ingot.result %next, %b#1 : tensor<i32>, tensor<4xf32>
  }
  ingot.return %o#1 : tensor<4xf32>
}
